package plan

import (
	"slices"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// withDeletes lets an output in update mode say which rows are in it no more, where
// some can go: where a condition stands over an aggregation or TopN whose rows change. A
// group that HAVING let through before, and a key that lost all its rows, are then deleted
// from the target, which is at any time what the SELECT gives over all rows so far.
//
// Over an aggregation this needs Options.Retraction. Without it the rule is Spark's: HAVING
// leaves out what does not fulfil it, and the row that came before stays.
func withDeletes(out *Output) {
	if out.Mode != types.Update || out.KeyColumns == nil {
		return
	}
	r := &resultChain{}
	if !r.collect(out.Root) || !r.canShrink() {
		return
	}
	if _, ok := r.maker.(*Aggregate); ok && !out.retraction {
		out.SinkNotices = append(out.SinkNotices, "a group that HAVING or an outer WHERE leaves out after it came stays in the result as it was, as in Spark: SET retraction = 'on' deletes it")
		return
	}
	out.Root, out.Deletes = r.rebuilt(), true
}

// resultChain is what stands between the root of a plan and the node that makes its rows.
type resultChain struct {
	maker Node // *Aggregate or *TopN
	keys  []expr.Expr
	// closing is the index into keys of the one that says when a row changes no more, -1
	// without.
	closing  int
	live     expr.Expr  // all conditions, over the columns of maker; nil without
	projects []*Project // from the maker up
}

// collect takes a tree apart; false for one that has other nodes.
func (r *resultChain) collect(n Node) bool {
	switch n := n.(type) {
	case *Filter:
		if !r.collect(n.Input) {
			return false
		}
		cond := r.over(n.Cond)
		if r.live == nil {
			r.live = cond
			return true
		}
		both, err := expr.BindBinary("AND", r.live, cond, Span{})
		r.live = both
		return err == nil
	case *Project:
		if !r.collect(n.Input) {
			return false
		}
		r.projects = append(r.projects, n)
		return true
	case *Aggregate:
		r.maker = n
		r.keys, r.closing = n.groupKeys()
		return true
	case *TopN:
		r.maker, r.keys, r.closing = n, n.Keys, n.EventKey
		return true
	}
	return false
}

// over is an expression over the projections, over the columns of the maker.
func (r *resultChain) over(e expr.Expr) expr.Expr {
	for _, p := range slices.Backward(r.projects) {
		e = moved(e, func(c *expr.Column) expr.Expr { return p.Exprs[c.Index] })
	}
	return e
}

// canShrink reports whether a row that came out can be left out later: a condition on keys
// alone is the same for ever.
func (r *resultChain) canShrink() bool {
	if r.live == nil {
		return false
	}
	for _, c := range columnsOf(r.live) {
		if !isKey(r.keys, c) {
			return true
		}
	}
	return expr.IsVolatile(r.live)
}

// rebuilt is the chain with a Changes over the maker that does what the conditions did.
func (r *resultChain) rebuilt() Node {
	over := changesOver(r.maker, r.keys, r.closing, r.live)
	over.Whole = true
	var out Node = over
	for _, p := range r.projects {
		out = withChange(p, out)
	}
	return out
}
