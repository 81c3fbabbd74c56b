package files

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"ssql/internal/format/ndjson"
	"ssql/internal/format/parquet"
)

// headBytes at the start of a file are checksummed: a file that grew still has them.
const headBytes = 1024

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

// headOf returns the checksum of the first bytes of a file that had the given size,
// and the bytes.
func headOf(f io.ReaderAt, size int64) (sum uint32, head []byte, err error) {
	head = make([]byte, min(size, headBytes))
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0, nil, err
	}
	return crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)), head, nil
}

// budget is what a batch may still take of its limit of rows.
type budget struct{ left, max int64 }

func newBudget(rowsMax int64) *budget {
	if rowsMax == 0 {
		rowsMax = math.MaxInt64
	}
	return &budget{rowsMax, rowsMax}
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
func (b *budget) cut(s *source, f io.ReaderAt, from, to int64) (end int64, err error) {
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
		if w.at == 0 && s.shape.Header() {
			header = 1
		}
		n, records := s.ends(block, w.at, b.left+header)
		if n == 0 && len(block) > s.config.lineMax {
			n, records = bytes.LastIndexByte(block, '\n')+1, 1 // a quote that stays open
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
	p := &pinned{Name: e.name, Size: info.Size(), MTime: info.ModTime().UnixNano()}
	grown := s.frozen && p.Size > e.size
	if grown {
		p.Size = e.size
	}
	sum, head, err := headOf(f, p.Size)
	if err != nil {
		return nil, err
	}
	p.Head = sum
	if isUTF16(head) {
		s.notice(fmt.Sprintf("file %q is UTF-16 and is read as UTF-8, so that its rows are bad; %s", s.config.pattern.shown(e.name), utf16Hint))
	}
	if other := formatOfName(e.name); other != "" && other != s.config.format.name && s.config.byNames {
		s.notice(fmt.Sprintf("file %q is read as %s, as the files before it; a path such as '*.%s' leaves it out", s.config.pattern.shown(e.name), s.config.format.name, s.config.format.name))
	}
	if last != nil {
		if grown, err := s.hasGrown(f, p, last); err != nil || !grown {
			return nil, err
		}
		p.From = last.To
	}
	// What has grown behind a frozen end may be cut in the middle of a line.
	young := grown || !s.settled && s.now().Sub(info.ModTime()) < s.config.settle
	if p.Compression, p.Form = compressionOf(head), s.formOf(head); !p.whole() {
		if p.To, err = s.readyEnd(f, p, head, young); err != nil || p.To <= p.From {
			return nil, err
		}
		p.To, err = rows.cut(s, f, p.From, p.To)
		return p, err
	}
	p.To = p.Size
	if grown {
		return nil, nil
	}
	if young && s.isCutShort(f, p) {
		s.waiting = true
		s.notice(fmt.Sprintf("file %q is not complete yet; it is read when it is or has not changed for %v", s.config.pattern.shown(e.name), s.config.settle))
		return nil, nil
	}
	if !rows.takeWhole() {
		return nil, nil
	}
	return p, nil
}

// formOf tells from the first bytes of a file whether it is more than records.
func (s *source) formOf(head []byte) string {
	switch {
	case s.table != nil:
		return "parquet"
	case s.config.format.name == "json" && ndjson.IsArray(bytes.TrimPrefix(head, byteOrderMark)):
		return "array"
	}
	return ""
}

// hasGrown reports whether a file that was read has more behind what was read. Any
// other change is not followed: reading a rewritten file again would count rows
// twice.
func (s *source) hasGrown(f *os.File, p *pinned, last *state) (bool, error) {
	if last.Done || p.Size < last.To {
		s.noticeChanged(p.Name)
		return false, nil
	}
	sum, _, err := headOf(f, last.Size)
	if err != nil {
		return false, err
	}
	if sum != last.Head {
		s.noticeChanged(p.Name)
		return false, nil
	}
	return true, nil
}

func (s *source) noticeChanged(name string) {
	s.notice(fmt.Sprintf("file %q was changed after it was read; the change is not read (lines may only be appended)", s.config.pattern.shown(name)))
}

// readyEnd returns where the complete records of a plain file end. The last one may lack
// its line end: it is ready if it is whole by itself, or if the file has not changed for
// settle_time, so that nobody seems to be writing it.
func (s *source) readyEnd(f io.ReaderAt, p *pinned, head []byte, young bool) (int64, error) {
	if p.From >= p.Size || !young {
		return max(p.From, p.Size), nil
	}
	start, tail, err := s.lastRecord(f, p)
	if err != nil || len(tail) == 0 {
		return p.Size, err
	}
	// The last field of a CSV row, or a line of text, may be cut short. Who waits for more
	// will see; what is frozen is read as it is.
	sure := s.frozen || !s.config.format.unsure
	if sure && len(tail) <= s.config.lineMax && s.shape.Complete(head, tail) {
		return p.Size, nil
	}
	s.waiting = true
	s.notice(fmt.Sprintf("file %q ends in the middle of a line; it is read when the file has grown or has not changed for %v",
		s.config.pattern.shown(p.Name), s.config.settle))
	return start, nil
}

// lastRecord returns the bytes of a pinned file behind the last record end and where
// they start. Where a quote can hide a line end all that is new must be looked at.
func (s *source) lastRecord(f io.ReaderAt, p *pinned) (start int64, tail []byte, err error) {
	limit := int64(s.config.lineMax)
	if !s.config.format.fields {
		return lastLine(f, p.From, p.Size, limit)
	}
	_, start, err = s.cut(f, p.From, p.Size)
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

// isCutShort reports whether a file that is read whole ends too early: it is still being
// written. A packed one is read for it, but only while it is younger than settle_time.
func (s *source) isCutShort(f *os.File, p *pinned) bool {
	switch {
	case p.Form == "parquet":
		return !parquet.Whole(f, p.Size)
	case p.Compression == "":
		tail := make([]byte, min(p.Size, headBytes))
		_, err := f.ReadAt(tail, p.Size-int64(len(tail)))
		return err == nil && !bytes.HasSuffix(bytes.TrimRight(tail, " \t\r\n"), []byte("]"))
	}
	r, err := unpack(io.NewSectionReader(f, 0, p.Size), p.Compression)
	if err != nil {
		return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(r, s.config.unpackMax))
	return errors.Is(err, io.ErrUnexpectedEOF)
}
