package expr

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/sql/types"
)

// vec is an evaluated operand: a column of the chunk, or one value that stands
// for every row.
type vec struct {
	arr   arrow.Array
	konst bool // arr has one value
}

// evalVec evaluates e, leaving a constant as it is. The caller releases arr.
func evalVec(e Expr, c *Ctx, rec arrow.Record) (vec, error) {
	if l, ok := e.(*Literal); ok {
		l.arr.Retain()
		return vec{arr: l.arr, konst: true}, nil
	}
	a, err := e.Eval(c, rec)
	if err != nil {
		return vec{}, err
	}
	if d, ok := a.(*array.Dictionary); ok && d.Dictionary().NullN() > 0 {
		// Validity is read from the indices alone everywhere below.
		defer a.Release()
		return vec{arr: plainStrings(d)}, nil
	}
	return vec{arr: a}, nil
}

func evalVecs(args []Expr, c *Ctx, rec arrow.Record) ([]vec, error) {
	vecs := make([]vec, len(args))
	for i, e := range args {
		v, err := evalVec(e, c, rec)
		if err != nil {
			releaseVecs(vecs[:i])
			return nil, err
		}
		vecs[i] = v
	}
	return vecs, nil
}

func releaseVecs(vecs []vec) {
	for _, v := range vecs {
		v.arr.Release()
	}
}

// isNull reports whether a constant is NULL.
func (v vec) isNull() bool { return v.konst && v.arr.NullN() > 0 }

// row returns where the value of row i is in arr.
func (v vec) row(i int) int {
	if v.konst {
		return 0
	}
	return i
}

// slot is the Go types that hold one value. Dates are int32, timestamps int64,
// and BLOB is a string.
type slot interface {
	bool | string | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 |
		decimal128.Num | arrow.MonthDayNanoInterval
}

// runRows is how many rows a kernel's inner loop covers. A constant is repeated
// that often, in one block that stays in the nearest cache, so that the same loop
// over two slices serves columns and constants.
const runRows = 256

// operand is the values of a vec as Go values; those of NULL rows are arbitrary. It
// belongs to one evaluation.
type operand[T slot] struct {
	// vals has a value per row, runRows times the same value for a constant, or, for a
	// text column, room for the views of one run.
	vals  []T
	konst bool
	text  *textColumn // T is string then
}

// run returns the values of rows lo to hi, which are at most runRows. They are valid
// until the next call.
func (o *operand[T]) run(lo, hi int) []T {
	switch {
	case o.konst:
		return o.vals[:hi-lo]
	case o.text != nil:
		for i := lo; i < hi; i++ {
			o.vals[i-lo] = o.textAt(i)
		}
		return o.vals[:hi-lo]
	}
	return o.vals[lo:hi]
}

// at returns the value of a row.
func (o *operand[T]) at(i int) T {
	switch {
	case o.konst:
		return o.vals[0]
	case o.text != nil:
		return o.textAt(i)
	}
	return o.vals[i]
}

// textAt is value of the text column, as the T that string is known to be.
func (o *operand[T]) textAt(i int) T {
	s := o.text.value(i)
	return *(*T)(unsafe.Pointer(&s))
}

// read returns the values of v, whose Arrow type must be one that T holds.
func read[T slot](v vec) operand[T] {
	if v.konst {
		block := make([]T, runRows)
		vals := valuesOf[T](v.arr)
		for i := range block {
			block[i] = vals[0]
		}
		return operand[T]{vals: block, konst: true}
	}
	var zero T
	if _, ok := any(zero).(string); ok {
		return operand[T]{vals: make([]T, min(runRows, v.arr.Len())), text: newTextColumn(v.arr)}
	}
	return operand[T]{vals: valuesOf[T](v.arr)}
}

// textColumn gives the values of a VARCHAR or BLOB column, of either form, without a
// header per row in memory.
type textColumn struct {
	text    string
	offsets []int32 // one more than values
	indices []int32 // of a dictionary; nil for the plain form
}

func newTextColumn(a arrow.Array) *textColumn {
	if d, ok := a.(*array.Dictionary); ok {
		c := newTextColumn(d.Dictionary())
		c.indices = rawValues[int32](d.Indices().Data())
		return c
	}
	data := a.Data()
	c := &textColumn{offsets: make([]int32, 1)}
	if _, ok := a.(*array.Null); ok || data.Len() == 0 || data.Buffers()[1] == nil {
		c.offsets = make([]int32, data.Len()+1)
		return c
	}
	all := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(data.Buffers()[1].Bytes()))), data.Offset()+data.Len()+1)
	c.offsets = all[data.Offset():]
	if bytes := data.Buffers()[2]; bytes != nil && bytes.Len() > 0 {
		c.text = unsafe.String(unsafe.SliceData(bytes.Bytes()), bytes.Len())
	}
	return c
}

func (c *textColumn) value(i int) string {
	if c.indices != nil {
		// The index of a NULL row may be anything.
		if i = int(c.indices[i]); uint(i) >= uint(len(c.offsets)-1) {
			return ""
		}
	}
	return c.text[c.offsets[i]:c.offsets[i+1]]
}

func valuesOf[T slot](a arrow.Array) []T {
	var vals []T
	switch p := any(&vals).(type) {
	case *[]string:
		*p = stringValues(a)
	case *[]bool:
		*p = boolValues(a)
	default:
		vals = rawValues[T](a.Data())
	}
	return vals
}

// rawValues views the value buffer of a fixed-width array as Ts.
func rawValues[T slot](data arrow.ArrayData) []T {
	buf := data.Buffers()[1]
	if data.Len() == 0 || buf == nil {
		return make([]T, data.Len())
	}
	all := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(buf.Bytes()))), data.Offset()+data.Len())
	return all[data.Offset():]
}

func boolValues(a arrow.Array) []bool {
	b := a.(*array.Boolean)
	vals := make([]bool, b.Len())
	for i := range vals {
		vals[i] = b.Value(i)
	}
	return vals
}

// stringValues returns views of the values; they are valid as long as a is held.
func stringValues(a arrow.Array) []string {
	c := newTextColumn(a)
	vals := make([]string, a.Len())
	for i := range vals {
		vals[i] = c.value(i)
	}
	return vals
}

// bytesOf views a string as bytes, to be read only.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Plain returns a column with its dictionary taken apart: the chunks of a column may have
// different ones, and a part of a nested value has none. NULLs among the values of the
// dictionary become NULLs of rows. The caller releases the result.
func Plain(a arrow.Array) arrow.Array {
	if d, ok := a.(*array.Dictionary); ok {
		return plainStrings(d)
	}
	a.Retain()
	return a
}

// plain is Plain that takes over the reference to a.
func plain(a arrow.Array) arrow.Array {
	defer a.Release()
	return Plain(a)
}

// plainStrings is Plain of a dictionary column.
func plainStrings(d *array.Dictionary) arrow.Array {
	vals := stringValues(d)
	valid := newValidity(d.Len())
	values := d.Dictionary()
	for i := range vals {
		if d.IsNull(i) || values.IsNull(d.GetValueIndex(i)) {
			valid.clear(i)
		}
	}
	return newStrings(types.Of(types.Varchar).Arrow(), vals, valid)
}
