package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
)

// withinGroup are the aggregates whose argument stands in WITHIN GROUP (ORDER BY x), and
// their form with it as the first one.
var withinGroup = map[string]string{"mode": "mode", "percentile_cont": "quantile_cont", "percentile_disc": "quantile_disc"}

// sortedGroup are the aggregates for which WITHIN GROUP (ORDER BY x) is ORDER BY in the
// brackets.
var sortedGroup = map[string]bool{"array_agg": true, "listagg": true, "string_agg": true}

// notWithinGroup refuses WITHIN GROUP of an aggregate that has no such form.
func (b *binder) notWithinGroup(e *sql.Call, name string, span Span) error {
	err := sqlerr.At(span, codeCall, "%s has no form WITHIN GROUP (ORDER BY ...)", name)
	inside := *e
	inside.WithinGroup = false
	switch {
	case strings.HasPrefix(name, "approx_"), strings.HasPrefix(name, "percentile"), strings.HasPrefix(name, "quantile"):
		if len(e.Args) == 0 || len(e.OrderBy) != 1 {
			break
		}
		inside.Args, inside.OrderBy = []sql.Expr{e.OrderBy[0].Expr, e.Args[0]}, nil
		return err.WithHint("the value is its first argument: %s", sql.ExprText(&inside))
	case len(e.Args) > 0 && expr.IsAggregate(name):
		return err.WithHint("the order of its rows stands in the brackets: %s", sql.ExprText(&inside))
	}
	return err.WithHint("array_agg, listagg, mode, percentile_cont, percentile_disc and string_agg have it")
}

// withinGroupArguments checks that an aggregate whose value stands in WITHIN GROUP has no
// other in its brackets.
func (b *binder) withinGroupArguments(e *sql.Call, name string, span Span) error {
	inside, args := "0.5", 1
	if name == "mode" {
		inside, args = "", 0
	}
	if len(e.Args) == args && len(e.OrderBy) == 1 {
		return nil
	}
	value := "x"
	if len(e.OrderBy) > 0 {
		value = sql.ExprText(e.OrderBy[0].Expr)
	}
	return sqlerr.At(span, codeArgCount, "%s WITHIN GROUP takes %s in its brackets and one in ORDER BY, found %d and %d", name, sqlerr.CountOf(args, "argument"), len(e.Args), len(e.OrderBy)).
		WithHint("write %s(%s) WITHIN GROUP (ORDER BY %s)", name, inside, value)
}

// orderedAggregate binds name(x, constants ORDER BY keys): the group collects keys and
// values, which are sorted and folded when the group comes out.
func (x *exprBinder) orderedAggregate(e *sql.Call, name string, span Span) (expr.Expr, error) {
	if e.WithinGroup {
		switch form := withinGroup[name]; {
		case form == "" && !sortedGroup[name]:
			return nil, x.b.notWithinGroup(e, name, span)
		case form != "":
			if err := x.b.withinGroupArguments(e, name, span); err != nil {
				return nil, err
			}
			return x.withinGroup(e, form, span)
		}
	}
	if e.Star || len(e.Args) == 0 {
		return nil, sqlerr.At(span, codeUnsupported, "ORDER BY has no meaning in %s(*)", name)
	}
	rows := &exprBinder{b: x.b, scope: x.group.rows, clause: name, rows: true}
	args, err := rows.scalars(e.Args)
	if err != nil {
		return nil, err
	}
	// The checks of the call itself, at its own place.
	if _, err := expr.BindAggregate(name, args, false, span); err != nil {
		return x.externalAggregate(e, name, span, routineError(err, e.Name.Name, span))
	}
	keys, order := make([]expr.Expr, len(e.OrderBy)), make([]expr.ElementOrder, len(e.OrderBy))
	for i, o := range e.OrderBy {
		if keys[i], err = rows.scalar(o.Expr); err != nil {
			return nil, err
		}
		if e.Distinct && exprKey(keys[i]) != exprKey(args[0]) {
			return nil, sqlerr.At(x.b.at(o.Expr.Pos()), codeUnsupported, "with DISTINCT, %s can be ordered by its own argument only", name)
		}
		order[i] = expr.ElementOrder{Desc: o.Desc, NullsFirst: !o.Desc}
		if o.NullsFirst != nil {
			order[i].NullsFirst = *o.NullsFirst
		}
	}
	element, err := expr.OrderedElement(keys, args[0])
	if err != nil {
		return nil, err
	}
	if e.Nulls == sql.NullsAsUsual {
		x.b.means(name, args...)
	}
	call := &AggCall{Aggregate: expr.CollectRows(element), Distinct: e.Distinct}
	if e.Filter != nil {
		rows.clause = "FILTER"
		if call.Filter, err = rows.condition(e.Filter); err != nil {
			return nil, err
		}
	}
	call.describe(call.Name, call.Args)
	return expr.BindOrdered(name, x.group.add(call), order, args[1:], span)
}

// withinGroup binds name(fraction) WITHIN GROUP (ORDER BY x) as form(x, fraction).
func (x *exprBinder) withinGroup(e *sql.Call, form string, span Span) (expr.Expr, error) {
	o := e.OrderBy[0]
	if len(e.OrderBy) > 1 || o.Desc {
		return nil, sqlerr.At(x.b.at(o.Expr.Pos()), codeUnsupported, "WITHIN GROUP of %s takes one expression in ascending order", e.Name.Name).
			WithHint("for a descending order take 1 - fraction")
	}
	c := *e
	c.OrderBy, c.WithinGroup, c.ArgNames = nil, false, nil
	c.Args = append([]sql.Expr{o.Expr}, e.Args...)
	call, err := x.aggCall(&c, form, span)
	if err != nil {
		return nil, err
	}
	return x.group.add(call), nil
}
