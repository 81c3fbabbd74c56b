package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// viewDepthMax bounds views of views and sub-queries of sub-queries.
const viewDepthMax = 64

// Insert is one INSERT of a statement set.
type Insert struct {
	Target string // where its rows go; no two INSERTs have the same
	Query  *sql.Query
	// Assign are the types of the columns that the result is written to, which it is cast
	// to as an INSERT does; nil keeps the types of the query.
	Assign []types.Type
	// Changes says that the target is made for results that change: with the mode of
	// Options the INSERT falls back from append to update, as with AutoMode.
	Changes bool
}

// Bind resolves the names of a query against a catalog, checks that it has an
// answer as a stream in the wanted output mode, and returns the plan. EMIT in the
// query wins over Options.Mode. All errors for the user are *sqlerr.Error with a
// span in the text that q was parsed from.
func Bind(q *sql.Query, cat Catalog, o Options) (*Plan, error) {
	return BindSet([]Insert{{Query: q}}, cat, o)
}

// BindSet is Bind for the INSERTs of a statement set: one plan with an output for each,
// in the order of their targets, so that it does not matter in which order they were
// written. What several INSERTs read of a stream is read once, with its computed columns
// and its watermark: see Shared.
func BindSet(inserts []Insert, cat Catalog, o Options) (*Plan, error) {
	inserts = slices.SortedStableFunc(slices.Values(inserts), func(a, b Insert) int { return strings.Compare(sql.Canonical(a.Target), sql.Canonical(b.Target)) })
	b := &binder{cat: cat, ansi: o.ANSI, limits: o.Limits, tree: tree{ctx: o.Context}}
	if len(inserts) > 1 {
		b.shared = map[string]*Shared{}
	}
	roots := make([]Node, len(inserts))
	for i, in := range inserts {
		b.delayMicros = emitDelay(in.Query.Emit)
		s, err := b.query(in.Query, nil)
		if err != nil {
			return nil, err
		}
		if isStatic(s.node) {
			return nil, b.noStream(in.Query.Span)
		}
		roots[i] = typed(s.node)
		if len(in.Assign) == len(roots[i].Columns()) {
			if roots[i], err = b.assigned(roots[i], in.Assign, b.at(in.Query.Span)); err != nil {
				return nil, err
			}
		}
	}
	unshare(roots)
	rewrite(roots)
	p := &Plan{Policy: o.Policy, ANSI: o.ANSI, Notices: b.notices, Meanings: b.meanings}
	for i, in := range inserts {
		p.Outputs = append(p.Outputs, &Output{Target: in.Target, Root: roots[i], Columns: resultColumns(roots[i]), span: in.Query.Span, retraction: o.Retraction})
	}
	number(p, inserts)
	if err := nameSources(p); err != nil {
		return nil, err
	}
	for i, in := range inserts {
		o := o
		o.AutoMode = o.AutoMode || in.Changes && o.Mode == types.Append
		if err := b.finish(p.Outputs[i], in.Query, o); err != nil {
			return nil, err
		}
		p.Notices = append(p.Notices, p.Outputs[i].notices...)
	}
	if !o.Snapshot { // whose rows all come out at its end
		p.Notices = append(p.Notices, warnings(p)...)
		p.Notices = append(p.Notices, waiting(p)...)
		p.Notices = append(p.Notices, lateness(p)...)
	}
	p.Notices = once(p.Notices)
	return p, nil
}

// once leaves out what was said before: a stream that is read many times would say the same of
// each.
func once(notices []string) []string {
	said := map[string]bool{}
	return slices.DeleteFunc(notices, func(text string) bool {
		before := said[text]
		said[text] = true
		return before
	})
}

// resultColumns are the columns of a result. Any may be NULL one day, as in Spark since 4.3
// (D14): what reads the result must not depend on what is known of this query.
func resultColumns(root Node) []Column {
	cols := slices.Clone(root.Columns())
	for i := range cols {
		cols[i].Nullable = true
	}
	return cols
}

// finish gives a bound output its mode and checks it.
func (b *binder) finish(out *Output, q *sql.Query, o Options) error {
	if emitDelay(q.Emit) > 0 && len(watermarksOf(out.Root)) == 0 {
		return sqlerr.At(b.at(q.Emit.Span), codeWindowArgs, "no stream of the query has a watermark that could be delayed").
			WithHint("declare one in CREATE STREAM: WATERMARK FOR ts AS ts - INTERVAL '%s'", durationText(q.Emit.DelayMicros))
	}
	if q.Emit != nil {
		out.TimeoutMicros, out.EveryMicros = q.Emit.Timeout, q.Emit.EveryMicros
	}
	return chooseMode(out, q.Emit, o)
}

