package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Unnest appends the elements of a list, one row each.
type Unnest struct {
	Input Node
	List  expr.Expr
	Outer bool
	Cols  []Column
	// Used are the columns of Input that somebody above reads; nil: all. A list that has been
	// taken apart is most often not read again, and would be copied to each of its elements.
	Used []bool
}

func (n *Unnest) Columns() []Column { return n.Cols }
func (n *Unnest) Inputs() []Node    { return []Node{n.Input} }

func (n *Unnest) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Unnest) Expressions() []expr.Expr { return []expr.Expr{n.List} }

func (n *Unnest) describe() string { return "Unnest " + expr.Readable(n.List) }

func (*Unnest) keeps(types.Mode) string { return "" }

func (n *Unnest) stageOf() Node { return n.Input }
