package plan

import "ssql/plan/expr"

// rewrite brings a bound tree into the form that exec lowers. In order: conditions
// move to where they keep rows out of state, join conditions are sorted into keys
// and the rest, windows are fused into their aggregations, unused columns go, and
// what joins and deduplications keep is derived from what is left.
//
// No condition moves below a Watermark: what is written above it does not decide what
// advances it (D3).
//
// The roots are those of the outputs of one plan, which may have Shared nodes in common.
func rewrite(roots []Node) {
	for i, n := range roots {
		roots[i] = pruned(fuseWindows(pruned(push(n, nil))))
	}
	narrowShared(roots)
	for i, n := range roots {
		roots[i] = settle(n)
	}
}

// push returns n with conditions applied to its rows, as far below as they may go.
func push(n Node, ps []predicate) Node {
	switch n := n.(type) {
	case *Filter:
		p := n.pred
		if p == nil {
			p = &predicate{cond: n.Cond}
		}
		return push(n.Input, append([]predicate{*p}, ps...))
	case *Project:
		down, stay := split(ps, func(p predicate) bool { return plainOver(p, n) })
		for i := range down {
			down[i] = down[i].substitute(func(c int) value { return value{Expr: n.Exprs[c]} })
		}
		c := *n
		c.Input = push(n.Input, down)
		return filtered(&c, stay)
	case *Union:
		c := *n
		c.Ins = make([]Node, len(n.Ins))
		for i, in := range n.Ins {
			c.Ins[i] = push(in, ps)
		}
		return &c
	case *WindowAssign:
		down, stay := split(ps, below(len(n.Input.Columns())))
		c := *n
		c.Input = push(n.Input, down)
		return filtered(&c, stay)
	case *Unnest:
		down, stay := split(ps, below(len(n.Input.Columns())))
		c := *n
		c.Input = push(n.Input, down)
		return filtered(&c, stay)
	case *Aggregate:
		return pushAggregate(n, ps)
	case *TopN:
		return pushTopN(n, ps)
	case *AsOf:
		return pushAsOf(n, ps)
	case *Join:
		return pushJoin(n, ps)
	}
	return filtered(withInputs(n, func(in Node) Node { return push(in, nil) }), ps)
}

// pushAggregate moves conditions on ordinary keys below an aggregation: groups that
// nobody asks for need no state.
func pushAggregate(n *Aggregate, ps []predicate) Node {
	down, stay := split(ps, func(p predicate) bool {
		cols := columnsOf(p.cond)
		for _, i := range cols {
			if i >= len(n.Keys) || isWindowPart(n.Cols[i].Mark) || expr.IsVolatile(n.Keys[i]) {
				return false
			}
		}
		return len(cols) > 0
	})
	for i := range down {
		down[i] = down[i].substitute(func(c int) value { return value{Expr: n.Keys[c]} })
	}
	c := *n
	c.Input = push(n.Input, down)
	return filtered(&c, stay)
}

// split sorts conditions by a test; volatile ones never move.
func split(ps []predicate, moves func(predicate) bool) (down, stay []predicate) {
	for _, p := range ps {
		if !expr.IsVolatile(p.cond) && moves(p) {
			down = append(down, p)
		} else {
			stay = append(stay, p)
		}
	}
	return down, stay
}

// below tests whether a condition uses only the first count columns, and one at least.
func below(count int) func(predicate) bool {
	return func(p predicate) bool {
		cols := columnsOf(p.cond)
		for _, i := range cols {
			if i >= count {
				return false
			}
		}
		return len(cols) > 0
	}
}

// plainOver reports whether a condition uses only columns that a projection passes on
// as they are.
func plainOver(p predicate, n *Project) bool {
	cols := columnsOf(p.cond)
	for _, i := range cols {
		if _, ok := n.Exprs[i].(*expr.Column); !ok {
			return false
		}
	}
	return len(cols) > 0
}

// filtered puts one Filter with all conditions over n.
func filtered(n Node, ps []predicate) Node {
	cond := allOf(ps)
	if cond == nil {
		return n
	}
	f := &Filter{Input: n, Cond: cond}
	if len(ps) == 1 {
		f.pred = &ps[0]
	}
	return f
}

// allOf joins conditions by AND; nil for none.
func allOf(ps []predicate) expr.Expr {
	var all expr.Expr
	seen := map[string]bool{}
	for _, p := range ps {
		if key := exprKey(p.cond); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		if all == nil {
			all = p.cond
			continue
		}
		both, err := expr.BindBinary("AND", all, p.cond, Span{})
		if err != nil {
			// Both are conditions, so AND always binds.
			continue
		}
		all = both
	}
	return all
}

// withInputs returns a copy of n over what f makes of its inputs. Shared rows stay as they
// are: all who read them have the same node, so it is rewritten in its own place.
func withInputs(n Node, f func(Node) Node) Node {
	if _, ok := n.(*Shared); ok {
		return n
	}
	ins := make([]Node, len(n.Inputs()))
	for i, in := range n.Inputs() {
		ins[i] = f(in)
	}
	return n.WithInputs(ins)
}
