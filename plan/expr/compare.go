package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// comparison is how an operator is made of the three tests that kernels have:
// x op y is test(x, y), test(y, x) for swap, and the opposite for negate. That is
// sound because every type has a total order: NaN equals itself and is greatest.
type comparison struct {
	test         test
	swap, negate bool
	distinct     bool // NULL is a value: IS NOT DISTINCT FROM
}

type test uint8

const (
	testEqual test = iota
	testLess
)

// comparisonOf returns the row of an operator.
func comparisonOf(op string) (c comparison, ok bool) {
	switch op {
	case "=", "==":
		return comparison{test: testEqual}, true
	case "<>", "!=":
		return comparison{test: testEqual, negate: true}, true
	case "<":
		return comparison{test: testLess}, true
	case ">":
		return comparison{test: testLess, swap: true}, true
	case "<=":
		return comparison{test: testLess, swap: true, negate: true}, true
	case ">=":
		return comparison{test: testLess, negate: true}, true
	case "<=>":
		return comparison{test: testEqual, distinct: true}, true
	}
	return comparison{}, false
}

func bindComparison(op string, l, r Expr, span sqlerr.Span) (Expr, error) {
	c, _ := comparisonOf(op)
	l, r, err := comparableSides(l, r, span)
	if err != nil {
		return nil, err
	}
	switch op {
	case "==":
		op = "="
	case "!=":
		op = "<>"
	}
	return newCall(spec{name: op, t: tBool, nullable: !c.distinct && anyNullable(l, r), span: span,
		lenient: c.distinct, total: true, form: infix(op), kern: compareKernel(c, l.Type())}, l, r), nil
}

// comparableSides brings two expressions to the type they are compared in. A VARCHAR
// column meets a whole number as that number, as in DuckDB; any other mix of text
// with something else needs a cast that is written out.
func comparableSides(l, r Expr, span sqlerr.Span) (Expr, Expr, error) {
	lt, rt := l.Type(), r.Type()
	var t types.Type
	switch {
	case lt.Kind == types.Varchar && isUntyped(r) && rt.IsInteger():
		t = rt
	case rt.Kind == types.Varchar && isUntyped(l) && lt.IsInteger():
		t = lt
	default:
		var err error
		if t, err = unifiedType([]Expr{l, r}, span); err != nil {
			return nil, nil, sqlerr.At(span, codeMismatch, "expected two values of one type to compare, found %s and %s", lt, rt).
				WithHint("write CAST(... AS %s) around the other side", mixTarget(lt, rt))
		}
	}
	if t.Kind == types.Null {
		t = tInt
	}
	l, err := implicit(l, t, span)
	if err != nil {
		return nil, nil, err
	}
	r, err = implicit(r, t, span)
	return l, r, err
}

// mixTarget returns which of two types a hint should cast to.
func mixTarget(a, b types.Type) types.Type {
	if a.Kind == types.Varchar {
		return b
	}
	return a
}

// compareKernel returns the kernel of a comparison of two operands of type t.
func compareKernel(c comparison, t types.Type) kernel {
	switch t.Kind {
	case types.TinyInt:
		return compareOrdered[int8](c)
	case types.SmallInt:
		return compareOrdered[int16](c)
	case types.Int, types.Date:
		return compareOrdered[int32](c)
	case types.BigInt, types.Timestamp:
		return compareOrdered[int64](c)
	case types.UTinyInt:
		return compareOrdered[uint8](c)
	case types.USmallInt:
		return compareOrdered[uint16](c)
	case types.UInt:
		return compareOrdered[uint32](c)
	case types.UBigInt:
		return compareOrdered[uint64](c)
	case types.Float:
		return compareFloat[float32](c)
	case types.Double:
		return compareFloat[float64](c)
	case types.Varchar, types.Blob:
		return compareOrdered[string](c)
	case types.Decimal:
		return compareBy(c, decimalEqual, decimalLess)
	case types.Boolean:
		return compareBy(c, func(a, b bool) bool { return a == b }, func(a, b bool) bool { return !a && b })
	case types.IntervalKind:
		return compareBy(c, intervalEqual, intervalLess)
	}
	return compareNested(c, t)
}

