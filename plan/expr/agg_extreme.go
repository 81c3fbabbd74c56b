package expr

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// bindMin and bindMax bind min(x) and max(x) for every type with an order: strings by
// bytes, NaN greatest, -0 equal to 0, structs and lists part by part. NULLs do not
// count; of equal values the first stays.
func bindMin(c aggregateCall) (*Aggregate, error) { return bindExtreme(c, false) }
func bindMax(c aggregateCall) (*Aggregate, error) { return bindExtreme(c, true) }

func bindExtreme(c aggregateCall, most bool) (*Aggregate, error) {
	t := c.args[0].Type()
	if !orderable(t) {
		return nil, c.mismatch(0, "of a type with an order")
	}
	return &Aggregate{Args: c.args, Type: t, Nullable: true, New: func() Accumulator {
		if t.IsNumeric() && t.Kind != types.Decimal || t.Kind == types.Date || t.Kind == types.Timestamp {
			return wordExtreme{extreme{cellOf(t), most}}
		}
		return extreme{cellOf(t), most}
	}}, nil
}

// orderable reports whether values of a type can be compared.
func orderable(t types.Type) bool {
	switch t.Kind {
	case types.Map, types.IntervalKind:
		return false
	case types.List:
		return orderable(*t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if !orderable(f.Type) {
				return false
			}
		}
	}
	return true
}

// extreme holds whether there is a value, and the value.
type extreme struct {
	cell
	most bool
}

// WordCount returns the words of a value and one.
func (e extreme) WordCount() int { return 1 + e.words() }

// Blobs returns the handle of a value without fixed size.
func (e extreme) Blobs() []int { return e.blobs(1) }

// beats reports whether a value that compares with the present one by order
// replaces it.
func (e extreme) beats(order int) bool {
	if e.most {
		return order > 0
	}
	return order < 0
}

// Update replaces the value by greater or smaller ones.
func (e extreme) Update(c *Cells, groups []int32, args []arrow.Array) error {
	col := e.column(args[0])
	for i, g := range c.present(groups, args[0]) {
		if g < 0 {
			continue
		}
		if w := c.Words(g); w[0] == 0 || e.beats(col.compare(c, w[1:], i)) {
			w[0] = 1
			col.put(c, w[1:], i)
		}
	}
	return nil
}

// Merge replaces the value by a greater or smaller one.
func (e extreme) Merge(c *Cells, dst []int32, from *Cells, src []int32) error {
	for i, g := range dst {
		w, x := c.Words(g), from.Words(src[i])
		if x[0] != 0 && (w[0] == 0 || e.beats(e.compareStored(from, x[1:], c, w[1:]))) {
			w[0] = 1
			e.move(c, w[1:], from, x[1:])
		}
	}
	return nil
}

// Result returns the values.
func (e extreme) Result(c *Cells, groups []int32, alloc memory.Allocator) (arrow.Array, error) {
	return e.array(c, groups, 1, c.results(groups, func(w []uint64) bool { return w[0] != 0 }), alloc)
}

// wordExtreme is extreme with kernels for the numbers and times that take a word.
type wordExtreme struct{ extreme }

// Update replaces the value by greater or smaller ones.
func (e wordExtreme) Update(c *Cells, groups []int32, args []arrow.Array) error {
	groups = c.present(groups, args[0])
	switch a := args[0].(type) {
	case *array.Int64:
		extremeIntegers(c, groups, a.Int64Values(), e.most)
	case *array.Timestamp:
		extremeIntegers(c, groups, a.TimestampValues(), e.most)
	case *array.Int32:
		extremeIntegers(c, groups, a.Int32Values(), e.most)
	case *array.Date32:
		extremeIntegers(c, groups, a.Date32Values(), e.most)
	case *array.Int16:
		extremeIntegers(c, groups, a.Int16Values(), e.most)
	case *array.Int8:
		extremeIntegers(c, groups, a.Int8Values(), e.most)
	case *array.Float64:
		extremeDoubles(c, groups, a.Float64Values(), e.most)
	case *array.Uint64:
		extremeIntegers(c, groups, a.Uint64Values(), e.most)
	case *array.Uint32:
		extremeIntegers(c, groups, a.Uint32Values(), e.most)
	case *array.Uint16:
		extremeIntegers(c, groups, a.Uint16Values(), e.most)
	case *array.Uint8:
		extremeIntegers(c, groups, a.Uint8Values(), e.most)
	default:
		return e.extreme.Update(c, groups, args)
	}
	return nil
}

func extremeIntegers[T integer | arrow.Timestamp | arrow.Date32](c *Cells, groups []int32, vals []T, most bool) {
	slab, stride, at := c.Slab, c.Stride, c.Offset
	vals = vals[:len(groups)]
	for i, g := range groups {
		if g < 0 {
			continue
		}
		w := slab[int(g)*stride+at:]
		w = w[:2]
		v, x := vals[i], T(w[1])
		if w[0] == 0 || (v > x) == most && v != x {
			w[0], w[1] = 1, uint64(int64(v))
		}
	}
}

func extremeDoubles(c *Cells, groups []int32, vals []float64, most bool) {
	slab, stride, at := c.Slab, c.Stride, c.Offset
	vals = vals[:len(groups)]
	for i, g := range groups {
		if g < 0 {
			continue
		}
		w := slab[int(g)*stride+at:]
		w = w[:2]
		v, x := vals[i], math.Float64frombits(w[1])
		if most {
			if w[0] == 0 || floatLess(x, v) {
				w[0], w[1] = 1, math.Float64bits(v)
			}
		} else if w[0] == 0 || floatLess(v, x) {
			w[0], w[1] = 1, math.Float64bits(v)
		}
	}
}
