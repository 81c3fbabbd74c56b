package plan

import (
	"slices"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// asOf is what a join says of versions: FOR SYSTEM_TIME AS OF on its right side, or ASOF.
type asOf struct {
	join  *sql.Join
	right sql.TableExpr // without AS OF
	time  sql.Expr      // of FOR SYSTEM_TIME AS OF; nil for ASOF JOIN
	outer bool
}

// asOfJoin reads a join of versions; nil for any other join. FOR SYSTEM_TIME AS OF a time
// that is not of the rows, such as now(), is no join of versions: a table is read as it
// is at the start of each batch anyway.
func (b *binder) asOfJoin(t *sql.Join) (*asOf, error) {
	a := &asOf{join: t, right: t.Right}
	switch t.Kind {
	case sql.AsofJoin:
		return a, nil
	case sql.AsofLeftJoin:
		a.outer = true
		return a, nil
	}
	ref, ok := t.Right.(*sql.TableRef)
	if !ok || ref.AsOf == nil || !namesColumn(ref.AsOf) {
		return nil, nil
	}
	if t.Kind != sql.InnerJoin && t.Kind != sql.LeftJoin {
		return nil, sqlerr.At(b.at(t.Span), codeUnsupported, "FOR SYSTEM_TIME AS OF works in JOIN and LEFT JOIN only").
			WithHint("write stream JOIN versions FOR SYSTEM_TIME AS OF stream.ts ON ...")
	}
	plain := *ref
	plain.AsOf = nil
	a.right, a.time, a.outer = &plain, ref.AsOf, t.Kind == sql.LeftJoin
	return a, nil
}

// namesColumn reports whether an expression names a column.
func namesColumn(e sql.Expr) bool {
	found := false
	walk(e, func(x sql.Expr) bool {
		_, ok := x.(*sql.ColumnRef)
		found = found || ok
		return !found
	})
	return found
}

// bind binds the join of a stream with versions: of its two sides, only the right may be a
// table.
func (a *asOf) bind(b *binder, left, right *scope) (*scope, error) {
	span := b.at(a.join.Span)
	if isStatic(left.node) {
		return nil, sqlerr.At(span, codeUnsupported, "the left side of a join of versions is a stream, found a table").
			WithHint("write stream ASOF JOIN table ON ...")
	}
	n := &AsOf{Left: left.node, Right: right.node, Outer: a.outer, Static: isStatic(right.node), Span: span}
	j := &Join{Kind: types.InnerJoin, Left: left.node, Right: right.node, Span: span}
	if a.outer {
		j.Kind = types.LeftJoin
	}
	both := joinScope(j, left, right)
	rest, err := a.times(b, n, both, left, right)
	if err != nil {
		return nil, err
	}
	t := *a.join
	t.On = nil
	if t.Within != nil {
		return nil, sqlerr.At(b.at(t.Within.Span), codeUnsupported, "WITHIN does not go with a join of versions").
			WithHint("the newest version counts, however old it is: leave WITHIN out")
	}
	if err := b.joinCondition(j, &t, both, left, right); err != nil {
		return nil, err
	}
	j.on = append(j.on, rest...)
	if err := n.conditions(j); err != nil {
		return nil, err
	}
	out, err := b.joinResult(j, &t, both, left, right)
	if err != nil {
		return nil, err
	}
	n.Cols = slices.Clone(j.Cols)
	for i := range n.Cols[len(left.node.Columns()):] {
		n.Cols[len(left.node.Columns())+i].Mark = nil // a version is older than the watermark
	}
	for i := range out.cols {
		out.cols[i].Mark = n.Cols[out.cols[i].index].Mark
	}
	out.node = n
	return out, n.check()
}

// times finds the times of both sides and returns the other conditions.
func (a *asOf) times(b *binder, n *AsOf, both, left, right *scope) (rest []predicate, err error) {
	x := &exprBinder{b: b, scope: both, clause: "ON", rows: true}
	for _, c := range conjuncts(a.join.On) {
		cmp, ok := c.(*sql.Binary)
		if a.time == nil && n.LeftTime == nil && ok && slices.Contains([]string{">=", ">", "<=", "<"}, cmp.Op) {
			is, err := a.comparison(x, n, cmp)
			if err != nil {
				return nil, err
			}
			if is {
				continue
			}
		}
		p, err := x.predicates(c)
		if err != nil {
			return nil, err
		}
		rest = append(rest, p...)
	}
	if a.time == nil {
		if n.LeftTime == nil {
			return nil, sqlerr.At(n.Span, codeAsOf, "ASOF JOIN needs a comparison of a time of each side").
				WithHint("write ... ON a.k = b.k AND a.ts >= b.ts")
		}
		return rest, nil
	}
	v, err := (&exprBinder{b: b, scope: left, clause: "FOR SYSTEM_TIME AS OF", rows: true}).bind(a.time)
	if err != nil {
		return nil, err
	}
	n.LeftTime = v.Expr
	at, err := versionColumn(n, right)
	if err != nil {
		return nil, err
	}
	n.RightTime = ref(right.node, at)
	return rest, nil
}

// comparison takes a.ts >= b.ts, either way round; false if it does not compare the sides.
func (a *asOf) comparison(x *exprBinder, n *AsOf, c *sql.Binary) (ok bool, err error) {
	l, err := x.bind(c.L)
	if err != nil {
		return false, err
	}
	r, err := x.bind(c.R)
	if err != nil {
		return false, err
	}
	op := c.Op
	s := &joinSides{j: &Join{Left: n.Left, Right: n.Right}, width: len(n.Left.Columns())}
	eq := &equality{l: l, r: r}
	if !s.orient(eq) {
		return false, nil
	}
	if eq.l.Expr != l.Expr {
		op = map[string]string{">=": "<=", ">": "<", "<=": ">=", "<": ">"}[op]
	}
	if op != ">=" && op != ">" {
		return false, sqlerr.At(x.b.at(c.Pos()), codeAsOf, "ASOF JOIN takes the newest version up to a time, and this condition asks for later ones").
			WithHint("write a.ts >= b.ts, in which b is the side with the versions")
	}
	n.Strict = op == ">"
	n.LeftTime = eq.l.Expr
	n.RightTime = moved(eq.r.Expr, func(c *expr.Column) expr.Expr { return columnAt(c, c.Index-s.width) })
	return true, nil
}

// versionColumn is the column that says since when a row holds: the event time of a
// stream, the only TIMESTAMP of a table.
func versionColumn(n *AsOf, right *scope) (int, error) {
	if !n.Static {
		if times := eventColumns(right.node); len(times) == 1 {
			return times[0], nil
		}
		return 0, sqlerr.At(n.Span, codeAsOf, "a stream of versions needs one watermark, which says when no older version comes any more").
			WithHint("%s", watermarkHint(right.node))
	}
	var found []int
	for i, c := range right.node.Columns() {
		if c.Type.Kind == types.Timestamp {
			found = append(found, i)
		}
	}
	const hint = "name the column: ASOF JOIN t ON ... AND s.ts >= t.valid_from"
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, sqlerr.At(n.Span, codeAsOf, "FOR SYSTEM_TIME AS OF needs to know since when a row of the table holds, and the table has no TIMESTAMP column").
			WithHint("leave FOR SYSTEM_TIME out to join the table as it is at the start of each batch")
	}
	cols := right.node.Columns()
	return 0, sqlerr.At(n.Span, codeAsOf, "FOR SYSTEM_TIME AS OF needs to know since when a row of the table holds, and the table has several TIMESTAMP columns: %q, %q",
		cols[found[0]].Name, cols[found[1]].Name).WithHint(hint)
}

