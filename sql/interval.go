package sql

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// A unit of an interval is months, days or microseconds; its names follow.
type intervalUnit struct {
	name   string // canonical, upper case, singular
	months int64
	days   int64
	micros int64
}

// intervalUnits are the units with every accepted spelling in lower case: those of
// Spark, DuckDB and PostgreSQL. A single m is a minute, as in ksqlDB and Go.
var intervalUnits = []struct {
	intervalUnit
	spellings []string
}{
	{intervalUnit{name: "MILLENNIUM", months: 12000}, []string{"millennium", "millennia", "millenniums"}},
	{intervalUnit{name: "CENTURY", months: 1200}, []string{"century", "centuries"}},
	{intervalUnit{name: "DECADE", months: 120}, []string{"decade", "decades"}},
	{intervalUnit{name: "YEAR", months: 12}, []string{"year", "years", "y", "yr", "yrs"}},
	{intervalUnit{name: "QUARTER", months: 3}, []string{"quarter", "quarters"}},
	{intervalUnit{name: "MONTH", months: 1}, []string{"month", "months", "mon", "mons"}},
	{intervalUnit{name: "WEEK", days: 7}, []string{"week", "weeks", "w"}},
	{intervalUnit{name: "DAY", days: 1}, []string{"day", "days", "d"}},
	{intervalUnit{name: "HOUR", micros: 3_600_000_000}, []string{"hour", "hours", "h", "hr", "hrs"}},
	{intervalUnit{name: "MINUTE", micros: 60_000_000}, []string{"minute", "minutes", "m", "min", "mins"}},
	{intervalUnit{name: "SECOND", micros: 1_000_000}, []string{"second", "seconds", "s", "sec", "secs"}},
	{intervalUnit{name: "MILLISECOND", micros: 1000}, []string{"millisecond", "milliseconds", "ms", "msec", "msecs"}},
	{intervalUnit{name: "MICROSECOND", micros: 1}, []string{"microsecond", "microseconds", "us", "usec", "usecs", "µs"}},
}

func unitOf(word string) (intervalUnit, bool) {
	word = strings.ToLower(word)
	for _, u := range intervalUnits {
		for _, s := range u.spellings {
			if s == word {
				return u.intervalUnit, true
			}
		}
	}
	return intervalUnit{}, false
}

// rangeUnits are the units of a range such as DAY TO SECOND, largest first.
var rangeUnits = []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

// intervalSum adds parts exactly and checks the result once.
type intervalSum struct{ months, days, micros big.Rat }

// add adds n units. Parts of a month are days of 30 to the month and parts of a
// day are microseconds, as in DuckDB.
func (s *intervalSum) add(n *big.Rat, u intervalUnit) {
	scaled := func(k int64) *big.Rat { return new(big.Rat).Mul(n, new(big.Rat).SetInt64(k)) }
	s.months.Add(&s.months, scaled(u.months))
	s.days.Add(&s.days, scaled(u.days))
	s.micros.Add(&s.micros, scaled(u.micros))
}

func (s *intervalSum) value() (types.Interval, bool) {
	months, rest := whole(&s.months)
	s.days.Add(&s.days, rest.Mul(rest, big.NewRat(30, 1)))
	days, rest := whole(&s.days)
	s.micros.Add(&s.micros, rest.Mul(rest, new(big.Rat).SetInt64(types.DayMicros)))
	micros, _ := whole(&s.micros)
	if !months.IsInt64() || !days.IsInt64() || !micros.IsInt64() ||
		int64(int32(months.Int64())) != months.Int64() || int64(int32(days.Int64())) != days.Int64() {
		return types.Interval{}, false
	}
	return types.Interval{Months: int32(months.Int64()), Days: int32(days.Int64()), Micros: micros.Int64()}, true
}

// whole cuts r towards zero and returns the fraction that is left.
func whole(r *big.Rat) (*big.Int, *big.Rat) {
	n := new(big.Int).Quo(r.Num(), r.Denom())
	return n, new(big.Rat).Sub(r, new(big.Rat).SetInt(n))
}

