package expr

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// isSigned is a constant in every instance.
func isSigned[T integer]() bool { return ^T(0) < 0 }

// arithmeticKernel returns the kernel of an operator on two operands of one type.
func arithmeticKernel(op string, t types.Type) kernel {
	switch t.Kind {
	case types.TinyInt:
		return integerKernel[int8](op, t)
	case types.SmallInt:
		return integerKernel[int16](op, t)
	case types.Int:
		return integerKernel[int32](op, t)
	case types.BigInt:
		return integerKernel[int64](op, t)
	case types.UTinyInt:
		return integerKernel[uint8](op, t)
	case types.USmallInt:
		return integerKernel[uint16](op, t)
	case types.UInt:
		return integerKernel[uint32](op, t)
	case types.UBigInt:
		return integerKernel[uint64](op, t)
	case types.Float:
		return floatKernel[float32](op)
	}
	return floatKernel[float64](op)
}

func integerKernel[T integer](op string, t types.Type) kernel {
	switch op {
	case "+":
		return checkedRuns(op, t, addRun[T])
	case "-":
		return checkedRuns(op, t, subtractRun[T])
	case "*":
		return checkedRuns(op, t, multiplyRun[T])
	case "//":
		return map2(func(a, b T) (T, error) {
			if b == 0 {
				return 0, errNull
			}
			if isSigned[T]() && a != 0 && a == -a && b == ^T(0) {
				return 0, overflow(op, t, a, b)
			}
			return a / b, nil
		})
	}
	return map2(func(a, b T) (T, error) {
		if b == 0 {
			return 0, errNull
		}
		return a % b, nil
	})
}

func overflow(op string, t types.Type, a, b any) error {
	return sqlerr.New(codeOverflow, "%v %s %v does not fit %s", a, op, b, t).
		WithHint("cast an operand to a wider type, or use TRY_CAST on the result")
}

// The loops report an overflow anywhere in the run; NULL rows may hold anything,
// so that the caller looks for the row.

func addRun[T integer](out, a, b []T) (overflow bool) {
	b, out = b[:len(a)], out[:len(a)]
	var bad T // the sign bit, or any bit of an unsigned type, once a row overflowed
	for i, x := range a {
		r := x + b[i]
		if isSigned[T]() {
			bad |= (x ^ r) & (b[i] ^ r)
		} else {
			bad |= T(bit(r < x))
		}
		out[i] = r
	}
	return isOverflow(bad)
}

func subtractRun[T integer](out, a, b []T) (overflow bool) {
	b, out = b[:len(a)], out[:len(a)]
	var bad T
	for i, x := range a {
		r := x - b[i]
		if isSigned[T]() {
			bad |= (x ^ b[i]) & (x ^ r)
		} else {
			bad |= T(bit(x < b[i]))
		}
		out[i] = r
	}
	return isOverflow(bad)
}

func isOverflow[T integer](bad T) bool {
	if isSigned[T]() {
		return bad < 0
	}
	return bad != 0
}

func multiplyRun[T integer](out, a, b []T) (overflow bool) {
	b, out = b[:len(a)], out[:len(a)]
	for i, x := range a {
		out[i] = x * b[i]
		overflow = overflow || productOverflows(x, b[i])
	}
	return overflow
}

