package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/internal/format/csv"
	"ssql/internal/format/ndjson"
	"ssql/sources"
)

const (
	// segmentBytes is how a plain file is cut: small enough that cores finish
	// together and a block stays in the cache, large enough that opening the file
	// costs nothing.
	segmentBytes = 1 << 20
	// overlapBytes are read behind a segment at once, for its last line.
	overlapBytes = 32 << 10
	blockBytes   = segmentBytes + overlapBytes
)

var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// plainFile is what the segments of one file share.
type plainFile struct {
	source *source
	pinned *pinned
	lines  lineCounter

	mu     sync.Mutex
	header []byte // the first record of the file
}

// headerOf returns the first record of the file, for a format whose rows need it.
func (p *plainFile) headerOf(f io.ReaderAt) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.header != nil {
		return p.header, nil
	}
	w := window{f: f, to: p.pinned.To}
	for {
		block, err := w.load()
		if err != nil {
			return nil, err
		}
		n, _ := p.source.cutterOf(p.pinned).ends(block, 0, 1)
		if n > 0 || len(block) > p.source.config.lineMax || w.advance(0) {
			if n == 0 {
				n = bytes.IndexByte(append(block, '\n'), '\n') // its quote stays open
			}
			p.header = bytes.Clone(bytes.TrimPrefix(block[:n], byteOrderMark))
			if csv.IsSeparatorLine(p.header) {
				next, _ := p.source.cutterOf(p.pinned).ends(block, 0, 2)
				p.header = bytes.Clone(block[n:max(n, next)])
			}
			return p.header, nil
		}
	}
}

// segments cuts the file.
func (p *plainFile) segments(f io.ReaderAt) (out []sources.Segment, err error) {
	s, from, to := p.source, p.pinned.From, p.pinned.To
	if !s.isCut(p.pinned) {
		for at := from; at < to; at += segmentBytes {
			out = append(out, &plainSegment{file: p, load: s.loadLines, span: span{from: at, to: min(at+segmentBytes, to)}})
		}
		return out, nil
	}
	spans, err := s.cutterOf(p.pinned).cutAll(f, from, to)
	for _, x := range spans {
		out = append(out, &plainSegment{file: p, load: s.loadSpan, span: x})
	}
	return out, err
}

// plainSegment reads a part of a file that is not packed.
type plainSegment struct {
	file *plainFile
	span
	load loader
}

// loader reads the records of a segment into the block of a reader, and returns them
// with their place in the file. tooLong is the beginning of a last line that exceeds
// line_bytes_max.
type loader func(f io.ReaderAt, r *reader, g *plainSegment) (start int64, records, tooLong []byte, err error)

var _ sources.Segment = (*plainSegment)(nil)

func (g *plainSegment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, pinned := g.file.source, g.file.pinned
	v, values, err := s.variantOf(pinned.Name)
	if err != nil {
		return err
	}
	f, err := s.openPinned(pinned)
	if err != nil {
		return err
	}
	defer f.Close()
	r := v.takeReader()
	defer v.giveBack(r)
	start, records, tooLong, err := g.load(f, r, g)
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	in := format.Input{Name: s.config.pattern.shown(pinned.Name), Line: 1, Values: pinned.Records == recordsAny}
	if start > 0 && s.shape.Header() {
		if in.Header, err = g.file.headerOf(f); err != nil {
			return fmt.Errorf("reading the header of %s: %w", f.Name(), err)
		}
	}
	mark := 0
	if start == 0 {
		mark = markOf(records, 0)
	}
	place := func(row int) (format.Place, error) {
		at := r.decoder.PlaceOf(row)
		before, err := g.file.lines.before(f, start)
		return format.Place{Line: before + at.Line, Offset: start + int64(mark) + at.Offset}, err
	}
	c.Locate = func(row int) sources.BadRow {
		at, err := place(row)
		if err != nil {
			at.Line = 0 // the row matters more than its number
		}
		return sources.BadRow{File: in.Name, Line: at.Line, Raw: r.decoder.TextOf(row)}
	}
	r.decoder.Begin(in, c.ChunkRows, format.Output{
		Emit: v.columns.around(emit, placed{in.Name, pinned, place, values}),
		Bad: func(b format.Bad) error {
			// Lines are only counted when somebody asks: that reads the file once more.
			before, err := g.file.lines.before(f, start)
			if err != nil {
				return fmt.Errorf("counting the lines of %s: %w", f.Name(), err)
			}
			refuse(c, in.Name, b, before)
			return nil
		},
		Notice: c.Notice,
	})
	err = r.decoder.Decode(records[mark:])
	if err == nil && tooLong != nil {
		err = r.decoder.Refuse(tooLong, lineTooLong(s.config.lineMax))
	}
	if err == nil && pinned.Unclosed && g.to == pinned.To {
		err = r.decoder.Refuse(nil, ndjson.Unclosed)
	}
	if finishErr := r.decoder.Finish(err != nil); err == nil {
		err = finishErr
	}
	return err
}

