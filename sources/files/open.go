package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"ssql/internal/sqlerr"
)

// openPinned opens a pinned file and refuses one that has changed otherwise than by
// growing. One that was renamed, copied or packed since is found.
func (s *source) openPinned(p *pinned) (*os.File, error) {
	s.mu.Lock()
	name, moved := s.elsewhere[p.place()]
	s.mu.Unlock()
	if !moved {
		name = s.config.pattern.full(p.Name)
	}
	f, err := openAs(name, p, moved)
	if err == nil {
		return f, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, findErr := s.find(p)
	if findErr != nil || found == "" {
		return nil, errors.Join(err, findErr)
	}
	s.elsewhere[p.place()] = found
	return openAs(found, p, true)
}

// place is a pinned file by its name and what it was. One that is truncated in place is
// the same inode, with other bytes.
type place struct {
	name fileName
	state
}

func (p *pinned) place() place { return place{p.Name, p.state()} }

// openAs opens a file that has what is pinned. copied says that its time means nothing.
func openAs(name string, p *pinned, copied bool) (*os.File, error) {
	f, info, err := openRegular(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, sqlerr.New("E_SOURCE_MISSING", "file %q is gone, but a planned batch reads it", name).
			WithHint("put it back as it was and start the query again; nothing has been lost")
	}
	if err != nil {
		return nil, sqlerr.New("E_SOURCE_MISSING", "file %q cannot be opened, but a planned batch reads it", name).Because(err)
	}
	changed := ""
	switch size := info.Size(); {
	case size < p.Size:
		changed = fmt.Sprintf("it had %d bytes and has %d", p.Size, size)
	case size == p.Size && info.ModTime().UnixNano() != p.MTime && !copied:
		changed = "it was modified at " + info.ModTime().UTC().Format(time.RFC3339Nano)
	case size > p.Size && p.whole():
		changed = fmt.Sprintf("such a file cannot grow, and it had %d bytes and has %d", p.Size, size)
	case size > p.Size || copied:
		// The rest of the range cannot be compared: only its bytes would tell.
		st := p.state()
		if same, err := sampledAs(f, &st); err != nil || !same {
			changed = "it has other bytes"
		}
	}
	if changed == "" {
		return f, nil
	}
	f.Close()
	return nil, sqlerr.New("E_SOURCE_CHANGED", "file %q is not what the planned batch pinned: %s", name, changed).
		WithHint("put it back as it was and start the query again; files may only grow once they are listed")
}

// find returns the path of a file that holds what is pinned, when the one with its name
// does not; "" if there is none.
func (s *source) find(p *pinned) (string, error) {
	entries, err := s.config.pattern.list(s.notice)
	if err != nil {
		return "", err
	}
	f := follower{source: s, names: map[fileName]bool{}}
	for _, e := range entries {
		f.names[e.name] = true
	}
	beside := f.outsiders(entry{name: p.Name})
	entries = append(entries, beside...)
	st := p.state()
	for _, e := range entries {
		full := s.config.pattern.full(e.name)
		renamed := p.known() && e.id.inode() == p.inode() && e.name != p.Name
		if renamed || copyOf(e.name, p.Name) && !isPacked(e.name) {
			if opened, err := openAs(full, p, true); err == nil {
				return full, opened.Close()
			}
		}
		if !isPacked(e.name) || !copyOf(e.name, p.Name) || p.whole() {
			continue
		}
		if found, err := s.unpackedState(e, &st); err == nil && found != nil {
			return s.unpackTo(full, p.Size)
		}
	}
	return "", nil
}

// unpackTo unpacks the beginning of a file into a temporary one.
func (s *source) unpackTo(name string, size int64) (string, error) {
	packed, info, err := openRegular(name)
	if err != nil {
		return "", err
	}
	defer packed.Close()
	_, head, err := headOf(packed, info.Size())
	if err != nil {
		return "", err
	}
	content, err := unpack(packed, compressionOf(head).name)
	if err != nil {
		return "", err
	}
	defer content.Close()
	out, err := os.CreateTemp("", "ssql-"+path.Base(name)+"-*")
	if err != nil {
		return "", err
	}
	s.temporary = append(s.temporary, out.Name())
	_, err = io.CopyN(out, content, size)
	return out.Name(), errors.Join(err, out.Close())
}
