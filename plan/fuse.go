package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// fuseWindows lets an aggregation assign its window itself where no node between the
// two uses the window otherwise. It is what makes `FROM TUMBLE(..) GROUP BY
// window_start, window_end` and `GROUP BY window(..)` one plan.
func fuseWindows(n Node) Node {
	n = withInputs(n, fuseWindows)
	a, ok := n.(*Aggregate)
	if !ok || len(a.Keys) < 2 {
		return n
	}
	a = openStruct(a)
	start, sok := a.Keys[0].(*expr.Column)
	end, eok := a.Keys[1].(*expr.Column)
	if !sok || !eok || !isWindowPart(a.Cols[0].Mark) {
		return n
	}
	l, ok := liftWindow(a.Input, start.Index, end.Index)
	if !ok || !l.fits(a) {
		return n
	}
	return l.fuse(a)
}

// openStruct lets an aggregation by a window column that a projection below makes,
// window(ts, ..) AS w, group by what the struct is made of.
func openStruct(a *Aggregate) *Aggregate {
	p, ok := a.Input.(*Project)
	if !ok || !isWindowPart(a.Cols[0].Mark) {
		return a
	}
	in := &Project{Input: p.Input, Computed: p.Computed, Exprs: append([]expr.Expr(nil), p.Exprs...), Cols: append([]Column(nil), p.Cols...)}
	keys := append([]expr.Expr(nil), a.Keys...)
	for i, name := range []string{"start", "end"} {
		w, ok := structOf(keys[i])
		if !ok {
			return a
		}
		part, err := structField(p.Exprs[w], name, a.Span)
		if err != nil {
			return a
		}
		c, ok := part.(*expr.Column)
		if !ok {
			return a
		}
		keys[i] = &expr.Column{Index: len(in.Exprs), Name: c.Name, T: c.T, Null: c.Null}
		in.Exprs, in.Cols = append(in.Exprs, part), append(in.Cols, p.Input.Columns()[c.Index])
	}
	out := *a
	out.Input, out.Keys = in, keys
	// Without the struct, nothing but the keys uses the window.
	if opened, ok := pruned(&out).(*Aggregate); ok {
		return opened
	}
	return a
}

// structOf returns the column of which e is a field.
func structOf(e expr.Expr) (int, bool) {
	parts := e.Children()
	if len(parts) != 1 || parts[0].Type().Kind != types.Struct {
		return 0, false
	}
	c, ok := parts[0].(*expr.Column)
	if !ok {
		return 0, false
	}
	return c.Index, true
}

// lifted is a tree from which a WindowAssign was taken out.
type lifted struct {
	node   Node
	window *WindowAssign
	time   expr.Expr // over node, like gap and part
	gap    expr.Expr // of a session; nil when constant
	part   []expr.Expr
	at     []int // column of the old tree → column of node; -1 for a part of the window
}

// liftWindow takes the WindowAssign out of n whose columns are n's columns start and end.
func liftWindow(n Node, start, end int) (*lifted, bool) {
	switch n := n.(type) {
	case *WindowAssign:
		width := len(n.Input.Columns())
		if start != width || end != width+1 {
			return nil, false
		}
		l := &lifted{node: n.Input, window: n, time: n.Time, gap: n.Spec.Gap, part: n.PartitionBy}
		for i := range n.Cols {
			if i >= width {
				i = -1
			}
			l.at = append(l.at, i)
		}
		return l, true
	case *Filter:
		l, ok := liftWindow(n.Input, start, end)
		if !ok || l.uses(n.Cond) {
			return nil, false
		}
		l.node = &Filter{Input: l.node, Cond: l.move(n.Cond)}
		return l, true
	case *Project:
		return liftProject(n, start, end)
	case *Expand:
		return liftExpand(n, start, end)
	}
	return nil, false
}

