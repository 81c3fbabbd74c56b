package exec

import (
	"ssql/exec/op"
	"ssql/plan"
	"ssql/plan/expr"
)

// changes lowers what takes the old rows of a result back.
func (l *lowering) changes(n *plan.Changes) (tree, error) {
	above := l.replacing
	l.replacing = true
	in, err := l.node(n.Input)
	l.replacing = above
	if err != nil {
		return nil, err
	}
	cfg := op.ChangesConfig{
		Keys: n.Keys, Live: n.Live, Whole: n.Whole, Input: schemaOf(n.Input.Columns()), Schema: schemaOf(n.Cols), Limits: l.stateLimits(), Alloc: l.alloc,
	}
	if n.EventKey >= 0 {
		if cfg.Close, err = endOf(n.Keys[n.EventKey]); err != nil {
			return nil, err
		}
	}
	return stateful(op.NewChanges(cfg), []expr.Expr{nil}, in), nil
}
