package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

const codeDivideByZero = "DIVIDE_BY_ZERO"

// BindBinaryANSI is BindBinary by the rules of ANSI SQL and of Spark: a number divided
// by 0, or its remainder, is DIVIDE_BY_ZERO of the row instead of DuckDB's infinity or
// NULL. A NULL on either side stays NULL.
//
// The text of the expression is that of BindBinary: a query may change the rule and
// keep its state.
func BindBinaryANSI(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	e, err := BindBinary(op, l, r, span)
	if err != nil || !divides(op) || !e.Type().IsNumeric() {
		return e, err
	}
	if isZeroLiteral(r) {
		// Without this the quotient of two constants would be a constant.
		return newCall(spec{name: op, t: e.Type(), nullable: true, span: span, form: infix(op), kern: func(f *frame, _ []vec) (arrow.Array, error) {
			for i := range f.rows {
				if f.valid.has(i) {
					return nil, f.fail(i, divisionByZero())
				}
			}
			return nullColumn(f.arrow, f.rows), nil
		}}, l, r), nil
	}
	return refuseZero(e), nil
}

func divides(op string) bool { return op == "/" || op == "//" || op == "%" || op == "DIV" }

func isZeroLiteral(e Expr) bool {
	l, ok := e.(*Literal)
	if !ok || l.IsNull() {
		return false
	}
	n, err := BindCast(l, tDouble, true, sqlerr.Span{})
	if err != nil {
		return false
	}
	v, ok := n.(*Literal)
	return ok && !v.IsNull() && valuesOf[float64](v.arr)[0] == 0
}

// refuseZero puts the check into a division; DIV has a cast and a rounding around it.
func refuseZero(e Expr) Expr {
	c, ok := e.(*call)
	if !ok {
		return e
	}
	if !divides(c.name) {
		if len(c.args) == 0 {
			return e
		}
		args := append([]Expr(nil), c.args...)
		args[0] = refuseZero(args[0])
		return c.WithChildren(args)
	}
	s, divide, zeroOf := c.spec, c.kern, zeroFinder(c.args[1].Type())
	s.total = false
	s.kern = func(f *frame, args []vec) (arrow.Array, error) {
		if i := zeroOf(f, args[1]); i >= 0 {
			return nil, f.fail(i, divisionByZero())
		}
		return divide(f, args)
	}
	return &call{spec: s, args: c.args}
}

func divisionByZero() *sqlerr.Error {
	return sqlerr.New(codeDivideByZero, "division by zero").
		WithHint("write try_divide(a, b) to get NULL instead, or SET ansi = off to compute as DuckDB does")
}

// zeroFinder returns what finds the first row whose divisor of type t is 0, -1 if
// there is none.
func zeroFinder(t types.Type) func(f *frame, divisor vec) int {
	switch t.Kind {
	case types.TinyInt:
		return firstZero[int8]
	case types.SmallInt:
		return firstZero[int16]
	case types.Int:
		return firstZero[int32]
	case types.BigInt:
		return firstZero[int64]
	case types.UTinyInt:
		return firstZero[uint8]
	case types.USmallInt:
		return firstZero[uint16]
	case types.UInt:
		return firstZero[uint32]
	case types.UBigInt:
		return firstZero[uint64]
	case types.Float:
		return firstZero[float32]
	case types.Decimal:
		return firstZero[decimal128.Num]
	}
	return firstZero[float64]
}

func firstZero[T slot](f *frame, divisor vec) int {
	var zero T
	vals := read[T](divisor)
	for i := range f.rows {
		if f.valid.has(i) && vals.at(i) == zero {
			return i
		}
	}
	return -1
}
