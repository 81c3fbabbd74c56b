package plan

import (
	"errors"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// scalarQueries puts the value of every sub-query on tables that stands inside an
// expression beside the rows: a table of one row, which DuckDB reads anew for each batch.
// The sub-query may not use columns from around it.
func (k *block) scalarQueries() error {
	var list []sql.Expr
	for _, e := range conjuncts(k.s.Where) {
		if !isJoinedQuery(e) {
			list = append(list, e)
		}
	}
	for _, it := range k.s.Items {
		list = append(list, it.Expr)
	}
	if k.s.GroupBy != nil {
		list = append(list, k.s.GroupBy.Items...)
	}
	var first error
	for _, e := range list {
		walk(e, func(e sql.Expr) bool {
			if q := queryOf(e); q != nil && first == nil {
				first = k.scalarQuery(e, q)
			}
			return first == nil
		})
	}
	return first
}

// isJoinedQuery reports whether a conjunct of WHERE is a sub-query that becomes a join by
// itself, which needs no list in memory and may be correlated.
func isJoinedQuery(e sql.Expr) bool {
	if u, ok := e.(*sql.Unary); ok && strings.EqualFold(u.Op, "NOT") {
		e = u.X
		if _, ok := e.(*sql.Exists); !ok {
			return false
		}
	}
	switch e := e.(type) {
	case *sql.In:
		return e.Query != nil && !e.Not
	case *sql.Exists:
		return true
	}
	return false
}

// scalarQuery joins the one value of a sub-query: the value itself, the list of the
// values for IN, or whether there is a row for EXISTS.
func (k *block) scalarQuery(e sql.Expr, q *sql.Query) error {
	inner, err := k.staticQuery(q)
	if err != nil {
		return k.correlated(q, err)
	}
	scan, ok := inner.node.(*StaticScan)
	if !ok {
		return sqlerr.At(k.b.at(e.Pos()), codeUnsupported, "this sub-query may not stand here").
			WithHint("join the table instead")
	}
	column := types.QuoteIdent(scan.Cols[0].Name)
	t, item := scan.Cols[0].Type, column
	switch e.(type) {
	case *sql.Exists:
		t, item = types.Of(types.Boolean), "count(*) > 0"
	case *sql.In:
		t, item = types.ListOf(t), "list("+column+")"
	}
	if _, exists := e.(*sql.Exists); !exists && len(scan.Cols) != 1 {
		return sqlerr.At(k.b.at(q.Span), codeColumnCount, "a sub-query in an expression needs one column, found %d", len(scan.Cols))
	}
	text := "(SELECT " + item + " AS value FROM " + scan.Table + " AS q)"
	if _, scalar := e.(*sql.ScalarQuery); scalar {
		// In an expression, so that no row is NULL and a second row is an error.
		text = "(SELECT (SELECT " + column + " FROM " + scan.Table + " AS q) AS value)"
	}
	one := &StaticScan{Table: text, Cols: []Column{{Field: types.Field{Name: "value", Type: t, Nullable: true}}}}
	left := k.scope.node
	cols := append(append([]Column(nil), left.Columns()...), one.Cols...)
	next := k.scope.over(&Join{Kind: types.InnerJoin, Left: left, Right: one, Static: true, Span: k.b.at(e.Pos()), Cols: cols})
	next.queries = map[sql.Expr]int{e: len(cols) - 1}
	for other, at := range k.scope.queries {
		next.queries[other] = at
	}
	k.scope = next
	return nil
}

// correlated returns the error of a sub-query, in its own words if what it lacks is a
// column from around it.
func (k *block) correlated(q *sql.Query, err error) error {
	var e *sqlerr.Error
	s, ok := q.Body.(*sql.Select)
	if !ok || !errors.As(err, &e) || e.Code != codeUnresolvedColumn {
		return err
	}
	list := append(conjuncts(s.Where), s.Having)
	for _, it := range s.Items {
		list = append(list, it.Expr)
	}
	for _, x := range list {
		walk(x, func(x sql.Expr) bool {
			c, ok := x.(*sql.ColumnRef)
			if !ok || k.b.at(c.Span) != e.Span {
				return true
			}
			if found, _ := k.scope.find(c.Parts); len(found) > 0 {
				err = sqlerr.At(e.Span, codeUnsupported, "a sub-query inside an expression cannot use %q from around it", dotted(c.Parts)).
					WithHint("join the table instead, grouped by what is compared: LEFT JOIN (SELECT k, max(x) AS x FROM t GROUP BY k) t ON t.k = s.k")
			}
			return false
		})
	}
	return err
}

// subqueryValue returns the value of a sub-query inside an expression.
func (x *exprBinder) subqueryValue(e sql.Expr, span Span) (expr.Expr, error) {
	at, ok := x.scope.queries[e]
	switch {
	case x.group != nil:
		return nil, sqlerr.At(span, codeUnsupported, "a sub-query may not stand beside aggregates").
			WithHint("group in a sub-query, and compare its result: SELECT ... FROM (SELECT ..., count(*) AS n ... GROUP BY ...) g WHERE n > (SELECT ...)")
	case !ok:
		return nil, sqlerr.At(span, codeUnsupported, "a sub-query may not stand in %s", x.clause).
			WithHint("sub-queries on tables work in FROM, in the select list and in WHERE")
	}
	value := ref(x.scope.node, at)
	in, ok := e.(*sql.In)
	if !ok {
		if exists, ok := e.(*sql.Exists); ok && exists.Not {
			return expr.BindUnary("NOT", value, span)
		}
		return value, nil
	}
	v, err := x.scalar(in.X)
	if err != nil {
		return nil, err
	}
	return inList(v, value, in.Not, span)
}

// inList is x IN the elements of a list, by SQL's rules for NULL: without the value, a
// NULL on either side makes the answer unknown, but nothing is in no rows.
func inList(x, list expr.Expr, not bool, span Span) (expr.Expr, error) {
	call := func(name string, args ...expr.Expr) (expr.Expr, error) { return expr.BindFunction(name, args, span) }
	known, err := call("list_contains", list, x)
	if err != nil {
		return nil, err
	}
	values, err := call("list_count", list) // not NULL ones
	if err != nil {
		return nil, err
	}
	all, err := call("length", list)
	if err != nil {
		return nil, err
	}
	empty, err := expr.BindIsTest(list, "NULL", false, span)
	if err != nil {
		return nil, err
	}
	unknown, err := expr.BindIsTest(x, "NULL", false, span)
	if err != nil {
		return nil, err
	}
	holds, err := expr.BindBinary("<", values, all, span)
	if err != nil {
		return nil, err
	}
	if unknown, err = expr.BindBinary("OR", unknown, holds, span); err != nil {
		return nil, err
	}
	yes, no := expr.NewLiteral(types.Of(types.Boolean), true), expr.NewLiteral(types.Of(types.Boolean), false)
	answer, err := expr.BindCase(nil, []expr.Expr{empty, known, unknown},
		[]expr.Expr{no, yes, expr.NewLiteral(types.Of(types.Boolean), nil)}, no, span)
	if err != nil || !not {
		return answer, err
	}
	return expr.BindUnary("NOT", answer, span)
}
