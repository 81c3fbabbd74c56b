package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ssql/sql/types"
)

// Expr is a scalar expression: SQL that the engine and DuckDB read alike, and its value
// for the model. The set is small on purpose: functions are compared with DuckDB one by
// one in plan/expr.
type Expr interface {
	Type() types.Type
	SQL() string
	// Eval returns the value for a row whose columns have the given places.
	Eval(at map[string]int, r Row) Value
}

type (
	// colExpr is a column by its name.
	colExpr struct{ Column }
	// litExpr is a constant; Shifts moves it with all event times.
	litExpr struct {
		v      Value
		t      types.Type
		shifts bool
	}
	// callExpr is an operator or a function over arguments; format has a %s for each.
	callExpr struct {
		format string
		t      types.Type
		args   []Expr
		eval   func(args []Value) Value
	}
)

func (e colExpr) Type() types.Type  { return e.Column.Type }
func (e litExpr) Type() types.Type  { return e.t }
func (e callExpr) Type() types.Type { return e.t }

func (e colExpr) SQL() string { return e.Name }
func (e litExpr) SQL() string { return literal(e.v, e.t) }
func (e callExpr) SQL() string {
	args := make([]any, len(e.args))
	for i, a := range e.args {
		args[i] = a.SQL()
	}
	return "(" + fmt.Sprintf(e.format, args...) + ")"
}

func (e colExpr) Eval(at map[string]int, r Row) Value {
	i, ok := at[e.Name]
	if !ok {
		panic(fmt.Sprintf("no column %q", e.Name))
	}
	return r[i]
}

func (e litExpr) Eval(map[string]int, Row) Value { return e.v }

func (e callExpr) Eval(at map[string]int, r Row) Value {
	args := make([]Value, len(e.args))
	for i, a := range e.args {
		args[i] = a.Eval(at, r)
	}
	return e.eval(args)
}

// shifted returns e with its constants of event time moved.
func shifted(e Expr, micros int64) Expr {
	switch e := e.(type) {
	case litExpr:
		if e.shifts {
			e.v = e.v.(int64) + micros
		}
		return e
	case callExpr:
		args := make([]Expr, len(e.args))
		for i, a := range e.args {
			args[i] = shifted(a, micros)
		}
		e.args = args
		return e
	}
	return e
}

// mentions reports whether e reads a column.
func mentions(e Expr, name string) bool {
	switch e := e.(type) {
	case colExpr:
		return e.Name == name
	case callExpr:
		for _, a := range e.args {
			if mentions(a, name) {
				return true
			}
		}
	}
	return false
}

// readsTime reports whether e reads a column of event time.
func readsTime(e Expr) bool {
	switch e := e.(type) {
	case colExpr:
		return e.Shifts
	case callExpr:
		for _, a := range e.args {
			if readsTime(a) {
				return true
			}
		}
	}
	return false
}

var boolean = types.Of(types.Boolean)

// strict makes a function NULL when an argument is.
func strict(f func(args []Value) Value) func([]Value) Value {
	return func(args []Value) Value {
		for _, a := range args {
			if a == nil {
				return nil
			}
		}
		return f(args)
	}
}

// comparisons are the operators between a column and a constant.
var comparisons = []struct {
	op   string
	test func(order int) bool
}{
	{"<", func(o int) bool { return o < 0 }},
	{"<=", func(o int) bool { return o <= 0 }},
	{"<>", func(o int) bool { return o != 0 }},
	{"=", func(o int) bool { return o == 0 }},
	{">", func(o int) bool { return o > 0 }},
	{">=", func(o int) bool { return o >= 0 }},
}

func comparison(i int, a, b Expr) Expr {
	c := comparisons[i]
	return callExpr{"%s " + c.op + " %s", boolean, []Expr{a, b}, strict(func(v []Value) Value {
		return c.test(compare(v[0], v[1]))
	})}
}

func not(e Expr) Expr {
	return callExpr{"NOT %s", boolean, []Expr{e}, strict(func(v []Value) Value { return !v[0].(bool) })}
}

func isNull(e Expr) Expr {
	return callExpr{"%s IS NULL", boolean, []Expr{e}, func(v []Value) Value { return v[0] == nil }}
}

// both is AND and either is OR, in three-valued logic.
func both(a, b Expr) Expr {
	return callExpr{"%s AND %s", boolean, []Expr{a, b}, func(v []Value) Value { return decide(v, false) }}
}

func either(a, b Expr) Expr {
	return callExpr{"%s OR %s", boolean, []Expr{a, b}, func(v []Value) Value { return decide(v, true) }}
}

// decide returns winner if any value is it, else NULL if any is, else the other.
func decide(v []Value, winner bool) Value {
	null := false
	for _, x := range v {
		if x == nil {
			null = true
		} else if x.(bool) == winner {
			return winner
		}
	}
	if null {
		return nil
	}
	return !winner
}

// isTrue is what WHERE, HAVING and FILTER ask.
func isTrue(v Value) bool { b, ok := v.(bool); return ok && b }

// predicate draws a condition over columns that holds for many rows, of a depth.
func predicate(r *rand.Rand, cols []Column, depth int) Expr {
	if depth > 0 && r.IntN(2) == 0 {
		a, b := predicate(r, cols, depth-1), predicate(r, cols, depth-1)
		switch r.IntN(4) {
		case 0:
			return both(a, b)
		case 1:
			return not(a)
		}
		return either(a, b)
	}
	c := cols[r.IntN(len(cols))]
	if c.Domain.draw == nil && r.IntN(2) == 0 {
		at := litExpr{startMicros + r.Int64N(120)*1e6, c.Type, true}
		return comparison(r.IntN(len(comparisons)), colExpr{c}, at)
	}
	if c.Domain.draw == nil || r.IntN(8) == 0 {
		return not(isNull(colExpr{c}))
	}
	return comparison(r.IntN(len(comparisons)), colExpr{c}, litExpr{c.Domain.draw(r), c.Type, false})
}

// scalar draws an expression over columns: mostly one of them as it is.
func scalar(r *rand.Rand, cols []Column) Expr {
	c := cols[r.IntN(len(cols))]
	e := Expr(colExpr{c})
	if c.Domain == nil || r.IntN(3) > 0 {
		return e
	}
	switch {
	case c.Domain.Arith:
		n := int64(r.IntN(9) + 1)
		sign := []string{"+", "-"}[r.IntN(2)]
		return callExpr{"%s " + sign + " " + fmt.Sprint(n), c.Type, []Expr{e}, strict(func(v []Value) Value {
			if sign == "-" {
				return v[0].(int64) - n
			}
			return v[0].(int64) + n
		})}
	case c.Type.Kind == types.Varchar:
		return callExpr{"%s || '-'", c.Type, []Expr{e}, strict(func(v []Value) Value { return v[0].(string) + "-" })}
	case c.Domain.draw != nil:
		other := litExpr{c.Domain.draw(r), c.Type, false}
		if other.v == nil {
			return e
		}
		return callExpr{"coalesce(%s, %s)", c.Type, []Expr{e, other}, func(v []Value) Value {
			if v[0] == nil {
				return v[1]
			}
			return v[0]
		}}
	}
	return e
}

// list joins the SQL of several things.
func list[T any](items []T, text func(T) string) string {
	parts := make([]string, len(items))
	for i, x := range items {
		parts[i] = text(x)
	}
	return strings.Join(parts, ", ")
}
