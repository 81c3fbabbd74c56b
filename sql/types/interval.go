package types

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// intervalUnit is a word of an interval text and what one of it is.
type intervalUnit struct {
	name  string // singular; an s may follow
	one   Interval
	alias []string
}

// intervalUnits are the units of ParseInterval, DuckDB's spellings.
var intervalUnits = [...]intervalUnit{
	{"microsecond", Interval{Micros: 1}, []string{"us", "usec", "usecs", "useconds", "usecond"}},
	{"millisecond", Interval{Micros: 1000}, []string{"ms", "msec", "msecs", "mseconds", "msecond"}},
	{"second", Interval{Micros: secondMicros}, []string{"s", "sec", "secs"}},
	{"minute", Interval{Micros: minuteMicros}, []string{"m", "min", "mins"}},
	{"hour", Interval{Micros: hourMicros}, []string{"h", "hr", "hrs"}},
	{"day", Interval{Days: 1}, []string{"d"}},
	{"week", Interval{Days: 7}, []string{"w"}},
	{"month", Interval{Months: 1}, []string{"mon", "mons"}},
	{"quarter", Interval{Months: 3}, nil},
	{"year", Interval{Months: 12}, []string{"y", "yr", "yrs"}},
	{"decade", Interval{Months: 120}, []string{"dec", "decs"}},
	{"century", Interval{Months: 1200}, []string{"cent", "c", "centuries"}},
	{"millennium", Interval{Months: 12000}, []string{"mil", "mils", "millennia"}},
}

// unitOf returns one of the unit of a name in any spelling and case: `day`,
// `days`, `d`.
func unitOf(name string) (Interval, bool) {
	name = strings.ToLower(name)
	for _, u := range intervalUnits {
		if name == u.name || name == u.name+"s" {
			return u.one, true
		}
		for _, a := range u.alias {
			if name == a {
				return u.one, true
			}
		}
	}
	return Interval{}, false
}

// ParseInterval reads an interval: numbers with units and at most one clock time,
// such as `1 year 2 days 03:04:05.5`, `-90 minutes` or `3 days ago`. A number
// always needs its unit.
func ParseInterval(text string) (Interval, bool) {
	words := strings.Fields(strings.ToLower(text))
	ago := len(words) > 1 && words[len(words)-1] == "ago"
	if ago {
		words = words[:len(words)-1]
	}
	var out Interval
	for i := 0; i < len(words); i++ {
		part, ok := Interval{}, false
		number, unit := splitUnit(words[i])
		switch {
		case strings.Contains(words[i], ":"):
			part, ok = clockInterval(words[i])
		case unit != "":
			part, ok = unitInterval(number, unit)
		case i+1 < len(words):
			i++
			part, ok = unitInterval(number, words[i])
		}
		if !ok {
			return Interval{}, false
		}
		if out, ok = out.Add(part); !ok {
			return Interval{}, false
		}
	}
	if ago {
		out = out.Negate()
	}
	return out, len(words) > 0
}

// splitUnit divides `5m` into number and unit.
func splitUnit(word string) (number, unit string) {
	i := strings.IndexFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if i <= 0 {
		return word, ""
	}
	return word[:i], word[i:]
}

// clockInterval reads [-]hh:mm[:ss[.f]]; hours have no limit but that of the type.
func clockInterval(word string) (Interval, bool) {
	word, negative := strings.CutPrefix(word, "-")
	hours, rest, _ := strings.Cut(word, ":")
	minutes, seconds, hasSeconds := strings.Cut(rest, ":")
	if !hasSeconds {
		seconds = "0"
	}
	seconds, fraction, _ := strings.Cut(seconds, ".")
	h, errHours := strconv.ParseUint(hours, 10, 31)
	m, errMinutes := strconv.ParseUint(minutes, 10, 8)
	s, errSeconds := strconv.ParseUint(seconds, 10, 8)
	micros, n := parseFraction([]byte(fraction))
	if errHours != nil || errMinutes != nil || errSeconds != nil || m > 59 || s > 59 || n != len(fraction) {
		return Interval{}, false
	}
	out := Interval{Micros: int64(h)*hourMicros + int64(m)*minuteMicros + int64(s)*secondMicros + micros}
	if negative {
		out = out.Negate()
	}
	return out, true
}

