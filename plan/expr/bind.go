package expr

// The planner's way in. Implementations are in the files named after each group:
//
//	literals:   NewLiteral(t types.Type, value any) Expr
//	operators:  BindUnary(op string, x Expr, span sqlerr.Span) (Expr, error)
//	            BindBinary(op string, l, r Expr, span sqlerr.Span) (Expr, error)
//	            BindBinaryANSI, the same with an error for a division by zero
//	tests:      BindIsTest(x Expr, what string, not bool, span) (Expr, error)
//	            BindIn(x Expr, list []Expr, not bool, span) (Expr, error)
//	            BindLike(op string, x, pattern, escape Expr, not bool, span) (Expr, error)
//	            BindCase(operand Expr, when, then []Expr, els Expr, span) (Expr, error)
//	casts:      BindCast(x Expr, to types.Type, try bool, span) (Expr, error)
//	nested:     BindField(x Expr, name string, span) (Expr, error)
//	            BindIndex(x, index Expr, span) (Expr, error)
//	            BindStruct(names []string, items []Expr) (Expr, error)
//	            BindList(items []Expr, span) (Expr, error)
//	            BindMap(keys, values []Expr, span) (Expr, error)
//	functions:  BindFunction(name string, args []Expr, span) (Expr, error)
//	            IsFunction(name string) bool, FunctionNames() []string
//	aggregates: BindAggregate(name string, args []Expr, star bool, span) (*Aggregate, error)
//	            IsAggregate(name string) bool
//
// Every Bind checks and unifies types, adds the casts that are implied, and
// reports errors at span with the codes of internal/sqlerr. An expression of
// constants alone comes back as its value; one that would fail comes back as it is,
// but for a cast of a constant, which is refused.
//
// Operators of exec find Take and Ctx here beside Expr.Eval.
