package op

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
)

// Filter keeps the rows for which a condition is true.
type Filter struct {
	Cond expr.Expr
	// Count says that removed rows are input rows of the query: they add to
	// Task.Filtered. A filter above an aggregate (HAVING) does not count.
	Count bool
}

var _ Stage = (*Filter)(nil)

// Apply emits rec itself when every row passes.
func (f *Filter) Apply(t *Task, rec arrow.Record, emit Emit) error {
	cond, err := f.Cond.Eval(t.Expr, rec)
	if err != nil {
		return err
	}
	defer cond.Release()
	mask, ok := cond.(*array.Boolean)
	if !ok {
		return errors.New("a filter's condition is not boolean")
	}
	n := int(rec.NumRows())
	rows := make([]int32, 0, n)
	for i := 0; i < n; i++ {
		if mask.Value(i) && mask.IsValid(i) {
			rows = append(rows, int32(i))
		}
	}
	if f.Count {
		t.Filtered += int64(n - len(rows))
	}
	if len(rows) == n {
		return emit(rec)
	}
	kept := Take(rec, rows)
	defer kept.Release()
	t.From = rows
	return emit(kept)
}
