package column

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sql/types"
)

// Builder is one column under construction. Slots are numbered from 0; every slot
// counts as set and not NULL until SetNull, so a decoder writes the value and
// nothing else. A column inside a STRUCT has the slots of its parent; the elements
// of a LIST and the entries of a MAP are appended.
//
// The value slices are exported for the decoders: exactly one of them is used, by
// the width of the type, and Grow must have made room for the slot.
type Builder struct {
	Type types.Type
	Path string // the column's name, parts joined by dots, for messages

	I8  []int8
	I16 []int16
	I32 []int32 // also DATE, FLOAT as bits, and the ids of a Dict
	I64 []int64 // also TIMESTAMP, DOUBLE as bits, and DECIMAL as low and high word

	Bits    []byte  // BOOLEAN
	Offsets []int32 // VARCHAR, BLOB, LIST, MAP: slot i is Offsets[i] to Offsets[i+1]
	Data    []byte  // VARCHAR, BLOB

	// Children are the members of a STRUCT, the element of a LIST, or key and value of
	// a MAP.
	Children []*Builder
	// Format is how the values of a DATE or TIMESTAMP are written; nil is ISO-8601.
	Format *types.TimeFormat
	// Dict, if set, interns VARCHAR values and I32 holds their ids.
	Dict *Dictionary
	// Last is the slot that was set last, -1 at the start: how a decoder knows which
	// members of an object it has seen.
	Last int

	pool  *Pool
	cap   int
	width int // bytes of a value; see slotWidth
	valid []byte
	nulls int
	arrow arrow.DataType
	bufs  [3][]byte // validity; values or offsets; data
}

// NewBuilder returns a builder for a column. encode asks for a dictionary, which
// only VARCHAR can have.
func NewBuilder(pool *Pool, f types.Field, encode bool) *Builder {
	b := newBuilder(pool, f.Name, f.Type)
	if encode && f.Type.Kind == types.Varchar {
		b.Dict = newDictionary()
	}
	return b
}

func newBuilder(pool *Pool, path string, t types.Type) *Builder {
	b := &Builder{Type: t, Path: path, pool: pool, arrow: t.Arrow(), Last: -1}
	switch t.Kind {
	case types.Struct:
		for _, f := range t.Fields {
			b.Children = append(b.Children, newBuilder(pool, path+"."+f.Name, f.Type))
		}
	case types.List:
		b.Children = []*Builder{newBuilder(pool, path+"[]", *t.Elem)}
	case types.Map:
		b.Children = []*Builder{newBuilder(pool, path+" key", *t.Key), newBuilder(pool, path+"[]", *t.Elem)}
	}
	return b
}

// arrowType returns the type of the array that Finish will make.
func (b *Builder) arrowType() arrow.DataType {
	if b.Dict != nil {
		return types.ArrowDictionary
	}
	return b.arrow
}

// Start takes memory for a chunk of up to rows slots.
func (b *Builder) Start(rows int) {
	if b.Dict != nil {
		b.Dict = b.Dict.next()
	}
	b.cap, b.nulls, b.Last, b.width = 0, 0, -1, b.slotWidth()
	for _, c := range b.Children {
		if b.Type.Kind == types.Struct {
			c.Start(rows)
		} else {
			c.Start(listRows)
		}
	}
	b.Grow(rows)
	if b.hasText() {
		b.bufs[2] = b.pool.Allocate(textBytes*rows + Slack)
		b.Data = b.bufs[2][:0]
	}
}

// First guesses; both grow.
const (
	listRows  = 64 // elements of all lists of a chunk
	textBytes = 16 // text per row
)

func (b *Builder) hasText() bool {
	return b.Dict == nil && (b.Type.Kind == types.Varchar || b.Type.Kind == types.Blob)
}

func (b *Builder) hasOffsets() bool {
	switch b.Type.Kind {
	case types.Varchar, types.Blob, types.List, types.Map:
		return true
	}
	return false
}

// Grow makes room for slots 0 to n-1. Only columns below a LIST or MAP ever need
// it after Start.
func (b *Builder) Grow(n int) {
	if n <= b.cap {
		return
	}
	fresh := b.cap == 0
	n = max(n, 2*b.cap)
	valid := b.pool.Reallocate((n+7)/8, b.bufs[0])
	for i := (b.cap + 7) / 8; i < len(valid); i++ {
		valid[i] = 0xFF
	}
	b.bufs[0], b.valid, b.cap = valid, valid, n
	switch {
	case b.width > 0:
		b.bufs[1] = b.pool.Reallocate(n*b.width, b.bufs[1])
		b.view()
	case b.Type.Kind == types.Boolean:
		b.bufs[1] = b.pool.Reallocate((n+7)/8, b.bufs[1])
		b.Bits = b.bufs[1]
	case b.hasOffsets():
		b.bufs[1] = b.pool.Reallocate((n+1)*4, b.bufs[1])
		b.Offsets = words[int32](b.bufs[1])
		if fresh {
			b.Offsets[0] = 0
		}
	case b.Type.Kind == types.Struct:
		for _, c := range b.Children {
			c.Grow(n)
		}
	}
}

