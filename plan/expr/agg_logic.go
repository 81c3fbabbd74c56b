package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// bindBoolAnd and bindBoolOr bind bool_and(x) and bool_or(x) over the values that are
// not NULL; NULL without any.
func bindBoolAnd(c aggregateCall) (*Aggregate, error) { return bindBool(c, false) }
func bindBoolOr(c aggregateCall) (*Aggregate, error)  { return bindBool(c, true) }

func bindBool(c aggregateCall, or bool) (*Aggregate, error) {
	if k := c.args[0].Type().Kind; k != types.Boolean && k != types.Null {
		return nil, c.mismatch(0, "a BOOLEAN")
	}
	return &Aggregate{Args: c.args, Type: tBool, Nullable: true, New: func() Accumulator {
		// False is less than true: all are true if the least is, any if the most is.
		return extreme{cellOf(tBool), or}
	}}, nil
}

// bindCountIf binds count_if(x): how many rows have x true.
func bindCountIf(c aggregateCall) (*Aggregate, error) {
	if k := c.args[0].Type().Kind; k != types.Boolean && k != types.Null {
		return nil, c.mismatch(0, "a BOOLEAN")
	}
	return &Aggregate{Args: c.args, Type: tBigInt, New: func() Accumulator { return countIfAcc{countAcc{plainWords(1)}} }}, nil
}

// bindBits binds bit_and(x), bit_or(x) and bit_xor(x) over integers, of their type.
func bindBitAnd(c aggregateCall) (*Aggregate, error) {
	return bindBitAggregate(c, func(a, b uint64) uint64 { return a & b })
}

func bindBitOr(c aggregateCall) (*Aggregate, error) {
	return bindBitAggregate(c, func(a, b uint64) uint64 { return a | b })
}

func bindBitXor(c aggregateCall) (*Aggregate, error) {
	return bindBitAggregate(c, func(a, b uint64) uint64 { return a ^ b })
}

func bindBitAggregate(c aggregateCall, fold func(a, b uint64) uint64) (*Aggregate, error) {
	t := c.args[0].Type()
	if !t.IsInteger() {
		return nil, c.mismatch(0, "an integer")
	}
	return &Aggregate{Args: c.args, Type: t, Nullable: true, New: func() Accumulator {
		return bitAcc{plainWords(2), cellOf(t), fold}
	}}, nil
}

// bitAcc holds whether there is a value, and the value, widened to 64 bits.
type bitAcc struct {
	plainWords
	cell cell
	fold func(a, b uint64) uint64
}

func (b bitAcc) take(w []uint64, v uint64) {
	if w[0] != 0 {
		v = b.fold(w[1], v)
	}
	w[0], w[1] = 1, v
}

// Update folds the values.
func (b bitAcc) Update(c *Cells, groups []int32, args []arrow.Array) error {
	if _, ok := args[0].(*array.Null); ok {
		return nil
	}
	word := wordReader(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g >= 0 {
			b.take(c.Words(g), word(i))
		}
	}
	return nil
}

// Merge folds the values.
func (b bitAcc) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		if x := from.Words(src[i]); x[0] != 0 {
			b.take(c.Words(g), x[1])
		}
	}
	return nil
}

// Result returns the values.
func (b bitAcc) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	return b.cell.array(c, groups, 1, c.results(groups, func(w []uint64) bool { return w[0] != 0 }), alloc)
}
