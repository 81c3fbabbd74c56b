package oracle

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"ssql/sql/types"
)

// Aggregate is one row of the table of aggregates.
type Aggregate struct {
	Name string
	// Takes reports whether it can be computed over a column.
	Takes func(c Column) bool
	// Type is its result's.
	Type func(arg types.Type) types.Type
	// Duck writes it for DuckDB, given how to write a call of a function with its filter,
	// over the argument in a format.
	Duck func(call func(name, format string) string, arg types.Type) string
	// Of computes it from the values in the order of the rows: those that are not NULL, or
	// with Nulls all.
	Of    func(values []Value, arg types.Type) Value
	Nulls bool
	// Ordered: the result depends on the order of the rows. Distinct: equal values may count
	// once.
	Ordered, Distinct bool
	// Approx: the last bits of a result over doubles that are no exact numbers depend
	// on the order of the rows.
	Approx bool
	// Inexact: the last bits are open for every argument.
	Inexact bool
	// Keeps says that the result is one of the values, so that it shifts with times.
	Keeps bool
}

// aggregates is the table of aggregates, in the order of their names.
var aggregates = []Aggregate{
	{
		// DuckDB adds integers exactly, Spark as doubles: domains with Avg give both the
		// same. Of decimals DuckDB's average is a double, Spark's a decimal rounded half up.
		Name:  "avg",
		Takes: func(c Column) bool { return c.Domain != nil && c.Domain.Avg },
		Type: func(arg types.Type) types.Type {
			if arg.Kind == types.Decimal {
				return types.DecimalOf(arg.Precision+4, arg.Scale+4)
			}
			return types.Of(types.Double)
		},
		Duck: func(call func(name, format string) string, arg types.Type) string {
			if arg.Kind == types.Decimal {
				sum := fmt.Sprintf("(%s * 10000)", call("sum", fmt.Sprintf("CAST(CAST(%%s AS DECIMAL(38,%d)) * %d AS BIGINT)", arg.Scale, pow10(arg.Scale))))
				n := call("count", "%s")
				return fmt.Sprintf("CAST(sign(%s) * ((2 * abs(%s) + %s) // (2 * %s)) AS DECIMAL(38,0))", sum, sum, n, n)
			}
			return call("avg", "%s")
		},
		Of: average, Approx: true, Distinct: true,
	},
	bitAggregate("bit_and", func(a, b int64) int64 { return a & b }),
	bitAggregate("bit_or", func(a, b int64) int64 { return a | b }),
	bitAggregate("bit_xor", func(a, b int64) int64 { return a ^ b }),
	truthAggregate("bool_and", false),
	truthAggregate("bool_or", true),
	{
		Name:  "count",
		Takes: func(Column) bool { return true },
		Type:  func(types.Type) types.Type { return types.Of(types.BigInt) },
		Duck:  plainCall("count"),
		Of:    func(values []Value, _ types.Type) Value { return int64(len(values)) },

		Distinct: true,
	},
	edgeAggregate("first", func(values []Value) Value { return values[0] }),
	edgeAggregate("last", func(values []Value) Value { return values[len(values)-1] }),
	{
		Name:  "max",
		Takes: func(Column) bool { return true },
		Type:  func(arg types.Type) types.Type { return arg },
		Duck:  plainCall("max"),
		Of:    func(values []Value, _ types.Type) Value { return extreme(values, 1) },
		Keeps: true,
	},
	{
		Name:  "min",
		Takes: func(Column) bool { return true },
		Type:  func(arg types.Type) types.Type { return arg },
		Duck:  plainCall("min"),
		Of:    func(values []Value, _ types.Type) Value { return extreme(values, -1) },
		Keeps: true,
	},
	{
		Name:  "sum",
		Takes: func(c Column) bool { return c.Domain != nil && c.Domain.Sum },
		Type: func(arg types.Type) types.Type {
			switch arg.Kind {
			case types.Decimal:
				return types.DecimalOf(arg.Precision+10, arg.Scale)
			case types.Double:
				return arg
			}
			return types.Of(types.BigInt)
		},
		Duck: plainCall("sum"),
		Of:   total, Approx: true, Distinct: true,
	},
	spreadAggregate("stddev_samp", func(n, squares float64) float64 { return math.Sqrt(squares / (n - 1)) }, 2),
	spreadAggregate("var_pop", func(n, squares float64) float64 { return squares / n }, 1),
}

