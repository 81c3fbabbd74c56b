package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// state says what a node keeps between batches and when it leaves; "" for a stateless
// node.
func (e *explainer) state(n Node) string {
	switch n := n.(type) {
	case *Aggregate:
		return e.aggregateState(n)
	case *Dedup:
		return dedupState(n)
	case *Join:
		if !n.Static {
			return joinState(n)
		}
	case *AsOf:
		if !n.Static {
			return fmt.Sprintf("the rows of the left side until the watermark reaches their %s, of each key of the right side the version at the watermark and those after it",
				columnName(n.LeftTime))
		}
	case *TopN:
		return topNState(n)
	case *Changes:
		if n.EventKey < 0 {
			return "the rows of the query below as they came last, for ever"
		}
		return fmt.Sprintf("the rows of the query below as they came last, until the watermark reaches their %s", columnName(n.Keys[n.EventKey]))
	case *Limit:
		if e.output.Mode == types.Append {
			return "how many rows have passed"
		}
	}
	return ""
}

func (e *explainer) aggregateState(n *Aggregate) string {
	kept := "a row per group"
	switch {
	case len(n.Keys) == 0 && n.Window == nil:
		kept = "one row"
	case n.Window != nil && n.Window.Kind == Session:
		kept = "a row per open session"
	}
	var with []string
	for _, call := range n.Aggs {
		switch {
		case call.External != "":
			with = append(with, fmt.Sprintf("what %s(...) takes of each row", call.External))
		case call.Distinct && len(call.Args) > 0:
			with = append(with, "the values of "+call.Label)
		}
	}
	if len(with) > 0 {
		kept += " with " + strings.Join(with, " and ")
	}
	switch {
	case e.output.Mode == types.Complete:
		return kept + ", for ever"
	case !n.Mark.closes():
		return kept + ", for ever: no group key has event time"
	case n.Mark.Part == Instant:
		return fmt.Sprintf("%s, until the watermark reaches its %s", kept, columnName(n.Keys[n.EventKey]))
	}
	return kept + ", until the watermark reaches the end of the window"
}

func dedupState(n *Dedup) string {
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

func topNState(n *TopN) string {
	kept := "the first rows of each key"
	if n.Change != nil {
		kept = "all rows of each key"
	}
	switch {
	case n.EventKey >= 0:
		return fmt.Sprintf("%s, until the watermark reaches its %s", kept, columnName(n.Keys[n.EventKey]))
	case n.ByTime:
		return "the first row of each key until the watermark reaches its event time, the key for ever"
	}
	return kept + ", for ever"
}

func joinState(n *Join) string {
	s := n.State
	text := ""
	if s.KeyTime >= 0 {
		l, r := columnName(n.LeftKeys[s.KeyTime]), columnName(n.RightKeys[s.KeyTime])
		if l != r {
			l += " and " + r
		}
		text = "the rows of both sides, until the watermark reaches their " + l
	} else {
		name := func(_ Node, e expr.Expr) string { return columnName(e) }
		text = "the rows of the left side " + s.Left.until(n.Left, name) + ", the rows of the right side " + s.Right.until(n.Right, name)
	}
	for _, side := range []struct {
		name  string
		times JoinTimes
	}{{"left", s.Left}, {"right", s.Right}} {
		if side.times.byPartner {
			text += fmt.Sprintf("; a row of the %s side, which has no watermark, is late when %s <= the watermark: what it joins is gone", side.name, columnName(side.times.Time))
		}
	}
	return text
}

// until says when the rows of a side go, in terms of its node.
func (t *JoinTimes) until(n Node, name func(Node, expr.Expr) string) string {
	if t.Evict == nil {
		return "for ever"
	}
	limit := "the watermark"
	if t.BoundMicros != 0 {
		sign, length := "+", t.BoundMicros
		if length < 0 {
			sign, length = "-", -length
		}
		limit = fmt.Sprintf("the watermark %s %s", sign, durationText(length))
	}
	return fmt.Sprintf("until %s <= %s", name(n, t.Evict), limit)
}
