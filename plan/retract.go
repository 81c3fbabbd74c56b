package plan

import (
	"fmt"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// changeColumn is the name of the column that Changes appends. No query can name it.
const changeColumn = "change"

// rowsColumn is the name of how many rows a group over Changes has.
const rowsColumn = "rows"

// retract lets aggregations stand over one whose rows change (Options.Retraction, beyond
// Spark): between the two stands a Changes that takes the old rows back. It returns n
// itself where there is no such pair.
//
// Between the two may be filters and projections only, and the lower one may not take
// rows back itself: a group that lost all its rows would have to go away above.
func retract(n Node, mode Mode) Node {
	if a, ok := n.(*Aggregate); ok && (a.Window == nil || a.Window.Kind != Session) {
		if in, ok := withChanges(a.Input, mode); ok {
			return overChanges(a, in, mode)
		}
	}
	changed := false
	out := withInputs(n, func(in Node) Node {
		r := retract(in, mode)
		changed = changed || r != in
		return r
	})
	if !changed {
		return n
	}
	return out
}

// withChanges returns n with a Changes above the node whose rows change, its column the
// last; ok is false if there is none below n within reach.
func withChanges(n Node, mode Mode) (out Node, ok bool) {
	switch n := n.(type) {
	case *Filter:
		in, ok := withChanges(n.Input, mode)
		return &Filter{Input: in, Cond: n.Cond}, ok
	case *Project:
		in, ok := withChanges(n.Input, mode)
		if !ok {
			return nil, false
		}
		at := len(in.Columns()) - 1
		p := &Project{Input: in}
		p.Exprs = append(append(p.Exprs, n.Exprs...), ref(in, at))
		p.Cols = append(append(p.Cols, n.Cols...), in.Columns()[at])
		return p, true
	case *Aggregate:
		if n.Window != nil && n.Window.Kind == Session || hasChanging(n.Input) {
			return nil, false
		}
		var keys []expr.Expr
		closing := -1
		for i := range n.Cols[:len(n.Cols)-len(n.Aggs)] {
			keys = append(keys, ref(n, i))
		}
		switch {
		case mode == Complete || !n.Mark.closes():
		case n.Window != nil:
			closing = 1 // the window's end
		default:
			closing = n.EventKey
		}
		return changesOver(n, keys, closing), true
	case *TopN:
		if mode == Complete || hasChanging(n.Input) {
			return nil, false
		}
		return changesOver(n, n.Keys, n.EventKey), true
	}
	return nil, false
}

// hasChanging reports whether an aggregation or a TopN stands in a tree.
func hasChanging(n Node) bool {
	_, aggregated := findNode[*Aggregate](n)
	_, ranked := findNode[*TopN](n)
	return aggregated || ranked
}

func changesOver(n Node, keys []expr.Expr, closing int) *Changes {
	c := &Changes{Input: n, Keys: keys, EventKey: closing}
	c.Cols = append(append(c.Cols, n.Columns()...), Column{Field: types.Field{Name: changeColumn, Type: types.Of(types.BigInt)}})
	return c
}

// overChanges is an aggregation over Changes. It counts the rows of a group, so that a
// complete result can leave out the groups that lost all of theirs.
func overChanges(n *Aggregate, in Node, mode Mode) Node {
	c := *n
	c.Input, c.Change = in, ref(in, len(in.Columns())-1)
	c.Aggs = nil
	for _, call := range n.Aggs {
		if of, ok := call.Aggregate.OfChanges(call.Distinct); ok {
			call.Aggregate, call.Distinct = of, false
		}
		c.Aggs = append(c.Aggs, call)
	}
	if mode != Complete {
		return &c
	}
	rows, err := expr.BindAggregate("count", nil, true, Span{})
	if err != nil {
		return &c
	}
	c.Aggs = append(c.Aggs, AggCall{Aggregate: rows, Text: "count(*)"})
	c.Cols = append(append([]Column(nil), n.Cols...), Column{Field: types.Field{Name: rowsColumn, Type: types.Of(types.BigInt)}})
	last := len(c.Cols) - 1
	some, err := expr.BindBinary(">", ref(&c, last), expr.NewLiteral(types.Of(types.BigInt), int64(0)), Span{})
	if err != nil || len(n.Keys) == 0 && n.Window == nil {
		return &c
	}
	p := &Project{Input: &Filter{Input: &c, Cond: some}, Cols: n.Cols}
	for i := range n.Cols {
		p.Exprs = append(p.Exprs, ref(&c, i))
	}
	return p
}

// cannotRetract finds an aggregate over changing rows whose result depends on their
// order.
func cannotRetract(_ *checker, n Node) *fault {
	a, ok := n.(*Aggregate)
	if !ok || a.Change == nil {
		return nil
	}
	for _, call := range a.Aggs {
		if call.Ordered {
			return &fault{a.Span, fmt.Sprintf("%s depends on the order of rows, and the rows of the query below change: one that is taken back has no place in the order", plainText(call.Text)),
				"use an aggregate without order, such as min, max, max_by or collect_set"}
		}
	}
	return nil
}

// emptied warns of groups over Changes that can lose all their rows: those whose key, or a
// condition below, is of what changes. A sink replaces rows and removes none, so such a
// group stays in it.
func emptied(n Node, mode Mode) []string {
	if a, ok := n.(*Aggregate); ok && a.Change != nil && mode == Update {
		fixed := isFixed(a.Time, a.Input)
		for _, k := range a.Keys {
			fixed = fixed && isFixed(k, a.Input)
		}
		if (len(a.Keys) > 0 || a.Window != nil) && (!fixed || !keepsRows(a.Input)) {
			return []string{"a group whose rows have all moved to other groups stays in the result, with count 0 and NULL for other aggregates: leave it out where you read the result"}
		}
	}
	var out []string
	for _, in := range n.Inputs() {
		out = append(out, emptied(in, mode)...)
	}
	return out
}

// keepsRows reports whether no filter up to a Changes looks at what changes.
func keepsRows(n Node) bool {
	switch n := n.(type) {
	case *Filter:
		return isFixed(n.Cond, n.Input) && keepsRows(n.Input)
	case *Project:
		return keepsRows(n.Input)
	}
	return true
}

// isFixed reports whether an expression over n, up to a Changes, is made of the keys of
// the rows alone: it is the same for the old row and for the new one.
func isFixed(e expr.Expr, n Node) bool {
	fixed := true
	for _, c := range columnsOf(e) {
		switch n := n.(type) {
		case *Filter:
			fixed = fixed && isFixed(ref(n.Input, c), n.Input)
		case *Project:
			fixed = fixed && isFixed(n.Exprs[c], n.Input)
		case *Changes:
			fixed = fixed && n.isKey(c)
		default:
			return false
		}
	}
	return fixed
}

// isKey reports whether a column is a key.
func (n *Changes) isKey(column int) bool {
	for _, k := range n.Keys {
		if c, ok := k.(*expr.Column); ok && c.Index == column {
			return true
		}
	}
	return false
}
