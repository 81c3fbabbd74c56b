package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

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
		return []sources.Segment{&parquetSegment{source: s, pinned: p, damage: whyNoParquet(f, p.Size, err)}}
	}
	var names []format.Name
	for _, field := range file.Fields() {
		names = append(names, format.Name{Path: field.Name, Type: field.Type.String()})
	}
	s.config.drift.Found(s.config.pattern.shown(p.Name), names)
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

// inferParquet returns the columns of the first file, those without a value in it with the
// type that they have in another.
func inferParquet(c *config, files []entry, _ func(text string)) ([]types.Field, error) {
	var fields []types.Field
	var unknown map[string]bool
	for i, e := range files {
		err := c.withParquet(e, func(file *parquet.File) error {
			found := file.Fields()
			if i == 0 {
				fields, unknown = found, file.Unknown()
				return nil
			}
			for _, f := range found {
				key := strings.ToLower(f.Name)
				at := slices.IndexFunc(fields, func(have types.Field) bool { return strings.EqualFold(have.Name, f.Name) })
				if unknown[key] && at >= 0 && !file.Unknown()[key] {
					fields[at].Type = f.Type
					delete(unknown, key)
				}
			}
			return nil
		})
		if err != nil && i == 0 {
			return nil, err
		}
		if len(unknown) == 0 {
			break
		}
	}
	return fields, nil
}

// withParquet looks at the footer of a file.
func (c *config) withParquet(e entry, look func(file *parquet.File) error) error {
	f, info, err := openRegular(c.pattern.full(e.name))
	if err != nil {
		return c.cannotSample(e, err)
	}
	defer f.Close()
	file, err := parquet.Open(c.pattern.shown(e.name), f, info.Size(), 1, nil)
	if err != nil {
		return c.cannotSample(e, errors.New(whyNoParquet(f, info.Size(), err)))
	}
	return look(file)
}

// whyNoParquet says why a file cannot be opened as Parquet, and what to do.
func whyNoParquet(f io.ReaderAt, size int64, err error) string {
	if _, head, headErr := headOf(f, size); headErr == nil {
		if how := compressionOf(head); how != nil {
			return fmt.Sprintf("the file is packed with %s, which is not read of Parquet, whose columns are packed inside; unpack it first", how.name)
		}
	}
	return err.Error() + "; " + replaceHint
}

// checkParquet refuses columns that the files which there are can never become. Those that
// cannot be read now are looked at when they are read.
func checkParquet(o sources.Values, fields []types.Field) error {
	if o.String("path") == "" {
		return nil // standard input
	}
	c, err := newConfig(o)
	if err != nil {
		return err
	}
	files, err := c.firstFiles()
	if err != nil || c.format.name != "parquet" {
		return nil
	}
	shape := &parquet.Shape{Fields: fields, Settings: c.cells}
	for _, e := range files {
		var refused error
		err := c.withParquet(e, func(file *parquet.File) error {
			refused = shape.Check(file)
			return nil
		})
		if err == nil && refused != nil {
			return refused
		}
	}
	return nil
}

// replaceHint says what to do about a damaged file. Its name is remembered as read.
const replaceHint = "write it again, whole, under another name"