// typed gives result columns that are always NULL the type INTEGER, as DuckDB does:
// a sink cannot make a column without a type.
func typed(root Node) Node {
	p := &Project{Input: root}
	changed := false
	for i, c := range root.Columns() {
		var e expr.Expr = ref(root, i)
		if c.Type.Kind == types.Null {
			changed = true
			c.Type = types.Of(types.Int)
			e = expr.NewLiteral(c.Type, nil)
		}
		p.Exprs, p.Cols = append(p.Exprs, e), append(p.Cols, c)
	}
	if !changed {
		return root
	}
	return p
}

// assigned casts result columns to the types of those that they are written to.
func (b *binder) assigned(root Node, to []types.Type, span Span) (Node, error) {
	p := &Project{Input: root}
	changed := false
	for i, c := range root.Columns() {
		var e expr.Expr = ref(root, i)
		if !c.Type.Equal(to[i]) {
			cast, err := expr.BindCast(e, to[i], false, span)
			if err != nil {
				return nil, sqlerr.At(span, codeSinkSchema, "column %q of the result is %s, and that of the sink %s", c.Name, c.Type, to[i]).
					WithHint("select a value that can be cast to %s", to[i])
			}
			if losesDigits(c.Type, to[i]) {
				b.notices = append(b.notices, fmt.Sprintf("column %q of the sink is %s, which holds less than the %s of the query: values are rounded or cut to it. CAST(%s AS %s) in the query says so",
					c.Name, to[i], c.Type, types.QuoteIdent(c.Name), to[i]))
			}
			changed, e = true, cast
			c = Column{Field: types.Field{Name: c.Name, Type: to[i], Nullable: cast.Nullable()}}
		}
		p.Exprs, p.Cols = append(p.Exprs, e), append(p.Cols, c)
	}
	if !changed {
		return root, nil
	}
	return p, nil
}

// losesDigits reports whether a cast rounds or cuts values without an error.
func losesDigits(from, to types.Type) bool {
	switch {
	case from.Kind == types.List && to.Kind == types.List, from.Kind == types.Map && to.Kind == types.Map:
		return losesDigits(*from.Elem, *to.Elem) || from.Key != nil && losesDigits(*from.Key, *to.Key)
	case from.Kind == types.Struct && to.Kind == types.Struct:
		for i, f := range from.Fields {
			if i < len(to.Fields) && losesDigits(f.Type, to.Fields[i].Type) {
				return true
			}
		}
		return false
	case from.Kind == types.Timestamp && to.Kind == types.Date, from.Kind == types.Double && to.Kind == types.Float, from.Kind == types.Varchar && to.IsInteger():
		return true
	case from.IsFloat() || from.Kind == types.Decimal && from.Scale > 0:
		return to.IsInteger() || to.Kind == types.Decimal && (from.IsFloat() || to.Scale < from.Scale)
	}
	return false
}

// emitDelay is the delay that EMIT .. WITH DELAY adds to every watermark.
func emitDelay(e *sql.Emit) int64 {
	if e == nil {
		return 0
	}
	return e.DelayMicros
}

// emitModes are the output modes that EMIT names.
var emitModes = map[string]types.Mode{"close": types.Append, "update": types.Update, "complete": types.Complete}

