package plan

import (
	"slices"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

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

func (n *Project) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Project) Expressions() []expr.Expr { return n.Exprs }

func (n *Project) describe() string {
	parts := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		parts[i] = expr.Readable(e)
		if name := n.Cols[i].Name; parts[i] != name {
			parts[i] += " AS " + name
		}
	}
	text := "Project " + strings.Join(parts, ", ")
	if n.Computed && slices.ContainsFunc(n.Exprs, expr.CanFail) {
		text += "; a row for which that fails is a bad row"
	}
	return text
}

func (*Project) keeps(types.Mode) string { return "" }

func (n *Project) stageOf() Node { return n.Input }
