package expr

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// bindAvg binds avg(x): DECIMAL(p+4,s+4) for decimals, rounded half up, and DOUBLE for
// every other number, which is added up as DOUBLE as in Spark.
func bindAvg(c aggregateCall) (*Aggregate, error) {
	if err := c.countTruth(); err != nil {
		return nil, err
	}
	in := c.args[0].Type()
	agg := &Aggregate{Args: c.args, Type: tDouble, Nullable: true}
	switch {
	case in.Kind == types.Decimal:
		agg.Type = types.DecimalOf(min(in.Precision+4, types.DigitsMax), min(in.Scale+4, types.DigitsMax))
		sum := decimalSum{plainWords(3), sumDecimalType(in), false}
		agg.New = func() Accumulator { return decimalAvg{plainWords(4), sum, agg.Type} }
	case in.IsNumeric() || in.Kind == types.Null:
		agg.New = func() Accumulator { return doubleAvg{plainWords(2)} }
	default:
		return nil, c.mismatch(0, "a number")
	}
	return agg, nil
}

// doubleAvg holds the sum and the count.
type doubleAvg struct{ plainWords }

// Update adds values and their number.
func (doubleAvg) Update(c *Cells, groups []int32, args []arrow.Array) error {
	return addAsDoubles(c, groups, args[0], func(c *Cells, groups []int32, vals []float64) {
		slab, stride, at := c.Slab, c.Stride, c.Offset
		vals = vals[:len(groups)]
		for i, g := range groups {
			if g >= 0 {
				w := slab[int(g)*stride+at:]
				w = w[:2]
				w[0] = math.Float64bits(math.Float64frombits(w[0]) + vals[i])
				w[1]++
			}
		}
	})
}

// Merge adds sums and counts.
func (doubleAvg) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		to, w := c.Words(g), from.Words(src[i])
		to[0] = math.Float64bits(math.Float64frombits(to[0]) + math.Float64frombits(w[0]))
		to[1] += w[1]
	}
	return nil
}

// Result divides.
func (doubleAvg) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]float64, len(groups))
	for i, g := range groups {
		if w := c.Words(g); w[1] > 0 {
			vals[i] = math.Float64frombits(w[0]) / float64(w[1])
		}
	}
	valid := c.results(groups, func(w []uint64) bool { return w[1] > 0 })
	return newValues(arrow.PrimitiveTypes.Float64, vals, valid), nil
}

// decimalAvg holds a decimalSum and the count.
type decimalAvg struct {
	plainWords
	sum decimalSum
	t   types.Type
}

// Update adds values and their number.
func (a decimalAvg) Update(c *Cells, groups []int32, args []arrow.Array) error {
	vals := decimalsOf(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g < 0 {
			continue
		}
		w := c.Words(g)
		if err := a.sum.add(w, vals[i], g); err != nil {
			return err
		}
		w[3]++
	}
	return nil
}

// Merge adds sums and counts.
func (a decimalAvg) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	if err := a.sum.Merge(c, dst, from, src); err != nil {
		return err
	}
	for i, g := range dst {
		c.Words(g)[3] += from.Words(src[i])[3]
	}
	return nil
}

// Result divides and rounds.
func (a decimalAvg) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]decimal128.Num, len(groups))
	more := a.t.Scale - a.sum.t.Scale
	for i, g := range groups {
		w := c.Words(g)
		if w[3] == 0 {
			continue
		}
		v, ok := divideDecimal(decimalAt(w), w[3], more)
		if !ok || !fitsPrecision(v, a.t.Precision) {
			return nil, sumOverflowError(g, a.t)
		}
		vals[i] = v
	}
	valid := c.results(groups, func(w []uint64) bool { return w[3] > 0 })
	return newValues(a.t.Arrow(), vals, valid), nil
}

// divideDecimal returns sum / n with more digits after the point, at most four, rounded half away
// from zero; ok is false if that does not fit 127 bits.
func divideDecimal(sum decimal128.Num, n uint64, more int32) (q decimal128.Num, ok bool) {
	negative := sum.Sign() < 0
	mag := sum.Abs()
	// Long division by one word; the rest is less than n.
	hi, rest := bits.Div64(0, uint64(mag.HighBits()), n)
	lo, rest := bits.Div64(rest, mag.LowBits(), n)
	scale := uint64(1)
	for range more {
		scale *= 10
	}
	// What the digits behind add: rest * scale / n, which is less than scale.
	p1, p0 := bits.Mul64(rest, scale)
	digits, left := bits.Div64(p1, p0, n)
	if left >= n-left {
		digits++
	}
	over, top := bits.Mul64(hi, scale)
	carry, low := bits.Mul64(lo, scale)
	low, c := bits.Add64(low, digits, 0)
	top, c = bits.Add64(top, carry, c)
	if over+c > 0 || int64(top) < 0 {
		return q, false
	}
	q = decimal128.New(int64(top), low)
	if negative {
		q = q.Negate()
	}
	return q, true
}