// ParseInterval reads an interval as people write it as text: '10 minutes',
// '1 day 2 hours', '10m', '1 day 02:03:04', '-5 seconds', and also whole literals
// such as "interval '1-2' year to month".
func ParseInterval(text string) (types.Interval, error) {
	s := strings.TrimSpace(text)
	if len(s) > 8 && strings.EqualFold(s[:8], "interval") {
		return parseIntervalLiteral(text)
	}
	var sum intervalSum
	fields, ok := intervalFields(s)
	if !ok || len(fields) == 0 {
		return types.Interval{}, intervalError(text, "expected numbers with units, such as '1 day 2 hours'")
	}
	for _, f := range fields {
		if f.clock {
			if !addClock(&sum, f.number, "HOUR", "SECOND", 2) {
				return types.Interval{}, intervalError(text, fmt.Sprintf("%q is no time of the form h:mm:ss", f.number))
			}
			continue
		}
		if f.unit == "" {
			return types.Interval{}, intervalError(text, fmt.Sprintf("the number %s has no unit", f.number))
		}
		u, ok := unitOf(f.unit)
		if !ok {
			return types.Interval{}, intervalError(text, fmt.Sprintf("%q is no unit of time", f.unit))
		}
		n, ok := decimal(f.number)
		if !ok {
			return types.Interval{}, intervalError(text, fmt.Sprintf("%q is no number", f.number))
		}
		sum.add(n, u)
	}
	v, ok := sum.value()
	if !ok {
		return v, intervalError(text, "it is too long")
	}
	return v, nil
}

// parseIntervalLiteral reads a whole literal, INTERVAL '..' [unit [TO unit]].
func parseIntervalLiteral(text string) (types.Interval, error) {
	p, err := newParser(text, 0, DefaultLimits())
	if err != nil {
		return types.Interval{}, err
	}
	v, err := p.interval()
	if err != nil {
		return types.Interval{}, err
	}
	return v.Value, p.finish()
}

func intervalError(text, why string) *sqlerr.Error {
	return sqlerr.New(codeInterval, "%q is not an interval: %s", text, why)
}

// intervalField is a number with its unit, or a clock time.
type intervalField struct {
	number, unit string
	clock        bool
}

