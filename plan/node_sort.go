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

func (n *Sort) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Sort) Expressions() []expr.Expr { return sortExprs(n.Keys) }

// SortKey is one ORDER BY key.
type SortKey struct {
	Expr       expr.Expr
	Desc       bool
	NullsFirst bool
}

func sortExprs(keys []SortKey) []expr.Expr {
	out := make([]expr.Expr, len(keys))
	for i, k := range keys {
		out[i] = k.Expr
	}
	return out
}
