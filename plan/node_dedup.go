package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

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

func (n *Dedup) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (*Dedup) Expressions() []expr.Expr { return nil }

func (n *Dedup) describe() string { return "Deduplicate by " + namesOf(n.Input.Columns(), n.Keys) }

func (n *Dedup) keeps(types.Mode) string {
	cols := n.Input.Columns()
	switch {
	case n.Within && n.EventTime >= 0:
		def := cols[n.EventTime].Mark.Watermark
		return fmt.Sprintf("a row per key, until the watermark reaches the %s of its first row plus %s", cols[n.EventTime].Name, durationText(def.DelayMicros))
	case n.EventKey >= 0:
		return fmt.Sprintf("a row per key, until the watermark reaches its %s", cols[n.EventKey].Name)
	}
	return "a row per key, for ever: no key has event time"
}

func (*Dedup) stageOf() Node { return nil }

func namesOf(cols []Column, indexes []int) string {
	parts := make([]string, len(indexes))
	for i, k := range indexes {
		parts[i] = cols[k].Name
	}
	return strings.Join(parts, ", ")
}