func productOverflows[T integer](a, b T) bool {
	var zero T
	if isSigned[T]() {
		if unsafe.Sizeof(zero) < 8 {
			p := int64(a) * int64(b)
			return p != int64(T(p))
		}
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		// Mul64 takes the operands as unsigned: take out what the sign bits added.
		hi -= uint64(int64(a)>>63)&uint64(b) + uint64(int64(b)>>63)&uint64(a)
		return int64(hi) != int64(lo)>>63
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return hi != 0 || lo != uint64(T(lo))
}

// checkedRuns returns the kernel of a loop over runs that may overflow.
func checkedRuns[T integer](op string, t types.Type, loop func(out, a, b []T) bool) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b := read[T](args[0]), read[T](args[1])
		out := make([]T, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			hi := min(lo+runRows, f.rows)
			if !loop(out[lo:hi], a.run(lo, hi), b.run(lo, hi)) {
				continue
			}
			for i := lo; i < hi; i++ {
				x, y := a.at(i), b.at(i)
				if f.valid.has(i) && loop(out[i:i+1], []T{x}, []T{y}) {
					return nil, f.settle(i, overflow(op, t, x, y))
				}
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

func floatKernel[T float](op string) kernel {
	switch op {
	case "+":
		return floatRuns(func(out, a, b []T) {
			for i, x := range a {
				out[i] = x + b[i]
			}
		})
	case "-":
		return floatRuns(func(out, a, b []T) {
			for i, x := range a {
				out[i] = x - b[i]
			}
		})
	case "*":
		return floatRuns(func(out, a, b []T) {
			for i, x := range a {
				out[i] = x * b[i]
			}
		})
	case "/":
		return floatRuns(func(out, a, b []T) {
			for i, x := range a {
				out[i] = x / b[i]
			}
		})
	}
	return floatRuns(func(out, a, b []T) {
		for i, x := range a {
			out[i] = T(math.Mod(float64(x), float64(b[i])))
		}
	})
}

func floatRuns[T float](loop func(out, a, b []T)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b := read[T](args[0]), read[T](args[1])
		out := make([]T, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			hi := min(lo+runRows, f.rows)
			loop(out[lo:hi], a.run(lo, hi), b.run(lo, hi))
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

// negateKernel returns the kernel of -x. Negating an unsigned value other than 0
// is an overflow (DuckDB wraps around).
func negateKernel(t types.Type) kernel {
	switch t.Kind {
	case types.TinyInt:
		return negateInteger[int8](t)
	case types.SmallInt:
		return negateInteger[int16](t)
	case types.Int:
		return negateInteger[int32](t)
	case types.BigInt:
		return negateInteger[int64](t)
	case types.UTinyInt:
		return negateInteger[uint8](t)
	case types.USmallInt:
		return negateInteger[uint16](t)
	case types.UInt:
		return negateInteger[uint32](t)
	case types.UBigInt:
		return negateInteger[uint64](t)
	case types.Float:
		return map1(func(a float32) (float32, error) { return -a, nil })
	case types.Double:
		return map1(func(a float64) (float64, error) { return -a, nil })
	case types.Decimal:
		return map1(negateDecimal)
	}
	return map1(func(a arrow.MonthDayNanoInterval) (arrow.MonthDayNanoInterval, error) {
		return arrow.MonthDayNanoInterval{Months: -a.Months, Days: -a.Days, Nanoseconds: -a.Nanoseconds}, nil
	})
}

func negateInteger[T integer](t types.Type) kernel {
	return map1(func(a T) (T, error) {
		// The least value of a signed type is its own negation.
		if a != 0 && (!isSigned[T]() || a == -a) {
			return 0, sqlerr.New(codeOverflow, "-(%v) does not fit %s", a, t).WithHint("cast it to a wider type")
		}
		return -a, nil
	})
}

// bindBits binds & | << >> on integers, as BIGINT unless both sides are of one type.
func bindBits(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	lt, rt := l.Type(), r.Type()
	if !lt.IsInteger() && lt.Kind != types.Null || !rt.IsInteger() && rt.Kind != types.Null {
		return nil, sqlerr.At(span, codeMismatch, "operator %s expects whole numbers, found %s and %s", op, lt, rt)
	}
	lt, rt = literalNumber(l, r, lt, rt)
	t, _ := commonType(lt, rt)
	if !t.IsInteger() || !t.IsSigned() {
		t = tBigInt
	}
	l, err := implicit(l, t, span)
	if err != nil {
		return nil, err
	}
	if r, err = implicit(r, t, span); err != nil {
		return nil, err
	}
	return newCall(spec{name: op, t: t, nullable: anyNullable(l, r), span: span, form: infix(op), kern: bitsKernel(op, t)}, l, r), nil
}

func bitsKernel(op string, t types.Type) kernel {
	switch t.Kind {
	case types.TinyInt:
		return map2(bitsOf[int8](op))
	case types.SmallInt:
		return map2(bitsOf[int16](op))
	case types.Int:
		return map2(bitsOf[int32](op))
	}
	return map2(bitsOf[int64](op))
}

func bitsOf[T integer](op string) func(a, b T) (T, error) {
	switch op {
	case "&":
		return func(a, b T) (T, error) { return a & b, nil }
	case "|":
		return func(a, b T) (T, error) { return a | b, nil }
	case "<<":
		return func(a, b T) (T, error) {
			width := T(unsafe.Sizeof(a)) * 8
			if a < 0 || b < 0 || a != 0 && (b >= width || a<<b>>b != a || a<<b < 0) {
				return 0, sqlerr.New(codeOverflow, "%v << %v does not fit", a, b)
			}
			if b >= width {
				return 0, nil
			}
			return a << b, nil
		}
	}
	return func(a, b T) (T, error) {
		if b < 0 || b >= T(unsafe.Sizeof(a))*8 {
			return 0, nil
		}
		return a >> b, nil
	}
}

func bitNotKernel(t types.Type) kernel {
	switch t.Kind {
	case types.TinyInt:
		return map1(bitNot[int8])
	case types.SmallInt:
		return map1(bitNot[int16])
	case types.Int:
		return map1(bitNot[int32])
	case types.BigInt:
		return map1(bitNot[int64])
	case types.UTinyInt:
		return map1(bitNot[uint8])
	case types.USmallInt:
		return map1(bitNot[uint16])
	case types.UInt:
		return map1(bitNot[uint32])
	}
	return map1(bitNot[uint64])
}

func bitNot[T integer](a T) (T, error) { return ^a, nil }
