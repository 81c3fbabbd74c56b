package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// instant returns an argument as TIMESTAMP.
func (b *binding) instant(i int) (Expr, error) {
	if k := b.args[i].Type().Kind; k != types.Date && k != types.Timestamp && k != types.Null && !isUntyped(b.args[i]) {
		return nil, b.mismatch(i, "a date or timestamp")
	}
	return b.arg(i, tTimestamp)
}

// bindEpochMs binds both directions: milliseconds to TIMESTAMP, and back to BIGINT.
func bindEpochMs(b *binding) (Expr, error) {
	if b.args[0].Type().IsNumeric() {
		return scaledTimestamp(1000)(b)
	}
	return epochIn(1000)(b)
}

// scaledTimestamp binds a function of a whole number of units of unitMicros since
// 1970 to TIMESTAMP.
func scaledTimestamp(unitMicros int64) binder {
	return func(b *binding) (Expr, error) {
		n, err := b.arg(0, tBigInt)
		if err != nil {
			return nil, err
		}
		return b.call(tTimestamp, map1(func(n int64) (int64, error) {
			us := n * unitMicros
			if us/unitMicros != n {
				return 0, sqlerr.New(codeOutOfRange, "%s(%d) is outside the range of TIMESTAMP", b.name, n)
			}
			return us, nil
		}), n), nil
	}
}

// epochIn binds a function of a timestamp to whole units of unitMicros since 1970,
// cut towards 1970 as DuckDB does.
func epochIn(unitMicros int64) binder {
	return func(b *binding) (Expr, error) {
		ts, err := b.instant(0)
		if err != nil {
			return nil, err
		}
		return b.harmless(tBigInt, map1(func(us int64) (int64, error) { return us / unitMicros, nil }), ts), nil
	}
}

// bindEpochNs binds epoch_ns(ts).
func bindEpochNs(b *binding) (Expr, error) {
	ts, err := b.instant(0)
	if err != nil {
		return nil, err
	}
	return b.call(tBigInt, map1(func(us int64) (int64, error) {
		ns := us * 1000
		if ns/1000 != us {
			return 0, sqlerr.New(codeOutOfRange, "%s is outside the range of nanoseconds", types.FormatTimestamp(us))
		}
		return ns, nil
	}), ts), nil
}

// bindToTimestamp binds to_timestamp(seconds), fractions rounded to microseconds.
func bindToTimestamp(b *binding) (Expr, error) {
	if b.args[0].Type().Kind == types.Varchar { // Spark's and Flink's, which DuckDB has no meaning for
		return BindCast(b.args[0], tTimestamp, false, b.span)
	}
	seconds, err := b.arg(0, tDouble)
	if err != nil {
		return nil, err
	}
	return b.call(tTimestamp, map1(func(s float64) (int64, error) {
		us := math.RoundToEven(s * 1e6)
		if !(math.Abs(us) < math.MaxInt64) {
			return 0, sqlerr.New(codeOutOfRange, "to_timestamp(%v) is outside the range of TIMESTAMP", s)
		}
		return int64(us), nil
	}), seconds), nil
}

// bindMakeTimestamp binds make_timestamp(micros) and make_timestamp(year, month,
// day, hour, minute, seconds).
func bindMakeTimestamp(b *binding) (Expr, error) {
	if len(b.args) == 1 {
		return scaledTimestamp(1)(b)
	}
	if len(b.args) != 6 {
		return nil, sqlerr.At(b.span, codeArgCount, "function %q takes 1 or 6 arguments, found %d", b.name, len(b.args))
	}
	args, err := b.cast(tBigInt, tBigInt, tBigInt, tBigInt, tBigInt, tDouble)
	if err != nil {
		return nil, err
	}
	return b.call(tTimestamp, makeTimestamp, args...), nil
}

