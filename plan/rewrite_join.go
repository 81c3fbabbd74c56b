package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// joinSides sorts the conjuncts of a join.
type joinSides struct {
	j     *Join
	width int // columns of the left side
	// left and right are conditions that become filters below the join.
	left, right []predicate
	// keepLeft and keepRight are conditions on one side that decide whether a row
	// finds a partner, and so stay in the join.
	keepLeft, keepRight []predicate
	keys, rest          []predicate
}

// pushJoin moves the conditions above a join into it where the kind of join allows,
// and sorts its own (Spark's PushPredicateThroughJoin).
func pushJoin(n *Join, ps []predicate) Node {
	if p, ok := swapped(n); ok {
		return push(p, ps)
	}
	s := &joinSides{j: n, width: len(n.Left.Columns())}
	stay := s.takeWhere(ps)
	on := append([]predicate(nil), n.on...)
	if n.Kind == types.InnerJoin {
		on = append(on, stay...)
		stay = nil
	}
	for _, p := range on {
		s.sort(p)
	}
	s.completeWindows()
	if !n.Static {
		s.inferNotNull()
		s.inferOther()
	}
	return filtered(s.build(), stay)
}

// takeWhere moves conditions of WHERE that look at one side below the join; the
// others are returned.
func (s *joinSides) takeWhere(ps []predicate) (stay []predicate) {
	for _, p := range ps {
		l, r := s.uses(p.cond)
		movable := !expr.IsVolatile(p.cond)
		switch {
		case movable && l && !r && (s.j.Kind != types.RightJoin && s.j.Kind != types.FullJoin):
			s.left = append(s.left, p)
		case movable && r && !l && (s.j.Kind == types.InnerJoin || s.j.Kind == types.RightJoin) && !s.j.Static:
			s.right = append(s.right, s.toRight(p))
		default:
			stay = append(stay, p)
		}
	}
	return stay
}

// uses reports which sides an expression takes columns from.
func (s *joinSides) uses(e expr.Expr) (left, right bool) {
	for _, i := range columnsOf(e) {
		if i < s.width {
			left = true
		} else {
			right = true
		}
	}
	return left, right
}

// columns are those of both sides, also of a semi join.
func (s *joinSides) columns() []Column {
	return append(append([]Column(nil), s.j.Left.Columns()...), s.j.Right.Columns()...)
}

func (s *joinSides) toRight(p predicate) predicate { return p.shifted(s.columns(), -s.width) }

// sort puts one conjunct of ON where it belongs.
func (s *joinSides) sort(p predicate) {
	l, r := s.uses(p.cond)
	kind := s.j.Kind
	switch {
	case expr.IsVolatile(p.cond):
		s.rest = append(s.rest, p)
	case l && !r && (kind == types.InnerJoin || kind == types.SemiJoin || kind == types.RightJoin):
		s.left = append(s.left, p)
	case l && !r:
		s.keepLeft = append(s.keepLeft, p)
	case r && !l && kind != types.RightJoin && kind != types.FullJoin && !s.j.Static:
		s.right = append(s.right, s.toRight(p))
	case r && !l:
		s.keepRight = append(s.keepRight, s.toRight(p))
	case p.eq != nil && s.orient(p.eq):
		s.keys = append(s.keys, p)
	default:
		if lit, ok := p.cond.(*expr.Literal); ok && lit.String() == "true" {
			return
		}
		s.rest = append(s.rest, p)
	}
}

// orient turns an equality so that its left operand is over the left side; false if
// an operand mixes the sides or uses neither.
func (s *joinSides) orient(eq *equality) bool {
	ll, lr := s.uses(eq.l.Expr)
	rl, rr := s.uses(eq.r.Expr)
	switch {
	case ll && !lr && rr && !rl:
		return true
	case lr && !ll && rl && !rr:
		eq.l, eq.r = eq.r, eq.l
		return true
	}
	return false
}

