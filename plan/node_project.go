package plan

import "ssql/plan/expr"

// Project computes columns.
type Project struct {
	Input Node
	Exprs []expr.Expr
	Cols  []Column
	// Computed is set where the columns are those of a stream's definition: a row of
	// which one cannot be computed is a bad row, as one that cannot be read is. What a
	// query computes itself is an error instead.
	Computed bool
}

func (n *Project) Columns() []Column { return n.Cols }
func (n *Project) Inputs() []Node    { return []Node{n.Input} }
func (*Project) node()               {}

func (n *Project) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Project) Expressions() []expr.Expr { return n.Exprs }
