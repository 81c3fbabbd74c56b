package expr

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// datePart is a part of a time that date_part and the functions of its name give.
type datePart struct {
	name     string
	aliases  []string
	ofTime   func(us int64) int64
	ofPeriod func(i types.Interval) int64 // nil: an interval has no such part
}

// dateParts is the table of parts, sorted by name. The numbers are DuckDB's: seconds
// and finer count within the minute, and week is the ISO week.
var dateParts = []datePart{
	{"century", []string{"centuries", "cent", "c"}, byDate(centuryOf), func(i types.Interval) int64 { return int64(i.Months) / 1200 }},
	{"day", []string{"days", "d", "dayofmonth"}, byDate(func(_, _, d int) int64 { return int64(d) }), func(i types.Interval) int64 { return int64(i.Days) }},
	{"decade", []string{"decades", "dec", "decs"}, byDate(func(y, _, _ int) int64 { return int64(y / 10) }), func(i types.Interval) int64 { return int64(i.Months) / 120 }},
	{"dow", []string{"dayofweek", "weekday"}, byDays(weekday), nil},
	{"doy", []string{"dayofyear"}, byDays(dayOfYear), nil},
	{"era", nil, byDate(eraOf), nil},
	{"hour", []string{"hours", "h", "hr", "hrs"}, byClock(3_600_000_000, 24), func(i types.Interval) int64 { return i.Micros / 3_600_000_000 }},
	{"isodow", nil, byDays(func(d int64) int64 { return floorMod(d+3, 7) + 1 }), nil},
	{"isoyear", nil, byDays(func(d int64) int64 { y, _ := isoWeek(d); return y }), nil},
	{"microsecond", []string{"microseconds", "us", "usec", "usecs"}, byClock(1, 60_000_000), func(i types.Interval) int64 { return i.Micros % 60_000_000 }},
	{"millennium", []string{"millenniums", "millennia", "mil", "mils"}, byDate(millenniumOf), func(i types.Interval) int64 { return int64(i.Months) / 12000 }},
	{"millisecond", []string{"milliseconds", "ms", "msec", "msecs"}, byClock(1000, 60_000), func(i types.Interval) int64 { return i.Micros % 60_000_000 / 1000 }},
	{"minute", []string{"minutes", "m", "min", "mins"}, byClock(60_000_000, 60), func(i types.Interval) int64 { return i.Micros / 60_000_000 % 60 }},
	{"month", []string{"months", "mon", "mons"}, byDate(func(_, m, _ int) int64 { return int64(m) }), func(i types.Interval) int64 { return int64(i.Months) % 12 }},
	{"quarter", []string{"quarters"}, byDate(func(_, m, _ int) int64 { return int64(m+2) / 3 }), func(i types.Interval) int64 { return int64(i.Months)%12/3 + 1 }},
	{"second", []string{"seconds", "s", "sec", "secs"}, byClock(1_000_000, 60), func(i types.Interval) int64 { return i.Micros / 1_000_000 % 60 }},
	{"week", []string{"weeks", "w", "weekofyear"}, byDays(func(d int64) int64 { _, w := isoWeek(d); return w }), nil},
	{"year", []string{"years", "y", "yr", "yrs"}, byDate(func(y, _, _ int) int64 { return int64(y) }), func(i types.Interval) int64 { return int64(i.Months) / 12 }},
	{"yearweek", nil, byDays(func(d int64) int64 { y, w := isoWeek(d); return y*100 + w }), nil},
}

func findDatePart(name string) *datePart {
	name = strings.ToLower(name)
	for i := range dateParts {
		p := &dateParts[i]
		if p.name == name {
			return p
		}
		for _, a := range p.aliases {
			if a == name {
				return p
			}
		}
	}
	return nil
}

func byDays(of func(days int64) int64) func(us int64) int64 {
	return func(us int64) int64 { return of(floorDiv(us, types.DayMicros)) }
}

func byDate(of func(year, month, day int) int64) func(us int64) int64 {
	return func(us int64) int64 { return of(types.DateOf(floorDiv(us, types.DayMicros))) }
}

// byClock counts units of unitMicros within the next larger unit.
func byClock(unitMicros, within int64) func(us int64) int64 {
	return func(us int64) int64 { return floorMod(us, unitMicros*within) / unitMicros }
}

func centuryOf(y, _, _ int) int64 {
	if y > 0 {
		return int64(y-1)/100 + 1
	}
	return int64(y)/100 - 1
}

