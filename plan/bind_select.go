package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// block is a SELECT block while it is bound.
type block struct {
	b       *binder
	s       *sql.Select
	q       *sql.Query // what stands around the block: ORDER BY, LIMIT
	env     *env
	scope   *scope // of FROM, then with what the clauses added
	items   []outputItem
	aliases map[string]*sql.SelectItem
	group   *grouping // nil without aggregation
	ranking *ranking  // nil without ROW_NUMBER()
	// unnested are the items whose list an Unnest below takes apart.
	unnested map[sql.Expr]scopeColumn
}

// outputItem is one column of the result: an expression of the select list, or a
// column that * stands for.
type outputItem struct {
	name   string
	expr   sql.Expr
	column *scopeColumn
	item   *sql.SelectItem
}

// selectBlock binds SELECT with the ORDER BY and LIMIT of the query around it.
func (b *binder) selectBlock(s *sql.Select, q *sql.Query, e *env) (*scope, error) {
	if s.From == nil {
		return nil, sqlerr.At(b.at(s.Span), codeNoStream, "SELECT without FROM reads no stream").
			WithHint("queries that read no stream are DuckDB's")
	}
	blk := &block{b: b, s: s, q: q, env: e, aliases: map[string]*sql.SelectItem{}}
	from, err := b.from(s.From, e)
	if err != nil {
		return nil, err
	}
	blk.scope = from
	for _, step := range []func() error{blk.buckets, blk.unnest, blk.expand, blk.scalarQueries, blk.where, blk.assignWindow, blk.aggregate, blk.having, blk.rank} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return blk.project()
}

// expand replaces * by the columns it stands for and collects aliases.
func (k *block) expand() error {
	for i := range k.s.Items {
		it := &k.s.Items[i]
		if star, ok := it.Expr.(*sql.Star); ok {
			if err := k.star(star); err != nil {
				return err
			}
			continue
		}
		out := outputItem{name: itemName(it), expr: it.Expr, item: it}
		if c, ok := k.unnested[it.Expr]; ok {
			out.expr, out.column = nil, &c
		}
		if it.Alias != nil {
			k.aliases[strings.ToLower(it.Alias.Name)] = it
		}
		k.items = append(k.items, out)
	}
	return nil
}

// star expands * or t.* with EXCLUDE and REPLACE.
func (k *block) star(st *sql.Star) error {
	span := k.b.at(st.Span)
	left := map[string]bool{}
	for _, id := range st.Exclude {
		left[strings.ToLower(id.Name)] = true
	}
	replaced := map[string]*sql.SelectItem{}
	for i := range st.Replace {
		replaced[strings.ToLower(st.Replace[i].Alias.Name)] = &st.Replace[i]
	}
	all, err := k.starItems(st)
	if err != nil {
		return err
	}
	matched := map[string]bool{}
	for _, item := range all {
		key := strings.ToLower(item.name)
		matched[key] = true
		if left[key] {
			continue
		}
		if r, ok := replaced[key]; ok {
			item = outputItem{name: item.name, expr: r.Expr, item: r}
		}
		k.items = append(k.items, item)
	}
	for _, id := range st.Exclude {
		if !matched[strings.ToLower(id.Name)] {
			return k.scope.unresolved([]sql.Ident{id}, k.b.at(id.Span))
		}
	}
	for i := range st.Replace {
		if id := *st.Replace[i].Alias; !matched[strings.ToLower(id.Name)] {
			return k.scope.unresolved([]sql.Ident{id}, k.b.at(id.Span))
		}
	}
	if len(matched) == 0 {
		return sqlerr.At(span, codeUnresolvedColumn, "* stands for no column here")
	}
	return nil
}

