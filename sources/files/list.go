package files

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// The values of the option changed_files.
const (
	changedFail = "fail"
	changedRead = "read"
	changedSkip = "skip"
)

// list lists the files that may have something new.
func (s *source) list() error {
	f, err := s.look()
	if err == nil && len(f.doubt) > 0 {
		// A rename in the middle of a listing shows a file twice or not at all.
		f, err = s.look()
	}
	if err != nil {
		return err
	}
	for _, e := range f.doubt {
		if err := s.decide(f, e); err != nil {
			return err
		}
	}
	if len(f.names) == 0 {
		s.notice(fmt.Sprintf("no file matches %q yet", s.config.pattern.given))
	}
	s.moves, s.movedTo, s.fresh = f.moves, map[fileName]state{}, f.fresh
	for _, m := range s.moves {
		s.movedTo[m.Name] = m.state
		delete(s.fresh, m.Name)
	}
	s.config.pattern.sort(f.entries)
	s.listed = s.listed[:0]
	for _, e := range f.entries {
		if s.mayBeNew(e) {
			s.listed = append(s.listed, e)
		}
	}
	return nil
}

// look lists the files, with those that were renamed out of the pattern, and follows them.
func (s *source) look() (*follower, error) {
	entries, err := s.config.pattern.list(s.notice)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.at.Files)) {
		if !s.at.Files[name].Outside {
			continue
		}
		info, err := os.Lstat(s.config.pattern.full(name))
		if err != nil {
			continue // it is gone, and was read
		}
		if e, err := s.config.pattern.entryOf(name, fs.FileInfoToDirEntry(info), s.notice); err == nil && e != nil {
			e.outside = true
			entries = append(entries, *e)
		}
	}
	return s.follow(entries)
}

// decide does what changed_files says about a file that is not what was read of it.
func (s *source) decide(f *follower, e entry) error {
	shown, st := s.config.pattern.shown(e.name), s.at.Files[e.name]
	switch s.config.changed {
	case changedRead:
		s.notice(fmt.Sprintf("file %q is not what was read of it, %d bytes, and is read from its beginning (changed_files = 'read')", shown, st.To))
		f.fresh[e.name] = true
		f.entries = append(f.entries, e)
		return nil
	case changedSkip:
		s.notice(fmt.Sprintf("file %q was changed after it was read; the change is not read (changed_files = 'skip')", shown))
		return nil
	}
	what := fmt.Sprintf("what was read of it, %d bytes, is in no file any more", st.To)
	if st.Done && e.size > st.Size {
		what = fmt.Sprintf("it was complete with %d bytes and has %d", st.Size, e.size)
	}
	return sqlerr.New("E_SOURCE_CHANGED", "file %q was changed after it was read: %s", shown, what).
		WithDetail("What was read of it before counts as read. Whether what it has now is new cannot be told.").
		WithHint("put it back as it was, only appended to; or ALTER STREAM %s SET (changed_files = 'read') reads such files from their beginning, 'skip' passes over what changed", types.QuoteIdent(s.streamName()))
}

// lastOf returns what is known of a file that was listed.
func (s *source) lastOf(name fileName) (last state, seen bool) {
	if last, seen = s.movedTo[name]; seen {
		return last, true
	}
	if s.fresh[name] {
		return state{}, false
	}
	last, seen = s.at.Files[name]
	return last, seen
}

func (s *source) mayBeNew(e entry) bool {
	last, seen := s.lastOf(e.name)
	switch {
	case !seen && e.mtime < s.at.Purged:
		s.noticef("file %q is passed over if it was not read before: it is older than the newest file read by more than max_file_age", e.name)
		return false
	case !seen:
		if e.size == 0 && (isPacked(e.name) || s.shape == nil) {
			s.noticef("file %q is empty, so that it is not complete; it is read when it is", e.name)
		}
		return e.size > 0
	case e.size == last.Size && e.mtime == last.MTime:
		return last.To < last.Size
	}
	return !last.Done
}

// pinNew pins a file unless it was read since it was listed.
func (s *source) pinNew(e entry, rows *budget) (*pinned, error) {
	last, seen := s.lastOf(e.name)
	if !seen {
		return s.pin(e, nil, rows)
	}
	if !s.mayBeNew(e) {
		return nil, nil
	}
	return s.pin(e, &last, rows)
}

// cannotRead says that there is no right to read a file.
func (s *source) cannotRead(name fileName, err error) error {
	return sqlerr.New("E_SOURCE_MISSING", "file %q cannot be read", s.config.pattern.shown(name)).Because(err).
		WithHint("give this user the right to read it, or move it out of the folder; nothing has been lost")
}
