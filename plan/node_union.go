package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Union concatenates inputs of equal schema.
type Union struct {
	Ins  []Node
	Cols []Column
	// Number is its place among the unions of a plan whose sources have names, from 1, where
	// inputs may come and go; 0 in other plans.
	Number int
}

func (n *Union) Columns() []Column { return n.Cols }
func (n *Union) Inputs() []Node    { return n.Ins }

func (n *Union) WithInputs(ins []Node) Node {
	c := *n
	c.Ins = ins
	return &c
}

func (*Union) Expressions() []expr.Expr { return nil }

func (n *Union) describe() string { return "Union" }

func (*Union) keeps(types.Mode) string { return "" }

func (*Union) stageOf() Node { return nil }
