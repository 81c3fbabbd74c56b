package expr

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// The aggregates of this file need all values of a group: how often each occurs. They
// are exact, and a window bounds what they keep.

// bagAcc holds a handle of the values with their counts, and how many bytes of it are in order.
//
// The bytes are entries: the count as a varint, then the encoded value. New values go
// to the end; when what is there has doubled, equal values are put together and
// all are brought in order.
type bagAcc struct {
	t      types.Type
	empty  bool // no value gives an empty result, not NULL
	result func(entries []bagEntry, b array.Builder) error
	out    types.Type
}

type bagEntry struct {
	count uint64
	value []byte // encoded
}

const bagSlack = 1 << 12

// WordCount returns 2.
func (bagAcc) WordCount() int { return 2 }

// Blobs returns the handle.
func (bagAcc) Blobs() []int { return []int{0} }

// Update adds the values.
func (a bagAcc) Update(c *Cells, groups []int32, args []arrow.Array) error {
	values := byValue(args[0])
	for i, g := range c.present(groups, values) {
		if g < 0 {
			continue
		}
		c.buf = appendEncoded(binary.AppendUvarint(c.buf[:0], 1), values, i)
		if err := a.extend(c, c.Words(g), c.buf); err != nil {
			return err
		}
	}
	return nil
}

func (a bagAcc) extend(c *Cells, w []uint64, entries []byte) error {
	w[0] = c.Heap.Extend(w[0], entries)
	if n := len(c.Heap.Blob(w[0])); uint64(n) <= 2*w[1]+bagSlack {
		return nil
	}
	list, err := a.entries(c.Heap.Blob(w[0]))
	if err != nil {
		return err
	}
	var packed []byte
	for _, e := range list {
		packed = append(binary.AppendUvarint(packed, e.count), e.value...)
	}
	w[0] = c.Heap.SetBlob(w[0], packed)
	w[1] = uint64(len(packed))
	return nil
}

// entries returns the distinct values in order, with their counts.
func (a bagAcc) entries(b []byte) ([]bagEntry, error) {
	var list []bagEntry
	for len(b) > 0 {
		count, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errEncoded
		}
		size, err := encodedSize(a.t, b[n:])
		if err != nil {
			return nil, err
		}
		list = append(list, bagEntry{count, b[n : n+size]})
		b = b[n+size:]
	}
	sort.SliceStable(list, func(i, j int) bool { return string(list[i].value) < string(list[j].value) })
	distinct := list[:0]
	for _, e := range list {
		if n := len(distinct); n > 0 && string(distinct[n-1].value) == string(e.value) {
			distinct[n-1].count += e.count
		} else {
			distinct = append(distinct, e)
		}
	}
	return distinct, nil
}

// Merge adds the values of the other group.
func (a bagAcc) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		if x := from.Words(src[i]); x[0] != 0 {
			if err := a.extend(c, c.Words(g), from.Heap.Blob(x[0])); err != nil {
				return err
			}
		}
	}
	return nil
}

