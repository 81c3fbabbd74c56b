package exec

import (
	"ssql/exec/op"
	"ssql/plan"
	"ssql/plan/expr"
)

// topN lowers ROW_NUMBER() <= n.
func (l *lowering) topN(n *plan.TopN) (tree, error) {
	in, err := l.checked(n.Input, n.Expressions()...)
	if err != nil {
		return nil, err
	}
	kept := n.Cols[:len(n.Cols)-1] // without the row number
	cfg := op.TopNConfig{
		Mode: l.mode, Keys: n.Keys, Count: n.Count, ByTime: n.ByTime, Change: n.Change,
		Input: schemaOf(kept), Schema: schemaOf(n.Cols), Limits: l.stateLimits(), Alloc: l.alloc,
	}
	cfg.Order = sortKeys(n.Order)
	switch {
	case n.EventKey >= 0:
		cfg.Close, err = endOf(n.Keys[n.EventKey])
	case n.ByTime:
		cfg.Close, err = endOf(n.Order[0].Expr)
	}
	if err != nil {
		return nil, err
	}
	return stateful(op.NewTopN(cfg), []expr.Expr{cfg.Close}, in), nil
}

func sortKeys(keys []plan.SortKey) []op.SortKey {
	out := make([]op.SortKey, len(keys))
	for i, k := range keys {
		out[i] = op.SortKey{Expr: k.Expr, Desc: k.Desc, NullsFirst: k.NullsFirst}
	}
	return out
}