func millenniumOf(y, _, _ int) int64 {
	if y > 0 {
		return int64(y-1)/1000 + 1
	}
	return int64(y)/1000 - 1
}

func eraOf(y, _, _ int) int64 {
	if y > 0 {
		return 1
	}
	return 0
}

func dayOfYear(days int64) int64 {
	year, _, _ := types.DateOf(days)
	return days - types.DaysOf(year, 1, 1) + 1
}

// isoWeek returns year and week by ISO 8601: a week belongs to the year of its
// Thursday.
func isoWeek(days int64) (year, week int64) {
	thursday := days - floorMod(days+3, 7) + 3
	y, _, _ := types.DateOf(thursday)
	return int64(y), (thursday-types.DaysOf(y, 1, 1))/7 + 1
}

// partFunction binds year(x), hour(x) and so on.
func partFunction(name string) binder {
	return func(b *binding) (Expr, error) { return b.part(findDatePart(name), 0) }
}

// part returns the part of argument i.
func (b *binding) part(p *datePart, i int) (Expr, error) {
	if b.args[i].Type().Kind == types.IntervalKind {
		if p.ofPeriod == nil {
			return nil, b.mismatch(i, "a date or timestamp")
		}
		return b.harmless(tBigInt, map1(func(v interval) (int64, error) { return p.ofPeriod(types.IntervalOf(v)), nil }), b.args[i]), nil
	}
	ts, err := b.instant(i)
	if err != nil {
		return nil, err
	}
	return b.harmless(tBigInt, map1(func(us int64) (int64, error) { return p.ofTime(us), nil }), ts), nil
}

// bindDatePart binds date_part(part, x), also EXTRACT.
func bindDatePart(b *binding) (Expr, error) {
	name, err := b.partName(0)
	if err != nil {
		return nil, err
	}
	rest := &binding{name: strings.ToLower(name), args: b.args[1:], span: b.span}
	switch rest.name {
	case "epoch":
		return bindEpoch(rest)
	case "julian":
		return bindJulian(rest)
	}
	p := findDatePart(name)
	if p == nil {
		return nil, b.unknownPart(name)
	}
	rest.name = p.name
	return rest.part(p, 0)
}

// partName returns the argument that names a part; it has to be constant.
func (b *binding) partName(i int) (string, error) {
	name, ok := literalText(b.args[i])
	if !ok {
		return "", sqlerr.At(b.span, codeParameter, "%s expects the constant name of a part, such as 'hour'", b.name)
	}
	return name, nil
}

func (b *binding) unknownPart(name string) error {
	names := make([]string, 0, len(dateParts))
	for _, p := range dateParts {
		names = append(append(names, p.name), p.aliases...)
	}
	e := sqlerr.At(b.span, codeParameter, "%s expects a part of a date or time, found %q", b.name, name)
	if near := sqlerr.Nearest(name, names); near != "" {
		return e.WithHint("did you mean %q?", near)
	}
	return e
}

// bindEpoch binds epoch(x): seconds since 1970, or of an interval with 365.25 days to
// the year and 30 to the month.
func bindEpoch(b *binding) (Expr, error) {
	if b.args[0].Type().Kind == types.IntervalKind {
		return b.harmless(tDouble, map1(func(v interval) (float64, error) {
			const yearMicros = types.DayMicros / 4 * 1461
			days := int64(v.Months)%12*30 + int64(v.Days)
			return float64(int64(v.Months)/12*yearMicros+days*types.DayMicros+v.Nanoseconds/1000) / 1e6, nil
		}), b.args[0]), nil
	}
	ts, err := b.instant(0)
	if err != nil {
		return nil, err
	}
	return b.harmless(tDouble, map1(func(us int64) (float64, error) { return float64(us) / 1e6, nil }), ts), nil
}

// bindJulian binds julian(x): days since noon, as a number, of the Julian period.
func bindJulian(b *binding) (Expr, error) {
	ts, err := b.instant(0)
	if err != nil {
		return nil, err
	}
	const epochDay = 2440588 // of 1970-01-01
	return b.harmless(tDouble, map1(func(us int64) (float64, error) {
		days := floorDiv(us, types.DayMicros)
		return float64(days+epochDay) + float64(us-days*types.DayMicros)/float64(types.DayMicros), nil
	}), ts), nil
}
