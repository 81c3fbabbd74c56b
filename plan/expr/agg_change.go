package expr

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// Retracter is an Accumulator that can take rows back. What a group holds afterwards is
// what it would hold if the rows had never come. Rows may be taken back before they come,
// in another Cells that is merged later.
type Retracter interface {
	Accumulator
	// Retract is Update for rows that no longer are.
	Retract(c *Cells, groups []int32, args []arrow.Array) error
}

// OfChanges returns the aggregate with an accumulator that is a Retracter, DISTINCT taken
// in; ok is false for an aggregate whose result depends on the order of its rows, which
// nobody knows when one is taken back.
//
// Counts, and sums and averages of integers and decimals, take a fixed number of words per
// group. All others keep how often each value occurs: what is added up as DOUBLE would not come back
// to what it was.
func (a *Aggregate) OfChanges(distinct bool) (changed *Aggregate, ok bool) {
	if a.Ordered {
		return nil, false
	}
	c := *a
	if !distinct {
		switch acc := a.New().(type) {
		case Retracter:
			return a, true
		case integerSum:
			if !acc.try {
				c.New = func() Accumulator { return exactSum{plainWords: 3, t: a.Type} }
				return &c, true
			}
		case decimalSum:
			if !acc.try {
				c.New = func() Accumulator { return exactSum{plainWords: 3, t: a.Type} }
				return &c, true
			}
		case decimalAvg:
			more := acc.t.Scale - acc.sum.t.Scale
			c.New = func() Accumulator { return exactSum{plainWords: 3, t: a.Type, average: true, more: more} }
			return &c, true
		case doubleAvg:
			if a.Args[0].Type().IsInteger() {
				c.New = func() Accumulator { return exactSum{plainWords: 3, t: a.Type, average: true} }
				return &c, true
			}
		}
	}
	ts := make([]types.Type, len(a.Args))
	for i, e := range a.Args {
		ts[i] = e.Type()
	}
	c.New = func() Accumulator {
		return changeBag{inner: a.New(), args: ts, distinct: distinct, once: distinct || sameOfEqual[a.Name]}
	}
	return &c, true
}

// sameOfEqual are the aggregates for which one of several equal rows is as good as all.
var sameOfEqual = map[string]bool{"min": true, "max": true, "bool_and": true, "bool_or": true, "bit_and": true, "bit_or": true,
	"min_by": true, "max_by": true, "approx_count_distinct": true, "collect_set": true}

// Retract takes one off per row without NULL arguments.
func (countAcc) Retract(c *Cells, groups []int32, args []arrow.Array) error {
	for _, g := range c.present(groups, args...) {
		if g >= 0 {
			c.Slab[int(g)*c.Stride+c.Offset]--
		}
	}
	return nil
}

// Retract takes one off per true row.
func (countIfAcc) Retract(c *Cells, groups []int32, args []arrow.Array) error {
	cond, ok := args[0].(*array.Boolean)
	if !ok {
		return nil // a column of NULLs
	}
	for i, g := range c.present(groups, cond) {
		if g >= 0 && cond.Value(i) {
			c.Slab[int(g)*c.Stride+c.Offset]--
		}
	}
	return nil
}

// exactSum holds the sum of integers, or of decimals without their point, in two words,
// low first, and the number of values.
type exactSum struct {
	plainWords
	t       types.Type // of the result
	average bool
	more    int32 // digits behind the point of a decimal average more than of its values
}

// Update adds values.
func (s exactSum) Update(c *Cells, groups []int32, args []arrow.Array) error {
	vals := wideIntegers(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g >= 0 {
			w := c.Words(g)
			if err := s.add(w, vals[i], g); err != nil {
				return err
			}
			w[2]++
		}
	}
	return nil
}

// Retract subtracts values.
func (s exactSum) Retract(c *Cells, groups []int32, args []arrow.Array) error {
	vals := wideIntegers(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g >= 0 {
			w := c.Words(g)
			if err := s.add(w, vals[i].Negate(), g); err != nil {
				return err
			}
			w[2]--
		}
	}
	return nil
}

// add leaves room for 38 digits, whatever the type of the result: a value may be added
// before the one that it replaces is taken back.
func (s exactSum) add(w []uint64, v decimal128.Num, group int32) error {
	sum := addDecimal(decimalAt(w), v)
	if !fitsPrecision(sum, types.DigitsMax) {
		return sumOverflowError(group, s.t)
	}
	putDecimal(w, sum)
	return nil
}

