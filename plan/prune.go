package plan

import (
	"slices"

	"ssql/plan/expr"
)

// pruned leaves out every column that nothing above needs. What a stream does not
// deliver need not be decoded, and what a join does not pass on need not be kept.
func pruned(n Node) Node {
	need := make([]bool, len(n.Columns()))
	for i := range need {
		need[i] = true
	}
	return exactly(n, need)
}

// exactly returns n with only the needed columns, in their order.
func exactly(n Node, need []bool) Node {
	out, at := prune(n, need)
	count := 0
	same := true
	for i, wanted := range need {
		if wanted {
			same = same && at[i] == count
			count++
		}
	}
	if same && count == len(out.Columns()) {
		return out
	}
	p := &Project{Input: out}
	for i, wanted := range need {
		if wanted {
			p.Exprs, p.Cols = append(p.Exprs, ref(out, at[i])), append(p.Cols, n.Columns()[i])
		}
	}
	return p
}

// prune returns n with at least the needed columns, and where each column went; -1 for
// those left out.
func prune(n Node, need []bool) (Node, []int) {
	switch n := n.(type) {
	case *Scan:
		c := *n
		need = slices.Clone(need)
		for i, column := range n.Cols { // a row is bad whoever asks
			need[i] = need[i] || !column.Nullable
		}
		var at []int
		c.Cols, at = keep(n.Cols, need)
		return &c, at
	case *StaticScan:
		c := *n
		var at []int
		c.Cols, at = keep(n.Cols, need)
		return &c, at
	case *Project:
		return pruneProject(n, need)
	case *Aggregate:
		return pruneAggregate(n, need)
	case *AsOf:
		return pruneAsOf(n, need)
	case *Join:
		return pruneJoin(n, need)
	case *Union:
		return pruneUnion(n, need)
	case *Shared:
		return n.prune(need)
	}
	return pruneThrough(n, need)
}

// keep returns the needed columns, one at least: a record without columns would not
// know how many rows it has.
func keep(cols []Column, need []bool) (out []Column, at []int) {
	at = make([]int, len(cols))
	for i, c := range cols {
		at[i] = -1
		if need[i] {
			at[i] = len(out)
			out = append(out, c)
		}
	}
	if len(out) == 0 && len(cols) > 0 {
		at[0] = 0
		out = cols[:1:1]
	}
	return out, at
}

// needs marks the columns that expressions use.
func needs(need []bool, exprs ...expr.Expr) {
	for _, e := range exprs {
		for _, i := range columnsOf(e) {
			need[i] = true
		}
	}
}

func movedTo(e expr.Expr, at []int) expr.Expr {
	return moved(e, func(c *expr.Column) expr.Expr { return columnAt(c, at[c.Index]) })
}

func movedAll(list []expr.Expr, at []int) []expr.Expr {
	if list == nil {
		return nil
	}
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = movedTo(e, at)
	}
	return out
}

func pruneProject(n *Project, need []bool) (Node, []int) {
	cols, at := keep(n.Cols, need)
	p := &Project{Cols: cols, Exprs: make([]expr.Expr, len(cols)), Computed: n.Computed}
	below := make([]bool, len(n.Input.Columns()))
	for i, to := range at {
		if to >= 0 {
			needs(below, n.Exprs[i])
			p.Exprs[to] = n.Exprs[i]
		}
	}
	in, moved := prune(n.Input, below)
	p.Input, p.Exprs = in, movedAll(p.Exprs, moved)
	p = merged(p)
	if passesAll(p) {
		return p.Input, at
	}
	return p, at
}

// merged makes one projection of two where that computes nothing twice.
func merged(p *Project) *Project {
	in, ok := p.Input.(*Project)
	if !ok || !allColumns(p.Exprs) && !allColumns(in.Exprs) {
		return p
	}
	used := map[int]bool{}
	for _, i := range columnsOfAll(p.Exprs) {
		if _, plain := in.Exprs[i].(*expr.Column); !plain && used[i] {
			return p
		}
		used[i] = true
	}
	out := &Project{Input: in.Input, Cols: p.Cols, Computed: p.Computed || in.Computed && allColumns(p.Exprs)}
	for _, e := range p.Exprs {
		out.Exprs = append(out.Exprs, expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(*expr.Column); ok {
				return in.Exprs[c.Index]
			}
			return x
		}))
	}
	return merged(out)
}

