package expr

// IsVolatile reports whether an expression depends on the row's number besides its
// columns, as random() and uuid() do. Operators that keep state do not number rows: the
// planner computes such expressions below them, and moves none to where other rows pass.
func IsVolatile(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *call:
			found = found || e.volatile
		case *lambda:
			found = found || IsVolatile(e.body)
		}
		return !found
	})
	return found
}
