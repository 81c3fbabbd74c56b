package expr

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/sql/types"
)

// toNumber returns the kernel of a cast between numbers, or from BOOLEAN.
func (c *caster) toNumber() kernel {
	switch c.to.Kind {
	case types.TinyInt:
		return toInteger[int8](c)
	case types.SmallInt:
		return toInteger[int16](c)
	case types.Int:
		return toInteger[int32](c)
	case types.BigInt:
		return toInteger[int64](c)
	case types.UTinyInt:
		return toInteger[uint8](c)
	case types.USmallInt:
		return toInteger[uint16](c)
	case types.UInt:
		return toInteger[uint32](c)
	case types.UBigInt:
		return toInteger[uint64](c)
	case types.Float:
		return toFloat[float32](c)
	case types.Double:
		return toFloat[float64](c)
	}
	return c.toDecimal()
}

func toInteger[B integer](c *caster) kernel {
	switch c.from.Kind {
	case types.Boolean:
		return map1(func(a bool) (B, error) { return B(bit(a)), nil })
	case types.TinyInt:
		return integerToInteger[int8, B](c)
	case types.SmallInt:
		return integerToInteger[int16, B](c)
	case types.Int:
		return integerToInteger[int32, B](c)
	case types.BigInt:
		return integerToInteger[int64, B](c)
	case types.UTinyInt:
		return integerToInteger[uint8, B](c)
	case types.USmallInt:
		return integerToInteger[uint16, B](c)
	case types.UInt:
		return integerToInteger[uint32, B](c)
	case types.UBigInt:
		return integerToInteger[uint64, B](c)
	case types.Float:
		return map1(func(a float32) (B, error) { return floatToInteger[B](c, float64(a)) })
	case types.Double:
		return map1(func(a float64) (B, error) { return floatToInteger[B](c, a) })
	}
	scale := c.from.Scale
	return map1(func(a decimal128.Num) (B, error) {
		r, ok := decimalToInteger[B](rescaleDown(a, scale))
		if !ok {
			return 0, c.tooLarge(types.AppendDecimal(nil, a, scale))
		}
		return r, nil
	})
}

// integerToInteger converts run by run and looks for the row only when one of them
// does not fit.
func integerToInteger[A, B integer](c *caster) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a := read[A](args[0])
		out := make([]B, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			hi := min(lo+runRows, f.rows)
			misfit := false
			for i, x := range a.run(lo, hi) {
				r := B(x)
				out[lo+i] = r
				misfit = misfit || A(r) != x || (r < 0) != (x < 0)
			}
			if !misfit {
				continue
			}
			for i := lo; i < hi; i++ {
				if x, r := a.at(i), out[i]; f.valid.has(i) && (A(r) != x || (r < 0) != (x < 0)) {
					if err := f.settle(i, c.tooLarge(appendInteger64(nil, x))); err != nil {
						return nil, err
					}
				}
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

func appendInteger64[T integer](dst []byte, v T) []byte {
	if isSigned[T]() {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendUint(dst, uint64(v), 10)
}

// integerRange returns the least value of a type and the first one beyond it.
func integerRange[T integer]() (least, beyond float64) {
	var zero T
	width := int(unsafe.Sizeof(zero)) * 8
	if isSigned[T]() {
		return -math.Ldexp(1, width-1), math.Ldexp(1, width-1)
	}
	return 0, math.Ldexp(1, width)
}

// floatToInteger rounds halves to even, as DuckDB.
func floatToInteger[B integer](c *caster, a float64) (B, error) {
	least, beyond := integerRange[B]()
	r := math.RoundToEven(a)
	if !(r >= least && r < beyond) {
		return 0, c.tooLarge(types.AppendDouble(nil, a, 64))
	}
	return B(r), nil
}

// decimalToInteger converts a DECIMAL without scale.
func decimalToInteger[B integer](a decimal128.Num) (B, bool) {
	lo := a.LowBits()
	if isSigned[B]() {
		return B(lo), isWord(a) && int64(B(lo)) == int64(lo)
	}
	return B(lo), a.HighBits() == 0 && uint64(B(lo)) == lo
}

func toFloat[B float](c *caster) kernel {
	switch c.from.Kind {
	case types.Boolean:
		return map1(func(a bool) (B, error) { return B(bit(a)), nil })
	case types.TinyInt:
		return convertRuns[int8, B]
	case types.SmallInt:
		return convertRuns[int16, B]
	case types.Int:
		return convertRuns[int32, B]
	case types.BigInt:
		return convertRuns[int64, B]
	case types.UTinyInt:
		return convertRuns[uint8, B]
	case types.USmallInt:
		return convertRuns[uint16, B]
	case types.UInt:
		return convertRuns[uint32, B]
	case types.UBigInt:
		return convertRuns[uint64, B]
	case types.Float:
		return convertRuns[float32, B]
	case types.Double:
		return map1(func(a float64) (B, error) {
			r := B(a)
			if math.IsInf(float64(r), 0) && !math.IsInf(a, 0) {
				return 0, c.tooLarge(types.AppendDouble(nil, a, 64))
			}
			return r, nil
		})
	}
	scale := c.from.Scale
	return map1(func(a decimal128.Num) (B, error) { return B(decimalToDouble(a, scale)), nil })
}

// convertRuns converts numbers that all have a nearest value of the type.
func convertRuns[A integer | float, B float](f *frame, args []vec) (arrow.Array, error) {
	a := read[A](args[0])
	out := make([]B, f.rows)
	for lo := 0; lo < f.rows; lo += runRows {
		hi := min(lo+runRows, f.rows)
		for i, x := range a.run(lo, hi) {
			out[lo+i] = B(x)
		}
	}
	return newValues(f.arrow, out, f.valid), nil
}

func decimalToDouble(a decimal128.Num, scale int32) float64 {
	const exact = 1 << 53
	if v := int64(a.LowBits()); isWord(a) && v > -exact && v < exact && scale <= 22 {
		return float64(v) / math.Pow10(int(scale)) // both exact: one rounding
	}
	// The text is exact, and reading it rounds once.
	v, _ := strconv.ParseFloat(string(types.AppendDecimal(nil, a, scale)), 64)
	return v
}

func (c *caster) toDecimal() kernel {
	to := c.to
	switch c.from.Kind {
	case types.Decimal:
		return map1(func(a decimal128.Num) (decimal128.Num, error) {
			r, ok := rescale(a, c.from.Scale, to)
			if !ok {
				return r, c.tooLarge(types.AppendDecimal(nil, a, c.from.Scale))
			}
			return r, nil
		})
	case types.Float:
		return map1(func(a float32) (decimal128.Num, error) { return c.floatToDecimal(float64(a)) })
	case types.Double:
		return map1(c.floatToDecimal)
	case types.Boolean:
		return map1(func(a bool) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromU64(uint64(bit(a)))) })
	case types.UTinyInt:
		return map1(func(a uint8) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromU64(uint64(a))) })
	case types.USmallInt:
		return map1(func(a uint16) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromU64(uint64(a))) })
	case types.UInt:
		return map1(func(a uint32) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromU64(uint64(a))) })
	case types.UBigInt:
		return map1(func(a uint64) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromU64(a)) })
	case types.TinyInt:
		return map1(func(a int8) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromI64(int64(a))) })
	case types.SmallInt:
		return map1(func(a int16) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromI64(int64(a))) })
	case types.Int:
		return map1(func(a int32) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromI64(int64(a))) })
	}
	return map1(func(a int64) (decimal128.Num, error) { return c.integerToDecimal(decimal128.FromI64(a)) })
}

