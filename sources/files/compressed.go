package files

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ssql/internal/format"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

const (
	// zstdWindowMax bounds the memory a frame may ask for: nine bytes can ask for
	// 512 MiB (reliability §2 #71).
	zstdWindowMax = 64 << 20
	// ratioFrom is how much a file may hold before its ratio is looked at.
	ratioFrom = 64 << 20
)

// unpack returns the content of a compressed stream.
func unpack(r io.Reader, compression string) (io.ReadCloser, error) {
	r = bufio.NewReaderSize(r, 64<<10)
	if compression == "gzip" {
		return gzip.NewReader(r)
	}
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindowMax), zstd.WithDecoderMaxMemory(2*zstdWindowMax))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// compressedSegment reads a whole compressed file.
type compressedSegment struct {
	source *source
	file   *pinned
}

var _ sources.Segment = (*compressedSegment)(nil)

func (g *compressedSegment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	f, err := g.source.openPinned(g.file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := g.source.takeReader()
	defer g.source.giveBack(r)
	shown := g.source.config.pattern.shown(g.file.Name)
	c.Locate = func(row int) sources.BadRow {
		line, _ := r.decoder.RowAt(row) // the text may be gone: blocks are used again
		return sources.BadRow{File: shown, Line: line}
	}
	r.decoder.Begin(format.Input{Name: shown, Line: 1}, c.ChunkRows, format.Output{
		Emit:   emit,
		Bad:    func(b format.Bad) error { c.Bad(badRow(shown, b, 0)); return nil },
		Notice: c.Notice,
	})
	err = g.decode(ctx, r, io.NewSectionReader(f, 0, g.file.Size))
	if finishErr := r.decoder.Finish(err != nil); err == nil {
		err = finishErr
	}
	return err
}

// decode feeds the decoder block by block. Data that cannot be unpacked ends the
// file with a bad row: what came before it is good.
func (g *compressedSegment) decode(ctx context.Context, r *reader, packed io.Reader) error {
	content, err := unpack(packed, g.file.Compression)
	if err != nil {
		return r.decoder.Refuse(nil, "file cannot be unpacked: "+err.Error())
	}
	defer content.Close()
	lines := &splitter{reader: r, source: g.source}
	total := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := fill(content, lines.room())
		if total += int64(n); g.tooLarge(total) {
			return g.limitError(total)
		}
		if err := lines.take(n); err != nil {
			return err
		}
		if readErr == nil {
			continue
		}
		if err := lines.finish(); err != nil || errors.Is(readErr, io.EOF) {
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

func (g *compressedSegment) tooLarge(total int64) bool {
	c := g.source.config
	return c.unpackMax > 0 && total > c.unpackMax || c.unpackRate > 0 && total > ratioFrom && total/c.unpackRate > g.file.Size
}

func (g *compressedSegment) limitError(total int64) error {
	c := g.source.config
	name := c.pattern.full(g.file.Name)
	if c.unpackMax > 0 && total > c.unpackMax {
		return sqlerr.New("E_LIMIT", "file %q holds more than %d bytes when unpacked", name, c.unpackMax).
			WithHint("raise the stream's option decompressed_bytes_max if the file is meant to be that large")
	}
	return sqlerr.New("E_LIMIT", "file %q holds more than %d times its size when unpacked", name, c.unpackRate).
		WithHint("raise the stream's option decompressed_ratio_max if the file is meant to be that regular")
}