// slotWidth returns the bytes of one value, 0 where they vary or are bits.
func (b *Builder) slotWidth() int {
	switch b.Type.Kind {
	case types.TinyInt, types.UTinyInt:
		return 1
	case types.SmallInt, types.USmallInt:
		return 2
	case types.Int, types.UInt, types.Float, types.Date:
		return 4
	case types.BigInt, types.UBigInt, types.Double, types.Timestamp:
		return 8
	case types.Decimal:
		return 16
	}
	if b.Dict != nil {
		return 4
	}
	return 0
}

func (b *Builder) view() {
	switch b.width {
	case 1:
		b.I8 = words[int8](b.bufs[1])
	case 2:
		b.I16 = words[int16](b.bufs[1])
	case 4:
		b.I32 = words[int32](b.bufs[1])
	default:
		b.I64 = words[int64](b.bufs[1])
	}
}

// words views bytes of the pool, which are aligned for every width.
func words[T int8 | int16 | int32 | int64](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// GrowData makes room for n more bytes of text and Slack behind them.
func (b *Builder) GrowData(n int) {
	if cap(b.Data)-len(b.Data) >= n+Slack {
		return
	}
	used := len(b.Data)
	b.bufs[2] = b.pool.Reallocate(max(2*cap(b.Data), used+n+Slack), b.Data)
	b.Data = b.bufs[2][:used]
}

// SetText sets slot i of a VARCHAR or BLOB column.
func (b *Builder) SetText(i int, text []byte) {
	if b.Dict != nil {
		b.I32[i] = b.Dict.Intern(text)
		return
	}
	b.GrowData(len(text))
	b.Data = append(b.Data, text...)
	b.Offsets[i+1] = int32(len(b.Data))
}

// SetBool sets slot i of a BOOLEAN column.
func (b *Builder) SetBool(i int, v bool) {
	if v {
		b.Bits[i>>3] |= 1 << (i & 7)
	} else {
		b.Bits[i>>3] &^= 1 << (i & 7)
	}
}

// SetNull makes slot i NULL, with all its parts. The slot must be clean: new, or
// Reset.
func (b *Builder) SetNull(i int) {
	b.valid[i>>3] &^= 1 << (i & 7)
	b.nulls++
	b.Last = i
	switch b.width {
	case 1:
		b.I8[i] = 0
	case 2:
		b.I16[i] = 0
	case 4:
		b.I32[i] = 0
	case 8:
		b.I64[i] = 0
	case 16:
		b.I64[2*i], b.I64[2*i+1] = 0, 0
	default:
		b.setNullVariable(i)
	}
}

func (b *Builder) setNullVariable(i int) {
	switch b.Type.Kind {
	case types.Boolean:
		b.SetBool(i, false)
	case types.Varchar, types.Blob, types.List, types.Map:
		b.Offsets[i+1] = b.Offsets[i]
	case types.Struct:
		for _, c := range b.Children {
			c.SetNull(i)
		}
	}
}

// IsNull reports whether slot i was set NULL.
func (b *Builder) IsNull(i int) bool { return b.valid[i>>3]&(1<<(i&7)) == 0 }

// Reset forgets slot i, the last one that was written: the row was refused, or a
// later value of the same key replaces it.
func (b *Builder) Reset(i int) {
	if bit := byte(1) << (i & 7); b.valid[i>>3]&bit == 0 {
		b.valid[i>>3] |= bit
		b.nulls--
	}
	if b.Last >= i {
		b.Last = i - 1
	}
	switch b.Type.Kind {
	case types.Varchar, types.Blob:
		if b.Dict == nil {
			b.Data = b.Data[:b.Offsets[i]]
		}
	case types.List, types.Map:
		for _, c := range b.Children {
			c.truncate(int(b.Offsets[i]))
		}
	case types.Struct:
		for _, c := range b.Children {
			c.Reset(i)
		}
	}
}

// truncate forgets all slots from n on.
func (b *Builder) truncate(n int) {
	for i := b.Last; i >= n; i-- {
		b.Reset(i)
	}
}
