// Package parquet reads Parquet files into Arrow columns of a declared schema. It finds the
// columns by name, reads no others, and turns what the file holds into the declared types
// (convert.go), so that INT96, a timestamp of milliseconds or a column of another width is as
// good as the exact type. Footer and pages are read by Arrow's library; the values of columns
// that are not nested are decoded here (flat.go), the others by that library.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	parquetschema "github.com/apache/arrow/go/v17/parquet/schema"

	"ssql/internal/format/column"
	"ssql/sql/types"
)

// File is an open Parquet file.
type File struct {
	name      string
	at        io.ReaderAt
	size      int64
	chunkRows int
	memory    *allocator
	reader    *file.Reader
	arrow     *pqarrow.FileReader
	schema    *arrow.Schema
}

// Whole reports whether a file of the given size ends as a Parquet file does: the last
// thing that a writer writes.
func Whole(f io.ReaderAt, size int64) bool {
	var magic [4]byte
	if size < 12 {
		return false
	}
	_, err := f.ReadAt(magic[:], size-4)
	return err == nil && (string(magic[:]) == "PAR1" || string(magic[:]) == "PARE")
}

// Open reads the footer of a file. chunkRows is the most rows of a chunk, name what
// messages call it. Text of the columns of keys, by name, stays dictionary encoded where
// the file has it so. The error says why it is no file that can be read.
func Open(name string, f io.ReaderAt, size int64, chunkRows int, keys []string) (out *File, err error) {
	if !Whole(f, size) {
		return nil, errors.New("the file is no Parquet file, or its end is missing: the last four bytes are not PAR1")
	}
	defer recovered(&err)
	out = &File{name: name, at: f, size: size, chunkRows: chunkRows, memory: &allocator{bytesMax: askedMax(size)}}
	if out.reader, err = file.NewParquetReader(io.NewSectionReader(f, 0, size), file.WithReadProps(parquet.NewReaderProperties(out.memory))); err != nil {
		return nil, err
	}
	props := pqarrow.ArrowReadProperties{BatchSize: int64(chunkRows)}
	schema := out.reader.MetaData().Schema
	for i := range schema.NumColumns() {
		column := schema.Column(i)
		isText := column.ConvertedType() == parquetschema.ConvertedTypes.UTF8 && column.MaxRepetitionLevel() == 0
		if isText && slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, column.Path()) }) {
			props.SetReadDict(i, true)
		}
	}
	if out.arrow, err = pqarrow.NewFileReader(out.reader, props, out.memory); err != nil {
		return nil, err
	}
	out.schema, err = out.arrow.Schema()
	return out, err
}

// recovered turns a panic of the reader, which a damaged file can cause, into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the file is damaged: %v", p)
	}
}

// decoding is f, a part of the reader, with its panics as errors. What takes the rows is no part of it:
// a panic there is a bug of ours, and no fault of the file.
func decoding(f func() error) (err error) {
	defer recovered(&err)
	return f()
}

// Groups returns the number of row groups.
func (f *File) Groups() int { return f.reader.NumRowGroups() }

// rowsBefore returns the rows of the file in front of a row group.
func (f *File) rowsBefore(group int) (rows int64) {
	for _, g := range f.reader.MetaData().RowGroups[:group] {
		rows += g.GetNumRows()
	}
	return rows
}

// Fields returns the columns of the file with the types that a stream gets for them.
// What SQL has no type for is VARCHAR.
func (f *File) Fields() (out []types.Field) {
	for i, field := range f.schema.Fields() {
		t := typeOf(field.Type)
		if f.isUUID(i) {
			t = types.Of(types.Varchar)
		}
		out = append(out, types.Field{Name: field.Name, Type: t, Nullable: true})
	}
	return out
}

// Unknown returns the columns of the file, by name in lower case, whose type it does not
// tell: they, or a part of them, have no value in it.
func (f *File) Unknown() map[string]bool {
	out := map[string]bool{}
	for _, field := range f.schema.Fields() {
		if hasNull(field.Type) {
			out[strings.ToLower(field.Name)] = true
		}
	}
	return out
}

func hasNull(t arrow.DataType) bool {
	if t.ID() == arrow.NULL {
		return true
	}
	nested, ok := t.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return hasNull(f.Type) })
}

// isUUID reports whether field i of the schema holds UUIDs, which Arrow knows as bytes only.
func (f *File) isUUID(i int) bool {
	leaves := f.leaves(i)
	return len(leaves) == 1 && f.reader.MetaData().Schema.Column(leaves[0]).LogicalType().Equals(parquetschema.UUIDLogicalType{}) &&
		f.schema.Field(i).Type.ID() == arrow.FIXED_SIZE_BINARY
}

// leaves returns the numbers of the columns as stored that field i of the schema is made
// of.
func (f *File) leaves(i int) []int {
	var out []int
	var walk func(field *pqarrow.SchemaField)
	walk = func(field *pqarrow.SchemaField) {
		if len(field.Children) == 0 { // IsLeaf is true of a list, too
			out = append(out, field.ColIndex)
		}
		for k := range field.Children {
			walk(&field.Children[k])
		}
	}
	walk(&f.arrow.Manifest.Fields[i])
	return out
}

// chunks gives the rows of a row group with some fields of the schema, in the order of
// the schema. The columns are released when take returns.
func (f *File) chunks(ctx context.Context, group int, fields []int, pool *column.Pool, convert func(columns []arrow.Array, rows int) arrow.Record, take func(made arrow.Record) error) error {
	left, err := f.rows(group)
	if err != nil {
		return err
	}
	var g *groupReader
	if err := decoding(func() (err error) { g, err = f.groupReader(ctx, group, fields, pool); return err }); err != nil {
		return err
	}
	defer g.release()
	for left > 0 {
		var made arrow.Record
		if err := decoding(func() error {
			columns, rows, err := g.next(int(min(left, int64(f.chunkRows))))
			if err != nil {
				return err
			}
			defer releaseAll(columns)
			left -= int64(rows)
			made = convert(columns, rows)
			return nil
		}); err != nil {
			return err
		}
		err := take(made)
		made.Release()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return &taken{err}
		}
	}
	return nil
}

// taken is an error of who takes the rows, not of the file.
type taken struct{ error }
