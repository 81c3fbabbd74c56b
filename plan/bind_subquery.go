package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// subqueryCondition turns `x IN (SELECT ..)` and `[NOT] EXISTS (SELECT ..)` on tables
// into a join with the table; ok is false for other conditions.
func (k *block) subqueryCondition(e sql.Expr) (ok bool, err error) {
	negated := false
	if u, isNot := e.(*sql.Unary); isNot && strings.EqualFold(u.Op, "NOT") {
		if _, isExists := u.X.(*sql.Exists); isExists {
			negated, e = true, u.X
		}
	}
	switch e := e.(type) {
	case *sql.In:
		if e.Query != nil && !e.Not {
			return true, k.inQuery(e)
		}
	case *sql.Exists:
		return true, k.exists(e, negated != e.Not)
	}
	return false, nil
}

// inQuery keeps the rows that have a partner in the table.
func (k *block) inQuery(e *sql.In) error {
	span := k.b.at(e.Span)
	right, err := k.staticQuery(e.Query)
	if err != nil {
		return err
	}
	if len(right.cols) != 1 {
		return sqlerr.At(k.b.at(e.Query.Span), codeColumnCount, "IN needs a sub-query of one column, found %d", len(right.cols))
	}
	l, err := k.rowBinder("WHERE").bind(e.X)
	if err != nil {
		return err
	}
	r := ref(right.node, 0)
	r = columnAt(r, len(k.scope.node.Columns()))
	cond, err := expr.BindBinary("=", l.Expr, r, span)
	if err != nil {
		return err
	}
	k.tableJoin(types.SemiJoin, right.node, []predicate{{cond: cond, eq: &equality{l: l, r: value{Expr: r}}}}, span)
	return nil
}

// exists keeps the rows for which the sub-query has a row, or has none. The
// conditions of the sub-query may use columns from around it.
func (k *block) exists(e *sql.Exists, not bool) error {
	span := k.b.at(e.Span)
	s, ok := e.Query.Body.(*sql.Select)
	if !ok || s.From == nil || s.GroupBy != nil || s.Having != nil || e.Query.Limit != nil {
		return sqlerr.At(span, codeUnsupported, "EXISTS is supported on a plain SELECT ... FROM a table WHERE ...")
	}
	right, err := k.b.from(s.From, k.env)
	if err != nil {
		return err
	}
	if !isStatic(right.node) {
		return k.streamSubquery(span)
	}
	both := &scope{}
	for _, c := range k.scope.cols {
		// Names of the sub-query win over those around it.
		found, _ := right.find([]sql.Ident{{Name: c.Name}})
		c.qualified = c.qualified || len(found) > 0
		both.cols = append(both.cols, c)
	}
	shift := len(k.scope.node.Columns())
	for _, c := range right.cols {
		c.index += shift
		both.cols = append(both.cols, c)
	}
	x := &exprBinder{b: k.b, scope: both, clause: "WHERE", rows: true}
	preds, err := x.predicates(s.Where)
	if err != nil {
		return err
	}
	kind := types.SemiJoin
	if not {
		kind = types.AntiJoin
	}
	k.tableJoin(kind, right.node, preds, span)
	return nil
}

// tableJoin puts a join with a table over the rows of the block.
func (k *block) tableJoin(kind types.JoinKind, right Node, on []predicate, span Span) {
	left := k.scope.node
	k.scope = k.scope.over(&Join{Kind: kind, Left: left, Right: right, Static: true, Span: span,
		Cols: append([]Column(nil), left.Columns()...), on: on})
}

func (k *block) staticQuery(q *sql.Query) (*scope, error) {
	s, err := k.b.queryOrTables(q, k.env)
	if err != nil {
		// The rows may be those of a stream, with names from around the sub-query.
		if body, ok := q.Body.(*sql.Select); ok && body.From != nil {
			if from, e := k.b.from(body.From, k.env); e == nil && !isStatic(from.node) {
				return nil, k.streamSubquery(k.b.at(q.Span))
			}
		}
		return nil, err
	}
	if !isStatic(s.node) {
		return nil, k.streamSubquery(k.b.at(q.Span))
	}
	return s, nil
}

func (k *block) streamSubquery(span Span) error {
	return sqlerr.At(span, codeUnsupported, "a sub-query in WHERE may read tables only, and this one reads a stream").
		WithHint("join the two streams, with a range of event time; a semi join has the rows of IN, an anti join all others")
}
