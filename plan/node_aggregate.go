package plan

import "ssql/plan/expr"

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
func (*Aggregate) node()               {}

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
