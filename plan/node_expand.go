package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Expand emits each row once per grouping set, with the keys outside the set
// NULL: ROLLUP, CUBE, GROUPING SETS. It appends grouping_id (BIGINT).
type Expand struct {
	Input Node
	Keys  []expr.Expr
	Sets  [][]int // indexes into Keys that a set keeps
	Cols  []Column
}

func (n *Expand) Columns() []Column { return n.Cols }
func (n *Expand) Inputs() []Node    { return []Node{n.Input} }

func (n *Expand) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Expand) Expressions() []expr.Expr { return n.Keys }

func (n *Expand) describe() string {
	return fmt.Sprintf("Expand to %d grouping sets of %s", len(n.Sets), exprList(n.Keys, expr.Readable))
}

func (*Expand) keeps(types.Mode) string { return "" }

func (n *Expand) stageOf() Node { return n.Input }
