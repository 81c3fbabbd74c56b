package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// bindMinBy and bindMaxBy bind min_by(x, y) and max_by(x, y): the x of the row with
// the smallest or greatest y. Rows without y do not count; of equal ones the last
// stays, as in Spark.
func bindMinBy(c aggregateCall) (*Aggregate, error) { return bindExtremeBy(c, false) }
func bindMaxBy(c aggregateCall) (*Aggregate, error) { return bindExtremeBy(c, true) }

func bindExtremeBy(c aggregateCall, most bool) (*Aggregate, error) {
	t, by := c.args[0].Type(), c.args[1].Type()
	if !orderable(by) {
		return nil, c.mismatch(1, "of a type with an order")
	}
	return &Aggregate{Args: c.args, Type: t, Nullable: true, New: func() Accumulator {
		return extremeBy{value: cellOf(t), by: extreme{cellOf(by), most}}
	}}, nil
}

// extremeBy holds the state of an endAcc (no row, a value, NULL), the value, and what it is chosen by.
type extremeBy struct {
	value cell
	by    extreme
}

func (e extremeBy) byAt() int { return 1 + e.value.words() }

// WordCount returns the words of both values and one.
func (e extremeBy) WordCount() int { return e.byAt() + e.by.words() }

// Blobs returns the handles of values without fixed size.
func (e extremeBy) Blobs() []int { return append(e.value.blobs(1), e.by.blobs(e.byAt())...) }

// yields reports whether a stored row gives way to one that compares with it by order.
func (e extremeBy) yields(order int) bool { return order == 0 || e.by.beats(order) }

// Update takes a row that beats the one that is there.
func (e extremeBy) Update(c *Cells, groups []int32, args []arrow.Array) error {
	value, by := e.value.column(args[0]), e.by.column(args[1])
	for i, g := range c.present(groups, args[1]) {
		if g < 0 {
			continue
		}
		w := c.Words(g)
		if w[0] != endNone && !e.yields(by.compare(c, w[e.byAt():], i)) {
			continue
		}
		by.put(c, w[e.byAt():], i)
		if args[0].IsNull(i) {
			w[0] = endNull
			continue
		}
		w[0] = endValue
		value.put(c, w[1:], i)
	}
	return nil
}

// Merge takes a row that beats the one that is there.
func (e extremeBy) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	at := e.byAt()
	for i, g := range dst {
		w, x := c.Words(g), from.Words(src[i])
		if x[0] == endNone || w[0] != endNone && !e.yields(e.by.compareStored(from, x[at:], c, w[at:])) {
			continue
		}
		e.by.move(c, w[at:], from, x[at:])
		w[0] = x[0]
		if x[0] == endValue {
			e.value.move(c, w[1:], from, x[1:])
		}
	}
	return nil
}

// Result returns the values.
func (e extremeBy) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	return e.value.array(c, groups, 1, c.results(groups, func(w []uint64) bool { return w[0] == endValue }), alloc)
}
