package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

// ratioFrom is how much a file may hold before its ratio is looked at.
const ratioFrom = 64 << 20

// wholeSegment reads a whole file from start to end: one that is packed, or has to be
// converted.
type wholeSegment struct {
	source *source
	file   *pinned
}

var _ sources.Segment = (*wholeSegment)(nil)

func (g *wholeSegment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	v, values, err := g.source.variantOf(g.file.Name)
	if err != nil {
		return err
	}
	f, err := g.source.openPinned(g.file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := v.takeReader()
	defer v.giveBack(r)
	shown := g.source.config.pattern.shown(g.file.Name)
	feed := &splitter{reader: r, cutter: g.source.cutterOf(g.file)}
	c.Locate = func(row int) sources.BadRow {
		// The text may be gone: blocks are used again.
		return sources.BadRow{File: shown, Line: r.decoder.PlaceOf(row).Line}
	}
	in := format.Input{Name: shown, Line: 1}
	if g.file.Skip > 0 {
		if err := g.lookBefore(&in, io.NewSectionReader(f, 0, g.file.Size)); err != nil {
			return fmt.Errorf("unpacking %s: %w", f.Name(), err)
		}
		feed.begun = true // its mark was read, and its records are told
	}
	place := func(row int) (format.Place, error) {
		at := r.decoder.PlaceOf(row)
		at.Offset += int64(feed.mark) + g.file.Skip
		return at, nil
	}
	out := format.Output{
		Emit:   v.columns.around(emit, placed{shown, g.file, place, values}),
		Bad:    func(b format.Bad) error { refuse(c, shown, b, 0); return nil },
		Notice: c.Notice,
	}
	in.Values = g.file.Records == recordsAny
	r.decoder.Begin(in, c.ChunkRows, out)
	feed.start = func(start []byte) {
		if in.Values = g.source.config.isValues(start); in.Values {
			feed.Shape = g.source.config.values(feed.Shape)
			r.decoder.Begin(in, c.ChunkRows, out)
		}
	}
	err = g.decode(ctx, r, feed, io.NewSectionReader(f, 0, g.file.Size))
	if finishErr := r.decoder.Finish(err != nil); err == nil {
		err = finishErr
	}
	return err
}

// lookBefore finds out about what was read of the file before it was packed: its header and
// how many lines it has.
func (g *wholeSegment) lookBefore(in *format.Input, file io.Reader) error {
	content, err := unpack(file, g.file.Compression)
	if err != nil {
		return err
	}
	defer content.Close()
	before := io.LimitReader(content, g.file.Skip)
	block := make([]byte, segmentBytes)
	for {
		n, err := fill(before, block)
		if in.Header == nil && g.source.shape.Header() {
			first := bytes.TrimPrefix(block[:n], byteOrderMark)
			end, _ := g.source.shape.Ends(first, 1)
			in.Header = bytes.Clone(first[:end])
		}
		in.Line += int64(bytes.Count(block[:n], []byte("\n")))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// decode feeds the decoder block by block. Data that cannot be unpacked ends the
// file with a bad row: what came before it is good.
func (g *wholeSegment) decode(ctx context.Context, r *reader, feed *splitter, file io.Reader) error {
	content := io.NopCloser(file)
	if g.file.Compression != "" {
		var err error
		if content, err = unpack(file, g.file.Compression); err != nil {
			return r.decoder.Refuse(nil, "file cannot be unpacked: "+err.Error())
		}
	}
	defer content.Close()
	if _, err := io.CopyN(io.Discard, content, g.file.Skip); err != nil {
		return r.decoder.Refuse(nil, "the rest of the file cannot be unpacked: "+err.Error())
	}
	lines := io.Reader(content)
	if g.file.Skip == 0 {
		var err error
		if lines, err = g.source.config.asLines(content); err != nil && !errors.Is(err, io.EOF) {
			return r.decoder.Refuse(nil, "the rest of the file cannot be unpacked: "+err.Error())
		}
	}
	total := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := fill(lines, feed.room())
		if total += int64(n); g.tooLarge(total) {
			return g.limitError(total)
		}
		if err := feed.take(n); err != nil {
			return err
		}
		if readErr == nil {
			continue
		}
		if err := feed.finish(); err != nil || errors.Is(readErr, io.EOF) {
			return err
		}
		return r.decoder.Refuse(nil, "the rest of the file cannot be unpacked: "+readErr.Error())
	}
}

// fill reads until the block is full. Unlike io.ReadFull it keeps the end of the
// content, io.EOF, apart from a file that was cut short, io.ErrUnexpectedEOF.
func fill(r io.Reader, block []byte) (n int, err error) {
	for n < len(block) && err == nil {
		var k int
		k, err = r.Read(block[n:])
		n += k
	}
	return n, err
}

func (g *wholeSegment) tooLarge(total int64) bool {
	if g.file.Compression == "" {
		return false
	}
	c := g.source.config
	return c.unpackMax > 0 && total > c.unpackMax || c.unpackRate > 0 && total > ratioFrom && total/c.unpackRate > g.file.Size
}

func (g *wholeSegment) limitError(total int64) error {
	c := g.source.config
	name := c.pattern.full(g.file.Name)
	if c.unpackMax > 0 && total > c.unpackMax {
		return sqlerr.New("E_LIMIT", "file %q holds more than %d bytes when unpacked", name, c.unpackMax).
			WithHint("raise the stream's option decompressed_bytes_max if the file is meant to be that large")
	}
	return sqlerr.New("E_LIMIT", "file %q holds more than %d times its size when unpacked", name, c.unpackRate).
		WithHint("raise the stream's option decompressed_ratio_max if the file is meant to be that regular")
}