// chooseMode sets the output mode and checks the output in it. With AutoMode the
// modes are tried in the order append, update, complete.
func chooseMode(out *Output, emit *sql.Emit, o Options) error {
	try := []types.Mode{o.Mode}
	if o.AutoMode {
		try = []types.Mode{types.Append, types.Update, types.Complete}
	}
	if o.Snapshot && (emit == nil || emit.Mode == "") {
		return chooseSnapshot(out, o)
	}
	if emit != nil && emit.Mode != "" {
		try = []types.Mode{emitModes[emit.Mode]}
	}
	var first error
	root := out.Root
	for _, m := range try {
		if out.Root = root; o.Retraction && m != types.Append {
			out.Root = retract(root, m)
		}
		err := setMode(out, m)
		if err == nil {
			if first != nil {
				out.notices = append(out.notices, fmt.Sprintf("output mode %s: %s", m, reason(first)))
			}
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return passingHint(out, root, o, first)
}

func setMode(out *Output, m types.Mode) error {
	out.Mode = m
	if err := checkStreaming(out); err != nil {
		return err
	}
	keyColumns(out)
	withDeletes(out)
	return nil
}

func reason(err error) string {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.Text
	}
	return err.Error()
}

// number gives watermarks, sources and what is shared their numbers in the order of
// their first appearance and collects them.
func number(p *Plan, inserts []Insert) {
	shared := 0
	var visit func(n Node, delayMicros int64)
	visit = func(n Node, delayMicros int64) {
		if j, ok := n.(*Join); ok {
			shareSides(j)
		}
		if s, ok := n.(*Shared); ok {
			if s.Number > 0 {
				return
			}
			shared++
			s.Number = shared
		}
		for _, in := range n.Inputs() {
			visit(in, delayMicros)
		}
		switch n := n.(type) {
		case *Scan:
			n.Source = len(p.Sources)
			p.Sources = append(p.Sources, n.sourceRef())
		case *Watermark:
			n.Def.ID = len(p.Watermarks)
			n.Def.DelayMicros, n.Def.EmitMicros = n.Def.DelayMicros+delayMicros, delayMicros
			limits := limitsBelow(n.Input)
			n.Def.MaxFutureMicros, n.Def.IdleMicros = limits.maxFutureMicros, limits.idleMicros
			p.Watermarks = append(p.Watermarks, n.Def)
		}
	}
	for i, o := range p.Outputs {
		visit(o.Root, emitDelay(inserts[i].Query.Emit))
	}
}

// binder binds one statement.
type binder struct {
	// shared are the rows that several INSERTs of a statement set may read, by what they
	// are; nil for any other statement. delayMicros is that of EMIT in the present INSERT.
	shared      map[string]*Shared
	delayMicros int64

	cat      Catalog
	notices  []string
	meanings []Meaning
	// viewSpan is the place of the outermost view that is being inlined. Positions
	// inside a view's own text mean nothing to the user who named the view.
	viewSpan  *Span
	tableRead *Relation // the last table that FROM named
	depth     int
	ansi      bool // Options.ANSI
	limits    Limits
	tree
}

// at returns the place to show for a node of the syntax tree.
func (b *binder) at(s Span) Span {
	if b.viewSpan != nil {
		return *b.viewSpan
	}
	return s
}

// env holds the common table expressions in scope, innermost first.
type env struct {
	outer *env
	name  string
	cte   *sql.CTE
}

func (e *env) find(name string) *env {
	for ; e != nil; e = e.outer {
		if strings.EqualFold(e.name, name) {
			return e
		}
	}
	return nil
}

// query binds a query and returns the scope of its result columns.
func (b *binder) query(q *sql.Query, e *env) (*scope, error) {
	if err := b.count(q.Span); err != nil {
		return nil, err
	}
	for i := range q.With {
		e = &env{outer: e, name: q.With[i].Name.Name, cte: &q.With[i]}
	}
	switch body := q.Body.(type) {
	case *sql.Select:
		return b.selectBlock(body, q, e)
	case *sql.SetOp:
		return b.setOp(body, q, e)
	}
	return nil, sqlerr.At(b.at(q.Span), codeUnsupported, "this form of query is not supported on a stream").
		WithHint("write SELECT ... FROM a stream")
}

// setOp binds UNION ALL; the other set operations have no streaming form.
func (b *binder) setOp(u *sql.SetOp, q *sql.Query, e *env) (*scope, error) {
	span := b.at(u.Span)
	if u.Op != "UNION" {
		return nil, sqlerr.At(span, codeSetOperation, "%s of streams has no streaming form", u.Op).
			WithHint("a semi join of the two has the rows of INTERSECT, an anti join with a table those of EXCEPT")
	}
	var inputs []*scope
	for _, side := range []*sql.Query{u.Left, u.Right} {
		s, err := b.query(side, e)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, s)
	}
	n, err := b.union(inputs, u.ByName, span)
	if err != nil {
		return nil, err
	}
	if !u.All {
		n = distinct(n, span)
	}
	return b.orderedUnion(n, q)
}

// orderedUnion applies ORDER BY and LIMIT that stand behind a union.
func (b *binder) orderedUnion(n Node, q *sql.Query) (*scope, error) {
	out := newScope(n, "")
	if len(q.OrderBy) > 0 {
		x := &exprBinder{b: b, scope: out, clause: "ORDER BY"}
		keys := make([]SortKey, len(q.OrderBy))
		for i, o := range q.OrderBy {
			v, err := x.sortValue(o.Expr, out)
			if err != nil {
				return nil, err
			}
			keys[i] = sortKey(o, v)
		}
		out = out.over(&Sort{Input: n, Keys: keys, Span: b.at(q.OrderBy[0].Expr.Pos())})
	}
	n, err := b.limit(out.node, q)
	if err != nil {
		return nil, err
	}
	return out.over(n), nil
}

