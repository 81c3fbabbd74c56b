package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// The variance family: variance of a sample or of a population, and its root. The
// moments are kept and merged by Spark's formulas, so that results agree to the last
// digit. A sample of one has no variance: NULL.
func bindVarSamp(c aggregateCall) (*Aggregate, error)    { return bindVariance(c, true, false) }
func bindVarPop(c aggregateCall) (*Aggregate, error)     { return bindVariance(c, false, false) }
func bindStddevSamp(c aggregateCall) (*Aggregate, error) { return bindVariance(c, true, true) }
func bindStddevPop(c aggregateCall) (*Aggregate, error)  { return bindVariance(c, false, true) }

func bindVariance(c aggregateCall, sample, root bool) (*Aggregate, error) {
	if t := c.args[0].Type(); !t.IsNumeric() && t.Kind != types.Null {
		return nil, c.mismatch(0, "a number")
	}
	return &Aggregate{Args: c.args, Type: tDouble, Nullable: true, New: func() Accumulator {
		return variance{plainWords(3), sample, root}
	}}, nil
}

// variance holds the count, the mean and the sum of squares of deviations, all as
// doubles.
type variance struct {
	plainWords
	sample bool
	root   bool
}

// Update adds values one by one (Welford).
func (variance) Update(c *Cells, groups []int32, args []arrow.Array) error {
	return addAsDoubles(c, groups, args[0], func(c *Cells, groups []int32, vals []float64) {
		for i, g := range groups {
			if g < 0 {
				continue
			}
			w := c.Words(g)
			n, mean, m2 := moments(w)
			n++
			delta := vals[i] - mean
			step := delta / n
			putMoments(w, n, mean+step, m2+delta*(delta-step))
		}
	})
}

func moments(w []uint64) (n, mean, m2 float64) {
	return math.Float64frombits(w[0]), math.Float64frombits(w[1]), math.Float64frombits(w[2])
}

func putMoments(w []uint64, n, mean, m2 float64) {
	w[0], w[1], w[2] = math.Float64bits(n), math.Float64bits(mean), math.Float64bits(m2)
}

// Merge puts moments together (Chan et al.).
func (variance) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		w := c.Words(g)
		n1, mean1, m21 := moments(w)
		n2, mean2, m22 := moments(from.Words(src[i]))
		n := n1 + n2
		if n == 0 {
			continue
		}
		delta := mean2 - mean1
		step := delta / n
		putMoments(w, n, mean1+step*n2, m21+m22+delta*step*n1*n2)
	}
	return nil
}

// Result divides the squares by the count, or by one less for a sample.
func (v variance) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]float64, len(groups))
	least := 1.0
	if v.sample {
		least = 2
	}
	for i, g := range groups {
		n, _, m2 := moments(c.Words(g))
		if v.sample {
			n--
		}
		if vals[i] = m2 / n; v.root {
			vals[i] = math.Sqrt(vals[i])
		}
	}
	valid := c.results(groups, func(w []uint64) bool { return math.Float64frombits(w[0]) >= least })
	return newValues(arrow.PrimitiveTypes.Float64, vals, valid), nil
}