// Result makes a value of what is in each bag.
func (a bagAcc) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(alloc, a.out.Arrow())
	defer b.Release()
	for _, g := range groups {
		list, err := a.entries(c.Heap.Blob(c.Words(g)[0]))
		if err != nil {
			return nil, err
		}
		if len(list) == 0 && !a.empty {
			b.AppendNull()
			continue
		}
		if err := a.result(list, b); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

func (c aggregateCall) bag(a bagAcc) (*Aggregate, error) {
	a.t = c.args[0].Type()
	return &Aggregate{Args: c.args[:1], Type: a.out, Nullable: !a.empty, New: func() Accumulator { return a }}, nil
}

// bindCollectSet binds collect_set(x): the distinct values without NULL, in their order. An
// empty list without any.
func bindCollectSet(c aggregateCall) (*Aggregate, error) {
	t := c.args[0].Type()
	return c.bag(bagAcc{out: types.ListOf(t), empty: true, result: func(list []bagEntry, b array.Builder) error {
		l := b.(*array.ListBuilder)
		l.Append(true)
		for _, e := range list {
			if _, err := decodeInto(l.ValueBuilder(), t, e.value); err != nil {
				return err
			}
		}
		return nil
	}})
}

// bindHistogram binds DuckDB's histogram(x): a map from each value to how often it occurs.
func bindHistogram(c aggregateCall) (*Aggregate, error) {
	t := c.args[0].Type()
	return c.bag(bagAcc{out: types.MapOf(t, types.Of(types.UBigInt)), result: func(list []bagEntry, b array.Builder) error {
		m := b.(*array.MapBuilder)
		m.Append(true)
		for _, e := range list {
			if _, err := decodeInto(m.KeyBuilder(), t, e.value); err != nil {
				return err
			}
			m.ItemBuilder().(*array.Uint64Builder).Append(e.count)
		}
		return nil
	}})
}

// bindMode binds mode(x): the most frequent value; of several, the smallest.
func bindMode(c aggregateCall) (*Aggregate, error) {
	t := c.args[0].Type()
	return c.bag(bagAcc{out: t, result: func(list []bagEntry, b array.Builder) error {
		best := list[0]
		for _, e := range list {
			if e.count > best.count {
				best = e
			}
		}
		_, err := decodeInto(b, t, best.value)
		return err
	}})
}

// bindQuantileDisc binds quantile_disc(x, f), also quantile: the smallest value that at
// least the fraction f of all values does not exceed. f is a constant from 0 to 1, or a
// list of such, which gives a list.
func bindQuantileDisc(c aggregateCall) (*Aggregate, error) {
	t := c.args[0].Type()
	if !orderable(t) {
		return nil, c.mismatch(0, "of a type with an order")
	}
	return c.quantiles(t, func(list []bagEntry, total uint64, f float64, b array.Builder) error {
		rank := uint64(math.Ceil(f * float64(total)))
		_, err := decodeInto(b, t, bagValue(list, max(rank, 1)-1))
		return err
	})
}

// bindQuantileCont binds quantile_cont(x, f), also percentile: between two values it goes in a
// straight line. The result is DOUBLE.
func bindQuantileCont(c aggregateCall) (*Aggregate, error) {
	t := c.args[0].Type()
	if !t.IsNumeric() && t.Kind != types.Null {
		return nil, c.mismatch(0, "a number")
	}
	return c.quantiles(tDouble, func(list []bagEntry, total uint64, f float64, b array.Builder) error {
		at := f * float64(total-1)
		low, high := math.Floor(at), math.Ceil(at)
		x, err := encodedDouble(t, bagValue(list, uint64(low)))
		if err != nil {
			return err
		}
		y, err := encodedDouble(t, bagValue(list, uint64(high)))
		if err != nil {
			return err
		}
		if x != y {
			x = (high-at)*x + (at-low)*y
		}
		b.(*array.Float64Builder).Append(x)
		return nil
	})
}

// bindMedian binds median(x): quantile_cont(x, 0.5).
func bindMedian(c aggregateCall) (*Aggregate, error) {
	c.args = append(c.args[:1:1], NewLiteral(tDouble, 0.5))
	return bindQuantileCont(c)
}

// quantiles binds an aggregate with one or several constant fractions.
func (c aggregateCall) quantiles(t types.Type, one func(list []bagEntry, total uint64, f float64, b array.Builder) error) (*Aggregate, error) {
	fractions, many, err := c.fractions(1)
	if err != nil {
		return nil, err
	}
	out := t
	if many {
		out = types.ListOf(t)
	}
	return c.bag(bagAcc{out: out, result: func(list []bagEntry, b array.Builder) error {
		total := uint64(0)
		for _, e := range list {
			total += e.count
		}
		if l, ok := b.(*array.ListBuilder); ok && many {
			l.Append(true)
			b = l.ValueBuilder()
		}
		for _, f := range fractions {
			if err := one(list, total, f, b); err != nil {
				return err
			}
		}
		return nil
	}})
}

// fractions returns the constant fractions of an argument, and whether they are a list.
func (c aggregateCall) fractions(arg int) (list []float64, many bool, err error) {
	l, err := c.constant(arg)
	if err != nil {
		return nil, false, err
	}
	vals := l.Value()
	if a, ok := vals.(*array.List); ok {
		start, end := a.ValueOffsets(0)
		vals, many = array.NewSlice(a.ListValues(), start, end), true
	}
	err = addAsDoubles(&Cells{}, make([]int32, vals.Len()), vals, func(_ *Cells, rows []int32, v []float64) {
		for i, r := range rows {
			if r >= 0 {
				list = append(list, v[i])
			}
		}
	})
	if err != nil {
		return nil, false, err
	}
	bad := len(list) != vals.Len() || len(list) == 0
	for _, f := range list {
		bad = bad || !(f >= 0 && f <= 1)
	}
	if bad {
		return nil, false, sqlerr.At(c.span, codeParameter, "argument %d of %s is expected to be a fraction from 0 to 1 or a list of such, found %s", arg+1, c.name, l)
	}
	return list, many, nil
}

// bagValue returns the value at a place, from 0, among all values in order.
func bagValue(list []bagEntry, at uint64) []byte {
	for _, e := range list {
		if at < e.count {
			return e.value
		}
		at -= e.count
	}
	return list[len(list)-1].value
}

// encodedDouble returns an encoded number as a double.
func encodedDouble(t types.Type, p []byte) (float64, error) {
	b := array.NewBuilder(memory.DefaultAllocator, t.Arrow())
	defer b.Release()
	if _, err := decodeInto(b, t, p); err != nil {
		return 0, err
	}
	a := b.NewArray()
	defer a.Release()
	v := math.NaN()
	err := addAsDoubles(&Cells{}, []int32{0}, a, func(_ *Cells, _ []int32, vals []float64) { v = vals[0] })
	return v, err
}