func allColumns(exprs []expr.Expr) bool {
	for _, e := range exprs {
		if _, ok := e.(*expr.Column); !ok {
			return false
		}
	}
	return true
}

func columnsOfAll(exprs []expr.Expr) []int {
	var out []int
	for _, e := range exprs {
		out = append(out, columnsOf(e)...)
	}
	return out
}

// passesAll reports whether a projection changes nothing, not even a name.
func passesAll(p *Project) bool {
	in := p.Input.Columns()
	if len(in) != len(p.Exprs) {
		return false
	}
	for i, e := range p.Exprs {
		c, ok := e.(*expr.Column)
		if !ok || c.Index != i || in[i].Name != p.Cols[i].Name || in[i].Mark != p.Cols[i].Mark {
			return false
		}
	}
	return true
}

func pruneAggregate(n *Aggregate, need []bool) (Node, []int) {
	c := *n
	fixed := len(n.Cols) - len(n.Aggs) // window and keys stay: they make the groups
	c.Cols, c.Aggs = append([]Column(nil), n.Cols[:fixed]...), nil
	at := make([]int, len(n.Cols))
	below := make([]bool, len(n.Input.Columns()))
	for i := range at {
		at[i] = i
		if i < fixed {
			continue
		}
		if at[i] = -1; !need[i] {
			continue
		}
		at[i] = len(c.Cols)
		call := n.Aggs[i-fixed]
		c.Cols, c.Aggs = append(c.Cols, n.Cols[i]), append(c.Aggs, call)
		needs(below, call.Args...)
		needs(below, call.Filter)
	}
	needs(below, n.Keys...)
	needs(below, n.Time)
	if n.Window != nil {
		needs(below, n.Window.Gap)
	}
	in, moved := prune(n.Input, below)
	c.Input, c.Keys, c.Time = in, movedAll(n.Keys, moved), movedTo(n.Time, moved)
	c.Window = movedSpec(n.Window, moved)
	c.Aggs = movedAggs(c.Aggs, func(e expr.Expr) expr.Expr { return movedTo(e, moved) })
	return &c, at
}

// movedSpec moves the columns of a session's gap. The spec stays the same value where
// it has none, since marks are compared by it.
func movedSpec(w *WindowSpec, at []int) *WindowSpec {
	if w == nil || w.Gap == nil {
		return w
	}
	c := *w
	c.Gap = movedTo(w.Gap, at)
	return &c
}

func pruneJoin(n *Join, need []bool) (Node, []int) {
	width := len(n.Left.Columns())
	left, right := make([]bool, width), make([]bool, len(n.Right.Columns()))
	needs(left, n.LeftKeys...)
	needs(left, n.LeftFilter)
	needs(right, n.RightKeys...)
	needs(right, n.RightFilter)
	mark := func(i int) {
		if i < width {
			left[i] = true
		} else {
			right[i-width] = true
		}
	}
	for i, wanted := range need {
		if wanted {
			mark(i)
		}
	}
	for _, i := range columnsOf(n.Residual) {
		mark(i)
	}
	none(left)
	none(right)
	c := *n
	c.Left, c.Right = exactly(n.Left, left), exactly(n.Right, right)
	both := places(left, right)
	lat, rat := both[:width], make([]int, len(right))
	for i := range right {
		rat[i] = both[width+i] - len(c.Left.Columns())
	}
	c.LeftKeys, c.RightKeys = movedAll(n.LeftKeys, lat), movedAll(n.RightKeys, rat)
	c.LeftFilter, c.RightFilter = movedTo(n.LeftFilter, lat), movedTo(n.RightFilter, rat)
	c.Residual = movedTo(n.Residual, both)
	c.bounds = nil
	for _, b := range n.bounds {
		nb := b
		nb.terms = map[int]int{}
		for i, factor := range b.terms {
			nb.terms[both[i]] += factor
		}
		c.bounds = append(c.bounds, nb)
	}
	c.Cols = nil
	at := make([]int, len(n.Cols))
	for i := range n.Cols {
		at[i] = both[i]
		if both[i] >= 0 {
			c.Cols = append(c.Cols, n.Cols[i])
		}
	}
	return &c, at
}

// none makes sure that a side keeps one column.
func none(need []bool) {
	for _, wanted := range need {
		if wanted {
			return
		}
	}
	if len(need) > 0 {
		need[0] = true
	}
}