// liftExpand takes a WindowAssign out from under an Expand: grouping sets repeat a row
// whatever its windows.
func liftExpand(n *Expand, start, end int) (*lifted, bool) {
	width := len(n.Input.Columns())
	if start >= width || end >= width {
		return nil, false
	}
	l, ok := liftWindow(n.Input, start, end)
	if !ok {
		return nil, false
	}
	for _, k := range n.Keys {
		if l.uses(k) {
			return nil, false
		}
	}
	e := &Expand{Input: l.node, Sets: n.Sets, Cols: append([]Column(nil), l.node.Columns()...)}
	for _, k := range n.Keys {
		e.Keys = append(e.Keys, l.move(k))
	}
	for i := width; i < len(n.Cols); i++ {
		l.at = append(l.at, len(e.Cols))
		e.Cols = append(e.Cols, n.Cols[i])
	}
	l.node = e
	return l, true
}

// liftProject takes a WindowAssign out from under a projection, which then passes on
// what the time of the window needs.
func liftProject(n *Project, start, end int) (*lifted, bool) {
	s, sok := n.Exprs[start].(*expr.Column)
	e, eok := n.Exprs[end].(*expr.Column)
	if !sok || !eok {
		return nil, false
	}
	l, ok := liftWindow(n.Input, s.Index, e.Index)
	if !ok {
		return nil, false
	}
	p := &Project{Input: l.node, Computed: n.Computed}
	at := make([]int, len(n.Exprs))
	for i, x := range n.Exprs {
		if i == start || i == end {
			at[i] = -1
			continue
		}
		if l.uses(x) {
			return nil, false
		}
		at[i] = len(p.Exprs)
		p.Exprs, p.Cols = append(p.Exprs, l.move(x)), append(p.Cols, n.Cols[i])
	}
	pass := func(c *expr.Column) expr.Expr {
		for i, x := range p.Exprs {
			if have, ok := x.(*expr.Column); ok && have.Index == c.Index {
				return ref(p, i)
			}
		}
		p.Exprs, p.Cols = append(p.Exprs, columnAt(c, c.Index)), append(p.Cols, l.node.Columns()[c.Index])
		return ref(p, len(p.Exprs)-1)
	}
	out := &lifted{node: p, window: l.window, time: moved(l.time, pass), gap: moved(l.gap, pass), at: at}
	for _, x := range l.part {
		out.part = append(out.part, moved(x, pass))
	}
	return out, true
}

// uses reports whether an expression over the old tree needs a part of the window.
func (l *lifted) uses(e expr.Expr) bool {
	for _, i := range columnsOf(e) {
		if l.at[i] < 0 {
			return true
		}
	}
	return false
}

func (l *lifted) move(e expr.Expr) expr.Expr {
	return moved(e, func(c *expr.Column) expr.Expr { return columnAt(c, l.at[c.Index]) })
}

// fits reports whether the aggregation uses the window only as its first two keys, and
// groups by the partition of a session.
func (l *lifted) fits(a *Aggregate) bool {
	keys := map[string]bool{}
	for _, k := range a.Keys[2:] {
		if l.uses(k) {
			return false
		}
		keys[exprKey(l.move(k))] = true
	}
	for _, c := range a.Aggs {
		for _, x := range c.Args {
			if l.uses(x) {
				return false
			}
		}
		if c.Filter != nil && l.uses(c.Filter) {
			return false
		}
	}
	for _, x := range l.part {
		if !keys[exprKey(x)] {
			return false
		}
	}
	return true
}

// fuse returns the aggregation with the window in it.
func (l *lifted) fuse(a *Aggregate) *Aggregate {
	f := *a
	f.Input, f.Window, f.Time, f.EventKey = l.node, l.window.Spec, l.time, -1
	if f.Window.Gap != nil {
		spec := *f.Window
		spec.Gap = l.gap
		f.Window = &spec
	}
	f.Keys = make([]expr.Expr, 0, len(a.Keys)-2)
	for _, k := range a.Keys[2:] {
		f.Keys = append(f.Keys, l.move(k))
	}
	f.Aggs = movedAggs(a.Aggs, l.move)
	return &f
}

// movedAggs returns the calls with all their expressions moved.
func movedAggs(aggs []AggCall, move func(expr.Expr) expr.Expr) []AggCall {
	out := make([]AggCall, len(aggs))
	for i, c := range aggs {
		agg := *c.Aggregate
		agg.Args = make([]expr.Expr, len(c.Args))
		for j, x := range c.Args {
			agg.Args[j] = move(x)
		}
		c.Aggregate = &agg
		if c.Filter != nil {
			c.Filter = move(c.Filter)
		}
		out[i] = c
	}
	return out
}
