package plan

import "ssql/plan/expr"

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
func (*Watermark) node()               {}

func (n *Watermark) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (*Watermark) Expressions() []expr.Expr { return nil }
