package plan

import (
	"maps"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
)

func isLambda(e sql.Expr) bool {
	_, ok := e.(*sql.Lambda)
	return ok
}

// lambdaCall binds a call of a list function with a lambda as argument at, -1 if it has
// none where the function wants one.
func (x *exprBinder) lambdaCall(e *sql.Call, name string, at int) (expr.Expr, error) {
	span := x.b.at(e.Span)
	switch {
	case !expr.IsLambdaFunction(name):
		return nil, sqlerr.At(x.b.at(e.Args[at].Pos()), codeTypeMismatch, "function %q with a lambda is not supported on streams", e.Name.Name).
			WithHint("list_transform(list, x -> ...) and list_filter(list, x -> ...) are; list_sum(list) and list_aggregate(list, 'max') fold a list")
	case at != 1 || len(e.Args) != 2:
		return nil, sqlerr.At(span, codeArgCount, "%s takes a list and a lambda", name).
			WithHint("write %s", lambdaUsage(e, name))
	}
	list, err := x.scalar(e.Args[0])
	if err != nil {
		return nil, err
	}
	l := e.Args[1].(*sql.Lambda)
	params, err := expr.LambdaParams(name, list, len(l.Params), x.lambdas, span)
	if err != nil {
		return nil, err
	}
	inner := *x
	inner.names = maps.Clone(x.names)
	if inner.names == nil {
		inner.names = map[string]value{}
	}
	for i, p := range params {
		inner.names[strings.ToLower(l.Params[i].Name)] = value{Expr: p}
	}
	inner.lambdas++
	body, err := inner.scalar(l.Body)
	if err != nil {
		return nil, err
	}
	return expr.BindLambda(name, list, params, body, span)
}