// conditions sorts the other conditions: equalities of the two sides, and those on one of
// them.
func (n *AsOf) conditions(j *Join) error {
	s := &joinSides{j: j, width: len(n.Left.Columns())}
	for _, p := range j.on {
		if p.eq != nil && s.orient(p.eq) && !expr.IsVolatile(p.cond) {
			right := moved(p.eq.r.Expr, func(c *expr.Column) expr.Expr { return columnAt(c, c.Index-s.width) })
			l, r, ok := unifyKeys(p.eq.l.Expr, right, n.Span)
			if !ok {
				return sqlerr.At(n.Span, codeTypeMismatch, "%s and %s have no common type", p.eq.l.Expr.Type(), right.Type())
			}
			n.LeftKeys, n.RightKeys = append(n.LeftKeys, l), append(n.RightKeys, r)
			continue
		}
		if ok, err := n.oneSided(p); err != nil || ok {
			if err != nil {
				return err
			}
			continue
		}
		return sqlerr.At(n.Span, codeAsOf, "a join of versions takes equalities of its two sides, one time and conditions on one side, found %s", expr.Readable(p.cond)).
			WithHint("compare both sides in WHERE: which version holds depends on its time alone")
	}
	return nil
}

// oneSided takes a condition on one side. On the right it leaves versions out: the newest of
// the others holds. On the left it leaves rows out, or with Outer their versions.
func (n *AsOf) oneSided(p predicate) (ok bool, err error) {
	width := len(n.Left.Columns())
	left, right := false, false
	for _, c := range columnsOf(p.cond) {
		left, right = left || c < width, right || c >= width
	}
	switch {
	case left == right || expr.IsVolatile(p.cond):
		return false, nil
	case left && !n.Outer:
		n.Left = &Filter{Input: n.Left, Cond: p.cond, pred: &p}
		return true, nil
	case left:
		return true, n.matchOnly(&n.LeftKeys, &n.RightKeys, p.cond)
	}
	cond := moved(p.cond, func(c *expr.Column) expr.Expr { return columnAt(c, c.Index-width) })
	if !n.Static {
		n.Right = &Filter{Input: n.Right, Cond: cond}
		return true, nil
	}
	return true, n.matchOnly(&n.RightKeys, &n.LeftKeys, cond)
}

