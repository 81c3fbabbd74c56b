package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// unify returns the type that values of both types are brought to without asking, by
// the rule of CASE.
func unify(a, b types.Type) (types.Type, bool) {
	if a.Equal(b) {
		return a, true
	}
	always := expr.NewLiteral(types.Of(types.Boolean), true)
	column := func(t types.Type) expr.Expr { return &expr.Column{T: t, Null: true} }
	c, err := expr.BindCase(nil, []expr.Expr{always}, []expr.Expr{column(a)}, column(b), Span{})
	if err != nil {
		return types.Type{}, false
	}
	return c.Type(), true
}
