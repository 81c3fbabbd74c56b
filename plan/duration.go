package plan

import (
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// isDuration reports whether an argument is written as a constant length of time.
func isDuration(e sql.Expr) bool {
	switch e := e.(type) {
	case *sql.Interval:
		return true
	case *sql.Literal:
		_, ok := e.Value.(string)
		return ok
	case *sql.Unary:
		return isDuration(e.X)
	}
	return false
}

// duration returns the length of a constant argument of a window in microseconds.
// what is "size", "slide", "step", "offset" or "gap".
func (x *exprBinder) duration(e sql.Expr, what string) (int64, error) {
	span := x.b.at(e.Pos())
	v, err := x.interval(e, what)
	if err != nil {
		return 0, err
	}
	micros, ok := v.FixedMicros()
	if !ok {
		return 0, sqlerr.At(span, codeWindowMonths, "the %s of a window may not be in months or years: they have no fixed length", what).
			WithHint("use days: INTERVAL '30' DAY; or group by date_trunc('month', ts) in update or complete mode")
	}
	return micros, nil
}

func (x *exprBinder) interval(e sql.Expr, what string) (types.Interval, error) {
	span := x.b.at(e.Pos())
	switch e := e.(type) {
	case *sql.Interval:
		return e.Value, nil
	case *sql.Literal:
		if text, ok := e.Value.(string); ok {
			v, err := sql.ParseInterval(text)
			if err != nil {
				return v, sqlerr.At(span, codeInterval, "%q is not a length of time", text).
					WithHint("write for example '10 minutes' or INTERVAL '10' MINUTE")
			}
			return v, nil
		}
		return types.Interval{}, sqlerr.At(span, codeInterval, "the %s of a window needs a unit", what).
			WithHint("write for example INTERVAL '%v' SECOND", e.Value)
	case *sql.Unary:
		v, err := x.interval(e.X, what)
		if err == nil && e.Op == "-" {
			v = types.Interval{Months: -v.Months, Days: -v.Days, Micros: -v.Micros}
		}
		return v, err
	}
	return types.Interval{}, sqlerr.At(span, codeInterval, "the %s of a window must be a constant", what).
		WithHint("write for example INTERVAL '10' MINUTE")
}

// durationText writes a length of time with the largest units that give whole
// numbers: "1 hour 7 minutes".
func durationText(micros int64) string {
	days := micros / types.DayMicros
	if int64(int32(days)) != days {
		return sql.IntervalText(types.Interval{Micros: micros})
	}
	return sql.IntervalText(types.Interval{Days: int32(days), Micros: micros % types.DayMicros})
}

// DurationText writes a duration in words, as a user would: 1 hour 30 minutes.
func DurationText(micros int64) string { return durationText(micros) }
