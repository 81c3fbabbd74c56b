package plan

import (
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Sort orders a complete result.
type Sort struct {
	Input Node
	Keys  []SortKey
	Span  Span
}

func (n *Sort) Columns() []Column { return n.Input.Columns() }
func (n *Sort) Inputs() []Node    { return []Node{n.Input} }

func (n *Sort) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Sort) Expressions() []expr.Expr { return sortExprs(n.Keys) }

func (n *Sort) describe() string { return "Sort by " + sortText(n.Keys) }

func (*Sort) keeps(types.Mode) string { return "" }

func (*Sort) stageOf() Node { return nil }

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

func sortText(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = expr.Readable(k.Expr)
		if k.Desc {
			parts[i] += " DESC"
		}
		if k.NullsFirst == k.Desc {
			parts[i] += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
	}
	return strings.Join(parts, ", ")
}
