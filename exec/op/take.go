package op

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
)

// Take returns the listed rows of a record, in the order of the list. An index of
// -1 gives a row of NULLs (the null side of an outer join).
func Take(rec arrow.Record, rows []int32) arrow.Record {
	cols := make([]arrow.Array, rec.NumCols())
	for i := range cols {
		cols[i] = expr.Take(rec.Column(i), rows)
	}
	out := array.NewRecord(rec.Schema(), cols, int64(len(rows)))
	for _, c := range cols {
		c.Release()
	}
	return out
}
