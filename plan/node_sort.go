package plan

import "ssql/plan/expr"

// Sort orders a complete result.
type Sort struct {
	Input Node
	Keys  []SortKey
	Span  Span
}

func (n *Sort) Columns() []Column { return n.Input.Columns() }
func (n *Sort) Inputs() []Node    { return []Node{n.Input} }
func (*Sort) node()               {}

// SortKey is one ORDER BY key.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}
