package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// bindCount binds count(*), count(x) and count(a, b): rows in which no argument is
// NULL. The result is BIGINT and never NULL.
func bindCount(c aggregateCall) (*Aggregate, error) {
	return &Aggregate{Args: c.args, Type: tBigInt, New: func() Accumulator { return countAcc{plainWords(1)} }}, nil
}

// countAcc holds one word: the count.
type countAcc struct{ plainWords }

// Update adds one per row without NULL arguments.
func (countAcc) Update(c *Cells, groups []int32, args []arrow.Array) error {
	slab, stride, at := c.Slab, c.Stride, c.Offset
	for _, g := range c.present(groups, args...) {
		if g >= 0 {
			slab[int(g)*stride+at]++
		}
	}
	return nil
}

// Merge adds the counts.
func (countAcc) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		c.Slab[int(g)*c.Stride+c.Offset] += from.Slab[int(src[i])*from.Stride+from.Offset]
	}
	return nil
}

// Result returns the counts.
func (countAcc) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	vals := make([]int64, len(groups))
	for i, g := range groups {
		vals[i] = int64(c.Words(g)[0])
	}
	return newValues(arrow.PrimitiveTypes.Int64, vals, newValidity(len(vals))), nil
}

// countIfAcc counts the rows in which its argument is true.
type countIfAcc struct{ countAcc }

// Update adds one per true row.
func (countIfAcc) Update(c *Cells, groups []int32, args []arrow.Array) error {
	cond, ok := args[0].(*array.Boolean)
	if !ok {
		return nil // a column of NULLs
	}
	for i, g := range c.present(groups, cond) {
		if g >= 0 && cond.Value(i) {
			c.Slab[int(g)*c.Stride+c.Offset]++
		}
	}
	return nil
}
