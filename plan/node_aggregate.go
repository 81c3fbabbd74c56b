package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Aggregate groups. Its result columns are, in this order: with Window set,
// window_start and window_end (TIMESTAMP); then Keys; then Aggs.
type Aggregate struct {
	Input Node
	// Window is the window that the operator assigns itself from Time; nil when
	// there is none or when it comes as plain columns (see EventKey).
	Window *WindowSpec
	Time   expr.Expr // nil without Window
	Keys   []expr.Expr
	// EventKey is the index into Keys whose value closes a group: an event-time
	// column, or a window end; -1 when Window is set or no key carries event
	// time. A group is late and closed when its value is <= the watermark.
	EventKey int
	Aggs     []AggCall
	// Change is the column of a Changes below: negative for a row that is taken back.
	// Nil: every row is new.
	Change expr.Expr
	// CountsRows says that the last of Aggs is the number of rows of a group over Changes. A
	// group that has lost all of them comes out once more, with the number 0.
	CountsRows bool
	Mark       *Mark // of the window or of the event key; nil without event time
	Cols       []Column
	Span       Span     // of GROUP BY or of the first aggregate
	visible    []Column // all columns that GROUP BY could have named, for hints
}

func (n *Aggregate) Columns() []Column { return n.Cols }
func (n *Aggregate) Inputs() []Node    { return []Node{n.Input} }

func (n *Aggregate) WithInputs(ins []Node) Node {
	c := *n
	c.Input = ins[0]
	return &c
}

func (n *Aggregate) Expressions() []expr.Expr {
	out := append([]expr.Expr{n.Time}, n.Keys...)
	for _, a := range n.Aggs {
		out = append(append(out, a.Args...), a.Filter)
	}
	return out
}

func (n *Aggregate) describe() string {
	var keys []string
	if n.Window != nil {
		keys = append(keys, specText(n.Window, n.Time))
	}
	for _, k := range n.Keys {
		keys = append(keys, expr.Readable(k))
	}
	calls := make([]string, len(n.Aggs))
	for i, a := range n.Aggs {
		calls[i] = a.Label
	}
	text := strings.Join(calls, ", ")
	if len(keys) > 0 {
		text = strings.TrimSpace(text + " by " + strings.Join(keys, ", "))
	}
	if n.Change != nil {
		text += ", old rows taken back"
	}
	return "Aggregate " + text
}

func (n *Aggregate) keeps(mode types.Mode) string {
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
	case mode == types.Complete:
		return kept + ", for ever"
	case !n.Mark.closes():
		return kept + ", for ever: no group key has event time"
	case n.Mark.Part == Instant:
		return fmt.Sprintf("%s, until the watermark reaches its %s", kept, columnName(n.Keys[n.EventKey]))
	}
	return kept + ", until the watermark reaches the end of the window"
}

func (*Aggregate) stageOf() Node { return nil }

// AggCall is one aggregate of an Aggregate node.
type AggCall struct {
	*expr.Aggregate
	Filter   expr.Expr // FILTER (WHERE ...); nil without
	Distinct bool
	Text     string // canonical text with FILTER and DISTINCT: equal text means equal meaning
	Label    string // the same for people
	// External is the aggregate of DuckDB that a list of rows is kept for; "" for a call
	// that is folded row by row.
	External string
	Span     Span // of the call, with External
}
