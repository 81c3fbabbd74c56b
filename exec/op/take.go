package op

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Take returns the listed rows of a record, in the order of the list. An index of
// -1 gives a row of NULLs (the null side of an outer join).
func Take(alloc memory.Allocator, rec arrow.Record, rows []int32) (arrow.Record, error) {
	cols := make([]arrow.Array, rec.NumCols())
	for i := range cols {
		a, err := TakeArray(alloc, rec.Column(i), rows)
		if err != nil {
			return nil, fmt.Errorf("taking rows of column %q: %w", rec.ColumnName(i), err)
		}
		cols[i] = a
	}
	return array.NewRecord(rec.Schema(), cols, int64(len(rows))), nil
}

// TakeArray returns the listed values of an array; -1 gives NULL.
func TakeArray(alloc memory.Allocator, a arrow.Array, rows []int32) (arrow.Array, error) {
	valid, nulls := takeValidity(a, rows)
	data := a.Data()
	build := func(children []arrow.ArrayData, bufs ...*memory.Buffer) arrow.Array {
		all := append([]*memory.Buffer{valid}, bufs...)
		return array.MakeFromData(array.NewData(a.DataType(), len(rows), all, children, nulls, 0))
	}
	switch t := a.(type) {
	case *array.Null:
		return array.NewNull(len(rows)), nil
	case *array.Boolean:
		return build(nil, takeBits(t, rows)), nil
	case *array.String:
		offsets, bytes := takeBytes(t.ValueOffset, t.ValueLen, data.Buffers()[2], t.Len(), rows)
		return build(nil, offsets, bytes), nil
	case *array.Binary:
		offsets, bytes := takeBytes(t.ValueOffset, t.ValueLen, data.Buffers()[2], t.Len(), rows)
		return build(nil, offsets, bytes), nil
	case *array.Dictionary:
		idx, err := TakeArray(alloc, t.Indices(), rows)
		if err != nil {
			return nil, err
		}
		return array.NewDictionaryArray(t.DataType(), idx, t.Dictionary()), nil
	case *array.Struct:
		children := make([]arrow.ArrayData, t.NumField())
		for i := range children {
			c, err := TakeArray(alloc, t.Field(i), rows)
			if err != nil {
				return nil, err
			}
			children[i] = c.Data()
		}
		return build(children), nil
	case *array.Map:
		return takeList(alloc, t.List, a.DataType(), rows, valid, nulls)
	case *array.List:
		return takeList(alloc, t, a.DataType(), rows, valid, nulls)
	}
	if fixed, ok := a.DataType().(arrow.FixedWidthDataType); ok {
		return build(nil, takeFixed(data, fixed.BitWidth()/8, rows)), nil
	}
	return nil, fmt.Errorf("rows of type %s cannot be picked", a.DataType())
}

// takeValidity returns the validity bitmap of the taken rows, nil when all are
// valid, and how many are NULL.
func takeValidity(a arrow.Array, rows []int32) (*memory.Buffer, int) {
	if a.NullN() == 0 {
		all := true
		for _, r := range rows {
			if r < 0 {
				all = false
				break
			}
		}
		if all {
			return nil, 0
		}
	}
	bits := make([]byte, bitutil.BytesForBits(int64(len(rows))))
	nulls := 0
	for i, r := range rows {
		if r >= 0 && a.IsValid(int(r)) {
			bitutil.SetBit(bits, i)
		} else {
			nulls++
		}
	}
	return memory.NewBufferBytes(bits), nulls
}

func takeBits(a *array.Boolean, rows []int32) *memory.Buffer {
	bits := make([]byte, bitutil.BytesForBits(int64(len(rows))))
	for i, r := range rows {
		if r >= 0 && a.Value(int(r)) {
			bitutil.SetBit(bits, i)
		}
	}
	return memory.NewBufferBytes(bits)
}

func takeFixed(data arrow.ArrayData, width int, rows []int32) *memory.Buffer {
	src := data.Buffers()[1].Bytes()[data.Offset()*width:]
	dst := make([]byte, len(rows)*width)
	switch width {
	case 8:
		from, to := arrow.Uint64Traits.CastFromBytes(src), arrow.Uint64Traits.CastFromBytes(dst)
		for i, r := range rows {
			if r >= 0 {
				to[i] = from[r]
			}
		}
	case 4:
		from, to := arrow.Uint32Traits.CastFromBytes(src), arrow.Uint32Traits.CastFromBytes(dst)
		for i, r := range rows {
			if r >= 0 {
				to[i] = from[r]
			}
		}
	default:
		for i, r := range rows {
			if r >= 0 {
				copy(dst[i*width:(i+1)*width], src[int(r)*width:])
			}
		}
	}
	return memory.NewBufferBytes(dst)
}

// takeBytes copies the values of a variable-width array. start and length give a
// value's place in values, the array's offset included.
func takeBytes(start func(int) int, length func(int) int, values *memory.Buffer, n int, rows []int32) (offsets, bytes *memory.Buffer) {
	total := 0
	for _, r := range rows {
		if r >= 0 {
			total += length(int(r))
		}
	}
	off := make([]int32, len(rows)+1)
	out := make([]byte, 0, total)
	var src []byte
	if values != nil {
		src = values.Bytes()
	}
	for i, r := range rows {
		if r >= 0 && n > 0 {
			at := start(int(r))
			out = append(out, src[at:at+length(int(r))]...)
		}
		off[i+1] = int32(len(out))
	}
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(off)), memory.NewBufferBytes(out)
}

func takeList(alloc memory.Allocator, t *array.List, dt arrow.DataType, rows []int32, valid *memory.Buffer, nulls int) (arrow.Array, error) {
	off := make([]int32, len(rows)+1)
	var elems []int32
	for i, r := range rows {
		if r >= 0 && t.IsValid(int(r)) {
			start, end := t.ValueOffsets(int(r))
			for j := start; j < end; j++ {
				elems = append(elems, int32(j))
			}
		}
		off[i+1] = int32(len(elems))
	}
	values, err := TakeArray(alloc, t.ListValues(), elems)
	if err != nil {
		return nil, err
	}
	bufs := []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(off))}
	return array.MakeFromData(array.NewData(dt, len(rows), bufs, []arrow.ArrayData{values.Data()}, nulls, 0)), nil
}