// starItems returns what * or t.* stands for: the columns of all relations or of t, or the
// fields of t, where that is a column.
func (k *block) starItems(st *sql.Star) ([]outputItem, error) {
	var out []outputItem
	if st.Table != nil && !k.scope.hasTable(st.Table.Name) {
		found, _ := k.scope.find([]sql.Ident{*st.Table})
		if len(found) != 1 || found[0].Type.Kind != types.Struct {
			return nil, sqlerr.At(k.b.at(st.Table.Span), codeNoRelation, "there is no table %q in FROM, and no STRUCT of that name", st.Table.Name)
		}
		for _, f := range found[0].Type.Fields {
			name := sql.Ident{Name: f.Name, Quoted: true, Span: st.Span}
			item := &sql.SelectItem{Expr: &sql.ColumnRef{Parts: []sql.Ident{*st.Table, name}, Span: st.Span}, Alias: &name, Text: f.Name}
			out = append(out, outputItem{name: f.Name, expr: item.Expr, item: item})
		}
		return out, nil
	}
	for i := range k.scope.cols {
		c := &k.scope.cols[i]
		if c.hidden || st.Table == nil && c.qualified || st.Table != nil && !strings.EqualFold(c.Table, st.Table.Name) {
			continue
		}
		out = append(out, outputItem{name: c.Name, column: c})
	}
	return out, nil
}

// rowBinder binds expressions over the rows of FROM.
func (k *block) rowBinder(clause string) *exprBinder {
	return &exprBinder{b: k.b, scope: k.scope, clause: clause, aliases: k.aliases, rows: true}
}

// groupBinder binds expressions over the result of the aggregation, or over rows if
// there is none.
func (k *block) groupBinder(clause string) *exprBinder {
	return &exprBinder{b: k.b, scope: k.scope, clause: clause, aliases: k.aliases, group: k.group, rows: k.group == nil, ranking: k.ranking}
}

// where filters the rows: a Filter for each conjunct, so that each can move on its
// own; rewrite joins them again.
func (k *block) where() error {
	for _, e := range conjuncts(k.s.Where) {
		if agg := k.b.findAggregate(e); agg != nil {
			return sqlerr.At(k.b.at(agg.Span), codeWhere, "an aggregate may not stand in WHERE, which looks at single rows").
				WithHint("put the condition behind GROUP BY: HAVING %s", sql.ExprText(e))
		}
		done, err := k.subqueryCondition(e)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		preds, err := k.rowBinder("WHERE").predicates(e)
		if err != nil {
			return err
		}
		for i := range preds {
			k.scope = k.scope.over(&Filter{Input: k.scope.node, Cond: preds[i].cond, pred: &preds[i]})
		}
	}
	return nil
}

// assignWindow finds the calls of window functions in the block and puts their one
// window below everything but WHERE.
func (k *block) assignWindow() error {
	var found *windowCall
	var alias string
	visit := func(e sql.Expr) error {
		var failed error
		walk(e, func(n sql.Expr) bool {
			c, ok := n.(*sql.Call)
			if !ok || !isWindowCall(strings.ToLower(c.Name.Name)) || failed != nil {
				return failed == nil
			}
			w, err := k.windowOf(c)
			if err != nil {
				failed = err
			} else if found != nil && !(found.spec.equal(w.spec) && exprKey(found.time.Expr) == exprKey(w.time.Expr)) {
				failed = sqlerr.At(w.span, codeManyWindows, "a SELECT may have one window, and this is a second one").
					WithHint("read the stream in two queries, or count the smaller window first and group its result by the larger one")
			} else if found == nil {
				found, alias = w, aliasOf(c)
			}
			return false
		})
		return failed
	}
	for _, e := range k.clauses() {
		if err := visit(e); err != nil {
			return err
		}
	}
	if found == nil {
		return nil
	}
	n := assignWindow(k.scope.node, found)
	k.scope = k.scope.over(n)
	if alias == "" {
		alias = "window"
	}
	k.scope.windows = append(k.scope.windows, windowAlias{alias, found})
	return nil
}

// clauses are the expressions in which a window function may stand.
func (k *block) clauses() []sql.Expr {
	var out []sql.Expr
	if k.s.GroupBy != nil {
		out = append(out, k.s.GroupBy.Items...)
	}
	for _, it := range k.items {
		if it.expr != nil {
			out = append(out, it.expr)
		}
	}
	for _, e := range []sql.Expr{k.s.Having, k.s.Qualify} {
		if e != nil {
			out = append(out, e)
		}
	}
	for _, o := range k.q.OrderBy {
		out = append(out, o.Expr)
	}
	return out
}

