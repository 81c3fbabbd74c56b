package expr

import (
	"math"
	"math/big"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// mathFunction binds a function of one DOUBLE that is defined everywhere.
func mathFunction(fn func(float64) float64) binder {
	return fixed(tDouble, map1(func(x float64) (float64, error) { return fn(x), nil }), tDouble)
}

// within binds a function of one DOUBLE that is defined for some values; domain
// says which in an error.
func within(defined func(float64) bool, domain string, fn func(float64) float64) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(tDouble)
		if err != nil {
			return nil, err
		}
		return b.call(tDouble, map1(func(x float64) (float64, error) {
			if !defined(x) && !math.IsNaN(x) {
				return 0, sqlerr.New(codeParameter, "%s expects %s, found %v", b.name, domain, x)
			}
			return fn(x), nil
		}), args...), nil
	}
}

func notNegative(x float64) bool   { return x >= 0 }
func otherThanZero(x float64) bool { return x != 0 }
func notInf(x float64) bool        { return !math.IsInf(x, 0) }
func finiteNotZero(x float64) bool { return x != 0 && !math.IsInf(x, 0) }
func positive(x float64) bool      { return x > 0 }
func unit(x float64) bool          { return x >= -1 && x <= 1 }

func mathFunction2(fn func(a, b float64) float64) binder {
	return fixed(tDouble, map2(func(a, b float64) (float64, error) { return fn(a, b), nil }), tDouble)
}

// bindPower binds pow(x, y), x ^ y and x ** y.
func bindPower(b *binding) (Expr, error) { return mathFunction2(math.Pow)(b) }

// bindLog binds log(x), of base 10, and log(base, x).
func bindLog(b *binding) (Expr, error) {
	if len(b.args) == 1 {
		return within(positive, "a number above 0", math.Log10)(b)
	}
	args, err := b.cast(tDouble)
	if err != nil {
		return nil, err
	}
	return b.call(tDouble, map2(func(base, x float64) (float64, error) {
		if base <= 0 || x <= 0 || base == 1 {
			return 0, sqlerr.New(codeParameter, "log expects a base and a number above 0, found %v and %v", base, x)
		}
		return math.Log(x) / math.Log(base), nil
	}), args...), nil
}

// bindAbs binds abs of any number.
func bindAbs(b *binding) (Expr, error) {
	x, err := b.number(0)
	if err != nil {
		return nil, err
	}
	t := x.Type()
	switch t.Kind {
	case types.TinyInt:
		return b.call(t, absInteger[int8](t), x), nil
	case types.SmallInt:
		return b.call(t, absInteger[int16](t), x), nil
	case types.Int:
		return b.call(t, absInteger[int32](t), x), nil
	case types.BigInt:
		return b.call(t, absInteger[int64](t), x), nil
	case types.Float:
		return b.harmless(t, map1(func(x float32) (float32, error) { return float32(math.Abs(float64(x))), nil }), x), nil
	case types.Double:
		return b.harmless(t, map1(func(x float64) (float64, error) { return math.Abs(x), nil }), x), nil
	case types.Decimal:
		return b.harmless(t, map1(func(x decimal128.Num) (decimal128.Num, error) { return x.Abs(), nil }), x), nil
	}
	return x, nil
}

// number returns an argument that has to be a number; untyped text and NULL become
// DOUBLE.
func (b *binding) number(i int) (Expr, error) {
	if b.args[i].Type().IsNumeric() {
		return b.args[i], nil
	}
	e, err := b.arg(i, tDouble)
	if err != nil {
		return nil, b.mismatch(i, "a number")
	}
	return e, nil
}

func absInteger[T integer](t types.Type) kernel {
	return map1(func(x T) (T, error) {
		if x >= 0 {
			return x, nil
		}
		if x == -x {
			return 0, sqlerr.New(codeOverflow, "abs(%v) does not fit %s", x, t).WithHint("cast it to a wider type")
		}
		return -x, nil
	})
}

// toWhole binds ceil, floor and, for other types than integers, trunc: a DECIMAL
// loses its scale, an integer becomes a DOUBLE as in DuckDB.
func toWhole(fn func(float64) float64) binder {
	return func(b *binding) (Expr, error) {
		x, err := b.number(0)
		if err != nil {
			return nil, err
		}
		switch t := x.Type(); t.Kind {
		case types.Float:
			return b.harmless(t, map1(func(x float32) (float32, error) { return float32(fn(float64(x))), nil }), x), nil
		case types.Decimal:
			return b.harmless(types.DecimalOf(t.Precision, 0), map1(func(x decimal128.Num) (decimal128.Num, error) {
				return wholeDecimal(x, t.Scale, fn), nil
			}), x), nil
		}
		return mathFunction(fn)(&binding{name: b.name, args: []Expr{x}, span: b.span})
	}
}

