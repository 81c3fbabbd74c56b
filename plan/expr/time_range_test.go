package expr

import (
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// TestTimeRangeOf compares how far a time is said to be from an expression made of it with
// what the expression gives for times around the borders of units.
func TestTimeRangeOf(t *testing.T) {
	ts := &Column{Name: "ts", T: tTimestamp}
	interval := func(months, days int32, micros int64) Expr {
		return NewLiteral(tInterval, types.Interval{Months: months, Days: days, Micros: micros})
	}
	must := func(e Expr, err error) Expr {
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	binary := func(op string, l, r Expr) Expr { return must(BindBinary(op, l, r, sqlerr.Span{})) }
	function := func(name string, args ...Expr) Expr { return must(BindFunction(name, args, sqlerr.Span{})) }
	text := func(s string) Expr { return NewLiteral(tVarchar, s) }
	cast := func(e Expr, to types.Type) Expr { return must(BindCast(e, to, false, sqlerr.Span{})) }
	known := map[string]Expr{
		"itself":             ts,
		"plus":               binary("+", ts, interval(0, 1, 5)),
		"plus on the left":   binary("+", interval(0, 0, 5), ts),
		"minus":              binary("-", ts, interval(0, 2, -7)),
		"minus a month":      binary("-", ts, interval(1, 0, 0)),
		"plus 14 months":     binary("+", ts, interval(14, 0, 0)),
		"date":               cast(ts, tDate),
		"date and back":      cast(cast(ts, tDate), tTimestamp),
		"date plus days":     binary("+", cast(ts, tDate), NewLiteral(tInt, int64(3))),
		"bucket":             function("time_bucket", interval(0, 0, 90_000_000), ts),
		"bucket with offset": function("time_bucket", interval(0, 1, 0), ts, interval(0, 0, 3_600_000_000)),
		"bucket of months":   function("time_bucket", interval(5, 0, 0), ts),
		"bucket of a bucket": function("time_bucket", interval(0, 1, 0), function("time_bucket", interval(0, 0, 7_000_000), ts)),
	}
	for _, unit := range []string{"microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "isoyear", "decade", "century", "millennium"} {
		known["date_trunc "+unit] = function("date_trunc", text(unit), ts)
	}
	times := timesAtBorders()
	for name, e := range known {
		r, ok := TimeRangeOf(e, func(e Expr) (TimeRange, bool) { return TimeRange{}, e == Expr(ts) })
		if !ok {
			t.Errorf("%s: not known", name)
			continue
		}
		for _, at := range times {
			v, err := evalOnce(cast(Rewrite(e, func(x Expr) Expr {
				if x == Expr(ts) {
					return NewLiteral(tTimestamp, at)
				}
				return x
			}), tTimestamp))
			if err != nil {
				t.Fatal(name, err)
			}
			if far := at - valuesOf[int64](v.arr)[0]; far < r.LowMicros || far > r.HighMicros {
				t.Errorf("%s: %s is %d behind, which is not in %v", name, types.FormatTimestamp(at), far, r)
			}
		}
	}
	for name, e := range map[string]Expr{
		"text":            cast(ts, tVarchar),
		"epoch":           function("epoch_ms", ts),
		"moved by itself": binary("+", ts, binary("-", ts, ts)),
		"last day":        function("last_day", ts),
		"constant":        NewLiteral(tTimestamp, int64(0)),
	} {
		if r, ok := TimeRangeOf(e, func(e Expr) (TimeRange, bool) { return TimeRange{}, e == Expr(ts) }); ok {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// timesAtBorders are times at and one microsecond before the first days of years and months, of
// leap years too, before and after 1970, and some between.
func timesAtBorders() []int64 {
	var out []int64
	for _, year := range []int{1900, 1968, 1969, 1970, 1999, 2000, 2020, 2023, 2024, 2026} {
		for month := 1; month <= 12; month++ {
			for _, day := range []int{1, 2, 28, 29} {
				at := types.DaysOf(year, month, day) * types.DayMicros
				out = append(out, at-1, at, at+1, at+45_296_789_012)
			}
		}
	}
	return out
}
