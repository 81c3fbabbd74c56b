package expr

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// validity says which rows of a result have a value. Without bits all have. The
// bits are its own: clearing one changes no input.
type validity struct {
	rows int
	bits []byte
}

func newValidity(rows int) *validity { return &validity{rows: rows} }

// has reports whether row i has a value.
func (v *validity) has(i int) bool { return v.bits == nil || v.bits[i>>3]&(1<<(i&7)) != 0 }

// clear makes row i NULL.
func (v *validity) clear(i int) {
	v.own()
	v.bits[i>>3] &^= 1 << (i & 7)
}

// own makes the bits explicit.
func (v *validity) own() {
	if v.bits != nil {
		return
	}
	v.bits = make([]byte, bitutil.BytesForBits(int64(v.rows)))
	bitutil.SetBitsTo(v.bits, 0, int64(v.rows), true)
}

// and makes the NULL rows of x NULL here too.
func (v *validity) and(x vec) {
	if x.arr.NullN() == 0 {
		return
	}
	if x.konst {
		v.bits = make([]byte, bitutil.BytesForBits(int64(v.rows)))
		return
	}
	if _, ok := x.arr.(*array.Null); ok {
		v.bits = make([]byte, bitutil.BytesForBits(int64(v.rows)))
		return
	}
	src, offset := x.arr.NullBitmapBytes(), x.arr.Data().Offset()
	if v.bits == nil {
		v.bits = make([]byte, bitutil.BytesForBits(int64(v.rows)))
		bitutil.CopyBitmap(src, offset, v.rows, v.bits, 0)
		return
	}
	out := make([]byte, len(v.bits))
	bitutil.BitmapAnd(v.bits, src, 0, int64(offset), out, 0, int64(v.rows))
	v.bits = out
}

// nulls returns how many rows are NULL.
func (v *validity) nulls() int {
	if v.bits == nil {
		return 0
	}
	return v.rows - bitutil.CountSetBits(v.bits, 0, v.rows)
}

// buffer returns the Arrow bitmap, nil if no row is NULL.
func (v *validity) buffer() *memory.Buffer {
	if v.nulls() == 0 {
		return nil
	}
	return memory.NewBufferBytes(v.bits)
}

// newArray returns an array of any layout over buffers and children without offset.
func newArray(t arrow.DataType, valid *validity, bufs []*memory.Buffer, children []arrow.ArrayData) arrow.Array {
	all := append([]*memory.Buffer{valid.buffer()}, bufs...)
	data := array.NewData(t, valid.rows, all, children, valid.nulls(), 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// newValues returns an array of t holding vals, which it takes over.
func newValues[T slot](t arrow.DataType, vals []T, valid *validity) arrow.Array {
	switch vals := any(vals).(type) {
	case []string:
		return newStrings(t, vals, valid)
	case []bool:
		return newBools(vals, valid)
	}
	return newArray(t, valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(vals))}, nil)
}

// rawBytes views values as bytes.
func rawBytes[T slot](vals []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), len(vals)*int(unsafe.Sizeof(zero)))
}

func newBools(vals []bool, valid *validity) arrow.Array {
	bits := make([]byte, bitutil.BytesForBits(int64(len(vals))))
	for i, b := range vals {
		if b {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return newBitmap(bits, valid)
}

// newBitmap returns a BOOLEAN array over bits, which it takes over.
func newBitmap(bits []byte, valid *validity) arrow.Array {
	return newArray(arrow.FixedWidthTypes.Boolean, valid, []*memory.Buffer{memory.NewBufferBytes(bits)}, nil)
}

// newStrings returns an array of a type with String's layout.
func newStrings(t arrow.DataType, vals []string, valid *validity) arrow.Array {
	total := 0
	for i, s := range vals {
		if valid.has(i) {
			total += len(s)
		}
	}
	text := textOut{bytes: make([]byte, 0, total), ends: make([]int32, 1, len(vals)+1)}
	for i, s := range vals {
		if valid.has(i) {
			text.bytes = append(text.bytes, s...)
		}
		text.end()
	}
	return text.array(t, valid)
}

// textOut collects the bytes of strings, one after the other.
type textOut struct {
	bytes []byte
	ends  []int32 // 0, then the end of each value so far
}

func newTextOut(rows int) *textOut {
	return &textOut{ends: make([]int32, 1, rows+1)}
}

// end closes the current value.
func (t *textOut) end() { t.ends = append(t.ends, int32(len(t.bytes))) }

func (t *textOut) array(dt arrow.DataType, valid *validity) arrow.Array {
	return newArray(dt, valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(t.ends)), memory.NewBufferBytes(t.bytes)}, nil)
}

// nullColumn returns rows NULLs of a type.
func nullColumn(t arrow.DataType, rows int) arrow.Array {
	return array.MakeArrayOfNull(memory.DefaultAllocator, t, rows)
}
