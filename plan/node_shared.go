package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Shared is rows that are computed once for all who read them: every place that has
// them has this very node. Number is from 1, in the order of first appearance in the
// plan. See share.go.
type Shared struct {
	Input  Node
	Number int
	// While Bind works: the columns that somebody reads, and, once those that nobody
	// reads are left out, the node without them and where each column went.
	need   []bool
	narrow *Shared
	at     []int
}

func (n *Shared) Columns() []Column { return n.Input.Columns() }
func (n *Shared) Inputs() []Node    { return []Node{n.Input} }

// WithInputs makes other rows of it: those who read n go on reading n.
func (n *Shared) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (*Shared) Expressions() []expr.Expr { return nil }

func (n *Shared) describe() string { return fmt.Sprintf("Shared rows %d", n.Number) }

func (*Shared) keeps(types.Mode) string { return "" }

func (*Shared) stageOf() Node { return nil }
