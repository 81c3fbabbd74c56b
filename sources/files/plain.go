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

// plainSegment reads the lines that start within [from, to) of a file.
type plainSegment struct {
	source   *source
	file     *pinned
	lines    *lineCounter
	from, to int64
}

var _ sources.Segment = (*plainSegment)(nil)

func (g *plainSegment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := g.source.openPinned(g.file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := g.source.takeReader()
	defer g.source.giveBack(r)
	start, lines, tooLong, err := g.load(f, r)
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	shown := g.source.config.pattern.shown(g.file.Name)
	c.Locate = func(row int) sources.BadRow {
		line, raw := r.decoder.RowAt(row)
		before, err := g.lines.before(f, start)
		if err != nil {
			return sources.BadRow{File: shown, Raw: raw} // the row matters more than its number
		}
		return sources.BadRow{File: shown, Line: before + line, Raw: raw}
	}
	r.decoder.Begin(format.Input{Name: shown, Line: 1}, c.ChunkRows, format.Output{
		Emit: emit,
		Bad: func(b format.Bad) error {
			// Lines are only counted when somebody asks: that reads the file once more.
			before, err := g.lines.before(f, start)
			if err != nil {
				return fmt.Errorf("counting the lines of %s: %w", f.Name(), err)
			}
			c.Bad(badRow(shown, b, before))
			return nil
		},
		Notice: c.Notice,
	})
	if start == 0 {
		lines = bytes.TrimPrefix(lines, byteOrderMark)
	}
	err = r.decoder.Decode(lines)
	if err == nil && tooLong != nil {
		err = r.decoder.Refuse(tooLong, lineTooLong(g.source.config))
	}
	if finishErr := r.decoder.Finish(err != nil); err == nil {
		err = finishErr
	}
	return err
}

func badRow(file string, b format.Bad, linesBefore int64) sources.BadRow {
	return sources.BadRow{File: file, Line: linesBefore + b.Line, Column: b.Column, Reason: b.Reason, Raw: b.Raw}
}

func lineTooLong(c *config) string {
	return fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", c.format.LineBytesMax)
}

// load reads the lines that start in the segment, and where they start in the file.
// tooLong is the beginning of a last line that exceeds line_bytes_max; its end is
// not looked for.
func (g *plainSegment) load(f io.ReaderAt, r *reader) (start int64, lines, tooLong []byte, err error) {
	// A line starts at from if the byte before is a newline, so that one is read too.
	base := g.from
	if g.from > g.file.From {
		base--
	}
	block, err := g.readAt(f, r, base, 0, min(g.to+overlapBytes, g.file.To))
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
	limit := g.source.config.format.LineBytesMax
	for {
		if end := bytes.IndexByte(block[lastByte:], '\n'); end >= 0 {
			return base + int64(first), block[first : lastByte+end+1], nil, nil
		}
		have := base + int64(len(block))
		if have == g.file.To {
			return base + int64(first), block[first:], nil, nil
		}
		lastStart := max(first, bytes.LastIndexByte(block[:lastByte], '\n')+1)
		if len(block)-lastStart > limit {
			// A copy: the decoder writes behind the lines it is given.
			tooLong = bytes.Clone(block[lastStart : lastStart+min(limit, format.RawMax)])
			return base + int64(first), block[first:lastStart], tooLong, nil
		}
		if block, err = g.readAt(f, r, base, len(block), min(have+int64(len(block)), g.file.To)); err != nil {
			return 0, nil, nil, err
		}
	}
}

// readAt fills the reader's block with [base, end) of the file, of which the first
// have bytes are there, leaving room for the decoder behind it.
func (g *plainSegment) readAt(f io.ReaderAt, r *reader, base int64, have int, end int64) ([]byte, error) {
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