// intervalFields cuts text into fields. ok is false when something stands where a
// number is due.
func intervalFields(s string) (out []intervalField, ok bool) {
	for at := 0; ; {
		at += countPrefix(s[at:], func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' })
		if at == len(s) {
			return out, true
		}
		sign := ""
		for at < len(s) && (s[at] == '+' || s[at] == '-') {
			if sign != "" {
				return nil, false
			}
			sign = s[at : at+1]
			at++
			at += countPrefix(s[at:], func(c byte) bool { return c == ' ' })
		}
		n := countPrefix(s[at:], func(c byte) bool { return isDigit(c) || c == '.' || c == ':' })
		if n == 0 {
			return nil, false
		}
		f := intervalField{number: strings.TrimPrefix(sign, "+") + s[at:at+n]}
		f.clock = strings.Contains(f.number, ":")
		at += n
		if !f.clock {
			at += countPrefix(s[at:], func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' })
			n := countPrefix(s[at:], func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 })
			f.unit = s[at : at+n]
			at += n
		}
		out = append(out, f)
	}
}

func countPrefix(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// decimal reads digits with an optional sign and point; no other spelling of
// big.Rat (1/3, 0x1p4) is a number here.
func decimal(s string) (*big.Rat, bool) {
	digits := strings.TrimLeft(s, "+-")
	if digits == "" || len(s)-len(digits) > 1 || strings.Trim(digits, "0123456789.") != "" || strings.Count(digits, ".") > 1 || digits == "." {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// addClock adds text such as '3:30' or '1 2:3:4' whose parts are the units from
// and to and those between; at least partsMin of them must be there. One sign at
// the front holds for all of it.
func addClock(sum *intervalSum, text, from, to string, partsMin int) bool {
	text = strings.TrimSpace(text)
	sign := big.NewRat(1, 1)
	if strings.HasPrefix(text, "-") {
		sign.SetInt64(-1)
	}
	text = strings.TrimLeft(text, "+-")
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == ' ' || r == '-' })
	lo, hi := rangeIndex(from), rangeIndex(to)
	if len(parts) > hi-lo+1 || len(parts) < partsMin {
		return false
	}
	for i, part := range parts {
		n, ok := decimal(part)
		if !ok || strings.Contains(part, ".") && i < len(parts)-1 {
			return false
		}
		u, _ := unitOf(rangeUnits[lo+i])
		sum.add(n.Mul(n, sign), u)
	}
	return true
}

func rangeIndex(unit string) int {
	for i, u := range rangeUnits {
		if u == unit {
			return i
		}
	}
	return -1
}

// interval consumes INTERVAL in any style: '5' MINUTE, 5 MINUTES, '5 minutes',
// '3:30' MINUTE TO SECOND, '1 2:3:4' DAY TO SECOND, and Spark's INTERVAL 1 DAY 2 HOURS.
func (p *parser) interval() (*Interval, error) {
	first := p.pos
	if err := p.expect("INTERVAL"); err != nil {
		return nil, err
	}
	negative := p.acceptOp("-")
	t := p.cur()
	var v types.Interval
	var err error
	switch t.kind {
	case tokString:
		p.take()
		v, err = p.intervalString(t)
	case tokNumber, tokDuration:
		v, err = p.intervalNumbers()
	default:
		return nil, p.unexpected("a number or text after INTERVAL")
	}
	if err != nil {
		return nil, err
	}
	if negative {
		if v.Months == math.MinInt32 || v.Days == math.MinInt32 || v.Micros == math.MinInt64 {
			return nil, sqlerr.At(t.span(), codeInterval, "interval is too long")
		}
		v = types.Interval{Months: -v.Months, Days: -v.Days, Micros: -v.Micros}
	}
	return &Interval{Value: v, Span: p.spanFrom(first)}, nil
}

// intervalString reads what follows the string of an INTERVAL.
func (p *parser) intervalString(t token) (types.Interval, error) {
	text := stringValue(t.text)
	from, isUnit := unitOf(p.cur().text)
	if !isUnit || p.cur().kind != tokIdent {
		v, err := ParseInterval(text)
		return v, placed(err, t.span())
	}
	p.take()
	var sum intervalSum
	if p.at("TO") && rangeIndex(from.name) >= 0 {
		p.take()
		to, ok := unitOf(p.cur().text)
		if !ok || rangeIndex(to.name) <= rangeIndex(from.name) || (rangeIndex(from.name) < 2) != (rangeIndex(to.name) < 2) {
			return types.Interval{}, p.unexpected("a smaller unit of the range")
		}
		p.take()
		if !addClock(&sum, text, from.name, to.name, rangeIndex(to.name)-rangeIndex(from.name)+1) {
			return types.Interval{}, sqlerr.At(t.span(), codeInterval, "%q is not an interval of %s TO %s", text, from.name, to.name)
		}
	} else {
		n, ok := decimal(strings.TrimSpace(text))
		if !ok {
			return types.Interval{}, sqlerr.At(t.span(), codeInterval, "%q is not a number of %sS", text, from.name).
				WithHint("write INTERVAL '5' %s, or the units inside the text: INTERVAL '1 day 2 hours'", from.name)
		}
		sum.add(n, from)
	}
	v, ok := sum.value()
	if !ok {
		return v, sqlerr.At(t.span(), codeInterval, "interval is too long")
	}
	return v, nil
}

// intervalNumbers reads 5 MINUTES, 1 DAY 2 HOURS or 5m.
func (p *parser) intervalNumbers() (types.Interval, error) {
	t := p.cur()
	if t.kind == tokDuration {
		p.take()
		v, err := ParseInterval(t.text)
		return v, placed(err, t.span())
	}
	var sum intervalSum
	for first := true; ; first = false {
		u, ok := unitOf(p.peek(1).text)
		if !first && (p.cur().kind != tokNumber || p.peek(1).kind != tokIdent || !ok) {
			break
		}
		n, isNumber := decimal(p.cur().text)
		if !isNumber {
			return types.Interval{}, p.unexpected("a plain number")
		}
		p.take()
		if !ok || p.cur().kind != tokIdent {
			return types.Interval{}, p.unexpected("a unit of time such as MINUTE")
		}
		p.take()
		sum.add(n, u)
	}
	v, ok := sum.value()
	if !ok {
		return v, sqlerr.At(t.span(), codeInterval, "interval is too long")
	}
	return v, nil
}

// placed gives an error without position the span at.
func placed(err error, at Span) error {
	if e, ok := err.(*sqlerr.Error); ok {
		e.Span = at
		return e
	}
	return err
}

// duration consumes a duration where one is required: INTERVAL .., '5 minutes' or
// 5m, and 5 MINUTES without the word.
func (p *parser) duration() (*Interval, error) {
	first := p.pos
	t := p.cur()
	var v types.Interval
	var err error
	switch {
	case t.is("INTERVAL"):
		return p.interval()
	case t.kind == tokString:
		p.take()
		v, err = ParseInterval(stringValue(t.text))
		err = placed(err, t.span())
	case t.kind == tokNumber, t.kind == tokDuration:
		v, err = p.intervalNumbers()
	default:
		return nil, p.unexpected("an interval such as INTERVAL '5' MINUTE")
	}
	if err != nil {
		return nil, err
	}
	return &Interval{Value: v, Span: p.spanFrom(first)}, nil
}

// IntervalText returns an interval as text that ParseInterval and DuckDB read
// back: '1 month -30 days 90 seconds'.
func IntervalText(v types.Interval) string {
	var parts []string
	add := func(n int64, unit string) {
		if n == 1 || n == -1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit))
		} else if n != 0 {
			parts = append(parts, fmt.Sprintf("%d %ss", n, unit))
		}
	}
	add(int64(v.Months), "month")
	add(int64(v.Days), "day")
	rest := v.Micros
	for _, u := range []struct {
		name   string
		micros int64
	}{{"hour", 3_600_000_000}, {"minute", 60_000_000}, {"second", 1_000_000}, {"millisecond", 1000}, {"microsecond", 1}} {
		add(rest/u.micros, u.name)
		rest %= u.micros
	}
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}