// places numbers the needed columns of both sides.
func places(left, right []bool) []int {
	var out []int
	next := 0
	for _, wanted := range append(append([]bool(nil), left...), right...) {
		if wanted {
			out = append(out, next)
			next++
		} else {
			out = append(out, -1)
		}
	}
	return out
}

func pruneUnion(n *Union, need []bool) (Node, []int) {
	need = append([]bool(nil), need...)
	none(need)
	c := &Union{Number: n.Number}
	var at []int
	c.Cols, at = keep(n.Cols, need)
	for _, in := range n.Ins {
		c.Ins = append(c.Ins, exactly(in, need))
	}
	return c, at
}

// pruneThrough handles the nodes that pass all columns of their one input on and
// perhaps add some behind them.
func pruneThrough(n Node, need []bool) (Node, []int) {
	in := n.Inputs()[0]
	width := len(in.Columns())
	below := append([]bool(nil), need[:width]...)
	var cols []Column
	switch n := n.(type) {
	case *Watermark:
		below[n.Index], cols = true, n.Cols
	case *Filter:
		needs(below, n.Cond)
	case *WindowAssign:
		cols = n.Cols
		needs(below, n.Time, n.Spec.Gap)
		needs(below, n.PartitionBy...)
	case *Dedup:
		for _, k := range n.Keys {
			below[k] = true
		}
		if n.Within {
			for _, k := range eventColumns(in) {
				below[k] = true
			}
		}
	case *Sort:
		for _, k := range n.Keys {
			needs(below, k.Expr)
		}
	case *Expand:
		cols = n.Cols
		needs(below, n.Keys...)
	case *Unnest:
		cols = n.Cols
		needs(below, n.List)
	case *TopN:
		cols = n.Cols
		needs(below, n.Keys...)
		for _, k := range n.Order {
			needs(below, k.Expr)
		}
	}
	out, at := prune(in, below)
	if _, ok := n.(*Dedup); ok {
		// A watermark below keeps its column. Spark does not let a deduplication see an event
		// time that nothing above reads: no row is late for it then.
		out, at = exactly(in, below), places(below, nil)
	}
	kept := len(out.Columns())
	var newCols []Column
	if cols != nil {
		newCols = append(newCols, out.Columns()...)
		newCols = append(newCols, cols[width:]...)
		for i := range cols {
			if i >= width {
				at = append(at, kept+i-width)
			} else if at[i] >= 0 {
				newCols[at[i]] = cols[i]
			}
		}
	}
	built := rebuilt(n, out, at, newCols)
	if u, ok := built.(*Unnest); ok {
		u.Used = make([]bool, kept)
		for i := range width {
			if at[i] >= 0 {
				u.Used[at[i]] = need[i]
			}
		}
	}
	return built, at
}

func movedKeys(keys []SortKey, at []int) []SortKey {
	out := append([]SortKey(nil), keys...)
	for i := range out {
		out[i].Expr = movedTo(out[i].Expr, at)
	}
	return out
}

// rebuilt returns n over a pruned input.
func rebuilt(n, in Node, at []int, cols []Column) Node {
	switch n := n.(type) {
	case *Watermark:
		return &Watermark{Input: in, Index: at[n.Index], Def: n.Def, Cols: cols}
	case *Filter:
		return &Filter{Input: in, Cond: movedTo(n.Cond, at)}
	case *WindowAssign:
		c := *n
		c.Input, c.Time, c.Cols = in, movedTo(n.Time, at), cols
		c.Spec, c.PartitionBy = movedSpec(n.Spec, at), movedAll(n.PartitionBy, at)
		return &c
	case *Dedup:
		c := *n
		c.Input, c.Keys = in, make([]int, len(n.Keys))
		for i, k := range n.Keys {
			c.Keys[i] = at[k]
		}
		return &c
	case *Sort:
		c := *n
		c.Input, c.Keys = in, movedKeys(n.Keys, at)
		return &c
	case *TopN:
		c := *n
		c.Input, c.Keys, c.Order, c.Cols = in, movedAll(n.Keys, at), movedKeys(n.Order, at), cols
		return &c
	case *Limit:
		c := *n
		c.Input = in
		return &c
	case *Expand:
		c := *n
		c.Input, c.Keys, c.Cols = in, movedAll(n.Keys, at), cols
		return &c
	case *Unnest:
		c := *n
		c.Input, c.List, c.Cols = in, movedTo(n.List, at), cols
		return &c
	}
	return n
}
