package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// grouping is the aggregation of a block while HAVING, the select list and ORDER BY
// above it are bound: they add aggregates, so the node is built at the end.
type grouping struct {
	rows    *scope // what GROUP BY and the arguments of aggregates see
	agg     *Aggregate
	results map[string]value // by exprKey over rows: what a group expression is above
	calls   map[string]int   // by text: index into agg.Aggs
	filters []expr.Expr      // HAVING
	sets    *groupingSets    // nil without ROLLUP, CUBE, GROUPING SETS
	// expanded are the columns that stand for group expressions which some sets leave
	// out, by exprKey over rows.
	expanded map[string]*expr.Column
}

// aggregate binds GROUP BY. A block with an aggregate and no GROUP BY is one group.
func (k *block) aggregate() error {
	by := k.s.GroupBy
	if by == nil && !k.hasAggregate() {
		return nil
	}
	g := &grouping{rows: k.scope, results: map[string]value{}, calls: map[string]int{}}
	g.agg = &Aggregate{EventKey: -1, Span: k.aggregateSpan(), visible: k.scope.node.Columns()}
	items, err := k.groupItems()
	if err != nil {
		return err
	}
	if by != nil && by.Sets != nil {
		if items, err = g.expandSets(k, items, by); err != nil {
			return err
		}
	}
	rest, err := g.windowKey(k.rowBinder("GROUP BY"), items)
	if err != nil {
		return err
	}
	for _, v := range rest {
		g.addKey(v)
	}
	if g.sets != nil {
		g.addKey(value{Expr: g.sets.id})
	}
	g.agg.Input = g.rows.node
	k.group = g
	return nil
}

func (k *block) hasAggregate() bool {
	for _, it := range k.items {
		if it.expr != nil && k.b.usesGroup(it.expr) {
			return true
		}
	}
	if k.s.Having != nil {
		return true
	}
	for _, o := range k.q.OrderBy {
		if k.b.usesGroup(o.Expr) {
			return true
		}
	}
	return false
}

// aggregateSpan is the place of GROUP BY, or of the first aggregate.
func (k *block) aggregateSpan() Span {
	if k.s.GroupBy != nil {
		return k.b.at(k.s.GroupBy.Span)
	}
	for _, it := range k.items {
		if it.expr != nil {
			if c := k.b.findAggregate(it.expr); c != nil {
				return k.b.at(c.Span)
			}
		}
	}
	return k.b.at(k.s.Span)
}

