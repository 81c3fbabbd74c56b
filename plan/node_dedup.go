package plan

import "ssql/plan/expr"

// Dedup keeps the first row of each key.
type Dedup struct {
	Input  Node
	Keys   []int // columns of the input
	Within bool  // within watermark: keys expire at event time + delay
	// EventKey is the index into the input's columns of the event time if it is
	// among Keys, else -1. EventTime is the input's event-time column or -1.
	EventKey, EventTime int
	Span                Span
}

func (n *Dedup) Columns() []Column { return n.Input.Columns() }
func (n *Dedup) Inputs() []Node    { return []Node{n.Input} }
func (*Dedup) node()               {}

func (n *Dedup) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (*Dedup) Expressions() []expr.Expr { return nil }
