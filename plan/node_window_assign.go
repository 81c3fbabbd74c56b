package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// WindowAssign appends window_start, window_end and window_time to each row, one row
// per window it falls in; rows whose time is NULL are left out. Time is evaluated
// over the input. Bind fuses it into an Aggregate above where it can. Of a
// session it gives each row's own window [t, t+gap).
type WindowAssign struct {
	Input       Node
	Spec        *WindowSpec
	Time        expr.Expr
	PartitionBy []expr.Expr // SESSION(... PARTITION BY k): must be keys of the Aggregate above
	Cols        []Column
	Span        Span
}

func (n *WindowAssign) Columns() []Column { return n.Cols }
func (n *WindowAssign) Inputs() []Node    { return []Node{n.Input} }

func (n *WindowAssign) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *WindowAssign) Expressions() []expr.Expr {
	return append([]expr.Expr{n.Time}, n.PartitionBy...)
}

func (n *WindowAssign) describe() string { return "Window " + specText(n.Spec, n.Time) }

func (*WindowAssign) keeps(types.Mode) string { return "" }

func (n *WindowAssign) stageOf() Node { return n.Input }
