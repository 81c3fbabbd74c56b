package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Watermark observes the event-time column Index of its input: rows with a
// NULL there are bad rows.
type Watermark struct {
	Input Node
	Index int
	Def   *WatermarkDef
	Cols  []Column
}

func (n *Watermark) Columns() []Column { return n.Cols }
func (n *Watermark) Inputs() []Node    { return []Node{n.Input} }

func (n *Watermark) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (*Watermark) Expressions() []expr.Expr { return nil }

func (n *Watermark) describe() string {
	return fmt.Sprintf("Watermark %d on %s", n.Def.ID, n.Cols[n.Index].Name)
}

func (*Watermark) keeps(types.Mode) string { return "" }

func (n *Watermark) stageOf() Node { return n.Input }
