package column

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// Finish returns the first n slots as an array that owns the memory, and leaves
// the builder without any until Start.
func (b *Builder) Finish(n int) arrow.Array {
	if b.Dict == nil {
		data := b.finishData(n)
		defer data.Release()
		return array.MakeFromData(data)
	}
	data := b.take(arrow.PrimitiveTypes.Int32, n, 2, nil)
	defer data.Release()
	ids := array.NewInt32Data(data)
	defer ids.Release()
	return array.NewDictionaryArray(types.ArrowDictionary, ids, b.Dict.Array())
}

func (b *Builder) finishData(n int) arrow.ArrayData {
	switch b.Type.Kind {
	case types.Null:
		b.take(b.arrow, n, 0, nil).Release()
		return array.NewData(b.arrow, n, []*memory.Buffer{nil}, nil, n, 0)
	case types.Struct:
		return b.take(b.arrow, n, 1, finishAll(b.Children, n))
	case types.List:
		return b.take(b.arrow, n, 2, finishAll(b.Children, int(b.Offsets[n])))
	case types.Map:
		size := int(b.Offsets[n])
		entries := finishAll(b.Children, size)
		pairs := array.NewData(b.arrow.(*arrow.MapType).Elem(), size, []*memory.Buffer{nil}, entries, 0, 0)
		release(entries)
		return b.take(b.arrow, n, 2, []arrow.ArrayData{pairs})
	case types.Varchar, types.Blob:
		b.bufs[2] = b.bufs[2][:len(b.Data)]
		return b.take(b.arrow, n, 3, nil)
	}
	return b.take(b.arrow, n, 2, nil)
}

func finishAll(children []*Builder, n int) []arrow.ArrayData {
	out := make([]arrow.ArrayData, len(children))
	for i, c := range children {
		out[i] = c.finishData(n)
	}
	return out
}

// take moves the first count buffers, and the children, into array data that holds
// the only references; other buffers go back to the pool. A column without NULLs
// needs no validity.
func (b *Builder) take(t arrow.DataType, n, count int, children []arrow.ArrayData) arrow.ArrayData {
	buffers := make([]*memory.Buffer, count)
	for i, buf := range b.bufs {
		if i < count && buf != nil && (i > 0 || b.nulls > 0) {
			buffers[i] = memory.NewBufferWithAllocator(b.fitted(buf, b.usedBytes(i, n)), b.pool)
		} else {
			b.pool.Free(buf)
		}
	}
	data := array.NewData(t, n, buffers, children, b.nulls, 0)
	for _, buf := range buffers {
		if buf != nil {
			buf.Release() // NewData has retained it
		}
	}
	release(children)
	b.bufs, b.valid, b.cap, b.nulls = [3][]byte{}, nil, 0, 0
	b.I8, b.I16, b.I32, b.I64, b.Bits, b.Offsets, b.Data = nil, nil, nil, nil, nil, nil, nil
	return data
}

// usedBytes returns how much of a buffer the first n slots fill.
func (b *Builder) usedBytes(buffer, n int) int {
	switch {
	case buffer == 2:
		return len(b.Data)
	case buffer == 1 && b.width > 0:
		return n * b.width
	case buffer == 1 && b.hasOffsets() && b.Dict == nil:
		return (n + 1) * 4
	}
	return (n + 7) / 8
}

// Memory is taken for a whole chunk before anyone knows how many rows there are. A chunk
// that fills less than 1/fittedPart of a buffer is moved to one of its size: the result of
// a batch is kept until it is stored, and of a small file each row would keep a chunk.
const fittedPart = 4

// fitted returns the first used bytes of a buffer, which is given back if it is much too
// large for them.
func (b *Builder) fitted(buf []byte, used int) []byte {
	if fittedPart*(used+Slack) >= cap(buf) {
		return buf
	}
	fit := b.pool.Allocate(used + Slack)[:used]
	copy(fit, buf[:used])
	b.pool.Free(buf)
	return fit
}

func release(data []arrow.ArrayData) {
	for _, d := range data {
		d.Release()
	}
}
