package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"

	"ssql/sql/types"
)

// Domain is a kind of values that a column holds.
type Domain struct {
	Name string
	Type types.Type
	// Few says that values repeat, so that the column is good for grouping.
	Few bool
	// Sum and Avg say that any sum and average of values fits its type, in any order of
	// the rows, to the last bit unless Approx.
	Sum, Avg, Approx bool
	// Arith says that + and - of values and small numbers cannot overflow.
	Arith bool
	draw  func(r *rand.Rand) Value
}

// domains is the table of domains, in the order of their names.
var domains = []Domain{
	{Name: "bigint extreme", Type: types.Of(types.BigInt), draw: pick[int64](
		math.MinInt64, math.MinInt64+1, -1, 0, 1, math.MaxInt32+1, 1<<53+1, math.MaxInt64-1, math.MaxInt64)},
	{Name: "bigint few", Type: types.Of(types.BigInt), Few: true, Sum: true, Avg: true, Arith: true, draw: between(0, 4)},
	// 400 values of 2^54 stay below 2^63; their average would depend on the order.
	{Name: "bigint large", Type: types.Of(types.BigInt), Sum: true, Arith: true, draw: between(-1<<54, 1<<54)},
	{Name: "bigint small", Type: types.Of(types.BigInt), Sum: true, Avg: true, Arith: true, draw: between(-50, 50)},
	{Name: "boolean", Type: types.Of(types.Boolean), Few: true, draw: func(r *rand.Rand) Value { return r.IntN(2) == 0 }},
	{Name: "date", Type: types.Of(types.Date), Few: true, draw: pick[int64](-719162, -1, 0, 1, 19782, 19783, 2932896)},
	{Name: "decimal few", Type: types.DecimalOf(9, 2), Few: true, Sum: true, Avg: true, draw: pickBig(-150, 0, 1, 150, 99)},
	{Name: "decimal large", Type: types.DecimalOf(18, 4), Sum: true, Avg: true, draw: func(r *rand.Rand) Value {
		if r.IntN(3) == 0 {
			return big.NewInt([]int64{-999999999999999999, 999999999999999999, 0, 1, -1}[r.IntN(5)])
		}
		return big.NewInt(r.Int64N(2e9) - 1e9)
	}},
	// Multiples of an eighth add up exactly in any order.
	{Name: "double exact", Type: types.Of(types.Double), Sum: true, Avg: true, draw: func(r *rand.Rand) Value {
		if r.IntN(12) == 0 {
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
		}
		return float64(r.IntN(4000)-2000) / 8
	}},
	{Name: "double few", Type: types.Of(types.Double), Few: true, Sum: true, Avg: true, draw: pick(
		0, math.Copysign(0, -1), math.NaN(), 1.5, -2.25)},
	// Positive, so that nothing cancels out and a relative difference means something.
	{Name: "double rough", Type: types.Of(types.Double), Sum: true, Avg: true, Approx: true, draw: func(r *rand.Rand) Value {
		return r.Float64() * math.Pow(10, float64(r.IntN(20)-10))
	}},
	{Name: "integer extreme", Type: types.Of(types.Int), Sum: true, Avg: true, draw: pick[int64](
		math.MinInt32, -1, 0, 1, 7, math.MaxInt32)},
	{Name: "integer few", Type: types.Of(types.Int), Few: true, Sum: true, Avg: true, Arith: true, draw: between(-1, 2)},
	{Name: "integer small", Type: types.Of(types.Int), Sum: true, Avg: true, Arith: true, draw: between(-1000, 1000)},
	{Name: "timestamp", Type: types.Of(types.Timestamp), draw: pick[int64](
		-62135596800000000, -1, 0, 1, 1710072000000000, 1710072000999999, 253402300799999999)},
	{Name: "varchar few", Type: types.Of(types.Varchar), Few: true, draw: pick("", "a", "b", "A", "ä", "日本")},
	{Name: "varchar many", Type: types.Of(types.Varchar), draw: func(r *rand.Rand) Value {
		return []string{"", "x", "🙂", "it's", "longer than twelve bytes", "NULL", " ", "Straße", "\t\"\\"}[r.IntN(9)] +
			string(rune('a'+r.IntN(26)))
	}},
}

func pick[T any](values ...T) func(*rand.Rand) Value {
	return func(r *rand.Rand) Value { return values[r.IntN(len(values))] }
}

func pickBig(values ...int64) func(*rand.Rand) Value {
	return func(r *rand.Rand) Value { return big.NewInt(values[r.IntN(len(values))]) }
}

func between(low, high int64) func(*rand.Rand) Value {
	return func(r *rand.Rand) Value { return low + r.Int64N(high-low+1) }
}

// counts is the domain of counts.
var counts = Domain{Name: "count", Type: types.Of(types.BigInt), Sum: true, Avg: true, Arith: true, draw: between(0, 5)}

// eventTime is the domain of event times. Rows draw them from the clock of their stream.
var eventTime = Domain{Name: "event time", Type: types.Of(types.Timestamp)}
