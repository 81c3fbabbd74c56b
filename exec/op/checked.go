package op

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/plan/expr"
)

// Checked evaluates what the operator above it will evaluate and passes its rows on: an error of
// one of them is one of a stage, which can refuse the row.
type Checked struct {
	Exprs []expr.Expr
}

var _ Stage = (*Checked)(nil)

// Apply emits rec if no expression fails.
func (c *Checked) Apply(t *Task, rec arrow.Record, emit Emit) error {
	for _, e := range c.Exprs {
		a, err := e.Eval(t.Expr, rec)
		if err != nil {
			return err
		}
		a.Release()
	}
	return emit(rec)
}