// union builds UNION ALL over two inputs: names of the first, types of both, event
// time where both have it.
func (b *binder) union(in []*scope, byName bool, span Span) (Node, error) {
	if isStatic(in[0].node) != isStatic(in[1].node) {
		return nil, sqlerr.At(span, codeUnionTable, "a stream and a table cannot be combined by UNION ALL").
			WithHint("the rows of the table would come again in every batch; insert them into the result table once, by a query of their own")
	}
	left, right := in[0].node.Columns(), in[1].node.Columns()
	order := make([]int, len(left))
	for i := range order {
		order[i] = i
	}
	if byName {
		var err error
		if order, err = matchNames(left, right, span); err != nil {
			return nil, err
		}
	} else if len(left) != len(right) {
		return nil, sqlerr.At(span, codeColumnCount, "the sides of UNION have %d and %d columns", len(left), len(right)).
			WithHint("select as many columns on both sides, in the same order; NULL AS name stands for one that a side lacks")
	}
	cols := make([]Column, len(left))
	leftExprs, rightExprs := make([]expr.Expr, len(left)), make([]expr.Expr, len(left))
	for i, l := range left {
		r := right[order[i]]
		t, ok := unify(l.Type, r.Type)
		if !ok {
			return nil, sqlerr.At(span, codeUnionTypes, "column %d is %s %q on the left and %s %q on the right of UNION",
				i+1, l.Type, l.Name, r.Type, r.Name).WithHint("%s", castHint(l, r))
		}
		cols[i] = Column{Field: types.Field{Name: l.Name, Type: t, Nullable: l.Nullable || r.Nullable}, Mark: unionMark(l.Mark, r.Mark)}
		var err error
		if leftExprs[i], err = castColumn(l, i, t, span); err != nil {
			return nil, err
		}
		if rightExprs[i], err = castColumn(r, order[i], t, span); err != nil {
			return nil, err
		}
	}
	u := &Union{Cols: cols}
	for side, exprs := range [][]expr.Expr{leftExprs, rightExprs} {
		u.Ins = append(u.Ins, unionInput(in[side].node, exprs, cols)...)
	}
	return u, nil
}

// unionInput puts a projection under one side where names or types differ, and
// takes a union below apart so that a chain of UNION ALL is one node.
func unionInput(n Node, exprs []expr.Expr, cols []Column) []Node {
	same := true
	for i, c := range n.Columns() {
		col, plain := exprs[i].(*expr.Column)
		same = same && plain && col.Index == i && c.Name == cols[i].Name
	}
	if same {
		if u, ok := n.(*Union); ok {
			return u.Ins
		}
		return []Node{n}
	}
	out := make([]Column, len(cols))
	for i := range cols {
		out[i] = Column{Field: types.Field{Name: cols[i].Name, Type: exprs[i].Type(), Nullable: exprs[i].Nullable()}}
		if c, ok := exprs[i].(*expr.Column); ok {
			out[i].Mark = n.Columns()[c.Index].Mark
		}
	}
	return []Node{&Project{Input: n, Exprs: exprs, Cols: out}}
}

func castColumn(c Column, index int, to types.Type, span Span) (expr.Expr, error) {
	e := &expr.Column{Index: index, Name: c.Name, T: c.Type, Null: c.Nullable}
	if c.Type.Equal(to) {
		return e, nil
	}
	return expr.BindCast(e, to, false, span)
}

// matchNames returns for each left column the right one of the same name.
func matchNames(left, right []Column, span Span) ([]int, error) {
	order := make([]int, len(left))
	for i, l := range left {
		order[i] = -1
		for j, r := range right {
			if strings.EqualFold(l.Name, r.Name) {
				order[i] = j
			}
		}
		if order[i] < 0 {
			return nil, sqlerr.At(span, codeUnresolvedColumn, "UNION BY NAME finds no column %q on the right", l.Name)
		}
	}
	if len(right) != len(left) {
		return nil, sqlerr.At(span, codeColumnCount, "the sides of UNION BY NAME have %d and %d columns", len(left), len(right))
	}
	return order, nil
}

// unionMark is the event time of a column of a union: that of the sides if both
// carry the same part of it. Without a common window the start says nothing of the
// end any more, so it is an ordinary column.
func unionMark(l, r *Mark) *Mark {
	if l == nil || r == nil || l.Part != r.Part {
		return nil
	}
	m := &Mark{Watermark: l.Watermark, Part: l.Part, Window: l.Window}
	if r.Watermark == nil {
		m.Watermark = nil
	}
	if !l.Window.equal(r.Window) {
		if l.Part == WindowStart {
			return nil
		}
		m.Window = nil
	}
	return m
}
