package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// openRegular opens a file for reading without waiting on pipes.
func openRegular(name string) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// budget is what a batch may still take of its limit of rows.
type budget struct {
	left, max int64
	bytes     int64 // what it may read of one file; 0 is no limit
}

func newBudget(rowsMax, bytes int64) *budget {
	if rowsMax == 0 {
		rowsMax = math.MaxInt64
	}
	return &budget{rowsMax, rowsMax, bytes}
}

// cutBytes returns where records end that are not more than the limit of bytes, but at least
// one.
func (b *budget) cutBytes(s *source, p *pinned, f io.ReaderAt, from, to int64) (end int64, err error) {
	if b.bytes == 0 || to-from <= b.bytes {
		return to, nil
	}
	if s.isCut(p) {
		_, end, err = s.cutterOf(p).cut(f, from, from+b.bytes)
	} else {
		end, _, err = lastLine(f, from, from+b.bytes, b.bytes)
	}
	if end == from {
		end = to
	}
	return end, err
}

func (b *budget) limited() bool { return b.max < math.MaxInt64 }

// takeWhole is for a file whose rows cannot be counted before it is read: it is a
// batch by itself.
func (b *budget) takeWhole() (ok bool) {
	if !b.limited() {
		return true
	}
	ok = b.left == b.max
	b.left = 0
	return ok
}

// cut returns where the records of [from, to) end that are left in the budget, and takes
// them from it. Blank and bad ones count, a header does not: a batch has at most so many
// rows.
func (b *budget) cut(c cutter, f io.ReaderAt, from, to int64) (end int64, err error) {
	if !b.limited() {
		return to, nil
	}
	w := window{f: f, at: from, to: to}
	for {
		block, err := w.load()
		if err != nil {
			return 0, err
		}
		header := int64(0)
		if w.at == 0 && c.Header() {
			header = 1
		}
		n, records := c.ends(block, w.at, b.left+header)
		if n == 0 && len(block) > c.lineMax {
			next, err := c.endBehind(block, f, w.at+int64(len(block)), to)
			if err != nil {
				return 0, err
			}
			n, records = int(next-w.at), 1 // a record that is refused for its length
		}
		if records > 0 {
			records -= header
		}
		if b.left -= records; b.left == 0 {
			return w.at + int64(n), nil
		}
		if w.advance(n) {
			if w.at < to {
				b.left--
			}
			return to, nil
		}
	}
}

