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
	Used   []bool // which columns of the input are read above; nil: all
}

var _ Expander = (*Unnest)(nil)

// Expands marks the stage.
func (u *Unnest) Expands() {}

// Apply emits the elements in order.
func (u *Unnest) Apply(t *Task, rec arrow.Record, emit Emit) error {
	a, err := u.List.Eval(t.Expr, rec)
	if err != nil {
		return err
	}
	defer a.Release()
	list, ok := a.(*array.List)
	if !ok {
		return errors.New("unnest of a value that is no list")
	}
	values := list.ListValues()
	var elems []int32
	p := newPieces("unnest", t, rec, u.Used, func(rows []int32, cols []arrow.Array) error {
		cols = append(cols, expr.Take(values, elems))
		elems = elems[:0]
		return emitColumns(rec, rows, u.Schema, cols, emit)
	})
	for i := 0; i < list.Len(); i++ {
		start, end := list.ValueOffsets(i)
		if list.IsNull(i) || start == end {
			if u.Outer {
				elems = append(elems, -1)
				if err := p.add(int32(i), 0); err != nil {
					return err
				}
			}
			continue
		}
		for j := start; j < end; j++ {
			elems = append(elems, int32(j))
			if err := p.add(int32(i), expr.RowBytes(values, int(j))); err != nil {
				return err
			}
		}
	}
	return p.cut()
}