func (k *block) windowOf(c *sql.Call) (*windowCall, error) {
	args, err := callArgs(c, k.b.at(c.Span))
	if err != nil {
		return nil, err
	}
	return k.rowBinder(c.Name.Name).bindWindow(args)
}

// having filters the groups.
func (k *block) having() error {
	if k.s.Having == nil {
		return nil
	}
	if k.group == nil {
		return sqlerr.At(k.b.at(k.s.Having.Pos()), codeMisplaced, "HAVING needs GROUP BY or an aggregate").WithHint("use WHERE for a condition on single rows")
	}
	x := k.groupBinder("HAVING")
	for _, e := range conjuncts(k.s.Having) {
		cond, err := x.condition(e)
		if err != nil {
			return err
		}
		k.group.filters = append(k.group.filters, cond)
	}
	return nil
}

// project computes the select list, then applies DISTINCT, ORDER BY and LIMIT.
func (k *block) project() (*scope, error) {
	x := k.groupBinder("SELECT")
	p := &Project{}
	for _, it := range k.items {
		v, err := k.output(x, it)
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, v.Expr)
		p.Cols = append(p.Cols, Column{Field: types.Field{Name: it.name, Type: v.Expr.Type(), Nullable: v.Expr.Nullable()}, Mark: v.mark})
	}
	visible := len(p.Exprs)
	keys, err := k.sortKeys(p)
	if err != nil {
		return nil, err
	}
	p.Input = k.input()
	if k.ranking != nil {
		in, move := k.ranking.place(p.Input)
		p.Input = in
		for i, e := range p.Exprs {
			p.Exprs[i] = move(e)
		}
		p.Cols = k.ranking.marked(p.Cols)
	}
	var n Node = p
	if k.s.Distinct || len(k.s.DistinctOn) > 0 {
		if len(k.s.DistinctOn) > 0 {
			return nil, sqlerr.At(k.b.at(k.s.DistinctOn[0].Pos()), codeUnsupported, "DISTINCT ON has no streaming form").
				WithHint("write %s", k.firstOfKeys())
		}
		if len(p.Exprs) > visible {
			return nil, sqlerr.At(k.b.at(k.q.OrderBy[0].Expr.Pos()), codeMisplaced, "ORDER BY of a SELECT DISTINCT may only use its columns")
		}
		n = distinct(n, k.b.at(k.s.Span))
	}
	if len(keys) > 0 {
		n = &Sort{Input: n, Keys: keys, Span: k.b.at(k.q.OrderBy[0].Expr.Pos())}
	}
	if n, err = k.b.limit(n, k.q); err != nil {
		return nil, err
	}
	if len(p.Exprs) > visible {
		n = firstColumns(n, visible)
	}
	return newScope(n, ""), nil
}

// input is the node below the select list: FROM and WHERE, the aggregation, HAVING.
func (k *block) input() Node {
	if k.group == nil {
		return k.scope.node
	}
	var n Node = k.group.node()
	for _, f := range k.group.filters {
		n = &Filter{Input: n, Cond: f}
	}
	return n
}

func (k *block) output(x *exprBinder, it outputItem) (value, error) {
	if it.expr != nil {
		// An item may not see its own alias.
		inner := *x
		if it.item != nil && it.item.Alias != nil {
			inner.own = it.item
		}
		return inner.bind(it.expr)
	}
	if k.group == nil {
		return it.column.value(), nil
	}
	if v, ok := k.group.result(it.column.value()); ok {
		return v, nil
	}
	return value{}, notGrouped(qualifiedName(it.column.Column), k.b.at(k.s.Span), k.s.GroupBy != nil)
}

// sortKeys binds ORDER BY. A key that is no output column becomes a hidden column
// behind the others.
func (k *block) sortKeys(p *Project) ([]SortKey, error) {
	var keys []SortKey
	x := k.groupBinder("ORDER BY")
	for _, o := range k.q.OrderBy {
		index, err := k.sortIndex(o.Expr, p, x)
		if err != nil {
			return nil, err
		}
		c := p.Cols[index]
		keys = append(keys, sortKey(o, &expr.Column{Index: index, Name: c.Name, T: c.Type, Null: c.Nullable}))
	}
	return keys, nil
}

