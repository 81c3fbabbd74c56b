package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Filter keeps the rows for which Cond is true.
type Filter struct {
	Input Node
	Cond  expr.Expr
	pred  *predicate // Cond with what joins must know of it, while Bind works
}

func (n *Filter) Columns() []Column { return n.Input.Columns() }
func (n *Filter) Inputs() []Node    { return []Node{n.Input} }

func (n *Filter) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Filter) Expressions() []expr.Expr { return []expr.Expr{n.Cond} }

func (n *Filter) describe() string { return "Filter " + expr.Readable(n.Cond) }

func (*Filter) keeps(types.Mode) string { return "" }

func (n *Filter) stageOf() Node { return n.Input }