// groupItems binds the expressions of GROUP BY: expressions, numbers and aliases of
// select items, or with GROUP BY ALL every item without an aggregate.
func (k *block) groupItems() ([]value, error) {
	by := k.s.GroupBy
	if by == nil {
		return nil, nil
	}
	x := k.rowBinder("GROUP BY")
	var out []value
	if by.All {
		for _, it := range k.items {
			if it.expr != nil && k.b.usesGroup(it.expr) {
				continue
			}
			v, err := k.rowItem(x, it)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	for _, e := range by.Items {
		v, err := k.groupItem(x, e)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (k *block) groupItem(x *exprBinder, e sql.Expr) (value, error) {
	span := k.b.at(e.Pos())
	i, ok, err := ordinal(e, len(k.items), span)
	if err != nil {
		return value{}, err
	}
	target := e
	if ok {
		if k.items[i].expr == nil {
			return k.items[i].column.value(), nil
		}
		target = k.items[i].expr
	}
	if c := k.b.findAggregate(target); c != nil {
		return value{}, sqlerr.At(span, codeMisplaced, "an aggregate may not stand in GROUP BY")
	}
	return x.bind(target)
}

// rowItem binds an item of the select list over rows.
func (k *block) rowItem(x *exprBinder, it outputItem) (value, error) {
	if it.expr == nil {
		return it.column.value(), nil
	}
	return x.bind(it.expr)
}

// addKey adds an ordinary key; one that is there already is not added again.
func (g *grouping) addKey(v value) {
	key := exprKey(v.Expr)
	if _, ok := g.results[key]; ok {
		return
	}
	index := len(g.agg.Keys)
	if v.mark.closes() && g.agg.EventKey < 0 && v.mark.Part == Instant {
		g.agg.EventKey, g.agg.Mark = index, v.mark
	}
	g.agg.Keys = append(g.agg.Keys, v.Expr)
	name := columnName(v.Expr)
	g.agg.Cols = append(g.agg.Cols, Column{Field: types.Field{Name: name, Type: v.Expr.Type(), Nullable: v.Expr.Nullable()}, Mark: v.mark})
	g.results[key] = value{Expr: &expr.Column{Index: index, Name: name, T: v.Expr.Type(), Null: v.Expr.Nullable()}, mark: v.mark}
}

// result returns what a bound expression over rows is above the aggregation.
func (g *grouping) result(v value) (value, bool) {
	if c, ok := g.expanded[exprKey(v.Expr)]; ok {
		v = value{Expr: c}
	}
	out, ok := g.results[exprKey(v.Expr)]
	return out, ok
}

// match returns what e is above the aggregation if it is a group expression.
func (g *grouping) match(x *exprBinder, e sql.Expr) (value, bool) {
	if x.b.usesGroup(e) {
		return value{}, false
	}
	rows := &exprBinder{b: x.b, scope: g.rows, clause: x.clause, rows: true, depth: x.depth, names: x.names, lambdas: x.lambdas}
	v, err := rows.bind(e)
	if err != nil {
		return value{}, false
	}
	if len(columnsOf(v.Expr)) == 0 && !expr.IsVolatile(v.Expr) {
		return v, true // a constant is the same on both sides
	}
	return g.result(v)
}

// notGrouped refuses a column that is neither a key nor inside an aggregate.
func notGrouped(name string, span Span, grouped bool) error {
	err := sqlerr.At(span, codeMissingAggregate, "%q is neither in GROUP BY nor inside an aggregate", name)
	if !grouped {
		return err.WithHint("add GROUP BY %s, or take one value of the group: any_value(%s)", name, name)
	}
	return err.WithHint("add %s to GROUP BY, or take one value of the group: any_value(%s)", name, name)
}

// aggregate binds a call of an aggregate function to a result column.
func (x *exprBinder) aggregate(e *sql.Call) (expr.Expr, error) {
	span, name := x.b.at(e.Span), strings.ToLower(e.Name.Name)
	if x.group == nil {
		if x.rows && x.clause != "SELECT" {
			return nil, sqlerr.At(span, codeNestedAggregate, "%s(...) may not stand inside %s", name, x.clause).
				WithHint("compute the inner aggregate in a sub-query and group again")
		}
		return nil, sqlerr.At(span, codeMisplaced, "an aggregate may not stand here")
	}
	if e.Nulls != sql.NullsAsUsual {
		var err error
		if e, err = x.treatNulls(e, name, span); err != nil {
			return nil, err
		}
		name = strings.ToLower(e.Name.Name)
	}
	if len(e.OrderBy) > 0 {
		return x.orderedAggregate(e, name, span)
	}
	call, err := x.aggCall(e, name, span)
	if err != nil {
		return x.externalAggregate(e, name, span, err)
	}
	return x.group.add(call), nil
}

// add adds a call to the aggregation, once, and returns its result.
func (g *grouping) add(call *AggCall) expr.Expr {
	key := call.key()
	index, ok := g.calls[key]
	if !ok {
		index = len(g.agg.Aggs)
		g.calls[key] = index
		g.agg.Aggs = append(g.agg.Aggs, *call)
	}
	return &expr.Column{Index: len(g.agg.Keys) + index, Name: call.Label, T: call.Type, Null: call.Nullable}
}

func (x *exprBinder) aggCall(e *sql.Call, name string, span Span) (*AggCall, error) {
	for _, n := range e.ArgNames {
		if n != "" {
			return nil, sqlerr.At(x.b.at(e.Span), codeArgName, "%s has no argument named %q", name, n)
		}
	}
	rows := &exprBinder{b: x.b, scope: x.group.rows, clause: name, rows: true}
	args, err := rows.scalars(e.Args)
	if err != nil {
		return nil, err
	}
	agg, err := expr.BindAggregate(name, args, e.Star, span)
	if err != nil {
		return nil, routineError(err, e.Name.Name, span)
	}
	if e.Nulls == sql.NullsAsUsual {
		x.b.means(name, args...)
	}
	call := &AggCall{Aggregate: agg, Distinct: e.Distinct}
	if e.Filter != nil {
		rows.clause = "FILTER"
		if call.Filter, err = rows.condition(e.Filter); err != nil {
			return nil, err
		}
	}
	call.describe(call.Name, append(call.Args[:len(call.Args):len(call.Args)], call.Params...))
	if e.Star {
		call.Text = call.textOf(call.Name, "*", expr.Expr.String)
		call.Label = call.textOf(call.Name, "*", expr.Readable)
	}
	return call, nil
}

// describe sets the texts of a call.
func (c *AggCall) describe(name string, args []expr.Expr) {
	c.Text = c.textOf(name, exprList(args, expr.Expr.String), expr.Expr.String)
	c.Label = c.textOf(name, exprList(args, expr.Readable), expr.Readable)
}

// textOf is the call with DISTINCT and FILTER: name(args). text writes an expression.
func (c *AggCall) textOf(name, args string, text func(expr.Expr) string) string {
	if c.Distinct {
		args = "DISTINCT " + args
	}
	out := name + "(" + args + ")"
	if c.Filter != nil {
		out += " FILTER (WHERE " + text(c.Filter) + ")"
	}
	return out
}

func exprList(list []expr.Expr, text func(expr.Expr) string) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = text(e)
	}
	return strings.Join(parts, ", ")
}

// plainText is a text for people: names without quotes.
func plainText(text string) string { return strings.ReplaceAll(text, `"`, "") }

// key is the identity of a call over the rows of one input.
func (c *AggCall) key() string {
	var b strings.Builder
	b.WriteString(c.Text)
	for _, a := range c.Args {
		b.WriteString("|" + exprKey(a))
	}
	if c.Filter != nil {
		b.WriteString("|" + exprKey(c.Filter))
	}
	return b.String()
}

// node returns the finished aggregation.
func (g *grouping) node() *Aggregate {
	g.computeVolatile()
	for _, a := range g.agg.Aggs {
		g.agg.Cols = append(g.agg.Cols, Column{Field: types.Field{Name: a.Label, Type: a.Type, Nullable: a.Nullable}})
	}
	return g.agg
}

// computeVolatile puts keys, arguments and filters that have random numbers in them into
// a projection below, which numbers the rows that it sees.
func (g *grouping) computeVolatile() {
	in := g.agg.Input
	var exprs []expr.Expr
	var cols []Column
	below := func(e expr.Expr) expr.Expr {
		if e == nil || !expr.IsVolatile(e) {
			return e
		}
		c := &expr.Column{Index: len(in.Columns()) + len(exprs), Name: expr.Readable(e), T: e.Type(), Null: e.Nullable()}
		exprs = append(exprs, e)
		cols = append(cols, Column{Field: types.Field{Name: c.Name, Type: c.T, Nullable: c.Null}})
		return c
	}
	for i, k := range g.agg.Keys {
		g.agg.Keys[i] = below(k)
	}
	for i, a := range g.agg.Aggs {
		args := make([]expr.Expr, len(a.Args))
		for j, arg := range a.Args {
			args[j] = below(arg)
		}
		moved := *a.Aggregate
		moved.Args = args
		g.agg.Aggs[i].Aggregate, g.agg.Aggs[i].Filter = &moved, below(a.Filter)
	}
	if len(exprs) > 0 {
		g.agg.Input = appendColumns(in, exprs, cols)
	}
}
