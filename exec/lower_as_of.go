package exec

import (
	"fmt"

	"ssql/exec/op"
	"ssql/plan"
	"ssql/plan/expr"
)

// asOf lowers a join of a stream with the versions of a table or of another stream.
func (l *lowering) asOf(n *plan.AsOf) (tree, error) {
	if n.Static {
		table, ok := n.Right.(*plan.StaticScan)
		if !ok {
			return nil, fmt.Errorf("the table side of a join is a %T", n.Right)
		}
		return l.withTable(n.Left, table, &op.AsOfTable{
			LeftKeys: n.LeftKeys, RightKeys: n.RightKeys, LeftTime: n.LeftTime, RightTime: n.RightTime,
			Strict: n.Strict, Outer: n.Outer, TableSchema: schemaOf(table.Cols), Schema: schemaOf(n.Cols),
		})
	}
	left, err := l.checked(n.Left, append([]expr.Expr{n.LeftTime}, n.LeftKeys...)...)
	if err != nil {
		return nil, err
	}
	right, err := l.checked(n.Right, append([]expr.Expr{n.RightTime}, n.RightKeys...)...)
	if err != nil {
		return nil, err
	}
	a := op.NewAsOf(op.AsOfConfig{
		Left:   op.AsOfSide{Schema: schemaOf(n.Left.Columns()), Keys: n.LeftKeys, Time: n.LeftTime},
		Right:  op.AsOfSide{Schema: schemaOf(n.Right.Columns()), Keys: n.RightKeys, Time: n.RightTime},
		Strict: n.Strict, Outer: n.Outer, Schema: schemaOf(n.Cols), Limits: l.stateLimits(), Alloc: l.alloc,
	})
	return stateful(a, []expr.Expr{n.LeftTime, n.RightTime}, left, right), nil
}
