package files

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/parquet"
	"ssql/sources"
	"ssql/sql/types"
)

// parquetSegment reads a row group of a Parquet file.
type parquetSegment struct {
	source *source
	pinned *pinned
	group  int
	// damage says why the file has no groups; then the segment is a bad row.
	damage string
}

var _ sources.Segment = (*parquetSegment)(nil)

// parquetSegments returns a segment per row group.
func (s *source) parquetSegments(f *os.File, p *pinned) (out []sources.Segment) {
	file, err := parquet.Open(s.config.pattern.shown(p.Name), f, p.Size, 1, nil)
	if err != nil {
		return []sources.Segment{&parquetSegment{source: s, pinned: p, damage: err.Error() + "; " + replaceHint}}
	}
	if fields, err := file.Fields(); err == nil {
		var names []format.Name
		for _, field := range fields {
			names = append(names, format.Name{Path: field.Name, Type: field.Type.String()})
		}
		s.config.drift.Found(s.config.pattern.shown(p.Name), names)
	}
	for group := range file.Groups() {
		out = append(out, &parquetSegment{source: s, pinned: p, group: group})
	}
	return out
}

func (g *parquetSegment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	name := g.source.config.pattern.shown(g.pinned.Name)
	if g.damage != "" {
		c.Bad(sources.BadRow{File: name, Reason: g.damage})
		return nil
	}
	v, values, err := g.source.variantOf(g.pinned.Name)
	if err != nil {
		return err
	}
	f, err := g.source.openPinned(g.pinned)
	if err != nil {
		return err
	}
	defer f.Close()
	file, err := parquet.Open(name, f, g.pinned.Size, c.ChunkRows, v.table.Keys())
	if err != nil {
		return fmt.Errorf("opening %s again: %w", f.Name(), err)
	}
	first := int64(0) // the number of the first row of the chunk
	c.Locate = func(row int) sources.BadRow { return sources.BadRow{File: name, Line: first + int64(row)} }
	place := func(row int) (format.Place, error) {
		return format.Place{Line: first + int64(row), Offset: -1}, nil
	}
	return v.table.Read(ctx, file, g.group, format.Output{
		Emit:   v.columns.around(emit, placed{name, g.pinned, place, values}),
		Bad:    func(b format.Bad) error { c.Bad(badRow(name, b, 0)); return nil },
		Notice: c.Notice,
	}, func(row int64) { first = row })
}

func inferParquet(c *config, files []entry) ([]types.Field, error) {
	name := c.pattern.full(files[0].name)
	f, info, err := openRegular(name)
	if err != nil {
		return nil, c.cannotSample(files[0], err)
	}
	defer f.Close()
	file, err := parquet.Open(c.pattern.shown(files[0].name), f, info.Size(), 1, nil)
	if err != nil {
		return nil, c.cannotSample(files[0], err)
	}
	return file.Fields()
}

// replaceHint says what to do about a damaged file. Its name is remembered as read.
const replaceHint = "write it again, whole, under another name"
