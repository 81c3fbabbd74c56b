package op

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
)

// Unnest repeats each row once per element of a list and appends the element. A row
// whose list is NULL or empty vanishes, or, with Outer, stays with a NULL element.
type Unnest struct {
	List   expr.Expr
	Outer  bool
	Schema *arrow.Schema
}

var _ Expander = (*Unnest)(nil)

// Expands marks the stage.
func (u *Unnest) Expands() {}

// Apply emits the elements in order.
func (u *Unnest) Apply(t *Task, rec arrow.Record) (arrow.Record, error) {
	a, err := u.List.Eval(t.Expr, rec)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	list, ok := a.(*array.List)
	if !ok {
		return nil, errors.New("unnest of a value that is no list")
	}
	var rows, elems []int32
	for i := 0; i < list.Len(); i++ {
		start, end := list.ValueOffsets(i)
		if list.IsNull(i) || start == end {
			if u.Outer {
				rows, elems = append(rows, int32(i)), append(elems, -1)
			}
			continue
		}
		for j := start; j < end; j++ {
			rows, elems = append(rows, int32(i)), append(elems, int32(j))
		}
	}
	taken := Take(rec, rows)
	defer taken.Release()
	cols := append(append([]arrow.Array(nil), taken.Columns()...), expr.Take(list.ListValues(), elems))
	return tracedAs(taken, array.NewRecord(schemaOf(u.Schema, cols), cols, int64(len(rows)))), nil
}
