package expr

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sql/types"
)

// bindAge binds age(a, b): a - b in years, months, days and time of the calendar, as in
// DuckDB and PostgreSQL. age(a) is from a to the start of the batch's day.
func bindAge(b *binding) (Expr, error) {
	if len(b.args) == 1 {
		today, err := bindToday(&binding{name: "current_date", span: b.span})
		if err != nil {
			return nil, err
		}
		b.args = []Expr{today, b.args[0]}
	}
	args := make([]Expr, 2)
	for i := range args {
		var err error
		if args[i], err = b.instant(i); err != nil {
			return nil, err
		}
	}
	return b.call(tInterval, map2(func(a, b int64) (arrow.MonthDayNanoInterval, error) {
		return intervalOf(ageOf(a, b), true)
	}), args...), nil
}

// ageOf subtracts two times field by field. A month that is borrowed has as many days as
// that of the earlier time.
func ageOf(a, b int64) types.Interval {
	later, earlier := max(a, b), min(a, b)
	laterDays, earlierDays := floorDiv(later, types.DayMicros), floorDiv(earlier, types.DayMicros)
	y1, m1, d1 := types.DateOf(laterDays)
	y2, m2, d2 := types.DateOf(earlierDays)
	months, days := (y1-y2)*12+m1-m2, d1-d2
	micros := floorMod(later, types.DayMicros) - floorMod(earlier, types.DayMicros)
	if micros < 0 {
		micros += types.DayMicros
		days--
	}
	for days < 0 {
		days += types.DaysInMonth(y2, m2)
		months--
	}
	if a < b {
		months, days, micros = -months, -days, -micros
	}
	return types.Interval{Months: int32(months), Days: int32(days), Micros: micros}
}