func decimalEqual(a, b decimal128.Num) bool { return a == b }

func decimalLess(a, b decimal128.Num) bool {
	return a.HighBits() < b.HighBits() || a.HighBits() == b.HighBits() && a.LowBits() < b.LowBits()
}

// normalInterval counts 30 days as a month and 24 hours as a day, DuckDB's order
// of intervals.
func normalInterval(v arrow.MonthDayNanoInterval) (months, days, nanos int64) {
	const dayNanos = types.DayMicros * 1000
	nanos = v.Nanoseconds
	days = int64(v.Days) + nanos/dayNanos
	nanos %= dayNanos
	months = int64(v.Months) + days/30
	days %= 30
	return months, days, nanos
}

// NormalInterval returns the one interval that stands for all that are equal to v: 24 hours
// are a day and 30 days a month, but for what is no whole number of months, which stays in
// days as differences of times have them. An interval at the end of its range stands for
// itself.
func NormalInterval(v arrow.MonthDayNanoInterval) arrow.MonthDayNanoInterval {
	months, days, nanos := normalInterval(v)
	sameSign := months > 0 && days >= 0 && nanos >= 0 || months < 0 && days <= 0 && nanos <= 0
	if whole := 30*months + days; sameSign && (days != 0 || nanos != 0) && int64(int32(whole)) == whole {
		months, days = 0, whole
	}
	if int64(int32(months)) != months || int64(int32(days)) != days {
		return v
	}
	return arrow.MonthDayNanoInterval{Months: int32(months), Days: int32(days), Nanoseconds: nanos}
}

// byValue returns a column in which equal values have equal parts: intervals are normal
// ones.
func byValue(a arrow.Array) arrow.Array {
	in, ok := a.(*array.MonthDayNanoInterval)
	if !ok {
		return a
	}
	b := array.NewMonthDayNanoIntervalBuilder(memory.DefaultAllocator)
	defer b.Release()
	for i := range in.Len() {
		if in.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.Append(NormalInterval(in.Value(i)))
	}
	return b.NewArray()
}

func intervalEqual(a, b arrow.MonthDayNanoInterval) bool {
	am, ad, an := normalInterval(a)
	bm, bd, bn := normalInterval(b)
	return am == bm && ad == bd && an == bn
}

func intervalLess(a, b arrow.MonthDayNanoInterval) bool {
	am, ad, an := normalInterval(a)
	bm, bd, bn := normalInterval(b)
	return am < bm || am == bm && (ad < bd || ad == bd && an < bn)
}

type ordered interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | string
}

// bit returns 1 for true; the compiler makes it a flag move, not a branch.
func bit(b bool) byte {
	var v byte
	if b {
		v = 1
	}
	return v
}

// The loops below fill one byte of a bitmap from eight rows. They are written out
// because a comparison passed as a function is called once per row.

func equalRun[T ordered](out []byte, a, b []T) {
	for ; len(a) >= 8 && len(b) >= 8; a, b, out = a[8:], b[8:], out[1:] {
		out[0] = bit(a[0] == b[0]) | bit(a[1] == b[1])<<1 | bit(a[2] == b[2])<<2 | bit(a[3] == b[3])<<3 |
			bit(a[4] == b[4])<<4 | bit(a[5] == b[5])<<5 | bit(a[6] == b[6])<<6 | bit(a[7] == b[7])<<7
	}
	for i := range a {
		out[0] |= bit(a[i] == b[i]) << i
	}
}

