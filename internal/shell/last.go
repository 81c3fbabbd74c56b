package shell

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// lastRowsMax bounds what .last can show again.
const lastRowsMax = 100_000

// lastTable is the newest table of a statement. A terminal shows a part of a large
// table; .last shows all of it without running the statement again.
type lastTable struct {
	schema  *arrow.Schema
	records []arrow.Record // in memory of ours
	rows    int64
	tooMany bool // more than lastRowsMax: nothing is kept
}

// keep copies a record, which is valid during the call only.
func (l *lastTable) keep(rec arrow.Record) {
	l.rows += rec.NumRows()
	if l.rows > lastRowsMax {
		l.tooMany, l.records = true, nil
	}
	if l.tooMany {
		return
	}
	columns := make([]arrow.Array, rec.NumCols())
	for i, a := range rec.Columns() {
		c, err := array.Concatenate([]arrow.Array{a}, memory.DefaultAllocator)
		if err != nil {
			// A type that cannot be copied: the table can be printed once only.
			l.tooMany, l.records = true, nil
			return
		}
		columns[i] = c
	}
	l.records = append(l.records, array.NewRecord(rec.Schema(), columns, rec.NumRows()))
}

// dotLast prints the newest table again, with all rows and columns.
func dotLast(s *Shell, _ context.Context, _ string, _ []string) error {
	l := s.last
	switch {
	case l == nil:
		return dotError("there is no table to show again")
	case l.tooMany:
		return dotError("the last table is too large to be kept").WithHint(".maxrows 0, and run the statement again")
	}
	o := s.renderOptions()
	o.RowsMax, o.WidthMax = 0, 0
	t, err := (&printer{shell: s}).newTable(l.schema, o)
	if err != nil {
		return err
	}
	for _, rec := range l.records {
		if err := t.Write(rec); err != nil {
			return err
		}
	}
	return t.Close()
}