// completeWindows adds the equality of the ends where only the starts of equal
// windows are compared: the end is what closes.
func (s *joinSides) completeWindows() {
	var more []predicate
	for _, p := range s.keys {
		l, r := p.eq.l.mark, p.eq.r.mark
		if l == nil || r == nil || l.Part != WindowStart || r.Part != WindowStart ||
			l.Window == nil || !l.Window.equal(r.Window) || l.Window.Kind == Session || s.hasEnds(l, r) {
			continue
		}
		le, lok := endOf(p.eq.l, s.j.Left.Columns(), 0)
		re, rok := endOf(p.eq.r, s.j.Right.Columns(), s.width)
		if !lok || !rok {
			continue
		}
		cond, err := expr.BindBinary("=", le.Expr, re.Expr, s.j.Span)
		if err != nil {
			continue
		}
		more = append(more, predicate{cond: cond, eq: &equality{l: le, r: re, nullSafe: p.eq.nullSafe}})
	}
	s.keys = append(s.keys, more...)
}

func (s *joinSides) hasEnds(l, r *Mark) bool {
	for _, p := range s.keys {
		a, b := p.eq.l.mark, p.eq.r.mark
		if a != nil && b != nil && a.Part == WindowEnd && b.Part == WindowEnd && sameWindow(a, l) && sameWindow(b, r) {
			return true
		}
	}
	return false
}

// endOf returns the end of the window whose start v is: a column beside it, or start +
// size.
func endOf(v value, cols []Column, shift int) (value, bool) {
	for i, c := range cols {
		if c.Mark != nil && c.Mark.Part == WindowEnd && sameWindow(c.Mark, v.mark) {
			return value{Expr: &expr.Column{Index: i + shift, Name: c.Name, T: c.Type, Null: c.Nullable}, mark: c.Mark}, true
		}
	}
	if k := v.mark.Window.Kind; k != Tumble && k != Hop {
		return value{}, false
	}
	e, err := plusMicros(v.Expr, v.mark.Window.SizeMicros, Span{})
	return value{Expr: e, mark: v.mark.part(WindowEnd)}, err == nil
}

// filters reports for which sides Spark derives filters from the condition: the ones
// whose rows do not come out without a partner.
func (s *joinSides) filters() (left, right bool) {
	switch s.j.Kind {
	case types.InnerJoin, types.SemiJoin:
		return true, true
	case types.LeftJoin, types.AntiJoin:
		return false, true
	case types.RightJoin:
		return true, false
	}
	return false, false
}

// inferNotNull keeps rows out of the state that can match nothing because a column
// of the condition is NULL.
func (s *joinSides) inferNotNull() {
	left, right := s.filters()
	cols := s.columns()
	done := map[int]bool{}
	for _, p := range append(append([]predicate(nil), s.keys...), s.rest...) {
		for _, i := range p.strict {
			c := cols[i]
			if done[i] || !c.Nullable || c.Mark != nil || i < s.width && !left || i >= s.width && !right {
				continue
			}
			done[i] = true
			index := i
			if i >= s.width {
				index -= s.width
			}
			test, err := expr.BindIsTest(&expr.Column{Index: index, Name: c.Name, T: c.Type, Null: true}, "NULL", true, Span{})
			if err != nil {
				continue
			}
			if i < s.width {
				s.left = append(s.left, predicate{cond: test})
			} else {
				s.right = append(s.right, predicate{cond: test})
			}
		}
	}
}

// inferOther carries a condition on a key of one side over to the equal key of the
// other (Spark's InferFiltersFromConstraints).
func (s *joinSides) inferOther() {
	left, right := s.filters()
	toRight, toLeft := map[int]expr.Expr{}, map[int]expr.Expr{}
	for _, p := range s.keys {
		l, lok := p.eq.l.Expr.(*expr.Column)
		r, rok := p.eq.r.Expr.(*expr.Column)
		if !lok || !rok || p.eq.nullSafe || !l.T.Equal(r.T) {
			continue
		}
		toRight[l.Index] = columnAt(r, r.Index-s.width)
		toLeft[r.Index-s.width] = l
	}
	fromLeft := append(append(constraints(s.j.Left), s.left...), s.keepLeft...)
	fromRight := append(append(constraints(s.j.Right), s.right...), s.keepRight...)
	if right {
		s.right = append(s.right, carried(fromLeft, toRight, fromRight)...)
	}
	if left {
		s.left = append(s.left, carried(fromRight, toLeft, fromLeft)...)
	}
}