// wholeDecimal rounds to a whole number, in the direction in which fn, one of ceil,
// floor and trunc, rounds a half.
func wholeDecimal(x decimal128.Num, scale int32, fn func(float64) float64) decimal128.Num {
	if scale == 0 {
		return x
	}
	unit := decimal128.GetScaleMultiplier(int(scale))
	q, rest := x.Div(unit)
	switch {
	case rest.Sign() > 0 && fn(0.5) > 0:
		q = addDecimal(q, decimal128.FromI64(1))
	case rest.Sign() < 0 && fn(-0.5) < 0:
		q = addDecimal(q, decimal128.FromI64(-1))
	}
	return q
}

// bindTrunc binds trunc(x), which leaves integers as they are.
func bindTrunc(b *binding) (Expr, error) {
	if b.args[0].Type().IsInteger() {
		return b.args[0], nil
	}
	return toWhole(math.Trunc)(b)
}

// bindRound binds round(x [, places]): halves away from zero. A DECIMAL gets the
// scale of constant places.
func bindRound(b *binding) (Expr, error) {
	if len(b.args) == 1 {
		if b.args[0].Type().Kind == types.Decimal {
			return b.roundDecimal(b.args[0], 0), nil
		}
		return toWhole(math.Round)(b)
	}
	x, err := b.number(0)
	if err != nil {
		return nil, err
	}
	n, err := b.arg(1, tBigInt)
	if err != nil {
		return nil, err
	}
	t := x.Type()
	if places, ok := literalInt(n); ok && t.Kind == types.Decimal {
		return b.roundDecimal(x, places), nil
	}
	switch t.Kind {
	case types.Float:
		return b.harmless(t, map2(func(x float32, n int64) (float32, error) { return float32(roundTo(float64(x), n)), nil }), x, n), nil
	case types.Double:
	default:
		if x, err = implicit(x, tDouble, b.span); err != nil {
			return nil, err
		}
	}
	return b.harmless(tDouble, map2(func(x float64, n int64) (float64, error) { return roundTo(x, n), nil }), x, n), nil
}

// roundTo rounds as DuckDB does: by way of a power of ten, x itself if that
// overflows.
func roundTo(x float64, places int64) float64 {
	if places < 0 {
		unit := math.Pow10(int(max(-places, -400)))
		r := math.Round(x/unit) * unit
		if math.IsInf(r, 0) || math.IsNaN(r) {
			return 0
		}
		return r
	}
	unit := math.Pow10(int(min(places, 400)))
	if r := math.Round(x*unit) / unit; !math.IsInf(r, 0) && !math.IsNaN(r) {
		return r
	}
	return x
}

func (b *binding) roundDecimal(x Expr, places int64) Expr {
	t := x.Type()
	if places >= int64(t.Scale) {
		return x
	}
	to := types.DecimalOf(t.Precision, int32(max(places, 0)))
	drop := int64(t.Scale) - places
	return b.harmless(to, map1(func(x decimal128.Num) (decimal128.Num, error) {
		if drop > types.DigitsMax {
			return decimal128.Num{}, nil
		}
		r := rescaleDown(x, int32(drop))
		if places < 0 {
			r, _ = multiplyDecimal(r, decimal128.GetScaleMultiplier(int(-places)))
		}
		return r, nil
	}), x)
}

// bindSign binds sign(x): -1, 0 or 1, 0 for NaN.
func bindSign(b *binding) (Expr, error) {
	x, err := b.number(0)
	if err != nil {
		return nil, err
	}
	if x.Type().Kind == types.Decimal {
		return b.harmless(types.Of(types.TinyInt), map1(func(x decimal128.Num) (int8, error) { return int8(x.Sign()), nil }), x), nil
	}
	if x, err = implicit(x, tDouble, b.span); err != nil {
		return nil, err
	}
	return b.harmless(types.Of(types.TinyInt), map1(func(x float64) (int8, error) {
		return int8(bit(x > 0)) - int8(bit(x < 0)), nil
	}), x), nil
}

// floatTest binds isnan, isinf and isfinite.
func floatTest(test func(float64) bool) binder {
	return fixed(tBool, map1(func(x float64) (bool, error) { return test(x), nil }), tDouble)
}

func isInf(x float64) bool    { return math.IsInf(x, 0) }
func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
func cot(x float64) float64   { return 1 / math.Tan(x) }
func degrees(x float64) float64 {
	return x * (180 / math.Pi)
}
func radians(x float64) float64 { return x * (math.Pi / 180) }

// even rounds away from zero to the next even number.
func even(x float64) float64 {
	if x < 0 {
		return -even(-x)
	}
	return math.Ceil(x/2) * 2
}

func gamma(x float64) float64 { return math.Gamma(x) }

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

func gcd(a, b int64) (int64, error) {
	for b != 0 {
		a, b = b, a%b
	}
	if a == math.MinInt64 {
		return 0, sqlerr.New(codeOverflow, "the greatest common divisor does not fit BIGINT")
	}
	return max(a, -a), nil
}