func bitAggregate(name string, fold func(a, b int64) int64) Aggregate {
	return Aggregate{
		Name:  name,
		Takes: func(c Column) bool { return c.Type.IsInteger() },
		Type:  func(arg types.Type) types.Type { return arg },
		Duck:  plainCall(name),
		Of: func(values []Value, _ types.Type) Value {
			if len(values) == 0 {
				return nil
			}
			out := values[0].(int64)
			for _, v := range values[1:] {
				out = fold(out, v.(int64))
			}
			return out
		},
	}
}

// truthAggregate is decided by the first value that is winner.
func truthAggregate(name string, winner bool) Aggregate {
	return Aggregate{
		Name:  name,
		Takes: func(c Column) bool { return c.Type.Kind == types.Boolean },
		Type:  func(arg types.Type) types.Type { return arg },
		Duck:  plainCall(name),
		Of: func(values []Value, _ types.Type) Value {
			if len(values) == 0 {
				return nil
			}
			return slices.Contains(values, Value(winner)) == winner
		},
	}
}

// edgeAggregate is one of the values, NULL included, by the order of arrival.
func edgeAggregate(name string, of func(values []Value) Value) Aggregate {
	return Aggregate{
		Name:    name,
		Takes:   func(Column) bool { return true },
		Type:    func(arg types.Type) types.Type { return arg },
		Duck:    func(call func(name, format string) string, _ types.Type) string { return call(name, "%s ORDER BY seq") },
		Of:      func(values []Value, _ types.Type) Value { return pickEdge(values, of) },
		Nulls:   true,
		Ordered: true,
		Keeps:   true,
	}
}

func pickEdge(values []Value, of func(values []Value) Value) Value {
	if len(values) == 0 {
		return nil
	}
	return of(values)
}

// spreadAggregate is computed from the number of values and the sum of the squares of their
// distances from the mean. Of fewer values than least it is NULL. It is taken over small
// whole numbers, with a tolerance: there are many ways to compute it.
func spreadAggregate(name string, of func(n, squares float64) float64, least int) Aggregate {
	return Aggregate{
		Name:  name,
		Takes: func(c Column) bool { return c.Domain.Avg && c.Type.IsInteger() },
		Type:  func(types.Type) types.Type { return types.Of(types.Double) },
		Duck:  plainCall(name),
		Of: func(values []Value, arg types.Type) Value {
			if len(values) < least {
				return nil
			}
			mean, squares := average(values, arg).(float64), 0.0
			for _, v := range values {
				d := float64(v.(int64)) - mean
				squares += d * d
			}
			return of(float64(len(values)), squares)
		},
		Inexact: true,
	}
}

func plainCall(name string) func(func(name, format string) string, types.Type) string {
	return func(call func(name, format string) string, _ types.Type) string { return call(name, "%s") }
}

func pow10(n int32) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

func extreme(values []Value, sign int) Value {
	var best Value
	for _, v := range values {
		if best == nil || compare(v, best)*sign > 0 {
			best = v
		}
	}
	return best
}

func total(values []Value, arg types.Type) Value {
	if len(values) == 0 {
		return nil
	}
	switch arg.Kind {
	case types.Double:
		sum := 0.0
		for _, v := range values {
			sum += v.(float64)
		}
		return sum
	case types.Decimal:
		sum := new(big.Int)
		for _, v := range values {
			sum.Add(sum, v.(*big.Int))
		}
		return sum
	}
	sum := int64(0)
	for _, v := range values {
		sum += v.(int64)
	}
	return sum
}

func average(values []Value, arg types.Type) Value {
	if len(values) == 0 {
		return nil
	}
	if arg.Kind == types.Decimal {
		// Four more digits, and half a unit away from zero.
		sum := total(values, arg).(*big.Int)
		twice := new(big.Int).Mul(new(big.Int).Abs(sum), big.NewInt(20000))
		n := big.NewInt(int64(len(values)))
		q := twice.Add(twice, n).Div(twice, new(big.Int).Mul(n, big.NewInt(2)))
		if sum.Sign() < 0 {
			q.Neg(q)
		}
		return q
	}
	sum := 0.0
	for _, v := range values {
		if d, ok := v.(float64); ok {
			sum += d
		} else {
			sum += float64(v.(int64))
		}
	}
	return sum / float64(len(values))
}
