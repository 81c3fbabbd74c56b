package files

import (
	"bytes"
	"io"

	"ssql/internal/format"
)

// window reads a range of a file piece by piece. A piece that holds no whole record is
// read again, twice as long.
type window struct {
	f      io.ReaderAt
	at, to int64 // what is left
	block  []byte
	size   int // of the present piece
}

// load returns the piece at w.at, which is valid until the next call.
func (w *window) load() ([]byte, error) {
	w.size = int(min(int64(max(w.size, segmentBytes)), w.to-w.at))
	if len(w.block) < w.size {
		w.block = make([]byte, w.size)
	}
	_, err := w.f.ReadAt(w.block[:w.size], w.at)
	return w.block[:w.size], err
}

// advance goes on behind the first n bytes of the piece; done says that no more record
// ends: what is left from w.at on has no end.
func (w *window) advance(n int) (done bool) {
	last := w.at+int64(w.size) == w.to
	w.at += int64(n)
	if n == 0 {
		w.size *= 2
	} else {
		w.size = 0
	}
	return last && (n == 0 || w.at == w.to)
}

// span are whole records of a file.
type span struct {
	from, to int64
	// tooLong is a single record beyond line_bytes_max, which is not read.
	tooLong bool
}

// cutter finds the ends of the records of a file.
type cutter struct {
	format.Shape
	lineMax int
}

// cutterOf returns the one of a file.
func (s *source) cutterOf(p *pinned) cutter {
	if p.Records == recordsAny {
		return cutter{s.config.values(s.shape), s.config.lineMax}
	}
	return cutter{s.shape, s.config.lineMax}
}

// isCut reports whether the records of a file may hold line ends, so that it must be cut from
// its beginning on.
func (s *source) isCut(p *pinned) bool { return s.config.format.fields || p.Records == recordsAny }

// cut parts [from, to) of a file of records that may hold line ends into spans of about
// segmentBytes, which depend on the bytes alone. rest is where what has no record end
// starts.
func (c cutter) cut(f io.ReaderAt, from, to int64) (spans []span, rest int64, err error) {
	w := window{f: f, at: from, to: to}
	for w.at < to {
		block, err := w.load()
		if err != nil {
			return nil, 0, err
		}
		n := c.lastEnd(block, w.at)
		if n == 0 && len(block) > c.lineMax {
			end, err := c.endBehind(block, f, w.at+int64(len(block)), to)
			if err != nil {
				return nil, 0, err
			}
			spans = append(spans, span{w.at, end, true})
			w = window{f: f, at: end, to: to, block: w.block}
			continue
		}
		if n > 0 {
			spans = append(spans, span{w.at, w.at + int64(n), false})
		}
		if w.advance(n) {
			break
		}
	}
	return spans, w.at, nil
}

// lastEnd is LastEnd of a block at a place in a file, whose byte order mark is no text.
func (c cutter) lastEnd(block []byte, at int64) int {
	mark := markOf(block, at)
	if end := c.LastEnd(block[mark:]); end > 0 {
		return mark + end
	}
	return 0
}

// ends is Ends of a block at a place in a file.
func (c cutter) ends(block []byte, at, max int64) (end int, records int64) {
	mark := markOf(block, at)
	if end, records = c.Ends(block[mark:], max); end > 0 {
		end += mark
	}
	return end, records
}

// markOf returns the length of the byte order mark of a block at a place in a file.
func markOf(block []byte, at int64) int {
	if at == 0 && bytes.HasPrefix(block, byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}

// endBehind returns where a record ends whose start is too long, when at is behind that, at
// most to.
func (c cutter) endBehind(start []byte, f io.ReaderAt, at, to int64) (int64, error) {
	rest := c.Rest(start)
	w := window{f: f, at: at, to: to}
	for w.at < to {
		block, err := w.load()
		if err != nil {
			return 0, err
		}
		if n, done := rest(block); done {
			return w.at + int64(n), nil
		}
		w.advance(len(block))
	}
	return to, nil
}

// cutAll is cut with the rest as a span: what was pinned is read to its end.
func (c cutter) cutAll(f io.ReaderAt, from, to int64) ([]span, error) {
	spans, rest, err := c.cut(f, from, to)
	if err == nil && rest < to {
		spans = append(spans, span{rest, to, false})
	}
	return spans, err
}
