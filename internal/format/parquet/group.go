package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"ssql/internal/format/column"
)

// groupReader reads some columns of a row group together.
type groupReader struct {
	flats []*flat // by column; nil: the next of nested
	// nested reads the columns that flat does not: nested ones, and rare types and
	// encodings. It is nil without any.
	nested pqarrow.RecordReader
	rec    arrow.Record // of nested, of which rows up to given were given
	given  int64
	names  []string
}

// chunkBytesMax is how much of texts a chunk has, about: a text that stands once in a dictionary
// may be that of each row.
const chunkBytesMax = 16 << 20

// fits returns how many of the next rows make a chunk that is not too large, at least one.
func (g *groupReader) fits(rows int) (int, error) {
	each := 0
	for i, c := range g.flats {
		if c == nil {
			continue
		}
		n, err := c.textBytes()
		if err != nil {
			return 0, fmt.Errorf("column %q: %w", g.names[i], err)
		}
		each += n
	}
	return max(1, min(rows, chunkBytesMax/max(each, 1))), nil
}

// groupReader opens fields of the schema, which are in its order.
func (f *File) groupReader(ctx context.Context, group int, fields []int, pool *column.Pool) (*groupReader, error) {
	g := &groupReader{}
	var nested []int
	for _, i := range fields {
		c, err := f.flat(group, i, pool)
		if err != nil {
			return nil, err
		}
		if c == nil {
			for _, leaf := range f.leaves(i) {
				nested = append(nested, leaf)
				if err := f.checkPages(group, leaf); err != nil {
					return nil, err
				}
			}
			if err := f.tryNested(group, &f.arrow.Manifest.Fields[i]); err != nil {
				return nil, err
			}
		}
		g.flats, g.names = append(g.flats, c), append(g.names, f.schema.Field(i).Name)
	}
	if nested == nil {
		return g, nil
	}
	var err error
	g.nested, err = f.arrow.GetRecordReader(ctx, nested, []int{group})
	return g, err
}

// flat opens a field of the schema, nil if it is not for flat to read.
func (f *File) flat(group, field int, pool *column.Pool) (*flat, error) {
	if len(f.arrow.Manifest.Fields[field].Children) > 0 {
		return nil, nil
	}
	leaf := f.leaves(field)[0]
	chunk, err := f.reader.RowGroup(group).MetaData().ColumnChunk(leaf)
	if err != nil {
		return nil, err
	}
	stored := f.reader.MetaData().Schema.Column(leaf)
	t := f.schema.Field(field).Type
	width, ok := flatWidth(stored.PhysicalType(), t)
	if !ok || !flatEncodings(chunk.Encodings()) || stored.MaxRepetitionLevel() > 0 || stored.MaxDefinitionLevel() > 1 {
		return nil, nil
	}
	pages, err := f.pages(group, leaf)
	if err != nil {
		return nil, err
	}
	return newFlat(pages, t, width, stored.MaxDefinitionLevel() > 0, pool), nil
}

// next returns the next rows of all columns, no more than a number of them. The caller
// releases them.
func (g *groupReader) next(rows int) (columns []arrow.Array, count int, err error) {
	defer func() {
		if err != nil {
			releaseAll(columns)
		}
	}()
	if g.nested != nil {
		if rows, err = g.nextNested(rows); err != nil {
			return nil, 0, err
		}
	}
	if rows, err = g.fits(rows); err != nil {
		return nil, 0, err
	}
	fromNested := 0
	for i, c := range g.flats {
		var a arrow.Array
		if c == nil {
			a = g.nestedColumn(fromNested, int64(rows))
			fromNested++
		} else if a, err = c.read(rows); err != nil {
			return columns, 0, fmt.Errorf("column %q: %w", g.names[i], err)
		}
		columns = append(columns, a)
	}
	g.given += int64(rows)
	return columns, rows, nil
}

// nextNested returns how many rows of the nested columns are there, having read some if none are.
func (g *groupReader) nextNested(rows int) (int, error) {
	if g.rec != nil && g.given < g.rec.NumRows() {
		return int(g.rec.NumRows() - g.given), nil
	}
	if !g.nested.Next() {
		if err := g.nested.Err(); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		return 0, errors.New("a column ends too early")
	}
	g.rec, g.given = g.nested.Record(), 0
	if int(g.rec.NumRows()) > rows {
		return 0, errors.New("a column has more rows than the row group")
	}
	return int(g.rec.NumRows()), nil
}

// nestedColumn returns the next rows of a nested column.
func (g *groupReader) nestedColumn(i int, rows int64) arrow.Array {
	a := g.rec.Column(i)
	if rows == g.rec.NumRows() {
		a.Retain()
		return a
	}
	return array.NewSlice(a, g.given, g.given+rows)
}

// release gives back what reading took.
func (g *groupReader) release() {
	if g.nested != nil {
		g.nested.Release()
	}
}

func releaseAll(columns []arrow.Array) {
	for _, a := range columns {
		a.Release()
	}
}