// refuse hands on a bad row. One of Latin-1 or Windows gets help: the decoder knows of UTF-8 only.
func refuse(c *sources.ReadContext, file string, b format.Bad, linesBefore int64) {
	c.Bad(badRow(file, b, linesBefore))
	if b.Reason == format.NotUTF8 && c.Notice != nil {
		c.Notice(fmt.Sprintf("file %q has text that is not UTF-8, which makes bad rows; iconv -f LATIN1 -t UTF-8 file > other makes a file in UTF-8 of one in Latin-1", file))
	}
}

func badRow(file string, b format.Bad, linesBefore int64) sources.BadRow {
	return sources.BadRow{File: file, Line: linesBefore + b.Line, Column: b.Column, Reason: b.Reason, Raw: b.Raw}
}

func lineTooLong(max int) string {
	return fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", max)
}

// loadSpan reads whole records.
func (s *source) loadSpan(f io.ReaderAt, r *reader, g *plainSegment) (start int64, records, tooLong []byte, err error) {
	end := g.to
	if g.tooLong {
		end = min(g.to, g.from+format.RawMax)
	}
	block, err := r.fill(f, g.from, 0, end)
	if g.tooLong {
		return g.from, nil, bytes.Clone(block), err
	}
	return g.from, block, nil, err
}

// loadLines reads the lines that start in the segment. The end of a line that is too
// long is not looked for.
func (s *source) loadLines(f io.ReaderAt, r *reader, g *plainSegment) (start int64, lines, tooLong []byte, err error) {
	fileFrom, fileTo := g.file.pinned.From, g.file.pinned.To
	// A line starts at from if the byte before is a newline, so that one is read too.
	base := g.from
	if g.from > fileFrom {
		base--
	}
	block, err := r.fill(f, base, 0, min(g.to+overlapBytes, fileTo))
	if err != nil {
		return 0, nil, nil, err
	}
	first := 0
	if base < g.from {
		if first = bytes.IndexByte(block[:g.to-base], '\n') + 1; first == 0 || base+int64(first) >= g.to {
			return g.to, nil, nil, nil // no line starts here
		}
	}
	// The last line is the one that holds the byte before to.
	lastByte := int(g.to - base - 1)
	limit := s.config.lineMax
	for {
		if end := bytes.IndexByte(block[lastByte:], '\n'); end >= 0 {
			return base + int64(first), block[first : lastByte+end+1], nil, nil
		}
		have := base + int64(len(block))
		if have == fileTo {
			return base + int64(first), block[first:], nil, nil
		}
		lastStart := max(first, bytes.LastIndexByte(block[:lastByte], '\n')+1)
		if len(block)-lastStart > limit {
			// A copy: the decoder writes behind the lines it is given.
			tooLong = bytes.Clone(block[lastStart : lastStart+min(limit, format.RawMax)])
			return base + int64(first), block[first:lastStart], tooLong, nil
		}
		if block, err = r.fill(f, base, len(block), min(have+int64(len(block)), fileTo)); err != nil {
			return 0, nil, nil, err
		}
	}
}

// fill fills the reader's block with [base, end) of the file, of which the first have
// bytes are there, leaving room for the decoder behind it.
func (r *reader) fill(f io.ReaderAt, base int64, have int, end int64) ([]byte, error) {
	size := int(end - base)
	if size+column.Slack > len(r.block) {
		grown := make([]byte, size+column.Slack)
		copy(grown, r.block[:have])
		r.block = grown
	}
	if _, err := f.ReadAt(r.block[have:size], base+int64(have)); err != nil {
		return nil, err // the file is shorter than it was: the caller reports it
	}
	return r.block[:size], nil
}

// lineCounter counts the lines of one file, for messages. Segments ask in about
// ascending order, so it goes on from the last answer.
type lineCounter struct {
	mu    sync.Mutex
	at    int64
	lines int64
}

// before returns the newlines in front of an offset.
func (l *lineCounter) before(f io.ReaderAt, offset int64) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if offset < l.at {
		l.at, l.lines = 0, 0
	}
	block := make([]byte, min(256<<10, offset-l.at))
	for l.at < offset {
		part := block[:min(int64(len(block)), offset-l.at)]
		if _, err := f.ReadAt(part, l.at); err != nil {
			return 0, err
		}
		l.lines += int64(bytes.Count(part, []byte{'\n'}))
		l.at += int64(len(part))
	}
	return l.lines, nil
}
