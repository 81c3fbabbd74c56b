package plan

import (
	"slices"
	"strings"

	"ssql/plan/expr"
)

// share returns the rows of a stream that have a key, made at their first use. Outside of
// a statement set each use has its own: a stream read twice is two sources there, as in
// Spark.
func (b *binder) share(key string, bind func() (Node, error)) (Node, error) {
	if b.shared == nil {
		return bind()
	}
	if s := b.shared[key]; s != nil {
		return s, nil
	}
	n, err := bind()
	if err != nil {
		return nil, err
	}
	s := &Shared{Input: n}
	b.shared[key] = s
	return s, nil
}

// unshare takes out the Shared nodes that one place alone has.
func unshare(roots []Node) {
	uses := map[*Shared]int{}
	var count func(n Node)
	count = func(n Node) {
		if s, ok := n.(*Shared); ok {
			if uses[s]++; uses[s] > 1 {
				return
			}
		}
		for _, in := range n.Inputs() {
			count(in)
		}
	}
	for _, n := range roots {
		count(n)
	}
	if len(uses) == 0 {
		return
	}
	done := map[*Shared]bool{}
	var without func(n Node) Node
	without = func(n Node) Node {
		s, ok := n.(*Shared)
		switch {
		case !ok:
			return withInputs(n, without)
		case uses[s] == 1:
			return without(s.Input)
		}
		if !done[s] {
			done[s] = true
			s.Input = without(s.Input)
		}
		return s
	}
	for i, n := range roots {
		roots[i] = without(n)
	}
}

// sharedBelow returns the Shared nodes of trees, each before those below it.
func sharedBelow(roots []Node) []*Shared {
	var all []*Shared
	var visit func(n Node)
	visit = func(n Node) {
		s, ok := n.(*Shared)
		if ok && slices.Contains(all, s) {
			return
		}
		for _, in := range n.Inputs() {
			visit(in)
		}
		if ok {
			all = append(all, s)
		}
	}
	for _, n := range roots {
		visit(n)
	}
	slices.Reverse(all)
	return all
}

// prune notes which columns somebody needs, and passes all on: others may need the rest.
// When that is known for all, it gives the node without what nobody needs.
func (s *Shared) prune(need []bool) (Node, []int) {
	if s.narrow != nil {
		return s.narrow, s.at
	}
	if s.need == nil {
		s.need = make([]bool, len(need))
	}
	at := make([]int, len(need))
	for i, wanted := range need {
		s.need[i] = s.need[i] || wanted
		at[i] = i
	}
	return s, at
}

// narrowShared leaves the columns out of Shared nodes that none of the trees needs. The
// trees are pruned already.
func narrowShared(roots []Node) {
	all := sharedBelow(roots)
	if len(all) == 0 {
		return
	}
	for _, s := range all {
		s.need = nil // what windows needed that are fused now is needed no more
	}
	for i, n := range roots {
		roots[i] = pruned(n)
	}
	for _, s := range all {
		in, at := prune(s.Input, s.need)
		s.narrow, s.at = &Shared{Input: in}, at
	}
	for _, s := range all {
		s.narrow.Input = pruned(s.narrow.Input)
	}
	for i, n := range roots {
		roots[i] = pruned(n)
	}
}

// shareSides lets the sides of a join that are the same rows of one stream be read once,
// as in Spark.
func shareSides(j *Join) {
	if !j.Static && sameRows(j.Left, j.Right) {
		s := &Shared{Input: j.Left}
		j.Left, j.Right = s, s
	}
}

// waiting says that outputs with different inputs wait for each other.
func waiting(p *Plan) []string {
	if p.Policy != MinPolicy || !slices.ContainsFunc(p.Outputs, func(o *Output) bool { return lacksWatermark(p, o) }) {
		return nil
	}
	var names []string
	for _, w := range p.Watermarks {
		if !slices.Contains(names, w.Relation) {
			names = append(names, w.Relation)
		}
	}
	slowest := "of " + strings.Join(names, " and ")
	if len(names) == 1 {
		slowest += " with the longest delay"
	}
	return []string{"the outputs wait for each other: a statement set has one watermark, that of its slowest input, " + slowest}
}

// lacksWatermark reports whether an output works with some of the watermarks of its plan
// and without others.
func lacksWatermark(p *Plan, o *Output) bool {
	below := watermarksOf(o.Root)
	return len(below) > 0 && slices.ContainsFunc(p.Watermarks, func(w *WatermarkDef) bool { return !slices.Contains(below, w) })
}

// sameRows reports whether two trees of scans, projections and filters give equal rows.
// Sides with a watermark are apart: each has its own, with its own late rows.
func sameRows(a, b Node) bool {
	switch a := a.(type) {
	case *Shared:
		return false // they are read once already
	case *Scan:
		b, ok := b.(*Scan)
		return ok && a.Stream == b.Stream && a.id == b.id && readingKey(a.Reading) == readingKey(b.Reading) && sameFields(a.Cols, b.Cols)
	case *Filter:
		b, ok := b.(*Filter)
		return ok && sameExpr(a.Cond, b.Cond) && sameRows(a.Input, b.Input)
	case *Project:
		b, ok := b.(*Project)
		if !ok || len(a.Exprs) != len(b.Exprs) || a.Computed != b.Computed {
			return false
		}
		for i := range a.Exprs {
			if !sameExpr(a.Exprs[i], b.Exprs[i]) {
				return false
			}
		}
		return sameRows(a.Input, b.Input)
	}
	return false
}

func sameExpr(a, b expr.Expr) bool {
	return exprKey(a) == exprKey(b) && !expr.IsVolatile(a)
}

func sameFields(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !a[i].Type.Equal(b[i].Type) {
			return false
		}
	}
	return true
}
