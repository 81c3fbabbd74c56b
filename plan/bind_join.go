package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// joinKinds maps joins as written to those of the plan; see asOf for the others.
var joinKinds = map[sql.JoinForm]types.JoinKind{
	sql.InnerJoin: types.InnerJoin, sql.CrossJoin: types.InnerJoin, sql.LeftJoin: types.LeftJoin, sql.RightJoin: types.RightJoin,
	sql.FullJoin: types.FullJoin, sql.SemiJoin: types.SemiJoin, sql.AntiJoin: types.AntiJoin,
}

// join binds a join. Its condition is kept as conjuncts; rewrite sorts them into keys,
// filters of one side and the rest, after it has moved what WHERE adds.
func (b *binder) join(t *sql.Join, e *env) (*scope, error) {
	span := b.at(t.Span)
	versions, err := b.asOfJoin(t)
	if err != nil {
		return nil, err
	}
	left, err := b.from(t.Left, e)
	if err != nil {
		return nil, err
	}
	if versions != nil {
		right, err := b.from(versions.right, e)
		if err != nil {
			return nil, err
		}
		return versions.bind(b, left, right)
	}
	if f, ok := t.Right.(*sql.FuncRef); ok {
		return b.lateral(left, f, joinKinds[t.Kind], t)
	}
	right, err := b.from(t.Right, e)
	if err != nil {
		return nil, err
	}
	j := &Join{Kind: joinKinds[t.Kind], Left: left.node, Right: right.node, Span: span,
		Static: isStatic(left.node) || isStatic(right.node), sides: [2]string{left.table(), right.table()}}
	if names := commonNames(left, right); len(names) > 0 {
		j.common = j.equality(names[0])
	}
	both := joinScope(j, left, right)
	if err := b.joinCondition(j, t, both, left, right); err != nil {
		return nil, err
	}
	above, err := b.joinResult(j, t, both, left, right)
	if err != nil || !isStatic(left.node) || !isStatic(right.node) {
		return above, err
	}
	tables, ok := joinTables(j, above)
	if !ok {
		return nil, sqlerr.At(span, codeUnsupported, "this join of two tables beside a stream is not supported").
			WithHint("join the tables in a sub-query of their own: JOIN (SELECT ... FROM a JOIN b ON ...) ab ON ...")
	}
	return tables, nil
}

// joinScope is the scope of ON: the columns of both sides.
func joinScope(j *Join, left, right *scope) *scope {
	s := &scope{node: j}
	s.cols = append(s.cols, left.cols...)
	shift := len(left.node.Columns())
	for _, c := range right.cols {
		c.index += shift
		s.cols = append(s.cols, c)
	}
	j.Cols = append(append([]Column(nil), left.node.Columns()...), right.node.Columns()...)
	return s
}

// joinCondition binds ON, USING, NATURAL and WITHIN.
func (b *binder) joinCondition(j *Join, t *sql.Join, both, left, right *scope) error {
	x := &exprBinder{b: b, scope: both, clause: "ON", rows: true}
	using := t.Using
	if t.Natural {
		using = commonNames(left, right)
	}
	for _, id := range using {
		p, err := b.usingPredicate(id, left, right)
		if err != nil {
			return err
		}
		j.on = append(j.on, p...)
		j.using = append(j.using, j.equality(id))
	}
	if t.On != nil {
		if agg := b.findAggregate(t.On); agg != nil {
			return sqlerr.At(b.at(agg.Span), codeMisplaced, "an aggregate may not stand in ON")
		}
		p, err := x.predicates(t.On)
		if err != nil {
			return err
		}
		j.on = append(j.on, p...)
	}
	if t.Within != nil {
		p, err := b.within(t.Within, t.WithinAfter, left, right)
		if err != nil {
			return err
		}
		j.on = append(j.on, p...)
	}
	return nil
}

func commonNames(left, right *scope) []sql.Ident {
	var out []sql.Ident
	for _, l := range left.cols {
		if l.hidden || l.qualified {
			continue
		}
		for _, r := range right.cols {
			if !r.hidden && !r.qualified && strings.EqualFold(l.Name, r.Name) {
				out = append(out, sql.Ident{Name: l.Name})
			}
		}
	}
	return out
}

// usingPredicate is left.name = right.name.
func (b *binder) usingPredicate(id sql.Ident, left, right *scope) ([]predicate, error) {
	l, err := b.usingColumn(id, left)
	if err != nil {
		return nil, err
	}
	r, err := b.usingColumn(id, right)
	if err != nil {
		return nil, err
	}
	r.index += len(left.node.Columns())
	span := b.at(id.Span)
	lv, rv := l.value(), r.value()
	cond, err := expr.BindBinary("=", lv.Expr, rv.Expr, span)
	if err != nil {
		return nil, err
	}
	p := predicate{cond: cond, eq: &equality{l: lv, r: rv}, strict: []int{l.index, r.index}}
	if isWindowStruct(lv) && isWindowStruct(rv) {
		return (&exprBinder{b: b}).windowEquality(p, span)
	}
	return []predicate{p}, nil
}