func (c *caster) integerToDecimal(a decimal128.Num) (decimal128.Num, error) {
	r, ok := rescale(a, 0, c.to)
	if !ok {
		return r, c.tooLarge(types.AppendDecimal(nil, a, 0))
	}
	return r, nil
}

// floatToDecimal scales, then rounds halves to even, as DuckDB.
func (c *caster) floatToDecimal(a float64) (decimal128.Num, error) {
	r := math.RoundToEven(a * math.Pow10(int(c.to.Scale)))
	if !(math.Abs(r) < math.Pow10(int(c.to.Precision))) {
		return decimal128.Num{}, c.tooLarge(types.AppendDouble(nil, a, 64))
	}
	if math.Abs(r) < math.MaxInt64 {
		return decimal128.FromI64(int64(r)), nil
	}
	v, ok := types.ParseDecimal(strconv.AppendFloat(nil, r, 'f', 0, 64), c.to.Precision, 0)
	if !ok {
		return v, c.tooLarge(types.AppendDouble(nil, a, 64))
	}
	return v, nil
}

// rescale brings a to the scale of t, rounding halves away from zero; ok is false
// if it has too many digits then.
func rescale(a decimal128.Num, scale int32, t types.Type) (r decimal128.Num, ok bool) {
	if scale > t.Scale {
		r = rescaleDown(a, scale-t.Scale)
		return r, r.FitsInPrecision(t.Precision)
	}
	grow := t.Scale - scale
	if grow == 0 {
		return a, a.FitsInPrecision(t.Precision)
	}
	if !a.FitsInPrecision(t.Precision - grow) {
		return a, false
	}
	r, ok = multiplyDecimal(a, decimal128.GetScaleMultiplier(int(grow)))
	return r, ok
}

// rescaleDown drops digits, rounding halves away from zero.
func rescaleDown(a decimal128.Num, digits int32) decimal128.Num {
	if digits == 0 {
		return a
	}
	unit := decimal128.GetScaleMultiplier(int(digits))
	if isWord(a) && isWord(unit) {
		v, u := int64(a.LowBits()), int64(unit.LowBits())
		q, rest := v/u, v%u
		switch {
		case rest >= u-rest && rest > 0:
			q++
		case -rest >= u+rest && rest < 0:
			q--
		}
		return decimal128.FromI64(q)
	}
	return a.ReduceScaleBy(digits, true)
}

func (c *caster) numberToBool() kernel {
	switch c.from.Kind {
	case types.TinyInt:
		return map1(notZero[int8])
	case types.SmallInt:
		return map1(notZero[int16])
	case types.Int:
		return map1(notZero[int32])
	case types.BigInt:
		return map1(notZero[int64])
	case types.UTinyInt:
		return map1(notZero[uint8])
	case types.USmallInt:
		return map1(notZero[uint16])
	case types.UInt:
		return map1(notZero[uint32])
	case types.UBigInt:
		return map1(notZero[uint64])
	case types.Float:
		return map1(notZero[float32])
	case types.Double:
		return map1(notZero[float64])
	}
	return map1(func(a decimal128.Num) (bool, error) { return a != (decimal128.Num{}), nil })
}

func notZero[T integer | float](a T) (bool, error) { return a != 0, nil }