func makeTimestamp(f *frame, args []vec) (arrow.Array, error) {
	parts := make([]operand[int64], 5)
	for i := range parts {
		parts[i] = read[int64](args[i])
	}
	seconds := read[float64](args[5])
	out := make([]int64, f.rows)
	for i := range out {
		if !f.valid.has(i) {
			continue
		}
		days, err := dateOf(parts[0].at(i), parts[1].at(i), parts[2].at(i))
		hour, minute, second := parts[3].at(i), parts[4].at(i), seconds.at(i)
		if err == nil && !(hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60) {
			err = sqlerr.New(codeOutOfRange, "expected a time of day, found %d:%d:%v", hour, minute, second)
		}
		if err != nil {
			if err = f.settle(i, err); err != nil {
				return nil, err
			}
			continue
		}
		out[i] = days*types.DayMicros + (hour*60+minute)*60_000_000 + int64(math.Round(second*1e6))
	}
	return newValues(f.arrow, out, f.valid), nil
}

// dateOf returns the days since 1970 of a date that has to exist.
func dateOf(year, month, day int64) (int64, error) {
	const yearMax = 290_000
	if year < -yearMax || year > yearMax || month < 1 || month > 12 || day < 1 || day > int64(types.DaysInMonth(int(year), int(month))) {
		return 0, sqlerr.New(codeOutOfRange, "expected a date, found %d-%d-%d", year, month, day)
	}
	return types.DaysOf(int(year), int(month), int(day)), nil
}

// bindMakeDate binds make_date(year, month, day).
func bindMakeDate(b *binding) (Expr, error) {
	return failing(tDate, map3(func(year, month, day int64) (int32, error) {
		days, err := dateOf(year, month, day)
		return int32(days), err
	}), tBigInt)(b)
}

// bindToDate binds date(x): the cast.
func bindToDate(b *binding) (Expr, error) { return BindCast(b.args[0], tDate, false, b.span) }

// bindNow binds now(): the time of the batch.
func bindNow(b *binding) (Expr, error) {
	return b.volatile(tTimestamp, func(f *frame, _ []vec) (arrow.Array, error) {
		return fill(f, f.ctx.NowMicros), nil
	}), nil
}

// bindToday binds current_date: the UTC date of the batch.
func bindToday(b *binding) (Expr, error) {
	return b.volatile(tDate, func(f *frame, _ []vec) (arrow.Array, error) {
		return fill(f, int32(floorDiv(f.ctx.NowMicros, types.DayMicros))), nil
	}), nil
}

// fill returns a column of one value.
func fill[T slot](f *frame, v T) arrow.Array {
	out := make([]T, f.rows)
	for i := range out {
		out[i] = v
	}
	return newValues(f.arrow, out, f.valid)
}

// bindLastDay binds last_day(x): the last day of the month.
func bindLastDay(b *binding) (Expr, error) {
	ts, err := b.instant(0)
	if err != nil {
		return nil, err
	}
	return b.harmless(tDate, map1(func(us int64) (int32, error) {
		year, month, _ := types.DateOf(floorDiv(us, types.DayMicros))
		return int32(types.DaysOf(year, month, types.DaysInMonth(year, month))), nil
	}), ts), nil
}

// bindAddMonths binds add_months(date, months): Spark's function, a DATE.
func bindAddMonths(b *binding) (Expr, error) {
	return fixed(tDate, map2(func(days int32, months int64) (int32, error) {
		return int32(addMonths(int64(days), months)), nil
	}), tDate, tBigInt)(b)
}

// nameOf binds monthname and dayname.
func nameOf(name func(us int64) string) binder {
	return func(b *binding) (Expr, error) {
		ts, err := b.instant(0)
		if err != nil {
			return nil, err
		}
		return b.harmless(tVarchar, map1(func(us int64) (string, error) { return name(us), nil }), ts), nil
	}
}

func monthName(us int64) string {
	_, month, _ := types.DateOf(floorDiv(us, types.DayMicros))
	return types.MonthNames[month-1]
}

func dayName(us int64) string { return types.DayNames[weekday(floorDiv(us, types.DayMicros))] }

// weekday counts from Sunday, 0; the first of January 1970 was a Thursday.
func weekday(days int64) int64 { return floorMod(days+4, 7) }

// floorMod is the remainder of floorDiv: never negative for a positive b.
func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
