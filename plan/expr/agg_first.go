package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// bindFirst and bindLast bind first(x [, ignore_nulls]) and last: the value of the
// first or last row in the order of arrival, NULL included unless it is ignored. any_value
// is first, as in Spark.
func bindFirst(c aggregateCall) (*Aggregate, error) { return bindEnd(c, false) }
func bindLast(c aggregateCall) (*Aggregate, error)  { return bindEnd(c, true) }

func bindEnd(c aggregateCall, last bool) (*Aggregate, error) {
	ignore := false
	if len(c.args) > 1 {
		var err error
		if ignore, err = c.flag(1); err != nil {
			return nil, err
		}
	}
	t := c.args[0].Type()
	return &Aggregate{Args: c.args[:1], Type: t, Nullable: true, Ordered: true, New: func() Accumulator {
		return endAcc{cellOf(t), last, ignore}
	}}, nil
}

// flag returns the value of a constant BOOLEAN argument.
func (c aggregateCall) flag(arg int) (bool, error) {
	if c.args[arg].Type().Kind != types.Boolean {
		return false, c.mismatch(arg, "a BOOLEAN")
	}
	l, err := c.constant(arg)
	if err != nil {
		return false, err
	}
	return !l.IsNull() && l.Value().(*array.Boolean).Value(0), nil
}

// endAcc holds whether there was a row, whether its value is NULL, and the value.
type endAcc struct {
	cell
	last        bool
	ignoreNulls bool
}

// The first word of an endAcc.
const (
	endNone  = 0
	endValue = 1
	endNull  = 2
)

// WordCount returns the words of a value and one.
func (e endAcc) WordCount() int { return 1 + e.words() }

// Blobs returns the handle of a value without fixed size.
func (e endAcc) Blobs() []int { return e.blobs(1) }

// Update takes the first row if there is none yet, or the last.
func (e endAcc) Update(c *Cells, groups []int32, args []arrow.Array) error {
	col := e.column(args[0])
	if e.ignoreNulls {
		groups = c.present(groups, args[0])
	}
	hasNulls := args[0].NullN() > 0
	for i, g := range groups {
		if g < 0 {
			continue
		}
		w := c.Words(g)
		switch {
		case !e.last && w[0] != endNone:
		case hasNulls && args[0].IsNull(i):
			w[0] = endNull
		default:
			w[0] = endValue
			col.put(c, w[1:], i)
		}
	}
	return nil
}

// Merge keeps the older value of first and the newer one of last.
func (e endAcc) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		w, x := c.Words(g), from.Words(src[i])
		if x[0] == endNone || !e.last && w[0] != endNone {
			continue
		}
		w[0] = x[0]
		if x[0] == endValue {
			e.move(c, w[1:], from, x[1:])
		}
	}
	return nil
}

// Result returns the values.
func (e endAcc) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	return e.array(c, groups, 1, c.results(groups, func(w []uint64) bool { return w[0] == endValue }), alloc)
}
