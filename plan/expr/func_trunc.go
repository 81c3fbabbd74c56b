package expr

import (
	"math"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// truncation cuts a time to the start of a unit: by calendar days, or by clock time
// when unitMicros is set.
type truncation struct {
	unitMicros int64
	days       func(days int64) int64
	months     int64 // the unit in months, for intervals and differences; 0 for others
	unitDays   int64 // the unit in days, likewise
}

// truncationOf returns the unit of a name that dateParts knows.
func truncationOf(name string) (t truncation, ok bool) {
	p := findDatePart(name)
	if p == nil {
		return t, false
	}
	switch p.name {
	case "microsecond":
		return truncation{unitMicros: 1}, true
	case "millisecond":
		return truncation{unitMicros: 1000}, true
	case "second":
		return truncation{unitMicros: 1_000_000}, true
	case "minute":
		return truncation{unitMicros: 60_000_000}, true
	case "hour":
		return truncation{unitMicros: 3_600_000_000}, true
	case "day", "doy", "dow", "isodow":
		return truncation{days: func(d int64) int64 { return d }, unitDays: 1}, true
	case "week", "yearweek":
		return truncation{days: func(d int64) int64 { return d - floorMod(d+3, 7) }, unitDays: 7}, true
	case "isoyear":
		return truncation{days: startOfISOYear, months: 12}, true
	case "month":
		return truncation{days: startOfMonths(1), months: 1}, true
	case "quarter":
		return truncation{days: startOfMonths(3), months: 3}, true
	case "year":
		return truncation{days: startOfMonths(12), months: 12}, true
	case "decade":
		return truncation{days: startOfMonths(120), months: 120}, true
	case "century":
		return truncation{days: startOfMonths(1200), months: 1200}, true
	case "millennium":
		return truncation{days: startOfMonths(12000), months: 12000}, true
	}
	return t, false
}

func startOfMonths(unit int64) func(days int64) int64 {
	return func(days int64) int64 {
		year, month, _ := types.DateOf(days)
		return firstOfMonth(floorDiv(int64(year)*12+int64(month)-1, unit) * unit)
	}
}

// firstOfMonth returns the first day of a month counted from year 0.
func firstOfMonth(months int64) int64 {
	return types.DaysOf(int(floorDiv(months, 12)), int(floorMod(months, 12))+1, 1)
}

// startOfISOYear is the Monday of the week with the year's first Thursday.
func startOfISOYear(days int64) int64 {
	_, week := isoWeek(days)
	return days - floorMod(days+3, 7) - (week-1)*7
}

// bindDateTrunc binds date_trunc(unit, x): a DATE for units of a day or more, a
// TIMESTAMP for finer ones, an INTERVAL for an interval.
func bindDateTrunc(b *binding) (Expr, error) {
	name, err := b.partName(0)
	if err != nil {
		return nil, err
	}
	t, ok := truncationOf(name)
	if !ok {
		return nil, b.unknownPart(name)
	}
	unit := NewLiteral(tVarchar, findDatePart(name).name)
	if b.args[1].Type().Kind == types.IntervalKind {
		return b.harmless(tInterval, map2(func(_ string, v interval) (interval, error) {
			return intervalOf(t.truncateInterval(types.IntervalOf(v)), true)
		}), unit, b.args[1]), nil
	}
	ts, err := b.instant(1)
	if err != nil {
		return nil, err
	}
	if t.days != nil {
		return b.harmless(tDate, map2(func(_ string, us int64) (int32, error) {
			return int32(t.days(floorDiv(us, types.DayMicros))), nil
		}), unit, ts), nil
	}
	return b.harmless(tTimestamp, map2(func(_ string, us int64) (int64, error) {
		return us - floorMod(us, t.unitMicros), nil
	}), unit, ts), nil
}

// truncateInterval clears all parts finer than the unit.
func (t truncation) truncateInterval(i types.Interval) types.Interval {
	switch {
	case t.months > 0:
		return types.Interval{Months: i.Months - i.Months%int32(t.months)}
	case t.unitDays > 0:
		return types.Interval{Months: i.Months, Days: i.Days - i.Days%int32(t.unitDays)}
	}
	i.Micros -= i.Micros % t.unitMicros
	return i
}

// bindTimeBucket binds time_bucket(width, x [, offset interval or origin]).
func bindTimeBucket(b *binding) (Expr, error) {
	width, err := b.arg(0, tInterval)
	if err != nil {
		return nil, err
	}
	isDate := b.args[1].Type().Kind == types.Date
	ts, err := b.instant(1)
	if err != nil {
		return nil, err
	}
	var e Expr
	switch {
	case len(b.args) == 2:
		e = b.call(tTimestamp, map2(func(w interval, us int64) (int64, error) { return timeBucket(w, us, defaultOrigin(w)) }), width, ts)
	case b.args[2].Type().Kind == types.IntervalKind:
		e = b.call(tTimestamp, map3(offsetBucket), width, ts, b.args[2])
	default:
		origin, err := b.instant(2)
		if err != nil {
			return nil, err
		}
		e = b.call(tTimestamp, map3(timeBucket), width, ts, origin)
	}
	if isDate {
		return BindCast(e, tDate, false, b.span)
	}
	return e, nil
}

// defaultOrigin is where buckets begin: a Monday, or the first of a year for months.
func defaultOrigin(width interval) int64 {
	if width.Months != 0 {
		return types.DaysOf(2000, 1, 1) * types.DayMicros
	}
	return types.DaysOf(2000, 1, 3) * types.DayMicros
}

func timeBucket(width interval, us, origin int64) (int64, error) {
	micros, fixed := types.IntervalOf(width).FixedMicros()
	if !fixed {
		if micros != 0 || width.Months < 0 {
			return 0, sqlerr.New(codeParameter, "expected a width of months alone or without months, found %s", types.FormatInterval(types.IntervalOf(width)))
		}
		first := monthsOf(origin)
		months := first + floorDiv(monthsOf(us)-first, int64(width.Months))*int64(width.Months)
		return firstOfMonth(months) * types.DayMicros, nil
	}
	if micros <= 0 {
		return 0, sqlerr.New(codeParameter, "expected a width above 0, found %s", types.FormatInterval(types.IntervalOf(width)))
	}
	distance := us - origin
	if (us^origin)&(us^distance) < 0 {
		return 0, timeOverflow()
	}
	bucket := us - floorMod(distance, micros)
	if bucket > us {
		return 0, timeOverflow()
	}
	return bucket, nil
}

// monthsOf counts the months from year 0 to a time.
func monthsOf(us int64) int64 {
	year, month, _ := types.DateOf(floorDiv(us, types.DayMicros))
	return int64(year)*12 + int64(month) - 1
}

// offsetBucket moves the time back, finds its bucket, and moves that forth.
func offsetBucket(width interval, us int64, offset interval) (int64, error) {
	moved, err := addToTimestamp(us, interval{Months: -offset.Months, Days: -offset.Days, Nanoseconds: -offset.Nanoseconds})
	if err != nil {
		return 0, err
	}
	bucket, err := timeBucket(width, moved, defaultOrigin(width))
	if err != nil {
		return 0, err
	}
	return addToTimestamp(bucket, offset)
}

// bindDateDiff binds date_diff(unit, from, to): the borders of units between two
// times; and, with two arguments, Spark's datediff(end, start) in days.
func bindDateDiff(b *binding) (Expr, error) {
	if len(b.args) == 2 {
		b.args = []Expr{NewLiteral(tVarchar, "day"), b.args[1], b.args[0]}
	}
	return b.difference(func(t truncation, from, to int64) int64 {
		switch {
		case t.months > 0:
			return floorDiv(monthsOf(to), t.months) - floorDiv(monthsOf(from), t.months)
		case t.unitDays > 0:
			// DuckDB counts whole weeks between two dates, not Mondays.
			return (floorDiv(to, types.DayMicros) - floorDiv(from, types.DayMicros)) / t.unitDays
		}
		return floorDiv(to, t.unitMicros) - floorDiv(from, t.unitMicros)
	})
}

// bindDateSub binds date_sub(unit, from, to): the whole units between two times.
func bindDateSub(b *binding) (Expr, error) {
	return b.difference(func(t truncation, from, to int64) int64 {
		switch {
		case t.months > 0:
			return wholeMonths(from, to) / t.months
		case t.unitDays > 0:
			return (to - from) / (t.unitDays * types.DayMicros)
		}
		return (to - from) / t.unitMicros
	})
}

// wholeMonths counts the months that fit between two times.
func wholeMonths(from, to int64) int64 {
	if from > to {
		return -wholeMonths(to, from)
	}
	months := monthsOf(to) - monthsOf(from)
	reached, err := addToTimestamp(from, interval{Months: int32(min(months, math.MaxInt32))})
	if err == nil && reached > to {
		months--
	}
	return months
}

func (b *binding) difference(count func(t truncation, from, to int64) int64) (Expr, error) {
	name, err := b.partName(0)
	if err != nil {
		return nil, err
	}
	t, ok := truncationOf(name)
	if !ok {
		return nil, b.unknownPart(name)
	}
	from, err := b.instant(1)
	if err != nil {
		return nil, err
	}
	to, err := b.instant(2)
	if err != nil {
		return nil, err
	}
	unit := NewLiteral(tVarchar, strings.ToLower(findDatePart(name).name))
	return b.harmless(tBigInt, map3(func(_ string, from, to int64) (int64, error) { return count(t, from, to), nil }), unit, from, to), nil
}

// bindDateAdd binds date_add(x, interval), and Spark's date_add(date, days).
func bindDateAdd(b *binding) (Expr, error) { return BindBinary("+", b.args[0], b.args[1], b.span) }
