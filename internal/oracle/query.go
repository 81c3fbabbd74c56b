package oracle

import (
	"fmt"
	"slices"
	"strings"

	"ssql/sql/types"
)

// Query is a random query: a selection of expressions, or an aggregation.
type Query struct {
	Mode types.Mode
	From Rel
	Cond Expr // WHERE; nil without
	// Window is over the time of From; nil without.
	Window *Window
	// Select is what a query without aggregation selects.
	Select []Item
	// Grouped makes it an aggregation by window, Keys and, with ByTime, the time of From.
	Grouped bool
	Keys    []Column
	ByTime  bool
	// Rollup also groups by each shorter list of Keys.
	Rollup bool
	Calls  []Call
	// Limit keeps so many groups, ordered by their keys, in complete mode; 0 keeps all.
	Limit int
	// Having compares the first call with a constant; nil without.
	Having *Having
}

// Time is the event time of what the query reads.
func (q *Query) Time() string { return q.From.Columns()[0].Name }

// Item is a selected expression.
type Item struct {
	Name string
	Expr Expr
}

// Call is an aggregate over a column.
type Call struct {
	Name     string
	Agg      *Aggregate
	Arg      Expr // nil for count(*)
	ArgCol   Column
	Distinct bool
	Filter   Expr // nil without
}

// Having is `call op constant` for the first call.
type Having struct {
	Op    int // index into comparisons
	Value Value
}

// Type returns the type of the result.
func (c Call) Type() types.Type { return c.Agg.Type(c.argType()) }

func (c Call) argType() types.Type {
	if c.Arg == nil {
		return types.Of(types.BigInt)
	}
	return c.Arg.Type()
}

// SQL writes the call.
func (c Call) SQL(d dialect) string {
	call := func(name, format string) string {
		arg := "*"
		if c.Arg != nil {
			arg = fmt.Sprintf(format, c.Arg.SQL())
		}
		if c.Distinct {
			arg = "DISTINCT " + arg
		}
		text := name + "(" + arg + ")"
		if c.Filter != nil {
			text += " FILTER (WHERE " + c.Filter.SQL() + ")"
		}
		return text
	}
	if d != duck {
		return call(c.Agg.Name, "%s")
	}
	return c.Agg.Duck(call, c.argType())
}

// Columns returns the columns of the result.
func (q *Query) Columns() []Column {
	var out []Column
	if !q.Grouped {
		for _, it := range q.Select {
			out = append(out, Column{Name: it.Name, Type: it.Expr.Type(), Shifts: readsTime(it.Expr)})
		}
		return out
	}
	out = q.keyColumns()
	for _, c := range q.Calls {
		out = append(out, Column{
			Name: c.Name, Type: c.Type(), Shifts: c.Agg.Keeps && c.Arg != nil && readsTime(c.Arg),
			Approx: c.Agg.Inexact || c.Agg.Approx && c.ArgCol.Domain != nil && c.ArgCol.Domain.Approx,
		})
	}
	return out
}

// keyColumns are the columns that tell the groups apart.
func (q *Query) keyColumns() []Column {
	var out []Column
	if q.Window != nil {
		out = windowColumns()
	}
	if q.ByTime {
		out = append(out, Column{Name: q.Time(), Type: types.Of(types.Timestamp), Shifts: true})
	}
	return append(out, q.Keys...)
}

// SQL writes the query for the engine.
func (q *Query) SQL() string { return q.text(engine) }

// text writes the query for the engine, or for Spark.
func (q *Query) text(d dialect) string {
	call := q.Window != nil && (q.Window.Spark || d == spark)
	from := q.From.From(d)
	if q.Window != nil && !call {
		from = q.Window.table(q.From, q.Time(), q.Keys)
	}
	if !q.Grouped {
		items := list(q.Select, func(it Item) string { return it.Expr.SQL() + " AS " + it.Name })
		return fmt.Sprintf("SELECT %s FROM %s%s", items, from, q.where())
	}
	groups := columnNames(q.keyColumns())
	items := groups
	if call {
		call, made := q.Window.call(q.Time())
		rest := groups[2:]
		items = append([]string{made + ".start AS window_start", made + ".end AS window_end"}, rest...)
		groups = append([]string{call}, rest...)
	}
	for _, c := range q.Calls {
		items = append(items[:len(items):len(items)], c.SQL(d)+" AS "+c.Name)
	}
	return fmt.Sprintf("SELECT %s FROM %s%s%s%s", strings.Join(items, ", "), from, q.where(), q.groupBy(groups), q.having(d)) + q.limit(d)
}

// groupBy writes the clause.
func (q *Query) groupBy(groups []string) string {
	if q.Rollup {
		return " GROUP BY ROLLUP(" + strings.Join(groups, ", ") + ")"
	}
	return groupBy(groups)
}

