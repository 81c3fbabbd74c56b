package op

import "github.com/apache/arrow/go/v17/arrow"

// Required holds a stream to its columns that are NOT NULL: a row without a value in one
// of them is a bad row, which names the column.
type Required struct {
	Columns []int
}

var _ Stage = (*Required)(nil)

// Apply emits the rows that have all values.
func (r *Required) Apply(t *Task, rec arrow.Record, emit Emit) error {
	whole := true
	for _, c := range r.Columns {
		whole = whole && rec.Column(c).NullN() == 0
	}
	if whole {
		return emit(rec)
	}
	rows := make([]int32, 0, rec.NumRows())
	for i := range int(rec.NumRows()) {
		if c := r.missing(rec, i); c >= 0 {
			t.Bad(rec, i, rec.ColumnName(c), "the value is NULL, and the column is NOT NULL")
			continue
		}
		rows = append(rows, int32(i))
	}
	kept := Take(rec, rows)
	defer kept.Release()
	t.From = rows
	return emit(kept)
}

// missing returns the first of the columns that is NULL in a row, -1 for none.
func (r *Required) missing(rec arrow.Record, row int) int {
	for _, c := range r.Columns {
		if rec.Column(c).IsNull(row) {
			return c
		}
	}
	return -1
}