func lcm(a, b int64) (int64, error) {
	g, err := gcd(a, b)
	if err != nil || g == 0 {
		return 0, err
	}
	if a /= g; productOverflows(a, b) || a*b == math.MinInt64 {
		return 0, sqlerr.New(codeOverflow, "the least common multiple of %d and %d does not fit BIGINT", a*g, b)
	}
	return max(a*b, -a*b), nil
}

// factorial returns n! as DECIMAL(38,0), DuckDB's HUGEINT.
func factorial(n int64) (decimal128.Num, error) {
	const most = 33 // 34! has 39 digits
	if n > most {
		return decimal128.Num{}, sqlerr.New(codeOverflow, "factorial(%d) does not fit 38 digits", n)
	}
	return decimal128.FromBigInt(new(big.Int).MulRange(1, max(n, 1))), nil
}

// bindBitCount binds bit_count of an integer, its negative values in two's
// complement of their own width.
func bindBitCount(b *binding) (Expr, error) {
	t := b.args[0].Type()
	tiny := types.Of(types.TinyInt)
	switch t.Kind {
	case types.TinyInt:
		return b.harmless(tiny, map1(bitCount[int8]), b.args[0]), nil
	case types.SmallInt:
		return b.harmless(tiny, map1(bitCount[int16]), b.args[0]), nil
	case types.Int:
		return b.harmless(tiny, map1(bitCount[int32]), b.args[0]), nil
	}
	return fixed(tiny, map1(bitCount[int64]), tBigInt)(b)
}

func bitCount[T integer](x T) (int8, error) {
	width := uint(unsafe.Sizeof(x)) * 8
	return int8(bits.OnesCount64(uint64(x) << (64 - width))), nil
}

// bindXor binds xor of two whole numbers.
func bindXor(b *binding) (Expr, error) {
	t, ok := commonType(b.args[0].Type(), b.args[1].Type())
	if !ok || t.Kind != types.Int {
		t = tBigInt
	}
	k := map2(func(x, y int64) (int64, error) { return x ^ y, nil })
	if t.Kind == types.Int {
		k = map2(func(x, y int32) (int32, error) { return x ^ y, nil })
	}
	return fixed(t, k, t)(b)
}

// operator binds a function that is an operator by another name.
func operator(op string) binder {
	return func(b *binding) (Expr, error) { return BindBinary(op, b.args[0], b.args[1], b.span) }
}

// bindTryDivide binds try_divide(a, b), Spark's: a / b, NULL for a divisor of 0.
func bindTryDivide(b *binding) (Expr, error) {
	args, err := b.cast(tDouble)
	if err != nil {
		return nil, err
	}
	return b.partial(tDouble, map2(func(x, y float64) (float64, error) {
		if y == 0 {
			return 0, errNull
		}
		return x / y, nil
	}), args...), nil
}

// bindPi binds pi().
func bindPi(*binding) (Expr, error) { return NewLiteral(tDouble, math.Pi), nil }

// bindRandom binds random(): numbers from 0 up to 1 that follow from the batch's
// seed, the row and the place of the call, so that a replay gives the same ones.
func bindRandom(b *binding) (Expr, error) {
	return b.volatile(tDouble, func(f *frame, _ []vec) (arrow.Array, error) {
		out := make([]float64, f.rows)
		for i := range out {
			out[i] = float64(f.random(i, 0)>>11) / (1 << 53)
		}
		return newValues(f.arrow, out, f.valid), nil
	}), nil
}

// bindUUID binds uuid(): a version 4 UUID as text, made like random().
func bindUUID(b *binding) (Expr, error) {
	return b.volatile(tVarchar, func(f *frame, _ []vec) (arrow.Array, error) {
		return eachText(f, func(dst []byte, i int) ([]byte, error) {
			return appendUUID(dst, f.random(i, 0), f.random(i, 1)), nil
		})
	}), nil
}

func appendUUID(dst []byte, hi, lo uint64) []byte {
	const hex = "0123456789abcdef"
	hi = hi&^0xf000 | 0x4000 // version 4
	lo = lo&^(3<<62) | 1<<63 // variant 1
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			dst = append(dst, '-')
		}
		word := hi
		if i >= 16 {
			word = lo
		}
		dst = append(dst, hex[word>>(60-4*(i%16))&15])
	}
	return dst
}

// volatile returns a call that depends on the context.
func (b *binding) volatile(t types.Type, k kernel) Expr {
	return newCall(spec{name: b.name, t: t, span: b.span, kern: k, volatile: true, total: true})
}

// random returns 64 bits that follow from the seed of the batch, the row of the
// batch, the place of the call in the statement and a stream number.
func (f *frame) random(row int, stream uint64) uint64 {
	x := uint64(f.ctx.Seed)
	for _, part := range [...]uint64{uint64(f.ctx.FirstRow) + uint64(row), uint64(f.spec.span.Start), stream} {
		x = mix(x + 0x9e3779b97f4a7c15 ^ mix(part))
	}
	return x
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