func (b *binder) usingColumn(id sql.Ident, s *scope) (scopeColumn, error) {
	found, _ := s.find([]sql.Ident{id})
	switch len(found) {
	case 0:
		return scopeColumn{}, s.unresolved([]sql.Ident{id}, b.at(id.Span))
	case 1:
		return found[0], nil
	}
	return scopeColumn{}, ambiguous([]sql.Ident{id}, found, b.at(id.Span))
}

// within is ksqlDB's WITHIN d: the event times of the sides are at most d apart. With
// after given the right is at most d before the left and at most after behind it.
func (b *binder) within(d, after *sql.Interval, left, right *scope) ([]predicate, error) {
	span := b.at(d.Span)
	before, err := b.withinMicros(d)
	if err != nil {
		return nil, err
	}
	behind := before
	if after != nil {
		if behind, err = b.withinMicros(after); err != nil {
			return nil, err
		}
	}
	l, r := eventColumns(left.node), eventColumns(right.node)
	if len(l) != 1 || len(r) != 1 {
		return nil, sqlerr.At(span, codeJoinUnbounded, "WITHIN needs one watermark on each side").
			WithHint("write the condition: ... AND a.ts BETWEEN b.ts - %s AND b.ts + %s", "INTERVAL '"+durationText(behind)+"'", "INTERVAL '"+durationText(before)+"'")
	}
	shift := len(left.node.Columns())
	lt, rt := ref(left.node, l[0]), ref(right.node, r[0])
	rt = columnAt(rt, rt.Index+shift)
	var out []predicate
	for _, side := range []struct {
		op, shift string
		micros    int64
		sign      int
	}{{">=", "-", behind, -1}, {"<=", "+", before, 1}} {
		apart := expr.NewLiteral(types.Of(types.IntervalKind), types.Interval{Micros: side.micros})
		limit, err := expr.BindBinary(side.shift, rt, apart, span)
		if err != nil {
			return nil, err
		}
		cond, err := expr.BindBinary(side.op, lt, limit, span)
		if err != nil {
			return nil, err
		}
		out = append(out, predicate{cond: cond, strict: []int{lt.Index, rt.Index}, bounds: []comparison{{
			terms: map[int]int{lt.Index: side.sign, rt.Index: -side.sign}, micros: -side.micros, orEqual: true}}})
	}
	return out, nil
}

func (b *binder) withinMicros(d *sql.Interval) (int64, error) {
	micros, ok := d.Value.FixedMicros()
	if !ok || micros < 0 {
		return 0, sqlerr.At(b.at(d.Span), codeInterval, "WITHIN needs a length of time in days or less")
	}
	return micros, nil
}

// joinResult sets the columns of the join and returns the scope above it.
func (b *binder) joinResult(j *Join, t *sql.Join, both, left, right *scope) (*scope, error) {
	shift := len(left.node.Columns())
	for i := range j.Cols {
		outer := i < shift && (j.Kind == types.RightJoin || j.Kind == types.FullJoin) || i >= shift && (j.Kind == types.LeftJoin || j.Kind == types.FullJoin)
		j.Cols[i].Nullable = j.Cols[i].Nullable || outer
	}
	if j.Kind == types.SemiJoin || j.Kind == types.AntiJoin {
		j.Cols = j.Cols[:shift]
		return left.over(j), nil
	}
	for i := range both.cols {
		both.cols[i].Nullable = j.Cols[both.cols[i].index].Nullable
	}
	using := t.Using
	if t.Natural {
		using = commonNames(left, right)
	}
	if len(using) == 0 {
		return both, nil
	}
	return b.mergeUsing(j, both, using, shift)
}

// mergeUsing makes the columns of USING one column: that of the side which always
// has a value, or of whichever has one for FULL JOIN. The sides stay reachable with
// their table's name.
func (b *binder) mergeUsing(j *Join, both *scope, using []sql.Ident, shift int) (*scope, error) {
	var front []scopeColumn
	var exprs []expr.Expr
	var cols []Column
	for _, id := range using {
		l, r := -1, -1
		for i, c := range both.cols {
			if !strings.EqualFold(c.Name, id.Name) || c.qualified {
				continue
			}
			if c.index < shift {
				l = i
			} else {
				r = i
			}
		}
		if l < 0 || r < 0 {
			continue
		}
		one := both.cols[l]
		switch j.Kind {
		case types.RightJoin:
			one = both.cols[r]
		case types.FullJoin:
			v, err := expr.BindFunction("coalesce", []expr.Expr{both.cols[l].value().Expr, both.cols[r].value().Expr}, b.at(id.Span))
			if err != nil {
				return nil, err
			}
			one = scopeColumn{Column: Column{Field: types.Field{Name: one.Name, Type: v.Type(), Nullable: v.Nullable()}}, index: len(j.Cols) + len(exprs)}
			exprs, cols = append(exprs, v), append(cols, one.Column)
		}
		one.Table = ""
		both.cols[l].qualified, both.cols[r].qualified = true, true
		front = append(front, one)
	}
	out := &scope{node: j, cols: append(front, both.cols...)}
	if len(exprs) > 0 {
		out.node = appendColumns(j, exprs, cols)
	}
	return out, nil
}

// eventColumns returns the columns of a node that are event time.
func eventColumns(n Node) []int {
	var out []int
	for i, c := range n.Columns() {
		if c.Mark.isEventTime() {
			out = append(out, i)
		}
	}
	return out
}
