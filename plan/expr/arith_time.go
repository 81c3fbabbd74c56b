package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// interval is how a column holds INTERVAL.
type interval = arrow.MonthDayNanoInterval

// bindTemporal binds arithmetic with dates, timestamps and intervals; it returns
// nil for a pair of types that has none.
func bindTemporal(op string, l, r Expr, lt, rt types.Type, span sqlerr.Span) (Expr, error) {
	isTime := func(t types.Type) bool { return t.Kind == types.Date || t.Kind == types.Timestamp }
	isInterval := func(t types.Type) bool { return t.Kind == types.IntervalKind }
	switch {
	case op == "+" && isTime(rt) && (isInterval(lt) || lt.IsInteger()):
		return bindTemporal(op, r, l, rt, lt, span)
	case (op == "+" || op == "-") && isTime(lt) && isInterval(rt):
		return typedCall(op, l, tTimestamp, r, tInterval, tTimestamp, shiftKernel(op == "-"), span)
	case (op == "+" || op == "-") && lt.Kind == types.Date && rt.IsInteger():
		return typedCall(op, l, tDate, r, tInt, tDate, map2(shiftDays(op)), span)
	case op == "-" && lt.Kind == types.Date && rt.Kind == types.Date:
		return typedCall(op, l, tDate, r, tDate, tBigInt, map2(func(a, b int32) (int64, error) { return int64(a) - int64(b), nil }), span)
	case op == "-" && isTime(lt) && isTime(rt):
		return typedCall(op, l, tTimestamp, r, tTimestamp, tInterval, map2(timestampDifference), span)
	case (op == "+" || op == "-") && isInterval(lt) && isInterval(rt):
		return typedCall(op, l, tInterval, r, tInterval, tInterval, map2(addIntervals(op)), span)
	case op == "*" && isInterval(rt) && lt.IsInteger():
		return bindTemporal(op, r, l, rt, lt, span)
	case op == "*" && isInterval(lt) && rt.IsInteger():
		return typedCall(op, l, tInterval, r, tBigInt, tInterval, map2(multiplyInterval), span)
	case (op == "/" || op == "//" || op == "DIV") && isInterval(lt) && rt.IsInteger():
		return typedCall("/", l, tInterval, r, tBigInt, tInterval, map2(divideInterval), span)
	}
	return nil, nil
}

// typedCall returns l op r after casts of both sides.
func typedCall(op string, l Expr, lt types.Type, r Expr, rt, t types.Type, k kernel, span sqlerr.Span) (Expr, error) {
	l, err := implicit(l, lt, span)
	if err != nil {
		return nil, err
	}
	if r, err = implicit(r, rt, span); err != nil {
		return nil, err
	}
	return newCall(spec{name: op, t: t, nullable: anyNullable(l, r) || op == "/", span: span, form: infix(op), kern: k}, l, r), nil
}

// shiftKernel moves timestamps by intervals. A constant interval without months is
// a plain addition, the form that event times are moved in.
func shiftKernel(minus bool) kernel {
	general := map2(func(ts int64, i interval) (int64, error) {
		if minus {
			i = interval{Months: -i.Months, Days: -i.Days, Nanoseconds: -i.Nanoseconds}
		}
		return addToTimestamp(ts, i)
	})
	return func(f *frame, args []vec) (arrow.Array, error) {
		if !args[1].konst || args[0].konst {
			return general(f, args)
		}
		i := valuesOf[interval](args[1].arr)[0]
		micros, ok := stepMicros(i)
		if !ok || i.Months != 0 {
			return general(f, args)
		}
		if minus {
			micros = -micros
		}
		in := valuesOf[int64](args[0].arr)
		out := make([]int64, f.rows)
		overflow := false
		for i, ts := range in {
			r := ts + micros
			overflow = overflow || (ts^r)&(micros^r) < 0
			out[i] = r
		}
		if overflow {
			return general(f, args)
		}
		return newValues(f.arrow, out, f.valid), nil
	}
}

func timeOverflow() error {
	return sqlerr.New(codeOutOfRange, "the result is outside the range of TIMESTAMP")
}

// addToTimestamp adds months by the calendar, the day cut to the length of the
// month, then days, then clock time.
func addToTimestamp(ts int64, i interval) (int64, error) {
	if i.Months != 0 {
		days := floorDiv(ts, types.DayMicros)
		clock := ts - days*types.DayMicros
		days = addMonths(days, int64(i.Months))
		if days > math.MaxInt64/types.DayMicros-2 || days < math.MinInt64/types.DayMicros+2 {
			return 0, timeOverflow()
		}
		ts = days*types.DayMicros + clock
	}
	step, ok := stepMicros(i)
	r := ts + step
	if !ok || (ts^r)&(step^r) < 0 {
		return 0, timeOverflow()
	}
	return r, nil
}

// stepMicros returns the days and clock time of an interval; ok is false if they are
// more than any timestamp could be moved by.
func stepMicros(i interval) (micros int64, ok bool) {
	const daysMax = math.MaxInt64 / types.DayMicros / 2
	return int64(i.Days)*types.DayMicros + i.Nanoseconds/1000, int64(i.Days) < daysMax && int64(i.Days) > -daysMax
}

// addMonths moves days since 1970 by calendar months.
func addMonths(days, months int64) int64 {
	year, month, day := types.DateOf(days)
	total := int64(year)*12 + int64(month) - 1 + months
	y := floorDiv(total, 12)
	m := int(total-y*12) + 1
	return types.DaysOf(int(y), m, min(day, types.DaysInMonth(int(y), m)))
}

// floorDiv rounds down, where / rounds to zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func shiftDays(op string) func(date, n int32) (int32, error) {
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	return func(date, n int32) (int32, error) {
		r := int64(date) + sign*int64(n)
		if r != int64(int32(r)) {
			return 0, sqlerr.New(codeOutOfRange, "the result is outside the range of DATE")
		}
		return int32(r), nil
	}
}

// timestampDifference counts whole days, then clock time, as DuckDB.
func timestampDifference(a, b int64) (interval, error) {
	d := a - b
	if (a^b)&(a^d) < 0 {
		return interval{}, timeOverflow()
	}
	return interval{Days: int32(d / types.DayMicros), Nanoseconds: d % types.DayMicros * 1000}, nil
}

// intervalOf returns the column value, or the error of a part that overflows.
func intervalOf(i types.Interval, ok bool) (interval, error) {
	a, fits := i.Arrow()
	if !ok || !fits {
		return a, sqlerr.New(codeOverflow, "the result is outside the range of INTERVAL")
	}
	return a, nil
}

func addIntervals(op string) func(a, b interval) (interval, error) {
	return func(a, b interval) (interval, error) {
		y := types.IntervalOf(b)
		if op == "-" {
			y = y.Negate()
		}
		return intervalOf(types.IntervalOf(a).Add(y))
	}
}

func multiplyInterval(a interval, n int64) (interval, error) {
	return intervalOf(types.IntervalOf(a).Times(n))
}

// divideInterval divides each part, cutting the remainder, as DuckDB.
func divideInterval(a interval, n int64) (interval, error) {
	if n == 0 {
		return a, errNull
	}
	i := types.IntervalOf(a)
	return intervalOf(types.Interval{Months: int32(int64(i.Months) / n), Days: int32(int64(i.Days) / n), Micros: i.Micros / n}, true)
}