func lessRun[T ordered](out []byte, a, b []T) {
	for ; len(a) >= 8 && len(b) >= 8; a, b, out = a[8:], b[8:], out[1:] {
		out[0] = bit(a[0] < b[0]) | bit(a[1] < b[1])<<1 | bit(a[2] < b[2])<<2 | bit(a[3] < b[3])<<3 |
			bit(a[4] < b[4])<<4 | bit(a[5] < b[5])<<5 | bit(a[6] < b[6])<<6 | bit(a[7] < b[7])<<7
	}
	for i := range a {
		out[0] |= bit(a[i] < b[i]) << i
	}
}

// A NaN is equal to a NaN and greater than all else: a < b also when only b is one.

func equalFloatRun[T float32 | float64](out []byte, a, b []T) {
	for i := range a {
		out[i>>3] |= bit(a[i] == b[i] || a[i] != a[i] && b[i] != b[i]) << (i & 7)
	}
}

func lessFloatRun[T float32 | float64](out []byte, a, b []T) {
	for i := range a {
		out[i>>3] |= bit(a[i] < b[i] || b[i] != b[i] && a[i] == a[i]) << (i & 7)
	}
}

func compareOrdered[T ordered](c comparison) kernel {
	if c.test == testEqual {
		return compareRuns(c, equalRun[T])
	}
	return compareRuns(c, lessRun[T])
}

func compareFloat[T float32 | float64](c comparison) kernel {
	if c.test == testEqual {
		return compareRuns(c, equalFloatRun[T])
	}
	return compareRuns(c, lessFloatRun[T])
}

// compareBy compares types that have no operators of their own.
func compareBy[T slot](c comparison, equal, less func(a, b T) bool) kernel {
	holds := less
	if c.test == testEqual {
		holds = equal
	}
	return compareRuns(c, func(out []byte, a, b []T) {
		for i := range a {
			out[i>>3] |= bit(holds(a[i], b[i])) << (i & 7)
		}
	})
}

// compareRuns returns the kernel that fills a bitmap run by run.
func compareRuns[T slot](c comparison, fill func(out []byte, a, b []T)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		l, r := args[0], args[1]
		if c.swap {
			l, r = r, l
		}
		bits := make([]byte, (f.rows+7)/8)
		if !l.isNull() && !r.isNull() {
			a, b := read[T](l), read[T](r)
			for lo := 0; lo < f.rows; lo += runRows {
				hi := min(lo+runRows, f.rows)
				fill(bits[lo/8:], a.run(lo, hi), b.run(lo, hi))
			}
		}
		return c.finish(f, bits, args), nil
	}
}

// finish turns the bits of the test into the operator's column.
func (c comparison) finish(f *frame, bits []byte, args []vec) arrow.Array {
	if c.negate {
		for i := range bits {
			bits[i] = ^bits[i]
		}
	}
	if c.distinct {
		l, r := newValidity(f.rows), newValidity(f.rows)
		l.and(args[0])
		r.and(args[1])
		if l.bits != nil || r.bits != nil {
			l.own()
			r.own()
			for i := range bits {
				// Equal values on both sides, or NULL on both.
				bits[i] = bits[i]&l.bits[i]&r.bits[i] | ^(l.bits[i] | r.bits[i])
			}
		}
	}
	return newBitmap(bits, f.valid)
}

// compareNested compares structs, lists and maps value by value.
func compareNested(c comparison, t types.Type) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		l, r := args[0], args[1]
		if c.swap {
			l, r = r, l
		}
		bits := make([]byte, (f.rows+7)/8)
		compare := comparer(t, l.arr, r.arr, !c.distinct)
		for i := range f.rows {
			x, y := l.row(i), r.row(i)
			if l.arr.IsNull(x) || r.arr.IsNull(y) {
				continue
			}
			order := compare(x, y)
			if order == unknown {
				f.valid.clear(i)
			}
			bitutil.SetBitTo(bits, i, order == 0 && c.test == testEqual || order < 0 && c.test == testLess)
		}
		return c.finish(f, bits, args), nil
	}
}
