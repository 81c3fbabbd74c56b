package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Limit passes the first Count rows: of the whole life of the query in append
// mode, of each result in complete mode.
type Limit struct {
	Input  Node
	Count  int64
	Offset int64
	Span   Span
}

func (n *Limit) Columns() []Column { return n.Input.Columns() }
func (n *Limit) Inputs() []Node    { return []Node{n.Input} }

func (n *Limit) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (*Limit) Expressions() []expr.Expr { return nil }

func (n *Limit) describe() string { return fmt.Sprintf("Limit %d", n.Count) }

func (*Limit) keeps(mode types.Mode) string {
	if mode == types.Append {
		return "how many rows have passed"
	}
	return ""
}

func (*Limit) stageOf() Node { return nil }
