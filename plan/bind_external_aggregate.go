package plan

import (
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// externalAggregate binds a call that DuckDB folds. The group keeps the arguments of each of
// its rows, in the order of arrival and after FILTER and DISTINCT; DuckDB gets them when the
// group comes out, and sorts them if the call has ORDER BY. native is the error of expr's
// table, which stands where DuckDB has no such aggregate either.
func (x *exprBinder) externalAggregate(e *sql.Call, name string, span Span, native error) (expr.Expr, error) {
	lib, ok := x.b.cat.(Library)
	if !ok || e.Star || e.WithinGroup || !lib.IsAggregate(name) {
		return nil, native
	}
	rows := &exprBinder{b: x.b, scope: x.group.rows, clause: name, rows: true}
	args, err := rows.scalars(e.Args)
	if err != nil {
		return nil, err
	}
	text := externalArgs(args, e.ArgNames)
	call := &expr.External{Name: name, Span: span, Folds: true}
	order, err := x.externalOrder(rows, e, &text)
	if err != nil {
		return nil, err
	}
	call.Text = types.QuoteIdent(name) + "(" + strings.Join(text.args, ", ") + order + ")"
	f, err := lib.Function(name, call.Text, typesOf(text.columns))
	switch {
	case err != nil && expr.IsAggregate(name):
		return nil, native
	case err != nil:
		return nil, refusedByDuckDB(name, span, err)
	case f == nil:
		return nil, native
	}
	kept, err := keptRows(text.columns)
	if err != nil {
		return nil, err
	}
	kept.Distinct, kept.External, kept.Span = e.Distinct, name, span
	if e.Filter != nil {
		rows.clause = "FILTER"
		if kept.Filter, err = rows.condition(e.Filter); err != nil {
			return nil, err
		}
	}
	call.T, call.Version, call.Show = f.Type, f.Version, []string{kept.textOf("", exprList(args, expr.Expr.String)+orderText(e), expr.Expr.String)}
	kept.describe("rows", text.columns)
	call.Args = []expr.Expr{x.group.add(kept)}
	return call, nil
}

// keptRows is the list of the rows' columns, as structs. A call of constants alone counts
// rows.
func keptRows(columns []expr.Expr) (*AggCall, error) {
	if len(columns) == 0 {
		columns = []expr.Expr{expr.NewLiteral(types.Of(types.Boolean), true)}
	}
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = fmt.Sprintf("a%d", i)
	}
	row, err := expr.BindStruct(names, columns)
	if err != nil {
		return nil, err
	}
	return &AggCall{Aggregate: expr.CollectRows(row)}, nil
}

// externalOrder is ORDER BY inside the call, in DuckDB's text. Rows of equal keys stay in
// the order of arrival.
func (x *exprBinder) externalOrder(rows *exprBinder, e *sql.Call, text *externalText) (string, error) {
	if len(e.OrderBy) == 0 {
		return "", nil
	}
	arguments := text.columns
	var parts []string
	for _, o := range e.OrderBy {
		key, err := rows.scalar(o.Expr)
		if err != nil {
			return "", err
		}
		if e.Distinct && !containsExpr(arguments, key) {
			return "", sqlerr.At(x.b.at(o.Expr.Pos()), codeUnsupported, "with DISTINCT, %s can be ordered by its own arguments only", e.Name.Name)
		}
		k := sortKey(o, key)
		part := fmt.Sprintf("a%d ", len(text.columns)) + map[bool]string{false: "ASC", true: "DESC"}[k.Desc]
		parts = append(parts, part+" NULLS "+map[bool]string{false: "LAST", true: "FIRST"}[k.NullsFirst])
		text.columns = append(text.columns, key)
	}
	return " ORDER BY " + strings.Join(parts, ", ") + ", ssql_row", nil
}

// orderText is ORDER BY inside a call as it was written.
func orderText(e *sql.Call) string {
	if len(e.OrderBy) == 0 {
		return ""
	}
	parts := make([]string, len(e.OrderBy))
	for i, o := range e.OrderBy {
		parts[i] = sql.ExprText(o.Expr)
		if o.Desc {
			parts[i] += " DESC"
		}
	}
	return " ORDER BY " + strings.Join(parts, ", ")
}

func containsExpr(list []expr.Expr, e expr.Expr) bool {
	for _, have := range list {
		if exprKey(have) == exprKey(e) {
			return true
		}
	}
	return false
}
