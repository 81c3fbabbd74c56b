package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// What follows from a listing. A file is the same under every name; what was read of it
// is not read again, wherever it is now:
//
//	renamed                the inode is known by another name, and the bytes fit
//	replaced by its copy   another inode under the known name, and the bytes fit
//	copied and truncated   the bytes are in a file of the same family: app.log.1 of app.log
//	packed                 the same, unpacked: app.log.1.gz
//	linked                 one inode under two names of one listing
//
// The bytes fit if the file begins as it did and has the same bytes before the place up to
// which it was read. A file whose name is known, that does not have the bytes, is a new one if they
// were found elsewhere. If they were not, it is in doubt: see the option changed_files.
type follower struct {
	source   *source
	entries  []entry            // of the listing, each file once
	names    map[fileName]bool  // of the listing
	moves    []moved            // see batchRange
	left     map[fileName]bool  // names whose state went to another name
	fresh    map[fileName]bool  // known names of other files
	used     map[fileName]bool  // entries that hold what was read
	doubt    []entry            // in doubt
	byInode  map[inode]fileName // of the position; made when asked for
	families map[string][]fileName
}

func (s *source) follow(entries []entry) (*follower, error) {
	f := &follower{source: s, names: map[fileName]bool{}, left: map[fileName]bool{}, fresh: map[fileName]bool{}, used: map[fileName]bool{}}
	f.dropLinks(entries)
	var replaced, lost, unknown []entry
	for _, e := range f.entries {
		st, named := s.at.Files[e.name]
		if named && (!st.known() || st.inode() == e.id.inode()) {
			holds, err := s.holds(e, &st)
			if err != nil {
				return nil, err
			}
			if !holds {
				lost = append(lost, e)
			}
			continue
		}
		found, err := f.renamed(e)
		switch {
		case err != nil:
			return nil, err
		case found:
		case named:
			replaced = append(replaced, e)
		default:
			unknown = append(unknown, e)
		}
	}
	for _, e := range replaced {
		st := s.at.Files[e.name]
		if f.left[e.name] {
			f.fresh[e.name] = true
			unknown = append(unknown, e)
			continue
		}
		if holds, err := s.holds(e, &st); err != nil {
			return nil, err
		} else if !holds {
			lost = append(lost, e)
		}
	}
	// A lost file may hold what was read of another: app.log.1, which is written anew.
	for _, e := range lost {
		if err := f.findLost(e, slices.Concat(unknown, lost)); err != nil {
			return nil, err
		}
	}
	f.doubtLost(lost)
	for _, e := range unknown {
		if err := f.checkCopy(e); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// dropLinks keeps one name of each file: the one that is known, or else the first.
func (f *follower) dropLinks(entries []entry) {
	seen := make(map[inode]int, len(entries))
	for _, e := range entries {
		at, again := seen[e.id.inode()]
		if !again || !e.id.known() {
			seen[e.id.inode()] = len(f.entries)
			f.entries = append(f.entries, e)
			f.names[e.name] = true
			continue
		}
		first := f.entries[at]
		if first.name == e.name {
			continue // two branches of a glob
		}
		if f.isKnown(e) && !f.isKnown(first) {
			f.entries[at], first, e = e, e, first
			delete(f.names, e.name)
			f.names[first.name] = true
		}
		f.source.noticef("file %q is %q once more, by a link, and is read once", e.name, first.name)
	}
}

// isKnown reports whether a file was read under its name.
func (f *follower) isKnown(e entry) bool {
	st, ok := f.source.at.Files[e.name]
	return ok && (!st.known() || st.inode() == e.id.inode())
}

// renamed finds a file that was read under another name.
func (f *follower) renamed(e entry) (bool, error) {
	if f.byInode == nil {
		f.byInode = make(map[inode]fileName, len(f.source.at.Files))
		for name, st := range f.source.at.Files {
			f.byInode[st.inode()] = name
		}
	}
	was, ok := f.byInode[e.id.inode()]
	if !ok || !e.id.known() {
		return false, nil
	}
	st := f.source.at.Files[was]
	if st.Born != 0 {
		if now := bornAt(f.source.config.pattern.full(e.name)); now != 0 && now != st.Born {
			return false, nil
		}
	}
	holds, err := f.source.holds(e, &st)
	if err == nil && holds {
		f.move(e, was, st)
	}
	return holds, err
}

// move says that what was read under a name is in another file now.
func (f *follower) move(e entry, was fileName, st state) {
	st.fileID = fileID{e.id.Dev, e.id.Ino, bornAt(f.source.config.pattern.full(e.name))}
	if st.Outside = e.outside; e.size == st.Size {
		st.MTime = e.mtime
	}
	f.moves = append(f.moves, moved{Name: e.name, Was: was, state: st})
	f.left[was], f.used[e.name] = true, true
}

// verified is a file that was found to hold what was read of a state.
type verified struct {
	inode
	size, mtime int64
	state       state
}

// holds reports whether a file has the bytes that were read.
func (s *source) holds(e entry, st *state) (bool, error) {
	if e.size == st.Size && e.mtime == st.MTime && (!st.known() || st.inode() == e.id.inode()) {
		return true, nil
	}
	if e.size < st.Size || st.Done && e.size != st.Size {
		return false, nil
	}
	now := verified{e.id.inode(), e.size, e.mtime, *st}
	if s.verified[e.name] == now {
		return true, nil
	}
	f, info, err := openRegular(s.config.pattern.full(e.name))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil // gone since it was listed: the next listing tells
	}
	if err != nil {
		return false, s.cannotRead(e.name, err)
	}
	defer f.Close()
	if info.Size() < st.Size {
		return false, nil
	}
	same, err := sampledAs(f, st)
	if same {
		s.verified[e.name] = now
	}
	return same, err
}

// sampledAs reports whether a file has the sampled bytes of what was read.
func sampledAs(f io.ReaderAt, st *state) (bool, error) {
	head, _, err := headOf(f, st.Size)
	if err != nil || head != st.Head {
		return false, ignoreEnd(err)
	}
	if st.Tail == 0 {
		return true, nil // of an older version, which did not keep it
	}
	tail, _, err := tailOf(f, st.To)
	return err == nil && tail == st.Tail, ignoreEnd(err)
}

// ignoreEnd takes a file that became shorter for one that has other bytes.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// findLost looks for what was read under the name of e, which does not have it: among the
// new files of the listing, then among the other files of the folder.
func (f *follower) findLost(e entry, unknown []entry) error {
	st := f.source.at.Files[e.name]
	for _, candidates := range [][]entry{unknown, f.outsiders(e)} {
		for _, c := range candidates {
			if f.used[c.name] || c.name == e.name {
				continue
			}
			found, err := f.isLost(c, e.name, &st)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			if f.fresh[e.name] = true; !f.names[c.name] {
				f.take(c)
			}
			return nil
		}
	}
	return nil
}

// doubtLost puts the files in doubt that are not what was read of them, when that is
// nowhere. What became empty has nothing to read.
func (f *follower) doubtLost(lost []entry) {
	for _, e := range lost {
		if f.fresh[e.name] || f.used[e.name] {
			continue
		}
		if f.drop(e.name); e.size > 0 && !e.outside {
			f.doubt = append(f.doubt, e)
		}
	}
}

// isLost reports whether c has what was read under another name, and says so.
func (f *follower) isLost(c entry, was fileName, st *state) (bool, error) {
	// The number of a file that was removed may be that of its packed copy.
	renamed, copied := st.known() && st.inode() == c.id.inode(), copyOf(c.name, was)
	if renamed || copied && !isPacked(c.name) {
		holds, err := f.source.holds(c, st)
		if err != nil || holds {
			f.move(c, was, *st)
			if copied && !renamed {
				f.source.noticef(heldNotice, c.name, was)
			}
			return err == nil, err
		}
	}
	if !copied || !isPacked(c.name) {
		return false, nil
	}
	packed, err := f.source.unpackedState(c, st)
	if err != nil || packed == nil {
		return false, err
	}
	f.move(c, was, *packed)
	f.source.noticef(heldNotice, c.name, was)
	return true, nil
}

// heldNotice is said of a copy.
const heldNotice = "file %q holds what was read as %q; that is not read again"

// outsiders are the files beside e that the pattern does not name.
func (f *follower) outsiders(e entry) (out []entry) {
	p := &f.source.config.pattern
	folder := path.Dir(string(e.name))
	all, err := os.ReadDir(p.full(fileName(folder)))
	if err != nil {
		return nil // what is not found is in doubt
	}
	for _, d := range all {
		name := fileName(path.Join(folder, d.Name()))
		if f.names[name] || d.IsDir() {
			continue
		}
		if c, err := p.entryOf(name, d, func(string) {}); err == nil && c != nil {
			c.outside = true
			out = append(out, *c)
		}
	}
	return out
}

// take takes a file up that was renamed out of the pattern: it may have lines that were
// appended before that.
func (f *follower) take(c entry) {
	f.entries = append(f.entries, c)
	f.names[c.name] = true
}

func (f *follower) drop(name fileName) {
	f.entries = slices.DeleteFunc(f.entries, func(e entry) bool { return e.name == name })
}

// checkCopy passes a new file over that holds what was read of another, which is there
// still or is gone; what it has behind that is read.
func (f *follower) checkCopy(e entry) error {
	if f.used[e.name] || stemOf(e.name) == string(e.name) {
		return nil
	}
	s := f.source
	for _, was := range f.family(e.name) {
		st := s.at.Files[was]
		if st.To == 0 || f.left[was] || !copyOf(e.name, was) || st.Done && isPacked(e.name) {
			continue
		}
		var held *state
		if isPacked(e.name) {
			var err error
			if held, err = s.unpackedState(e, &st); err != nil {
				return err
			}
		} else if holds, err := s.holds(e, &st); err != nil {
			return err
		} else if holds {
			held = &st
		} else if f.names[was] && s.isBeginning(e, was, &st) {
			s.noticef("file %q looks like a copy of %q that is being made; it is not read yet", e.name, was)
			f.drop(e.name)
			return nil
		}
		if held == nil {
			continue
		}
		s.noticef(heldNotice, e.name, was)
		f.move(e, was, *held)
		if f.names[was] && !f.fresh[was] {
			delete(f.left, was)
			f.moves[len(f.moves)-1].Copy = true
		}
		return nil
	}
	return nil
}

// isBeginning reports whether a file is shorter than what was read of another, which is
// intact, and begins with the same bytes.
func (s *source) isBeginning(e entry, of fileName, st *state) bool {
	if e.size == 0 || e.size >= st.To {
		return false
	}
	var sums [2]uint32
	for i, name := range []fileName{e.name, of} {
		f, info, err := openRegular(s.config.pattern.full(name))
		if err != nil {
			return false
		}
		if info.Size() >= e.size {
			sums[i], _, err = headOf(f, e.size)
		}
		f.Close()
		if err != nil {
			return false
		}
	}
	return sums[0] == sums[1]
}

// family lists the known names with the stem of a name, the shortest first.
func (f *follower) family(name fileName) []fileName {
	if f.families == nil {
		f.families = map[string][]fileName{}
		for known := range f.source.at.Files {
			stem := stemOf(known)
			f.families[stem] = append(f.families[stem], known)
		}
		for _, names := range f.families {
			slices.SortFunc(names, func(a, b fileName) int {
				return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
			})
		}
	}
	return f.families[stemOf(name)]
}

// copyOf reports whether a name is one that rotation gives to a copy of a file: the name
// with a number or date behind it, or within; and packed, of any file with the same stem.
func copyOf(name, was fileName) bool {
	stem := stemOf(name)
	if stem == string(name) || stem != stemOf(was) {
		return false
	}
	return isPacked(name) || stem == string(was)
}

// rotatedSuffixes are what is put behind the name of a file that is set aside.
var rotatedSuffixes = [...]string{".backup", ".bak", ".old", ".orig", ".prev", ".save"}

// stemOf returns a name without what rotation and packing add to it: app.log of
// app.log.2.gz, app.log-20260101, app.log.2026-01-01 and app-20260101.log.
func stemOf(name fileName) string {
	stem := strings.TrimSuffix(string(name), packedSuffix(name))
	for {
		cut := withoutNumber(stem)
		for _, suffix := range rotatedSuffixes {
			cut = strings.TrimSuffix(cut, suffix)
		}
		if cut == stem || path.Base(cut) == "." || cut == "" {
			break
		}
		stem = cut
	}
	folder, base := path.Split(stem)
	if ext := path.Ext(base); ext != "" {
		if inner := base[:len(base)-len(ext)]; isDate(inner) {
			stem = folder + withoutNumber(inner) + ext
		}
	}
	return stem
}

// withoutNumber takes a number or date from the end of a name: .1, .2026-01-01, -20260101,
// -2026-01-01T10-00-00.
func withoutNumber(name string) string {
	at := strings.LastIndexFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && !strings.ContainsRune("-.:_TZ", r)
	})
	// What follows a letter is part of the word: mp3, utf8.
	rest := name[at+1:]
	i := strings.IndexAny(rest, "-._")
	if i < 0 || at < 0 {
		return name
	}
	number := rest[i:]
	if digits := strings.Trim(number[1:], "-.:_TZ"); digits == "" || number[0] != '.' && !isDate(number) {
		return name
	}
	return name[:at+1+i]
}

// isDate reports whether a name ends in a date: eight digits or more.
func isDate(name string) bool {
	digits := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch c := name[i]; {
		case c >= '0' && c <= '9':
			digits++
		case !strings.ContainsRune("-.:_TZ", rune(c)):
			return digits >= 8
		}
	}
	return digits >= 8
}

// noticef says something about files, by the names that the user knows.
func (s *source) noticef(format string, names ...fileName) {
	shown := make([]any, len(names))
	for i, n := range names {
		shown[i] = s.config.pattern.shown(n)
	}
	s.notice(fmt.Sprintf(format, shown...))
}