// Merge adds sums and numbers.
func (s exactSum) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		to, w := c.Words(g), from.Words(src[i])
		if err := s.add(to, decimalAt(w), g); err != nil {
			return err
		}
		to[2] += w[2]
	}
	return nil
}

// Result returns sums or averages, NULL without values.
func (s exactSum) Result(c *Cells, groups []int32, _ memory.Allocator) (arrow.Array, error) {
	valid := c.results(groups, func(w []uint64) bool { return int64(w[2]) > 0 })
	switch {
	case s.t.Kind == types.Double:
		vals := make([]float64, len(groups))
		for i, g := range groups {
			if w := c.Words(g); valid.has(i) {
				vals[i] = decimalAt(w).ToFloat64(0) / float64(w[2])
			}
		}
		return newValues(s.t.Arrow(), vals, valid), nil
	case s.t.Kind == types.BigInt:
		vals := make([]int64, len(groups))
		for i, g := range groups {
			v := decimalAt(c.Words(g))
			if vals[i] = int64(v.LowBits()); v != decimal128.FromI64(vals[i]) {
				return nil, sumOverflowError(g, s.t)
			}
		}
		return newValues(s.t.Arrow(), vals, valid), nil
	}
	vals := make([]decimal128.Num, len(groups))
	for i, g := range groups {
		if !valid.has(i) {
			continue
		}
		w, ok := c.Words(g), true
		vals[i] = decimalAt(w)
		if s.average {
			vals[i], ok = divideDecimal(vals[i], w[2], s.more)
		}
		if !ok || !fitsPrecision(vals[i], s.t.Precision) {
			return nil, sumOverflowError(g, s.t)
		}
	}
	return newValues(s.t.Arrow(), vals, valid), nil
}

// wideIntegers returns integers, or decimals without their point.
func wideIntegers(a arrow.Array) []decimal128.Num {
	switch a := a.(type) {
	case *array.Int8:
		return widened(a.Int8Values())
	case *array.Int16:
		return widened(a.Int16Values())
	case *array.Int32:
		return widened(a.Int32Values())
	case *array.Int64:
		return widened(a.Int64Values())
	case *array.Uint8:
		return widened(a.Uint8Values())
	case *array.Uint16:
		return widened(a.Uint16Values())
	case *array.Uint32:
		return widened(a.Uint32Values())
	}
	return decimalsOf(a)
}

func widened[T integer](vals []T) []decimal128.Num {
	out := make([]decimal128.Num, len(vals))
	for i, v := range vals {
		out[i] = decimal128.FromI64(int64(v))
	}
	return out
}

// changeBag holds a handle of the rows that a group has, and how many bytes of it are
// packed. The result is that of another accumulator over them.
//
// The bytes are entries: how many times more often the row came than it was taken
// back, as a signed varint, then its arguments, encoded. Changes go to the end; when
// what is there has doubled, equal rows are put together.
type changeBag struct {
	inner    Accumulator
	args     []types.Type
	distinct bool // -0 and 0 are equal
	once     bool // equal rows count as one
}

type changeEntry struct {
	count int64
	row   []byte
}

// WordCount returns 2.
func (changeBag) WordCount() int { return 2 }

// Blobs returns the handle.
func (changeBag) Blobs() []int { return []int{0} }

// Update adds rows.
func (b changeBag) Update(c *Cells, groups []int32, args []arrow.Array) error {
	return b.change(c, groups, args, 1)
}

// Retract takes rows back.
func (b changeBag) Retract(c *Cells, groups []int32, args []arrow.Array) error {
	return b.change(c, groups, args, -1)
}

func (b changeBag) change(c *Cells, groups []int32, args []arrow.Array, by int64) error {
	if b.distinct {
		args = slices.Clone(args)
		for i := range args {
			args[i] = byValue(args[i])
		}
	}
	for row, g := range groups {
		if g < 0 {
			continue
		}
		c.buf = binary.AppendVarint(c.buf[:0], by)
		for _, a := range args {
			if b.distinct && isZero(a, row) {
				c.buf = appendZero(c.buf, a)
			} else {
				c.buf = appendEncoded(c.buf, a, row)
			}
		}
		if err := b.extend(c, c.Words(g), c.buf); err != nil {
			return err
		}
	}
	return nil
}

