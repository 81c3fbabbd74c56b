package expr

import (
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// TimeRange says how far a time may be from an expression made of it: the time minus the
// expression is at least LowMicros and at most HighMicros.
type TimeRange struct{ LowMicros, HighMicros int64 }

// Exact reports whether the expression tells the time.
func (r TimeRange) Exact() bool { return r.LowMicros == r.HighMicros }

// plus is the range of a time that is a part more than the expression, by between low and
// high.
func (r TimeRange) plus(low, high int64) TimeRange {
	return TimeRange{r.LowMicros + low, r.HighMicros + high}
}

// rangeMicrosMax is the widest that a range may be: sums of a few of them do not overflow, nor
// do they with an event time.
const rangeMicrosMax = int64(1) << 60

// TimeRangeOf follows an expression down to a time: column(c) is the range of that time around
// a column, ok being false for a column that says nothing about it. Known are constant
// intervals added and taken away, date_trunc, time_bucket, and casts between TIMESTAMP and
// DATE. For all else ok is false.
func TimeRangeOf(e Expr, column func(e Expr) (TimeRange, bool)) (r TimeRange, ok bool) {
	if r, ok = column(e); ok {
		return r, true
	}
	c, is := e.(*call)
	if !is {
		return r, false
	}
	at := 0 // the operand that is the time
	var low, high int64
	switch {
	case c.name == "cast" && isInstant(c.t) && isInstant(c.args[0].Type()):
		if c.t.Kind == types.Date && c.args[0].Type().Kind == types.Timestamp {
			high = types.DayMicros - 1
		}
	case (c.name == "+" || c.name == "-") && len(c.args) == 2 && isInstant(c.t):
		low, high, ok = stepOf(c.args[1])
		if !ok {
			return r, false
		}
		if c.name == "+" { // the time is before the sum
			low, high = -high, -low
		}
	case c.name == "date_trunc" && isInstant(c.t):
		at = 1
		high, ok = unitMicrosOf(c.args[0])
		high--
	case c.name == "time_bucket" && len(c.args) >= 2:
		at = 1
		_, high, ok = stepOf(c.args[0])
		high--
		// An offset in months moves by the length of a month, which its bucket does not have.
		ok = ok && (len(c.args) == 2 || hasNoMonths(c.args[2]))
	default:
		return r, false
	}
	if !ok && at == 1 {
		return r, false
	}
	if r, ok = TimeRangeOf(c.args[at], column); !ok {
		return r, false
	}
	r = r.plus(low, high)
	return r, r.LowMicros > -rangeMicrosMax && r.HighMicros < rangeMicrosMax
}

func isInstant(t types.Type) bool { return t.Kind == types.Timestamp || t.Kind == types.Date }

// stepOf returns the least and the greatest length of a constant interval, or number of days.
func stepOf(e Expr) (low, high int64, ok bool) {
	const shortMonthDays, longMonthDays = 28, 31
	l, is := e.(*Literal)
	if !is || l.IsNull() {
		return 0, 0, false
	}
	switch a := l.arr.(type) {
	case *array.MonthDayNanoInterval:
		i := types.IntervalOf(a.Value(0))
		rest, ok := stepMicros(a.Value(0))
		low, high = int64(i.Months)*shortMonthDays*types.DayMicros, int64(i.Months)*longMonthDays*types.DayMicros
		return min(low, high) + rest, max(low, high) + rest, ok
	case *array.Int32:
		days := int64(a.Value(0)) * types.DayMicros
		return days, days, true
	}
	return 0, 0, false
}

func hasNoMonths(e Expr) bool {
	l, is := e.(*Literal)
	if !is || l.IsNull() {
		return false
	}
	a, is := l.arr.(*array.MonthDayNanoInterval)
	return !is || a.Value(0).Months == 0
}

// unitMicrosOf returns the greatest length of a unit of date_trunc.
func unitMicrosOf(unit Expr) (int64, bool) {
	const longMonthDays, longYearDays = 31, 371 // an ISO year has up to 53 weeks
	l, is := unit.(*Literal)
	if !is || l.IsNull() {
		return 0, false
	}
	name, is := types.StringsOf(l.arr)
	if !is {
		return 0, false
	}
	t, ok := truncationOf(name.Value(0))
	switch {
	case !ok:
		return 0, false
	case t.unitMicros > 0:
		return t.unitMicros, true
	case t.unitDays > 0:
		return t.unitDays * types.DayMicros, true
	case t.months < 12:
		return t.months * longMonthDays * types.DayMicros, true
	}
	return t.months / 12 * longYearDays * types.DayMicros, true
}
