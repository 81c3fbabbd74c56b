package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// bindSkewness binds skewness(x) of a population, as in Spark; DuckDB's is that of a sample.
func bindSkewness(c aggregateCall) (*Aggregate, error) {
	return bindMoments(c, func(n, m2, m3, _ float64) float64 { return math.Sqrt(n) * m3 / math.Sqrt(m2*m2*m2) })
}

// bindKurtosis binds kurtosis(x), the excess of a population, as in Spark; that is
// kurtosis_pop in DuckDB.
func bindKurtosis(c aggregateCall) (*Aggregate, error) {
	return bindMoments(c, func(n, m2, _, m4 float64) float64 { return n*m4/(m2*m2) - 3 })
}

func bindMoments(c aggregateCall, result func(n, m2, m3, m4 float64) float64) (*Aggregate, error) {
	if t := c.args[0].Type(); !t.IsNumeric() && t.Kind != types.Null {
		return nil, c.mismatch(0, "a number")
	}
	return &Aggregate{Args: c.args, Type: tDouble, Nullable: true, New: func() Accumulator {
		return centralMoments{plainWords(5), result}
	}}, nil
}

// centralMoments holds the count, the mean and the sums of the second, third and fourth
// powers of the deviations, all as doubles. The formulas are Spark's, so that results
// agree to the last digit.
type centralMoments struct {
	plainWords
	result func(n, m2, m3, m4 float64) float64
}

// Update adds values one by one (Meng 2015).
func (centralMoments) Update(c *Cells, groups []int32, args []arrow.Array) error {
	return addAsDoubles(c, groups, args[0], func(c *Cells, groups []int32, vals []float64) {
		for i, g := range groups {
			if g < 0 {
				continue
			}
			w := c.Words(g)
			n, mean, m2 := moments(w)
			m3, m4 := math.Float64frombits(w[3]), math.Float64frombits(w[4])
			n++
			delta := vals[i] - mean
			step := delta / n
			delta2, step2 := delta*delta, step*step
			m2 += delta * (delta - step)
			m3 = m3 - 3*step*m2 + delta*(delta2-step2)
			m4 = m4 - 4*step*m3 - 6*step2*m2 + delta*(delta*delta2-step*step2)
			putMoments(w, n, mean+step, m2)
			w[3], w[4] = math.Float64bits(m3), math.Float64bits(m4)
		}
	})
}

// Merge puts moments together (Pébay 2008).
func (centralMoments) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		w, x := c.Words(g), from.Words(src[i])
		n1, mean1, m21 := moments(w)
		n2, mean2, m22 := moments(x)
		m31, m41 := math.Float64frombits(w[3]), math.Float64frombits(w[4])
		m32, m42 := math.Float64frombits(x[3]), math.Float64frombits(x[4])
		n := n1 + n2
		if n == 0 {
			continue
		}
		delta := mean2 - mean1
		step := delta / n
		m3 := m31 + m32 + step*step*delta*n1*n2*(n1-n2) + 3*step*(n1*m22-n2*m21)
		m4 := m41 + m42 + step*step*step*delta*n1*n2*(n1*n1-n1*n2+n2*n2) +
			6*step*step*(n1*n1*m22+n2*n2*m21) + 4*step*(n1*m32-n2*m31)
		putMoments(w, n, mean1+step*n2, m21+m22+delta*step*n1*n2)
		w[3], w[4] = math.Float64bits(m3), math.Float64bits(m4)
	}
	return nil
}

// Result is NULL without values, and where all are equal.
func (m centralMoments) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]float64, len(groups))
	valid := c.results(groups, func(w []uint64) bool {
		n, _, m2 := moments(w)
		return n > 0 && m2 != 0
	})
	for i, g := range groups {
		w := c.Words(g)
		n, _, m2 := moments(w)
		vals[i] = m.result(n, m2, math.Float64frombits(w[3]), math.Float64frombits(w[4]))
	}
	return newValues(arrow.PrimitiveTypes.Float64, vals, valid), nil
}