// pin decides which bytes of a listed file are ready to be read; nil for none. last
// is what was read of it before.
func (s *source) pin(e entry, last *state, rows *budget) (*pinned, error) {
	f, info, err := openRegular(s.config.pattern.full(e.name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // gone since it was listed
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if idOf(info).inode() != e.id.inode() {
		s.waiting = true // renamed since it was listed: the next listing follows it
		return nil, nil
	}
	p := &pinned{Name: e.name, fileID: idOf(info), Size: info.Size(), MTime: info.ModTime().UnixNano()}
	p.Born = born(int(f.Fd()), "")
	grown := s.frozen && p.Size > e.size
	if grown {
		p.Size = e.size
	}
	sum, head, err := headOf(f, p.Size)
	if err != nil {
		return nil, ignoreEnd(err)
	}
	p.Head = sum
	if how := compressionOf(head); how != nil && s.shape != nil {
		if how.unpack == nil {
			s.notRead(e.name, how)
			return nil, nil
		}
		p.Compression = how.name
	}
	s.noticeKind(e.name)
	if p.Compression == "" { // packed bytes look like anything
		if p.Form = s.formOf(head); p.Form == "" {
			if err := s.tellRecords(f, p, last, head); err != nil {
				return nil, ignoreEnd(err)
			}
		}
	} else if last != nil {
		p.Records = last.Records // of what was read before it was packed
	}
	// What has grown behind a frozen end may be cut in the middle of a line.
	young := grown || !s.settled && (s.config.growing || s.now().Sub(info.ModTime()) < s.config.settle)
	ready := s.pinPlain
	if p.whole() {
		ready = s.pinWhole
	}
	if ok, err := ready(f, p, last, &pinning{head, rows, young, grown}); err != nil || !ok {
		return nil, err
	}
	p.Tail, _, err = tailOf(f, p.To)
	return p, ignoreEnd(err)
}

// pinning is what pin knows of a file besides its place.
type pinning struct {
	head  []byte
	rows  *budget
	young bool // somebody may be writing it
	grown bool // behind a frozen end
}

// noticeKind says what seems wrong with the name of a file.
func (s *source) noticeKind(name fileName) {
	if other := formatOfName(string(name)); other != "" && other != s.config.format.name && s.config.byNames {
		s.notice(fmt.Sprintf("file %q is read as %s, as the files before it; a path such as '*.%s' leaves it out", s.config.pattern.shown(name), s.config.format.name, s.config.format.name))
	}
}

// pinPlain pins what is ready of a file that may grow.
func (s *source) pinPlain(f *os.File, p *pinned, last *state, n *pinning) (ok bool, err error) {
	if last != nil {
		if same, err := sampledAs(f, last); err != nil || !same || p.Size < last.To {
			s.waiting = true // changed since it was listed
			return false, err
		}
		if p.From, err = s.behindOpenLine(f, p, last); err != nil {
			return false, err
		}
	}
	var whole bool
	if last == nil && s.isArray(p, n.head) {
		if ok, err := s.arrayReady(f, p, n.young); err != nil || !ok {
			return false, err
		}
	}
	if p.To, whole, err = s.readyEnd(f, p, n.head, n.young); err != nil || p.To <= p.From {
		return false, err
	}
	ready := p.To
	if err := s.cutPinned(f, p, n.rows); err != nil {
		return false, ignoreEnd(err)
	}
	switch {
	case p.To < ready:
		return true, nil
	case p.Records == recordsAny:
		p.Open = !whole && p.To == p.Size
		p.Unclosed = whole && s.isArray(p, n.head) && (s.settled || !n.young && !s.config.growing)
		if p.Unclosed {
			p.Unclosed, _ = openArray(f, p.Size)
		}
		return true, nil
	}
	var end [1]byte
	_, err = f.ReadAt(end[:], p.To-1)
	p.Open = !whole && end[0] != '\n' && end[0] != '\r'
	return err == nil, ignoreEnd(err)
}

// cutPinned leaves of what a pinned file has to read what is in the budget.
func (s *source) cutPinned(f io.ReaderAt, p *pinned, rows *budget) (err error) {
	ready := p.To
	if p.To, err = rows.cutBytes(s, p, f, p.From, p.To); err != nil {
		return err
	}
	if p.To, err = rows.cut(s.cutterOf(p), f, p.From, p.To); err != nil {
		return err
	}
	if p.Records == recordsAny && p.To < ready {
		p.To, err = s.behindValues(f, p, p.To, ready)
	}
	return err
}

// behindOpenLine returns where the new bytes of a file begin. If its last line was read
// without its end, that end is not a line; and what was appended to the line itself is in
// no row: the row is stored without it.
func (s *source) behindOpenLine(f *os.File, p *pinned, last *state) (int64, error) {
	if !last.Open || p.Size == last.To {
		return last.To, nil
	}
	restOf := s.restOfLine
	if p.Records == recordsAny {
		restOf = restOfValue
	}
	end, rest, err := restOf(f, last.To, p.Size)
	if err != nil {
		return 0, ignoreEnd(err)
	}
	if len(rest) > 0 {
		shown := s.config.pattern.shown(p.Name)
		if s.config.changed == changedFail {
			return 0, sqlerr.New("E_SOURCE_CHANGED", "file %q was read up to byte %d, in the middle of a %s, and the %[3]s goes on with %q", shown, last.To, s.unitOf(p), printable(string(rest[:min(len(rest), restShown)]))).
				WithDetail("The %s had not changed for %v (settle_time), so that it was read as it was.", s.unitOf(p), s.config.settle).
				WithHint("ALTER STREAM %s SET (changed_files = 'skip') leaves the rest of such %ss out; a longer settle_time waits longer for them", types.QuoteIdent(s.streamName()), s.unitOf(p))
		}
		s.notice(fmt.Sprintf("file %q was read up to byte %d, in the middle of a %s; the rest of that %[3]s is not read (changed_files = '%s')", shown, last.To, s.unitOf(p), s.config.changed))
	}
	return end, nil
}

// restShown is how many bytes are told of the rest of a record.
const restShown = 100

// restOfLine returns where the line ends in whose middle a byte is, at most size, and what is
// between.
func (s *source) restOfLine(f io.ReaderAt, at, size int64) (end int64, rest []byte, err error) {
	block := make([]byte, min(size-at, int64(s.config.lineMax)))
	if _, err := f.ReadAt(block, at); err != nil {
		return 0, nil, err
	}
	rest, _, ended := bytes.Cut(block, []byte("\n"))
	if end = size; ended { // else its end has not come yet
		end = at + int64(len(rest)) + 1
	}
	return end, bytes.TrimSuffix(rest, []byte("\r")), nil
}

// pinWhole pins a file that is read from start to end.
func (s *source) pinWhole(f *os.File, p *pinned, last *state, n *pinning) (ok bool, err error) {
	if last != nil {
		if ok, err := s.againFromStart(p, last); err != nil || !ok {
			return false, err
		}
		p.Skip = last.Skip
	}
	if p.To = p.Size; n.grown || s.config.growing && !s.settled {
		return false, nil
	}
	if n.young && !s.frozen && (p.Form == formUTF16 || p.Form == formCR) {
		s.waiting = true // nothing in it tells its end
		return false, nil
	}
	// What does not begin as Parquet will not end as such.
	hopeless := p.Form == "parquet" && (!n.young && !bytes.HasPrefix(n.head, []byte("PAR1")) || compressionOf(n.head) != nil)
	if !s.settled && !hopeless && s.config.incomplete == incompleteWait && s.isCutShort(f, p) {
		s.waiting = s.waiting || n.young
		s.noticeIncomplete(p.Name)
		return false, nil
	}
	return n.rows.takeWhole(), nil
}

// againFromStart reports whether a file of which something was read is read from its start. Its
// first line had no end when that was read, and the end turns out to be a carriage return, so
// that it is of the kind that cannot grow: what was read of it would be read twice.
func (s *source) againFromStart(p *pinned, last *state) (bool, error) {
	if p.Form != formCR || last.Done || last.To == 0 || p.Compression != "" {
		return true, nil
	}
	shown := s.config.pattern.shown(p.Name)
	switch s.config.changed {
	case changedRead:
		s.notice(fmt.Sprintf("file %q has lines that end in CR alone, and is read from its beginning, %d bytes of it a second time (changed_files = 'read')", shown, last.To))
		return true, nil
	case changedSkip:
		s.notice(fmt.Sprintf("file %q has lines that end in CR alone, and what came after %d bytes of it is not read (changed_files = 'skip')", shown, last.To))
		return false, nil
	}
	return false, sqlerr.New("E_SOURCE_CHANGED", "file %q was read up to byte %d, before its first line had an end, and its lines end in CR alone: such a file is read as a whole", shown, last.To).
		WithHint("ALTER STREAM %s SET (changed_files = 'read') reads such files from their beginning, 'skip' leaves out what came later; a longer settle_time waits longer for them", types.QuoteIdent(s.streamName()))
}

// formOf tells from the first bytes of a file whether it is more than records.
func (s *source) formOf(head []byte) string {
	switch {
	case s.shape == nil:
		return "parquet"
	}
	return s.config.encodingOf(head)
}

// readyEnd returns where the complete records of a plain file end. The last one may lack
// its line end: it is ready if it is whole by itself, or if the file has not changed for
// settle_time, so that nobody seems to be writing it. whole says that no more can belong
// to it.
func (s *source) readyEnd(f io.ReaderAt, p *pinned, head []byte, young bool) (end int64, whole bool, err error) {
	if p.From >= p.Size {
		return p.From, false, nil
	}
	start, tail, err := s.lastRecord(f, p)
	if err != nil || len(tail) == 0 {
		return p.Size, true, err
	}
	// The last field of a CSV row, or a line of text, may be cut short.
	whole = !s.config.format.unsure && len(tail) <= s.config.lineMax && s.cutterOf(p).Complete(head, tail)
	if whole || !young {
		return p.Size, whole, nil
	}
	if s.waiting = true; s.config.growing {
		return start, false, nil
	}
	s.notice(fmt.Sprintf("file %q ends in the middle of a %s; it is read when the file has grown or has not changed for %v",
		s.config.pattern.shown(p.Name), s.unitOf(p), s.config.settle))
	return start, false, nil
}

// lastRecord returns the bytes of a pinned file behind the last record end and where
// they start. Where a quote can hide a line end all that is new must be looked at.
func (s *source) lastRecord(f io.ReaderAt, p *pinned) (start int64, tail []byte, err error) {
	limit := int64(s.config.lineMax)
	if !s.isCut(p) {
		return lastLine(f, p.From, p.Size, limit)
	}
	_, start, err = s.cutterOf(p).cut(f, p.From, p.Size)
	if err != nil {
		return 0, nil, err
	}
	tail = make([]byte, min(p.Size-start, limit+1))
	_, err = f.ReadAt(tail, start)
	return start, tail, err
}

// lastLine returns the bytes of [from, to) behind the last newline and where they
// start. If they are more than limit, only about the last limit bytes are looked at.
func lastLine(f io.ReaderAt, from, to, limit int64) (start int64, line []byte, err error) {
	const step = 64 << 10
	for at := to; at > from && int64(len(line)) <= limit; {
		n := min(step, at-from)
		block := make([]byte, n, n+int64(len(line)))
		if _, err := f.ReadAt(block, at-n); err != nil {
			return 0, nil, err
		}
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			return at - n + int64(i) + 1, append(block[i+1:], line...), nil
		}
		at -= n
		line = append(block, line...)
	}
	return from, line, nil
}