func columnNames(cols []Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

func groupBy(groups []string) string {
	if len(groups) == 0 {
		return ""
	}
	return " GROUP BY " + strings.Join(groups, ", ")
}

func (q *Query) where() string {
	if q.Cond == nil {
		return ""
	}
	return " WHERE " + q.Cond.SQL()
}

func (q *Query) having(d dialect) string {
	var conds []string
	if q.Rollup && d == duck {
		conds = append(conds, "count(*) > 0") // over no rows DuckDB has a total, and Spark has none
	}
	if q.Having != nil {
		c := q.Calls[0]
		conds = append(conds, fmt.Sprintf("%s %s %s", c.SQL(d), comparisons[q.Having.Op].op, literal(q.Having.Value, c.Type())))
	}
	if conds == nil {
		return ""
	}
	return " HAVING " + strings.Join(conds, " AND ")
}

// DuckSQL writes the query for DuckDB: the rows that the engine's sink must hold when
// the watermark has arrived at finalMicros and no row was late.
func (q *Query) DuckSQL(finalMicros int64) string {
	from, where := q.From.From(duck), ""
	if q.Window != nil {
		from = q.Window.duckFrom(q.From, q.Time(), q.Keys, q.Cond)
	} else if q.Cond != nil {
		where = " AND " + q.Cond.SQL()
	}
	if !q.Grouped {
		if came := emitted(q.From, q.Mode, finalMicros); came != "" {
			where += " AND " + came
		}
		items := list(q.Select, func(it Item) string { return cast(it.Expr.SQL(), it.Expr.Type()) })
		return fmt.Sprintf("SELECT %s FROM %s WHERE TRUE%s", items, from, where)
	}
	if q.Mode == types.Append {
		closing := "window_end"
		if q.ByTime {
			closing = q.Time()
		}
		finalMicros = outputOf(q.From, finalMicros)
		where += fmt.Sprintf(" AND %s <= make_timestamp(%d)", closing, finalMicros)
	}
	groups := columnNames(q.keyColumns())
	items := groups
	for _, c := range q.Calls {
		items = append(items[:len(items):len(items)], duckResult(c))
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE TRUE%s%s%s", strings.Join(items, ", "), from, where, q.groupBy(groups), q.having(duck)) + q.limit(duck)
}

// emitted is, for DuckDB, which rows of a relation have come out at a watermark; "" for
// all.
func emitted(r Rel, mode types.Mode, finalMicros int64) string {
	switch r := r.(type) {
	case *Join:
		came := r.emitted(finalMicros)
		if _, ok := r.Left.(*Sub); !ok {
			return came
		}
		// Counts come out when their window is closed.
		closed := fmt.Sprintf("coalesce(l_v_time, r_v_time) < make_timestamp(%d)", finalMicros)
		if came != "" {
			closed += " AND " + came
		}
		return closed
	case *Rank:
		if mode == types.Append {
			return fmt.Sprintf("%s <= make_timestamp(%d)", r.Columns()[0].Name, finalMicros)
		}
	case *AsOf:
		return fmt.Sprintf("l_ts <= make_timestamp(%d)", finalMicros)
	case *Sub:
		return fmt.Sprintf("v_time < make_timestamp(%d)", finalMicros)
	case *Dedup:
		return emitted(r.In, mode, finalMicros)
	}
	return ""
}

// limit writes ORDER BY and LIMIT, with NULLs where Spark has them.
func (q *Query) limit(d dialect) string {
	if q.Limit == 0 {
		return ""
	}
	return " ORDER BY " + list(q.keyColumns(), func(c Column) string {
		if d == duck {
			return c.Name + " NULLS FIRST"
		}
		return c.Name
	}) + fmt.Sprintf(" LIMIT %d", q.Limit)
}

func cast(text string, t types.Type) string { return "CAST(" + text + " AS " + t.String() + ")" }

// duckResult casts a call to its type; an average of decimals comes without its point.
func duckResult(c Call) string {
	if c.Agg.Name == "avg" && c.Type().Kind == types.Decimal {
		return c.SQL(duck)
	}
	return cast(c.SQL(duck), c.Type())
}

// reads reports whether the query reads a column of From.
func (q *Query) reads(name string) bool {
	used := q.Cond != nil && mentions(q.Cond, name) || (q.Window != nil || q.ByTime) && q.Time() == name
	if q.Window != nil && q.Window.WideIf != nil {
		used = used || mentions(q.Window.WideIf, name)
	}
	for _, it := range q.Select {
		used = used || mentions(it.Expr, name)
	}
	for _, k := range q.Keys {
		used = used || k.Name == name
	}
	for _, c := range q.Calls {
		used = used || c.Arg != nil && mentions(c.Arg, name) || c.Filter != nil && mentions(c.Filter, name)
	}
	return used
}

// changed returns the query with its expressions changed, but for those of From.
func (q *Query) changed(change func(Expr) Expr) *Query {
	out := *q
	if q.Cond != nil {
		out.Cond = change(q.Cond)
	}
	if q.Window != nil && q.Window.WideIf != nil {
		w := *q.Window
		w.WideIf = change(w.WideIf)
		out.Window = &w
	}
	out.Calls = slices.Clone(q.Calls)
	for i, c := range q.Calls {
		if c.Filter != nil {
			out.Calls[i].Filter = change(c.Filter)
		}
	}
	return &out
}

// shifted returns the query with its constants of event time moved.
func (q *Query) shifted(micros int64) *Query {
	move := func(e Expr) Expr { return shifted(e, micros) }
	out := q.changed(move)
	out.From = changedRel(q.From, move)
	return out
}
