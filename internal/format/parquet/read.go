package parquet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// Shape is what a query reads of files. It is safe for concurrent use.
type Shape struct {
	// Fields are the columns of the chunks, found in a file by name, without case.
	Fields []types.Field
	// Encode asks, per field, for dictionary encoding, which only VARCHAR can have, where
	// the file has it. Nil is none.
	Encode []bool
	cell.Settings

	pool column.Pool
}

// Keys returns the names of the fields that should come dictionary encoded.
func (s *Shape) Keys() (names []string) {
	for i, f := range s.Fields {
		if i < len(s.Encode) && s.Encode[i] {
			names = append(names, f.Name)
		}
	}
	return names
}

// source is where a column of the chunks comes from.
type source struct {
	position int // among the fields that are read; -1: the file has it not
	convert  converter
}

// Read reads a row group. The lines of bad rows and of format.Output count rows of the
// file, from 1. begun is called before each chunk is emitted, with the number of its first
// row. A file whose columns cannot be what the stream declares is E_DECODE; one that is
// damaged gives the rows up to there and a bad row.
func (s *Shape) Read(ctx context.Context, f *File, group int, out format.Output, begun func(row int64)) error {
	read, sources, err := s.sources(f, out)
	if err != nil {
		return err
	}
	row := f.rowsBefore(group) + 1
	if len(read) == 0 {
		return s.emitBare(f, group, row, sources, out, begun)
	}
	var found *faults // of the chunk that is taken next
	convert := func(columns []arrow.Array, rows int) arrow.Record {
		begun(row)
		found = &faults{}
		return s.chunk(columns, rows, sources, found)
	}
	err = f.chunks(ctx, group, read, &s.pool, convert, func(made arrow.Record) error {
		first := row
		row += made.NumRows()
		return emitGood(made, first, found, out)
	})
	var theirs *taken
	if errors.As(err, &theirs) {
		return theirs.error
	}
	if ended := ctx.Err(); ended != nil {
		return ended // the reader ends with it, too
	}
	if err != nil {
		return out.Bad(unreadable(group, row, err))
	}
	return nil
}

// Check refuses a file whose columns can never be what the stream declares.
func (s *Shape) Check(f *File) error {
	_, _, err := s.sources(f, format.Output{Notice: func(string) {}})
	return err
}

// unreadable is the bad row for the rest of a row group, from a row of the file on.
func unreadable(group int, row int64, why error) format.Bad {
	return format.Bad{Line: row, Reason: fmt.Sprintf("the rest of row group %d cannot be read: %v", group+1, why)}
}

// sources finds the columns in a file. read are the fields of its schema to read, in
// order.
func (s *Shape) sources(f *File, out format.Output) (read []int, sources []source, err error) {
	at := make([]int, len(s.Fields))
	for i, field := range s.Fields {
		at[i] = slices.IndexFunc(f.schema.Fields(), func(a arrow.Field) bool { return strings.EqualFold(a.Name, field.Name) })
		if at[i] >= 0 && !slices.Contains(read, at[i]) {
			read = append(read, at[i])
		}
	}
	slices.Sort(read)
	for i, field := range s.Fields {
		if at[i] < 0 {
			out.Notice(fmt.Sprintf("column %q is not in file %q and is NULL there", field.Name, f.name))
			sources = append(sources, source{position: -1})
			continue
		}
		if field.Type.Kind == types.Varchar && f.isUUID(at[i]) {
			sources = append(sources, source{slices.Index(read, at[i]), s.byValue(field.Name, field.Type, setUUID)})
			continue
		}
		c, err := s.converter(field.Name, f.schema.Field(at[i]).Type, field.Type)
		if err != nil {
			return nil, nil, f.mismatch(err)
		}
		sources = append(sources, source{slices.Index(read, at[i]), c})
	}
	return read, sources, nil
}

// chunk converts columns as they are read. Rows with faults hold anything in the columns at
// fault.
func (s *Shape) chunk(columns []arrow.Array, rows int, sources []source, faults *faults) arrow.Record {
	arrays := make([]arrow.Array, len(sources))
	for i, src := range sources {
		if src.position < 0 {
			arrays[i] = s.nulls(s.Fields[i], rows)
		} else {
			arrays[i] = src.convert(columns[src.position], faults)
		}
		defer arrays[i].Release()
	}
	fields := make([]arrow.Field, len(arrays))
	for i, a := range arrays {
		fields[i] = arrow.Field{Name: s.Fields[i].Name, Type: a.DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(rows))
}

func (s *Shape) nulls(f types.Field, rows int) arrow.Array {
	b := column.NewBuilder(&s.pool, f, false)
	b.Start(rows)
	for i := range rows {
		b.SetNull(i)
	}
	return b.Finish(rows)
}

// emitBare emits the rows of a group of which no column is read.
func (s *Shape) emitBare(f *File, group int, row int64, sources []source, out format.Output, begun func(row int64)) error {
	left, err := f.rows(group)
	if err != nil {
		return out.Bad(unreadable(group, row, err))
	}
	for left > 0 {
		n := min(int64(f.chunkRows), left)
		begun(row)
		made := s.chunk(nil, int(n), sources, nil)
		err := out.Emit(made)
		made.Release()
		if err != nil {
			return err
		}
		row, left = row+n, left-n
	}
	return nil
}

// emitGood emits the runs of rows without faults and reports the others.
func emitGood(rec arrow.Record, first int64, f *faults, out format.Output) error {
	if len(f.rows) == 0 {
		return out.Emit(rec)
	}
	from := 0
	emit := func(to int) error {
		if from >= to {
			return nil
		}
		part := rec.NewSlice(int64(from), int64(to))
		defer part.Release()
		return out.Emit(part)
	}
	for _, i := range f.sorted() {
		if i >= int(rec.NumRows()) {
			break // an element behind the chunk
		}
		if err := emit(i); err != nil {
			return err
		}
		from = i + 1
		fault := f.rows[i]
		if err := out.Bad(format.Bad{Line: first + int64(i), Column: fault.Column, Reason: fault.Reason}); err != nil {
			return err
		}
	}
	return emit(int(rec.NumRows()))
}

// faults are the rows of a chunk that hold a value which the declared type cannot.
type faults struct {
	rows map[int]*cell.Fault
	// row maps the index of an element to the row that it is part of; nil is the same.
	row func(i int) int
}

func (f *faults) add(i int, why *cell.Fault) {
	if f.row != nil {
		i = f.row(i)
	}
	if i < 0 {
		return // an element that no row of the chunk has
	}
	if f.rows == nil {
		f.rows = map[int]*cell.Fault{}
	}
	if f.rows[i] == nil {
		f.rows[i] = why
	}
}

func (f *faults) sorted() []int {
	rows := make([]int, 0, len(f.rows))
	for i := range f.rows {
		rows = append(rows, i)
	}
	slices.Sort(rows)
	return rows
}

// within runs convert over elements, whose rows map gives.
func (f *faults) within(row func(i int) int, convert func()) {
	outer := f.row
	f.row = func(i int) int {
		if i = row(i); outer != nil {
			i = outer(i)
		}
		return i
	}
	convert()
	f.row = outer
}