// matchOnly lets rows of a side match only where a condition holds, by a key that is NULL
// where it does not: NULL matches nothing.
func (n *AsOf) matchOnly(keys, others *[]expr.Expr, cond expr.Expr) error {
	yes := expr.NewLiteral(types.Of(types.Boolean), true)
	key, err := expr.BindCase(nil, []expr.Expr{cond}, []expr.Expr{yes}, nil, n.Span)
	if err != nil {
		return err
	}
	*keys, *others = append(*keys, key), append(*others, expr.Expr(yes))
	return nil
}

// check makes sure of the types of the times, and that streams have event time there.
func (n *AsOf) check() error {
	ts := types.Of(types.Timestamp)
	for _, side := range []struct {
		time *expr.Expr
		in   Node
	}{{&n.LeftTime, n.Left}, {&n.RightTime, n.Right}} {
		e := *side.time
		if k := e.Type().Kind; k != types.Timestamp && k != types.Date {
			return sqlerr.At(n.Span, codeAsOf, "a version holds since a TIMESTAMP, found %s of type %s", expr.Readable(e), e.Type())
		}
		if !n.Static {
			c, ok := e.(*expr.Column)
			if !ok || !side.in.Columns()[c.Index].Mark.isEventTime() {
				return sqlerr.At(n.Span, codeAsOf, "two streams are joined by their event times, and %s has no watermark", expr.Readable(e)).
					WithHint("%s", watermarkHint(side.in))
			}
		}
		if !e.Type().Equal(ts) {
			cast, err := expr.BindCast(e, ts, false, n.Span)
			if err != nil {
				return err
			}
			*side.time = cast
		}
	}
	return nil
}

// pushAsOf moves conditions on the left side below. Those on the right must not choose
// among the versions.
func pushAsOf(n *AsOf, ps []predicate) Node {
	down, stay := split(ps, below(len(n.Left.Columns())))
	c := *n
	c.Left, c.Right = push(n.Left, down), push(n.Right, nil)
	return filtered(&c, stay)
}

func pruneAsOf(n *AsOf, need []bool) (Node, []int) {
	width := len(n.Left.Columns())
	left, right := append([]bool(nil), need[:width]...), append([]bool(nil), need[width:]...)
	needs(left, n.LeftKeys...)
	needs(left, n.LeftTime)
	needs(right, n.RightKeys...)
	needs(right, n.RightTime)
	c := *n
	c.Left, c.Right = exactly(n.Left, left), exactly(n.Right, right)
	at := places(left, right)
	rat := make([]int, len(right))
	for i := range right {
		rat[i] = at[width+i] - len(c.Left.Columns())
	}
	c.LeftKeys, c.RightKeys = movedAll(n.LeftKeys, at[:width]), movedAll(n.RightKeys, rat)
	c.LeftTime, c.RightTime = movedTo(n.LeftTime, at[:width]), movedTo(n.RightTime, rat)
	c.Cols = nil
	for i := range n.Cols {
		if at[i] >= 0 {
			c.Cols = append(c.Cols, n.Cols[i])
		}
	}
	return &c, at
}

// condition is what a version must meet. text writes a side, with its columns named by a function.
func (n *AsOf) condition(text func(expr.Expr, func(*expr.Column) string) string) []string {
	left, right := sided(0, "left."), sided(0, "right.")
	var out []string
	for i := range n.LeftKeys {
		out = append(out, text(n.LeftKeys[i], left)+" = "+text(n.RightKeys[i], right))
	}
	op := " >= "
	if n.Strict {
		op = " > "
	}
	return append(out, text(n.LeftTime, left)+op+text(n.RightTime, right))
}

// joinMode of versions: a row that came out would change with a later version.
func asOfMode(c *checker, n Node) *fault {
	a, ok := n.(*AsOf)
	if !ok || a.Static || c.output.Mode == types.Append || c.output.retraction && c.aboveIs(c.output.Root, a, false) {
		return nil
	}
	return &fault{a.Span, "a join of a stream with the versions of another works in append mode only, not in " + c.output.Mode.String() + " mode",
		"use EMIT ON WINDOW CLOSE (SET output_mode = 'append'); or write the join to a table of its own and aggregate that"}
}
