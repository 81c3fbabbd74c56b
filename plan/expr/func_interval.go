package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// intervalOfUnits binds to_days(n) and its like: n times one.
func intervalOfUnits(one types.Interval) binder {
	return failing(tInterval, map1(func(n int64) (interval, error) { return intervalOf(one.Times(n)) }), tBigInt)
}

// intervalOfSeconds binds to_seconds and to_milliseconds, which take fractions.
func intervalOfSeconds(unitMicros float64) binder {
	return failing(tInterval, map1(func(n float64) (interval, error) { return microsInterval(n * unitMicros) }), tDouble)
}

func microsInterval(micros float64) (interval, error) {
	if !(math.Abs(micros) < math.MaxInt64) {
		return interval{}, sqlerr.New(codeOverflow, "the result is outside the range of INTERVAL")
	}
	return intervalOf(types.Interval{Micros: int64(math.RoundToEven(micros))}, true)
}

// bindMakeDtInterval binds make_dt_interval([days [, hours [, minutes [, seconds]]]]).
func bindMakeDtInterval(b *binding) (Expr, error) {
	return b.intervalParts([]types.Interval{{Days: 1}, {Micros: 3_600_000_000}, {Micros: 60_000_000}})
}

// bindMakeInterval binds make_interval([years [, months [, weeks [, days [, hours [,
// minutes [, seconds]]]]]]]).
func bindMakeInterval(b *binding) (Expr, error) {
	return b.intervalParts([]types.Interval{{Months: 12}, {Months: 1}, {Days: 7}, {Days: 1}, {Micros: 3_600_000_000}, {Micros: 60_000_000}})
}

// intervalParts adds up whole numbers of units, and seconds behind them.
func (b *binding) intervalParts(units []types.Interval) (Expr, error) {
	args := make([]Expr, len(units)+1)
	for i := range args {
		t := tBigInt
		if i == len(units) {
			t = tDouble
		}
		switch {
		case i < len(b.args):
			e, err := b.arg(i, t)
			if err != nil {
				return nil, err
			}
			args[i] = e
		case i == len(units):
			args[i] = NewLiteral(t, 0.0)
		default:
			args[i] = NewLiteral(t, int64(0))
		}
	}
	return b.call(tInterval, func(f *frame, args []vec) (arrow.Array, error) {
		counts := make([]operand[int64], len(units))
		for i := range counts {
			counts[i] = read[int64](args[i])
		}
		seconds := read[float64](args[len(units)])
		out := make([]interval, f.rows)
		for i := range out {
			if !f.valid.has(i) {
				continue
			}
			v, err := microsInterval(seconds.at(i) * 1e6)
			sum, ok := types.IntervalOf(v), true
			for j, unit := range units {
				part, fits := unit.Times(counts[j].at(i))
				var added bool
				sum, added = sum.Add(part)
				ok = ok && fits && added
			}
			if err == nil {
				out[i], err = intervalOf(sum, ok)
			}
			if err != nil {
				return nil, f.settle(i, err)
			}
		}
		return newValues(f.arrow, out, f.valid), nil
	}, args...), nil
}