// unitInterval returns number units. The fraction of a month becomes days of a
// thirtieth, that of a day becomes clock time, as in DuckDB.
func unitInterval(number, unit string) (Interval, bool) {
	one, ok := unitOf(unit)
	if !ok {
		return Interval{}, false
	}
	whole, fraction, hasFraction := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return Interval{}, false
	}
	out, ok := one.Times(n)
	if !ok || !hasFraction {
		return out, ok
	}
	f, err := strconv.ParseFloat("0."+fraction, 64)
	if err != nil {
		return Interval{}, false
	}
	if strings.HasPrefix(number, "-") {
		f = -f
	}
	return out.Add(fractionOf(one, f))
}

func fractionOf(one Interval, f float64) Interval {
	months, rest := math.Modf(float64(one.Months) * f)
	days, rest := math.Modf(float64(one.Days)*f + rest*30)
	micros := math.Round(float64(one.Micros)*f + rest*float64(DayMicros))
	return Interval{Months: int32(months), Days: int32(days), Micros: int64(micros)}
}

// Add returns i + j; ok is false if a part overflows.
func (i Interval) Add(j Interval) (sum Interval, ok bool) {
	months, days := int64(i.Months)+int64(j.Months), int64(i.Days)+int64(j.Days)
	micros := i.Micros + j.Micros
	overflow := (i.Micros^micros)&(j.Micros^micros) < 0
	return Interval{int32(months), int32(days), micros},
		!overflow && months == int64(int32(months)) && days == int64(int32(days))
}

// Negate returns -i.
func (i Interval) Negate() Interval { return Interval{-i.Months, -i.Days, -i.Micros} }

// Times returns i * n; ok is false if a part overflows.
func (i Interval) Times(n int64) (product Interval, ok bool) {
	times := func(v, limit int64) int64 {
		p := v * n
		if v != 0 && (p/v != n || p > limit || p < -limit-1) {
			ok = false
		}
		return p
	}
	ok = true
	months, days := times(int64(i.Months), math.MaxInt32), times(int64(i.Days), math.MaxInt32)
	return Interval{int32(months), int32(days), times(i.Micros, math.MaxInt64)}, ok
}

// FormatInterval returns DuckDB's text: `1 year 2 months 3 days 04:05:06.7`.
func FormatInterval(i Interval) string { return string(AppendInterval(nil, i)) }

// AppendInterval appends the text of FormatInterval.
func AppendInterval(b []byte, i Interval) []byte {
	start := len(b)
	part := func(n int32, unit string) {
		if n == 0 {
			return
		}
		if len(b) > start {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(n), 10)
		b = append(b, ' ')
		b = append(b, unit...)
		if n != 1 && n != -1 {
			b = append(b, 's')
		}
	}
	part(i.Months/12, "year")
	part(i.Months%12, "month")
	part(i.Days, "day")
	if i.Micros == 0 && len(b) > start {
		return b
	}
	if len(b) > start {
		b = append(b, ' ')
	}
	return appendClock(b, i.Micros)
}

func appendClock(b []byte, micros int64) []byte {
	rest := uint64(micros)
	if micros < 0 {
		b = append(b, '-')
		rest = -rest
	}
	two := func(v uint64) {
		if v < 10 {
			b = append(b, '0')
		}
		b = strconv.AppendUint(b, v, 10)
	}
	two(rest / uint64(hourMicros))
	b = append(b, ':')
	two(rest / uint64(minuteMicros) % 60)
	b = append(b, ':')
	two(rest / uint64(secondMicros) % 60)
	return appendFraction(b, int(rest%uint64(secondMicros)))
}

// appendFraction appends .ffffff without trailing zeros, nothing for 0.
func appendFraction(b []byte, micros int) []byte {
	if micros == 0 {
		return b
	}
	var digits [6]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + micros%10)
		micros /= 10
	}
	n := len(digits)
	for digits[n-1] == '0' {
		n--
	}
	b = append(b, '.')
	return append(b, digits[:n]...)
}

// IntervalOf returns the interval of an Arrow value; what is finer than a
// microsecond is cut.
func IntervalOf(v arrow.MonthDayNanoInterval) Interval {
	return Interval{Months: v.Months, Days: v.Days, Micros: v.Nanoseconds / 1000}
}

// Arrow returns the Arrow value. It counts nanoseconds, so that clock time beyond
// 292 years does not fit; ok is false then.
func (i Interval) Arrow() (v arrow.MonthDayNanoInterval, ok bool) {
	nanos := i.Micros * 1000
	return arrow.MonthDayNanoInterval{Months: i.Months, Days: i.Days, Nanoseconds: nanos}, nanos/1000 == i.Micros
}