// carried rewrites the conditions that use mapped columns only, without those that are
// there already.
func carried(from []predicate, to map[int]expr.Expr, have []predicate) []predicate {
	known := map[string]bool{}
	for _, p := range have {
		known[exprKey(p.cond)] = true
	}
	var out []predicate
	for _, p := range from {
		cols := columnsOf(p.cond)
		ok := len(cols) > 0 && !expr.IsVolatile(p.cond)
		for _, i := range cols {
			_, mapped := to[i]
			ok = ok && mapped
		}
		if !ok {
			continue
		}
		cond := moved(p.cond, func(c *expr.Column) expr.Expr { return to[c.Index] })
		if key := exprKey(cond); !known[key] {
			known[key] = true
			out = append(out, predicate{cond: cond})
		}
	}
	return out
}

// constraints are conditions that all rows of a node are known to meet.
func constraints(n Node) []predicate {
	switch n := n.(type) {
	case *Filter:
		p := n.pred
		if p == nil {
			p = &predicate{cond: n.Cond}
		}
		return append(constraints(n.Input), *p)
	case *Watermark:
		return constraints(n.Input)
	case *Project:
		up := map[int]expr.Expr{}
		for i, e := range n.Exprs {
			if c, ok := e.(*expr.Column); ok {
				up[c.Index] = ref(n, i)
			}
		}
		return carried(constraints(n.Input), up, nil)
	}
	return nil
}

// build returns the join with its condition sorted.
func (s *joinSides) build() Node {
	j := *s.j
	j.on = nil
	j.Left, j.Right = push(s.j.Left, s.left), push(s.j.Right, s.right)
	for _, p := range s.keys {
		r := moved(p.eq.r.Expr, func(c *expr.Column) expr.Expr { return columnAt(c, c.Index-s.width) })
		l, r, ok := unifyKeys(overEventTime(j.Left, p.eq.l.Expr), overEventTime(j.Right, r), s.j.Span)
		if !ok {
			s.rest = append(s.rest, p)
			continue
		}
		j.LeftKeys, j.RightKeys = append(j.LeftKeys, l), append(j.RightKeys, r)
		j.NullSafe = append(j.NullSafe, p.eq.nullSafe)
		j.keyMarks = append(j.keyMarks, [2]*Mark{p.eq.l.mark, p.eq.r.mark})
	}
	j.Residual, j.LeftFilter, j.RightFilter = allOf(s.rest), allOf(s.keepLeft), allOf(s.keepRight)
	for _, p := range s.rest {
		j.bounds = append(j.bounds, p.bounds...)
	}
	return &j
}

// unifyKeys casts the two sides of an equality to one type.
func unifyKeys(l, r expr.Expr, span Span) (expr.Expr, expr.Expr, bool) {
	t, ok := unify(l.Type(), r.Type())
	if !ok {
		return nil, nil, false
	}
	out := [2]expr.Expr{l, r}
	for i, e := range out {
		if e.Type().Equal(t) {
			continue
		}
		c, err := expr.BindCast(e, t, false, span)
		if err != nil {
			return nil, nil, false
		}
		out[i] = c
	}
	return out[0], out[1], true
}

// swapped puts the table of a stream-table join on the right, as exec wants it, with a
// projection above that gives the columns back in their order. Kinds that have no
// streaming form stay as they are, to be refused.
func swapped(j *Join) (Node, bool) {
	if !j.Static || !isStatic(j.Left) || isStatic(j.Right) || j.Kind != types.InnerJoin && j.Kind != types.RightJoin {
		return j, false
	}
	l, r := len(j.Left.Columns()), len(j.Right.Columns())
	place := func(i int) int {
		if i < l {
			return i + r
		}
		return i - l
	}
	s := *j
	s.Left, s.Right = j.Right, j.Left
	if j.Kind == types.RightJoin {
		s.Kind = types.LeftJoin
	}
	s.Cols = append(append([]Column(nil), j.Cols[l:]...), j.Cols[:l]...)
	s.on = nil
	for _, p := range j.on {
		s.on = append(s.on, p.substitute(func(i int) value { return value{Expr: ref(&s, place(i))} }))
	}
	back := &Project{Input: &s, Cols: j.Cols}
	for i := range j.Cols {
		back.Exprs = append(back.Exprs, ref(&s, place(i)))
	}
	return back, true
}