func (b changeBag) extend(c *Cells, w []uint64, entries []byte) error {
	w[0] = c.Heap.Extend(w[0], entries)
	if n := len(c.Heap.Blob(w[0])); uint64(n) <= 2*w[1]+bagSlack {
		return nil
	}
	list, err := b.entries(c.Heap.Blob(w[0]))
	if err != nil {
		return err
	}
	var packed []byte
	for _, e := range list {
		packed = append(binary.AppendVarint(packed, e.count), e.row...)
	}
	w[0] = c.Heap.SetBlob(w[0], packed)
	w[1] = uint64(len(packed))
	return nil
}

// entries returns the different rows in the order of their values, without those that are
// gone.
func (b changeBag) entries(p []byte) ([]changeEntry, error) {
	var list []changeEntry
	for len(p) > 0 {
		count, n := binary.Varint(p)
		if n <= 0 {
			return nil, errEncoded
		}
		p = p[n:]
		size := 0
		for _, t := range b.args {
			part, err := encodedSize(t, p[size:])
			if err != nil {
				return nil, err
			}
			size += part
		}
		list = append(list, changeEntry{count, p[:size]})
		p = p[size:]
	}
	sort.SliceStable(list, func(i, j int) bool { return string(list[i].row) < string(list[j].row) })
	kept := list[:0]
	for from := 0; from < len(list); {
		e, to := list[from], from+1
		for ; to < len(list) && string(list[to].row) == string(e.row); to++ {
			e.count += list[to].count
		}
		if e.count != 0 {
			kept = append(kept, e)
		}
		from = to
	}
	return kept, nil
}

// Merge adds the changes of the other group.
func (b changeBag) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		if x := from.Words(src[i]); x[0] != 0 {
			if err := b.extend(c, c.Words(g), from.Heap.Blob(x[0])); err != nil {
				return err
			}
		}
	}
	return nil
}

// Result folds the rows of each group anew, in the order of their values.
func (b changeBag) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	builders := make([]array.Builder, len(b.args))
	for i, t := range b.args {
		builders[i] = array.NewBuilder(alloc, t.Arrow())
		defer builders[i].Release()
	}
	var rows []int32 // the place in groups that each row belongs to
	for i, g := range groups {
		list, err := b.entries(c.Heap.Blob(c.Words(g)[0]))
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			times := max(e.count, 0)
			if b.once {
				times = min(times, 1)
			}
			for ; times > 0; times-- {
				rows = append(rows, int32(i))
				if err := appendRow(builders, b.args, e.row); err != nil {
					return nil, err
				}
			}
		}
	}
	args := make([]arrow.Array, len(builders))
	for i := range builders {
		args[i] = builders[i].NewArray()
		defer args[i].Release()
	}
	stride := max(1, b.inner.WordCount())
	fresh := &Cells{Slab: make([]uint64, len(groups)*stride), Stride: stride, Heap: &rowHeap{}}
	if err := b.inner.Update(fresh, rows, args); err != nil {
		return nil, err
	}
	all := make([]int32, len(groups))
	for i := range all {
		all[i] = int32(i)
	}
	return b.inner.Result(fresh, all, alloc)
}

func appendRow(builders []array.Builder, ts []types.Type, row []byte) error {
	for i, t := range ts {
		var err error
		if row, err = decodeInto(builders[i], t, row); err != nil {
			return err
		}
	}
	return nil
}

// rowHeap is a Heap that lives as long as one result is made.
type rowHeap struct{ blobs [][]byte }

// Blob returns the bytes of a handle.
func (h *rowHeap) Blob(handle uint64) []byte {
	if handle == 0 {
		return nil
	}
	return h.blobs[handle-1]
}

// SetBlob stores a copy of b.
func (h *rowHeap) SetBlob(handle uint64, b []byte) uint64 {
	if handle == 0 {
		h.blobs = append(h.blobs, nil)
		handle = uint64(len(h.blobs))
	}
	h.blobs[handle-1] = append([]byte(nil), b...)
	return handle
}

// Extend appends b.
func (h *rowHeap) Extend(handle uint64, b []byte) uint64 {
	if handle == 0 {
		return h.SetBlob(0, b)
	}
	h.blobs[handle-1] = append(h.blobs[handle-1], b...)
	return handle
}
