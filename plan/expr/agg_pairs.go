package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// The aggregates of pairs (y, x): covariance, correlation and the regression of y on x.
// Pairs with a NULL do not count. The formulas are Spark's, so that results agree to the
// last digit.

func bindCovarPop(c aggregateCall) (*Aggregate, error) {
	return bindPairs(c, func(p pairs) (float64, bool) { return p.cross / p.n, p.n > 0 })
}

func bindCovarSamp(c aggregateCall) (*Aggregate, error) {
	return bindPairs(c, func(p pairs) (float64, bool) { return p.cross / (p.n - 1), p.n > 1 })
}

func bindCorr(c aggregateCall) (*Aggregate, error) {
	return bindPairs(c, func(p pairs) (float64, bool) {
		return p.cross / math.Sqrt(p.ySquares*p.xSquares), p.n > 1 && p.ySquares*p.xSquares != 0
	})
}

func bindRegrR2(c aggregateCall) (*Aggregate, error) {
	return bindPairs(c, func(p pairs) (float64, bool) {
		// Of a constant y Spark says NULL and of a constant x 1; the SQL standard has it
		// the other way round.
		switch {
		case p.n < 2 || p.ySquares == 0:
			return 0, false
		case p.xSquares == 0:
			return 1, true
		}
		corr := p.cross / math.Sqrt(p.ySquares*p.xSquares)
		return corr * corr, true
	})
}

func bindRegrSlope(c aggregateCall) (*Aggregate, error) {
	return bindRegression(c, func(p pairs) (float64, bool) { return p.cross / p.xSquares, p.n > 1 && p.xSquares != 0 })
}

func bindRegrIntercept(c aggregateCall) (*Aggregate, error) {
	return bindRegression(c, func(p pairs) (float64, bool) {
		// Spark puts the group into an empty one before this, which rounds the means.
		yMean, xMean := p.yMean/p.n*p.n, p.xMean/p.n*p.n
		return yMean - p.cross/p.xSquares*xMean, p.n > 1 && p.xSquares != 0
	})
}

func bindRegrSxy(c aggregateCall) (*Aggregate, error) {
	return bindPairs(c, func(p pairs) (float64, bool) { return p.cross, p.n > 0 })
}

func bindRegrSxx(c aggregateCall) (*Aggregate, error) {
	return bindRegression(c, func(p pairs) (float64, bool) { return p.xSquares, p.n > 0 })
}

func bindRegrSyy(c aggregateCall) (*Aggregate, error) {
	return bindRegression(c, func(p pairs) (float64, bool) { return p.ySquares, p.n > 0 })
}

// bindRegrCount binds regr_count(y, x), which is count(y, x).
func bindRegrCount(c aggregateCall) (*Aggregate, error) {
	if err := c.numbers(); err != nil {
		return nil, err
	}
	return bindCount(c)
}

// bindRegrAvgx binds regr_avgx(y, x), the avg of x where y has a value.
func bindRegrAvgx(c aggregateCall) (*Aggregate, error) { return bindPairAvg(c, 1) }

// bindRegrAvgy binds regr_avgy(y, x), the avg of y where x has a value.
func bindRegrAvgy(c aggregateCall) (*Aggregate, error) { return bindPairAvg(c, 0) }

func bindPairAvg(c aggregateCall, value int) (*Aggregate, error) {
	if err := c.numbers(); err != nil {
		return nil, err
	}
	one := c
	one.args = c.args[value : value+1]
	agg, err := bindAvg(one)
	if err != nil {
		return nil, err
	}
	avg := agg.New
	agg.Args, agg.New = c.args, func() Accumulator { return pairAvg{avg(), value} }
	return agg, nil
}

// pairAvg is avg over one side of the pairs.
type pairAvg struct {
	Accumulator
	value int
}

// Update leaves out pairs with a NULL.
func (p pairAvg) Update(c *Cells, groups []int32, args []arrow.Array) error {
	return p.Accumulator.Update(c, c.present(groups, args...), args[p.value:p.value+1])
}

