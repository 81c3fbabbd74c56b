package plan

import (
	"errors"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
)

// call binds a function, an aggregate or a window.
func (x *exprBinder) call(e *sql.Call) (value, error) {
	name, span := strings.ToLower(e.Name.Name), x.b.at(e.Span)
	if err := x.b.checkNames(e, name); err != nil {
		return value{}, err
	}
	if e.Nulls != sql.NullsAsUsual && e.Over == nil && !x.b.isAggregateCall(e) {
		return value{}, x.b.noNullTreatment(e, name, span)
	}
	if v, ok := x.rowNumber(e); ok {
		return v, nil
	}
	switch {
	case e.Over != nil:
		return value{}, sqlerr.At(span, codeWindowFunction, "window function %s(...) OVER (...) has no streaming form", name).
			WithHint("the first rows of each key are known: SELECT * FROM s QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts) <= 3; else group by a window of time")
	case isWindowCall(name) && x.group != nil:
		return value{}, notGrouped(sql.ExprText(e), span, len(x.group.agg.Keys) > 0)
	case isWindowCall(name):
		return x.windowValue(e)
	case name == "window_time" && len(e.Args) == 1:
		return x.windowTime(e)
	case name == "grouping" || name == "grouping_id":
		v, err := x.groupingCall(e, name)
		return value{Expr: v}, err
	case x.b.isAggregateCall(e):
		v, err := x.aggregate(e)
		return value{Expr: v}, err
	case e.Filter != nil || e.Distinct || len(e.OrderBy) > 0 || e.Star:
		return value{}, sqlerr.At(span, codeUnresolvedRoutine, "%q is not an aggregate, so DISTINCT, FILTER, ORDER BY and * have no meaning in it", e.Name.Name)
	case unnests(name):
		return value{}, sqlerr.At(span, codeMisplaced, "%s(...) makes rows and must be a whole item of the select list", name)
	}
	if i := slices.IndexFunc(e.Args, isLambda); i >= 0 || expr.IsLambdaFunction(name) {
		v, err := x.lambdaCall(e, name, i)
		return value{Expr: v}, err
	}
	args, err := x.scalars(e.Args)
	if err != nil {
		return value{}, x.argumentError(e, name, err)
	}
	if elementCalls[name] && len(args) == 2 {
		if list, err := x.listOfValue(e.Args[0], args[0], e.Args[1], span); list || err != nil {
			return value{Expr: args[0]}, err
		}
	}
	x.b.means(name, args...)
	if op, ok := divisionCalls[name]; ok && x.b.ansi && len(args) == 2 {
		v, err := x.b.operator(op, args[0], args[1], span)
		return value{Expr: v}, err
	}
	v, err := x.b.function(e, name, args, span)
	if err != nil {
		return value{}, routineError(err, e.Name.Name, span)
	}
	return value{Expr: v}, nil
}

// function binds a call over bound arguments, in expr, or in DuckDB where expr has no such
// function or not this form of it.
func (b *binder) function(e *sql.Call, name string, args []expr.Expr, span Span) (expr.Expr, error) {
	i := slices.IndexFunc(e.ArgNames, func(n string) bool { return n != "" })
	switch {
	case i >= 0 && name == "struct_pack":
		return expr.BindStruct(e.ArgNames, args)
	case i >= 0:
		return b.external(name, args, e.ArgNames, span,
			sqlerr.At(b.at(e.Span), codeArgName, "%s has no argument named %q", name, e.ArgNames[i]))
	}
	v, err := expr.BindFunction(name, args, span)
	switch sqlerr.Code(err) {
	case codeUnresolvedRoutine, codeTypeMismatch, codeArgCount:
		return b.external(name, args, nil, span, err)
	}
	return v, err
}

// argumentError is the error of an argument, unless the function itself is unknown: above
// an aggregation an aggregate that does not exist looks like a function of columns that
// are not grouped.
func (x *exprBinder) argumentError(e *sql.Call, name string, err error) error {
	if x.group == nil || expr.IsFunction(name) || sqlerr.Code(err) != codeMissingAggregate {
		return err
	}
	rows := &exprBinder{b: x.b, scope: x.group.rows, clause: x.clause, rows: true}
	if args, rowsErr := rows.scalars(e.Args); rowsErr == nil {
		if _, callErr := expr.BindFunction(name, args, x.b.at(e.Span)); sqlerr.Code(callErr) == codeUnresolvedRoutine {
			return routineError(callErr, e.Name.Name, x.b.at(e.Span))
		}
	}
	return err
}

// routineError keeps the error of the function table; errors without a code of the
// user's kind become a refusal of the call.
func routineError(err error, name string, span Span) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return sqlerr.At(span, codeUnresolvedRoutine, "cannot call %q: %v", name, err)
	}
	if engine, hint, foreign := sql.ForeignFunction(name); foreign && e.Code == codeUnresolvedRoutine {
		return sqlerr.At(span, codeUnresolvedRoutine, "function %q (%s) does not exist", name, engine).WithHint("%s", hint)
	}
	return err
}
