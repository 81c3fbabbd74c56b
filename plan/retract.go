package plan

import (
	"fmt"
	"slices"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// changeColumn is the name of the column that Changes appends. No query can name it.
const changeColumn = "change"

// rowsColumn is the name of how many rows a group over Changes has.
const rowsColumn = "rows"

// retract lets an aggregation or TopN stand over one whose rows change (Options.Retraction,
// beyond Spark): between the two stands a Changes that takes the old rows back. It returns
// n itself where there is no such pair.
//
// Between the two may be filters and projections only.
func retract(n Node, mode types.Mode) Node {
	if c, ok := overChanges(n, mode); ok {
		return c.shown()
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

// changeable is an Aggregate or a TopN whose rows change.
type changeable struct {
	node Node
	// live is over the columns of node: not true for a row which only says that its key
	// has no rows any more. Nil: no key loses all its rows.
	live expr.Expr
	cols []Column // those of the query; node may have one more, for live
}

// shown are the rows of the result.
func (c changeable) shown() Node {
	if c.live == nil {
		return c.node
	}
	return onlyColumns(&Filter{Input: c.node, Cond: c.live}, c.cols)
}

// onlyColumns leaves out the columns behind the first ones.
func onlyColumns(n Node, cols []Column) Node {
	if len(cols) == len(n.Columns()) {
		return n
	}
	p := &Project{Input: n, Cols: cols}
	for i := range cols {
		p.Exprs = append(p.Exprs, ref(n, i))
	}
	return p
}

// overChanges puts a Changes below an aggregation or TopN over changing rows; ok is false
// where there are none.
func overChanges(n Node, mode types.Mode) (c changeable, ok bool) {
	switch n := n.(type) {
	case *Aggregate:
		if n.Window != nil && n.Window.Kind == Session {
			return c, false
		}
		in, ok := withChanges(n.Input, mode)
		if !ok {
			return c, false
		}
		return aggregateChanges(n, in), true
	case *TopN:
		if mode != types.Update {
			return c, false
		}
		in, ok := withChanges(n.Input, mode)
		if !ok {
			return c, false
		}
		return rankChanges(n, in), true
	case *Dedup:
		if a, ok := n.grouping(); ok {
			return overChanges(a, mode)
		}
	}
	return c, false
}

// grouping is a DISTINCT as the grouping by all columns that it is: rows that change can come
// and go in it. A deduplication by some of the columns keeps the row that came first, which
// nobody knows when it is taken back.
func (n *Dedup) grouping() (a *Aggregate, ok bool) {
	cols := n.Input.Columns()
	if n.Within || len(n.Keys) != len(cols) {
		return nil, false
	}
	a = &Aggregate{Input: n.Input, EventKey: n.EventKey, Cols: cols, Span: n.Span}
	for i := range cols {
		a.Keys = append(a.Keys, ref(n.Input, i))
	}
	if n.EventKey >= 0 {
		a.Mark = cols[n.EventKey].Mark
	}
	return a, true
}

// withChanges returns n with a Changes above the node whose rows change, its column the
// last; ok is false if there is none below n within reach.
func withChanges(n Node, mode types.Mode) (out Node, ok bool) {
	switch n := n.(type) {
	case *Filter:
		in, ok := withChanges(n.Input, mode)
		return &Filter{Input: in, Cond: n.Cond}, ok
	case *Project:
		in, ok := withChanges(n.Input, mode)
		if !ok {
			return nil, false
		}
		return withChange(n, in), true
	case *Aggregate:
		if n.Window != nil && n.Window.Kind == Session {
			return nil, false
		}
		keys, closing := n.groupKeys()
		if mode == types.Complete {
			closing = -1
		}
		return changesOf(n, keys, closing, mode), true
	case *TopN:
		if mode == types.Complete {
			return nil, false
		}
		return changesOf(n, n.Keys, n.EventKey, mode), true
	case *Dedup:
		a, ok := n.grouping()
		if !ok {
			return nil, false
		}
		if _, ok := overChanges(a, mode); !ok {
			return nil, false // its rows come once and stay
		}
		return withChanges(a, mode)
	}
	return nil, false
}

// withChange is a projection over an input that has the column of a Changes, which it
// passes on.
func withChange(n *Project, in Node) *Project {
	at := len(in.Columns()) - 1
	return &Project{
		Input: in,
		Exprs: append(slices.Clone(n.Exprs), expr.Expr(ref(in, at))),
		Cols:  append(slices.Clone(n.Cols), in.Columns()[at]),
	}
}

// groupKeys are the keys of the groups over their own columns, and which of them says when
// a group is over, -1 without.
func (n *Aggregate) groupKeys() (keys []expr.Expr, closing int) {
	for i := range n.Cols[:len(n.Cols)-len(n.Aggs)] {
		keys = append(keys, ref(n, i))
	}
	switch {
	case !n.Mark.closes():
		return keys, -1
	case n.Window != nil:
		return keys, 1 // the window's end
	}
	return keys, n.EventKey
}

// changesOf puts a Changes over an aggregation or TopN, which may stand over another one.
func changesOf(n Node, keys []expr.Expr, closing int, mode types.Mode) Node {
	c, ok := overChanges(n, mode)
	if !ok {
		c = changeable{node: retract(n, mode), cols: n.Columns()}
	}
	over := changesOver(c.node, keys, closing, c.live)
	if len(c.cols) == len(c.node.Columns()) {
		return over
	}
	p := &Project{Cols: c.cols}
	for i := range c.cols {
		p.Exprs = append(p.Exprs, ref(over, i))
	}
	return withChange(p, over)
}

func changesOver(n Node, keys []expr.Expr, closing int, live expr.Expr) *Changes {
	c := &Changes{Input: n, Keys: keys, EventKey: closing, Live: live}
	c.Cols = append(slices.Clone(n.Columns()), Column{Field: types.Field{Name: changeColumn, Type: types.Of(types.BigInt)}})
	return c
}

// aggregateChanges is an aggregation over Changes. Where a group can lose all its rows,
// it counts them.
func aggregateChanges(n *Aggregate, in Node) changeable {
	a := *n
	a.Input, a.Change = in, ref(in, len(in.Columns())-1)
	a.Aggs = nil
	for _, call := range n.Aggs {
		if of, ok := call.Aggregate.OfChanges(call.Distinct); ok {
			call.Aggregate, call.Distinct = of, false
		}
		a.Aggs = append(a.Aggs, call)
	}
	c := changeable{node: &a, cols: n.Cols}
	if len(n.Keys) == 0 && n.Window == nil || isFixed(n.Time, in) && keepsKeys(n.Keys, in) {
		return c
	}
	count, err := expr.BindAggregate("count", nil, true, Span{})
	if err != nil {
		return c
	}
	a.Aggs, a.CountsRows = append(a.Aggs, AggCall{Aggregate: count, Text: "count(*)", Label: "count(*)"}), true
	a.Cols = append(slices.Clone(n.Cols), Column{Field: types.Field{Name: rowsColumn, Type: types.Of(types.BigInt)}})
	c.live = positive(&a, len(n.Cols))
	return c
}

// rankChanges is a TopN over Changes. A key that lost all its rows comes out with the
// number 0.
func rankChanges(n *TopN, in Node) changeable {
	t := *n
	t.Input, t.Change, t.ByTime = in, ref(in, len(in.Columns())-1), false
	c := changeable{node: &t, cols: n.Cols}
	if !keepsKeys(n.Keys, in) {
		c.live = positive(&t, len(n.Cols)-1)
	}
	return c
}

// positive is the condition that a BIGINT column of n is above 0.
func positive(n Node, column int) expr.Expr {
	e, err := expr.BindBinary(">", ref(n, column), expr.NewLiteral(types.Of(types.BigInt), int64(0)), Span{})
	if err != nil {
		return nil // both are BIGINT, so it always binds
	}
	return e
}

// cannotRetract finds an aggregate over changing rows whose result depends on their order,
// and an expression that would not give a row that is taken back the value it came with.
func cannotRetract(_ *checker, n Node) *fault {
	var exprs []expr.Expr
	switch n := n.(type) {
	case *Aggregate:
		if n.Change == nil {
			return nil
		}
		exprs = append(exprs, n.Keys...)
		for _, call := range n.Aggs {
			if call.Ordered {
				return &fault{n.Span, fmt.Sprintf("%s depends on the order of rows, and the rows of the query below change: one that is taken back has no place in the order", call.Label),
					"use an aggregate without order, such as min, max, max_by or collect_set"}
			}
			exprs = append(append(exprs, call.Args...), call.Filter)
		}
	case *TopN:
		if n.Change == nil {
			return nil
		}
		exprs = append(exprs, n.Keys...)
	default:
		return nil
	}
	for _, e := range append(exprs, aboveChanges(n.Inputs()[0])...) {
		if e != nil && expr.IsVolatile(e) {
			return &fault{spanOf(n), fmt.Sprintf("%s has another value in every batch, and the rows of the query below change: one that is taken back would not be the one that came", expr.Readable(e)),
				"compute it above the grouping, or in the query below it"}
		}
	}
	return nil
}

// aboveChanges are the expressions of the filters and projections down to a Changes.
func aboveChanges(n Node) []expr.Expr {
	switch n := n.(type) {
	case *Filter:
		return append(aboveChanges(n.Input), n.Cond)
	case *Project:
		return append(aboveChanges(n.Input), n.Exprs...)
	}
	return nil
}

// keepsKeys reports whether a key over n, up to a Changes, has rows for ever once it has
// some: it is made of keys below, and no row below can go without another one in its place.
func keepsKeys(keys []expr.Expr, n Node) bool {
	for _, k := range keys {
		if !isFixed(k, n) {
			return false
		}
	}
	return keepsRows(n)
}

// keepsRows reports whether no filter up to a Changes looks at what changes, and no key of
// the Changes loses all its rows.
func keepsRows(n Node) bool {
	switch n := n.(type) {
	case *Filter:
		return isFixed(n.Cond, n.Input) && keepsRows(n.Input)
	case *Project:
		return keepsRows(n.Input)
	case *Changes:
		return n.Live == nil
	}
	return true
}

// isFixed reports whether an expression over n, up to a Changes, is made of the keys of
// the rows alone: it is the same for the old row and for the new one.
func isFixed(e expr.Expr, n Node) bool {
	if e == nil {
		return true
	}
	fixed := !expr.IsVolatile(e)
	for _, c := range columnsOf(e) {
		switch n := n.(type) {
		case *Filter:
			fixed = fixed && isFixed(ref(n.Input, c), n.Input)
		case *Project:
			fixed = fixed && isFixed(n.Exprs[c], n.Input)
		case *Changes:
			fixed = fixed && isKey(n.Keys, c)
		default:
			return false
		}
	}
	return fixed
}

// isKey reports whether a column is one of the keys.
func isKey(keys []expr.Expr, column int) bool {
	return slices.ContainsFunc(keys, func(k expr.Expr) bool {
		c, ok := k.(*expr.Column)
		return ok && c.Index == column
	})
}
