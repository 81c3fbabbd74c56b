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

// operand is the values of a vec as Go values; those of NULL rows are arbitrary.
type operand[T slot] struct {
	vals  []T
	konst bool // vals is runRows times the same value
}

// run returns the values of rows lo to hi, which are at most runRows.
func (o operand[T]) run(lo, hi int) []T {
	if o.konst {
		return o.vals[:hi-lo]
	}
	return o.vals[lo:hi]
}

// read returns the values of v, whose Arrow type must be one that T holds.
func read[T slot](v vec) operand[T] {
	vals := valuesOf[T](v.arr)
	if !v.konst {
		return operand[T]{vals: vals}
	}
	block := make([]T, runRows)
	for i := range block {
		block[i] = vals[0]
	}
	return operand[T]{vals: block, konst: true}
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
	switch a := a.(type) {
	case *array.Dictionary:
		byIndex := stringValues(a.Dictionary())
		indices := rawValues[int32](a.Indices().Data())
		vals := make([]string, len(indices))
		for i, k := range indices {
			// The index of a NULL row may be anything.
			if uint(k) < uint(len(byIndex)) {
				vals[i] = byIndex[k]
			}
		}
		return vals
	case *array.Null:
		return make([]string, a.Len())
	}
	data := a.Data()
	vals := make([]string, data.Len())
	bytes := data.Buffers()[2]
	if len(vals) == 0 || bytes == nil || bytes.Len() == 0 {
		return vals
	}
	all := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(data.Buffers()[1].Bytes()))), data.Offset()+len(vals)+1)
	offsets := all[data.Offset():]
	text := unsafe.String(unsafe.SliceData(bytes.Bytes()), bytes.Len())
	for i := range vals {
		vals[i] = text[offsets[i]:offsets[i+1]]
	}
	return vals
}

// bytesOf views a string as bytes, to be read only.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// plainStrings returns the plain form of a dictionary column.
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

// plain returns a in a form that can be a part of a nested value: VARCHAR as
// String. It takes over the reference and returns one.
func plain(a arrow.Array) arrow.Array {
	d, ok := a.(*array.Dictionary)
	if !ok {
		return a
	}
	defer a.Release()
	return plainStrings(d)
}