func (k *block) sortIndex(e sql.Expr, p *Project, x *exprBinder) (int, error) {
	if i, ok, err := ordinal(e, len(k.items), k.b.at(e.Pos())); ok || err != nil {
		return i, err
	}
	if c, ok := e.(*sql.ColumnRef); ok && len(c.Parts) == 1 {
		for i, it := range k.items {
			if strings.EqualFold(it.name, c.Parts[0].Name) {
				return i, nil
			}
		}
	}
	v, err := x.bind(e)
	if err != nil {
		return 0, err
	}
	for i, have := range p.Exprs {
		if exprKey(have) == exprKey(v.Expr) {
			return i, nil
		}
	}
	p.Exprs = append(p.Exprs, v.Expr)
	p.Cols = append(p.Cols, Column{Field: types.Field{Name: v.Expr.String(), Type: v.Expr.Type(), Nullable: v.Expr.Nullable()}})
	return len(p.Exprs) - 1, nil
}

// sortValue binds an ORDER BY key over the columns of a result.
func (x *exprBinder) sortValue(e sql.Expr, out *scope) (expr.Expr, error) {
	if i, ok, err := ordinal(e, len(out.cols), x.b.at(e.Pos())); err != nil {
		return nil, err
	} else if ok {
		return ref(out.node, i), nil
	}
	return x.scalar(e)
}

// ordinal reads the number of a select item, from 1.
func ordinal(e sql.Expr, count int, span Span) (index int, ok bool, err error) {
	lit, isLiteral := e.(*sql.Literal)
	if !isLiteral {
		return 0, false, nil
	}
	n, isNumber := lit.Value.(int64)
	if !isNumber {
		return 0, false, nil
	}
	if n < 1 || n > int64(count) {
		return 0, false, sqlerr.At(span, codeOrdinal, "there is no column number %d: the select list has %d", n, count)
	}
	return int(n - 1), true, nil
}

// sortKey applies the default of DuckDB and Spark: NULLs first where ascending in
// Spark, last in DuckDB; ssql follows Spark for results.
func sortKey(o sql.OrderItem, e expr.Expr) SortKey {
	k := SortKey{Expr: e, Desc: o.Desc, NullsFirst: !o.Desc}
	if o.NullsFirst != nil {
		k.NullsFirst = *o.NullsFirst
	}
	return k
}

// limit applies LIMIT and OFFSET.
func (b *binder) limit(n Node, q *sql.Query) (Node, error) {
	l := &Limit{Input: n, Count: -1}
	var err error
	if q.Limit != nil {
		l.Span = b.at(q.Limit.Pos())
		if l.Count, err = constantCount(q.Limit, l.Span, "LIMIT"); err != nil {
			return nil, err
		}
	}
	if q.Offset != nil {
		at := b.at(q.Offset.Pos())
		if l.Offset, err = constantCount(q.Offset, at, "OFFSET"); err != nil {
			return nil, err
		}
		if l.Offset > 0 {
			l.Span = at
		}
	}
	if l.Count < 0 && l.Offset == 0 {
		return n, nil
	}
	return l, nil
}

func constantCount(e sql.Expr, span Span, what string) (int64, error) {
	if lit, ok := e.(*sql.Literal); ok {
		if n, ok := lit.Value.(int64); ok && n >= 0 {
			return n, nil
		}
	}
	return 0, sqlerr.At(span, codeLimitValue, "%s needs a whole number that is not negative", what)
}

// distinct keeps the first row of all equal ones.
func distinct(n Node, span Span) Node {
	d := &Dedup{Input: n, Span: span}
	for i := range n.Columns() {
		d.Keys = append(d.Keys, i)
	}
	return d
}

// firstColumns drops the columns behind the first count.
func firstColumns(n Node, count int) *Project {
	p := &Project{Input: n}
	for i, c := range n.Columns()[:count] {
		p.Exprs = append(p.Exprs, ref(n, i))
		p.Cols = append(p.Cols, c)
	}
	return p
}
