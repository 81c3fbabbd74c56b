package plan

import (
	"strings"

	"ssql/sql"
	"ssql/sql/types"
)

// bucketOriginMicros is where the buckets of time_bucket begin: Monday, 2000-01-03.
const bucketOriginMicros = 946_857_600_000_000

// buckets makes GROUP BY time_bucket(width, ts) over an event time the start of a window, here
// and wherever the block says it again: its groups are those of TUMBLE and close as they do.
func (k *block) buckets() error {
	by := k.s.GroupBy
	if by == nil {
		return nil
	}
	keys := by.Items
	if by.All {
		keys = itemExprs(k.s.Items)
	}
	found := map[string]sql.Expr{}
	for _, e := range keys {
		e = k.groupedBy(e)
		if to := k.bucket(e); to != nil {
			found[sql.ExprText(e)] = to
		}
	}
	if len(found) != 1 || k.hasWindowCall() {
		return nil
	}
	to := func(e sql.Expr) sql.Expr {
		return mapExpr(e, func(x sql.Expr) sql.Expr { return found[sql.ExprText(x)] })
	}
	s, q, group := *k.s, *k.q, *by
	group.Items = mapAll(by.Items, to)
	s.Items = append([]sql.SelectItem(nil), s.Items...)
	for i := range s.Items {
		s.Items[i].Expr = to(s.Items[i].Expr)
	}
	s.GroupBy, s.Having, s.Qualify = &group, to(s.Having), to(s.Qualify)
	q.OrderBy = mapOrder(q.OrderBy, to)
	k.s, k.q = &s, &q
	return nil
}

// itemExprs returns the expressions of select items.
func itemExprs(items []sql.SelectItem) []sql.Expr {
	out := make([]sql.Expr, len(items))
	for i, it := range items {
		out[i] = it.Expr
	}
	return out
}

// groupedBy returns what a number or alias in GROUP BY stands for.
func (k *block) groupedBy(e sql.Expr) sql.Expr {
	if i, ok, err := ordinal(e, len(k.s.Items), Span{}); err == nil && ok {
		return k.s.Items[i].Expr
	}
	c, ok := e.(*sql.ColumnRef)
	if !ok || len(c.Parts) != 1 {
		return e
	}
	if cols, _ := k.scope.find(c.Parts); len(cols) > 0 {
		return e
	}
	for _, it := range k.s.Items {
		if it.Alias != nil && strings.EqualFold(it.Alias.Name, c.Parts[0].Name) {
			return it.Expr
		}
	}
	return e
}

// bucket returns the start of the window that a call of time_bucket means, nil for anything
// else: also for one of months, or over a time that no watermark follows.
func (k *block) bucket(e sql.Expr) sql.Expr {
	c, ok := e.(*sql.Call)
	if !ok || !strings.EqualFold(c.Name.Name, "time_bucket") || len(c.Args) < 2 || len(c.Args) > 3 {
		return nil
	}
	width, ok := bucketInterval(c.Args[0])
	column, isColumn := c.Args[1].(*sql.ColumnRef)
	if !ok || !isColumn || width.Micros <= 0 {
		return nil
	}
	begin := int64(bucketOriginMicros)
	if len(c.Args) == 3 {
		if begin, ok = bucketBegin(c.Args[2]); !ok {
			return nil
		}
	}
	cols, _ := k.scope.find(column.Parts)
	if len(cols) != 1 || !cols[0].Mark.isEventTime() || cols[0].Mark.Part != Instant {
		return nil
	}
	span := c.Args[0].Pos()
	call := &sql.Call{Name: sql.Ident{Name: "tumble_start", Span: c.Name.Span}, Args: []sql.Expr{column, &sql.Interval{Value: width, Span: span}}, Span: c.Span}
	if offset := (begin%width.Micros + width.Micros) % width.Micros; offset > 0 {
		call.Args = append(call.Args, &sql.Interval{Value: types.Interval{Micros: offset}, Span: span})
	}
	return call
}

// bucketInterval returns a constant interval in microseconds, for DuckDB also reads one from a
// text; ok is false for one of months, whose length is not fixed, and for anything else.
func bucketInterval(e sql.Expr) (v types.Interval, ok bool) {
	switch e := e.(type) {
	case *sql.Interval:
		v, ok = e.Value, true
	case *sql.Literal:
		text, isText := e.Value.(string)
		if !isText {
			return v, false
		}
		v, ok = types.ParseInterval(text)
	}
	micros, fixed := v.FixedMicros()
	return types.Interval{Micros: micros}, ok && fixed
}

// bucketBegin returns where some bucket begins by the third argument of time_bucket, an offset
// from the usual origin or an origin, in microseconds.
func bucketBegin(e sql.Expr) (micros int64, ok bool) {
	if t, isTyped := e.(*sql.TypedLiteral); isTyped && (t.Type.Kind == types.Timestamp || t.Type.Kind == types.Date) {
		micros, _, ok = types.ParseTimestamp([]byte(t.Text))
		return micros, ok
	}
	v, ok := bucketInterval(e)
	return bucketOriginMicros + v.Micros, ok
}

// hasWindowCall reports whether a window stands in the block already.
func (k *block) hasWindowCall() bool {
	found := false
	for _, e := range append(itemExprs(k.s.Items), k.s.GroupBy.Items...) {
		walk(e, func(x sql.Expr) bool {
			c, ok := x.(*sql.Call)
			found = found || ok && isWindowCall(strings.ToLower(c.Name.Name))
			return !found
		})
	}
	return found
}