// numbers refuses arguments that are no numbers.
func (c aggregateCall) numbers() error {
	for i, a := range c.args {
		if t := a.Type(); !t.IsNumeric() && t.Kind != types.Null {
			return c.mismatch(i, "a number")
		}
	}
	return nil
}

func bindPairs(c aggregateCall, result func(pairs) (float64, bool)) (*Aggregate, error) {
	return c.pairs(pairMoments{plainWords(6), false, result})
}

func bindRegression(c aggregateCall, result func(pairs) (float64, bool)) (*Aggregate, error) {
	return c.pairs(pairMoments{plainWords(6), true, result})
}

func (c aggregateCall) pairs(acc pairMoments) (*Aggregate, error) {
	if err := c.numbers(); err != nil {
		return nil, err
	}
	args := make([]Expr, len(c.args))
	for i, a := range c.args {
		var err error
		if args[i], err = BindCast(a, tDouble, false, c.span); err != nil {
			return nil, err
		}
	}
	return &Aggregate{Args: args, Type: tDouble, Nullable: true, New: func() Accumulator { return acc }}, nil
}

// pairMoments holds pairs.
type pairMoments struct {
	plainWords
	// regression takes the deviations as Spark does for a regression, which differs from
	// what it does for a correlation in the last digit.
	regression bool
	result     func(pairs) (value float64, ok bool) // NULL unless ok
}

// pairs are the moments of pairs: their count, the means, the sum of the products of both
// deviations, and the sums of their squares.
type pairs struct{ n, yMean, xMean, cross, ySquares, xSquares float64 }

func pairsAt(w []uint64) pairs {
	f := math.Float64frombits
	return pairs{f(w[0]), f(w[1]), f(w[2]), f(w[3]), f(w[4]), f(w[5])}
}

func (p pairs) put(w []uint64) {
	for i, v := range [...]float64{p.n, p.yMean, p.xMean, p.cross, p.ySquares, p.xSquares} {
		w[i] = math.Float64bits(v)
	}
}

// Update adds pairs one by one.
func (m pairMoments) Update(c *Cells, groups []int32, args []arrow.Array) error {
	ys, xs := args[0].(*array.Float64).Float64Values(), args[1].(*array.Float64).Float64Values()
	for i, g := range c.present(groups, args...) {
		if g < 0 {
			continue
		}
		w := c.Words(g)
		p := pairsAt(w)
		p.n++
		dy, dx := ys[i]-p.yMean, xs[i]-p.xMean
		yStep, xStep := dy/p.n, dx/p.n
		p.yMean += yStep
		p.xMean += xStep
		if m.regression {
			p.cross += dx * (ys[i] - p.yMean)
			p.ySquares += dy * (dy - yStep)
			p.xSquares += dx * (dx - xStep)
		} else {
			p.cross += dy * (xs[i] - p.xMean)
			p.ySquares += dy * (ys[i] - p.yMean)
			p.xSquares += dx * (xs[i] - p.xMean)
		}
		p.put(w)
	}
	return nil
}

// Merge puts moments together (Pébay 2008).
func (pairMoments) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		w := c.Words(g)
		a, b := pairsAt(w), pairsAt(from.Words(src[i]))
		n := a.n + b.n
		if n == 0 {
			continue
		}
		dy, dx := b.yMean-a.yMean, b.xMean-a.xMean
		yStep, xStep := dy/n, dx/n
		pairs{
			n, a.yMean + yStep*b.n, a.xMean + xStep*b.n,
			a.cross + b.cross + dy*xStep*a.n*b.n,
			a.ySquares + b.ySquares + dy*yStep*a.n*b.n,
			a.xSquares + b.xSquares + dx*xStep*a.n*b.n,
		}.put(w)
	}
	return nil
}

// Result computes what the call is about.
func (m pairMoments) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]float64, len(groups))
	valid := newValidity(len(groups))
	for i, g := range groups {
		v, ok := m.result(pairsAt(c.Words(g)))
		if vals[i] = v; !ok {
			valid.clear(i)
		}
	}
	return newValues(arrow.PrimitiveTypes.Float64, vals, valid), nil
}
