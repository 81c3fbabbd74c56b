package op

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// keyForm is how the values of a type stand in key words. Equal values have equal
// words: -0 is 0, every NaN is the same, NULL is a value.
type keyForm uint8

const (
	keySmall   keyForm = iota // one word: at most 32 bits, NULL is keySmallNull
	keyWide                   // one word, NULL in the null word
	keyDecimal                // two words, low first, NULL in the null word
	keyText                   // a reference to interned bytes: VARCHAR, BLOB
	keyEncoded                // a reference to the interned canonical row bytes of the value
)

const keySmallNull = 1 << 32

// keyColumn is the place of one key among the words of a group.
type keyColumn struct {
	t       types.Type
	form    keyForm
	at      int // its first word
	nullBit int // in the null word; keyWide and keyDecimal
}

// keyCodec turns columns into key words and back. The words are: one for the NULLs
// of wide columns, if there are any, then the columns in their order.
type keyCodec struct {
	cols     []keyColumn
	words    int
	wide     bool // word 0 holds NULLs
	interned []int
}

// newKeyCodec returns the codec of columns. The layout follows from the types alone,
// because it is on disk.
func newKeyCodec(keys []types.Type) keyCodec {
	k := keyCodec{cols: make([]keyColumn, len(keys))}
	for i, t := range keys {
		k.cols[i] = keyColumn{t: t, form: keyFormOf(t)}
		if f := k.cols[i].form; f == keyWide || f == keyDecimal {
			k.wide = true
		}
	}
	if k.wide {
		k.words = 1
	}
	bit := 0
	for i := range k.cols {
		c := &k.cols[i]
		c.at = k.words
		k.words++
		switch c.form {
		case keyDecimal:
			k.words++
			fallthrough
		case keyWide:
			c.nullBit = bit
			bit++
		case keyText, keyEncoded:
			k.interned = append(k.interned, c.at)
		}
	}
	return k
}

func keyFormOf(t types.Type) keyForm {
	switch t.Kind {
	case types.Null, types.Boolean, types.TinyInt, types.SmallInt, types.Int,
		types.UTinyInt, types.USmallInt, types.UInt, types.Float, types.Date:
		return keySmall
	case types.BigInt, types.UBigInt, types.Double, types.Timestamp:
		return keyWide
	case types.Decimal:
		return keyDecimal
	case types.Varchar, types.Blob:
		return keyText
	}
	return keyEncoded
}

// nullBitsMax is how many wide columns fit one null word.
const nullBitsMax = 64

func typesOf(list []expr.Expr) []types.Type {
	out := make([]types.Type, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}

// encode fills dst, which holds k.words per row from word base on with the given
// stride, with the values of columns. Strings are interned.
func (k *keyCodec) encode(dst []uint64, base, stride int, cols []arrow.Array, in *interning) error {
	if k.wide {
		for i := base; i < len(dst); i += stride {
			dst[i] = 0
		}
	}
	for i := range k.cols {
		c := &k.cols[i]
		to := dst[base+c.at:]
		var err error
		switch c.form {
		case keyText:
			err = in.texts(i, to, stride, cols[i])
		case keyEncoded:
			err = in.encoded(to, stride, cols[i])
		case keyDecimal:
			encodeDecimals(to, stride, cols[i])
		default:
			err = encodeNumbers(to, stride, cols[i])
		}
		if err != nil {
			return err
		}
		k.encodeNulls(c, dst[base:], stride, cols[i])
	}
	return nil
}

// encodeNulls marks the NULL rows of a column that is not interned.
func (k *keyCodec) encodeNulls(c *keyColumn, dst []uint64, stride int, a arrow.Array) {
	if a.NullN() == 0 || c.form == keyText || c.form == keyEncoded {
		return
	}
	for i := range a.Len() {
		if a.IsValid(i) {
			continue
		}
		at := i * stride
		if c.form == keySmall {
			dst[at+c.at] = keySmallNull
			continue
		}
		dst[at] |= 1 << c.nullBit
		dst[at+c.at] = 0
		if c.form == keyDecimal {
			dst[at+c.at+1] = 0
		}
	}
}

func encodeDecimals(dst []uint64, stride int, a arrow.Array) {
	if d, ok := a.(*array.Decimal128); ok {
		for i, v := range d.Values() {
			dst[i*stride], dst[i*stride+1] = v.LowBits(), uint64(v.HighBits())
		}
	}
}

func encodeNumbers(dst []uint64, stride int, a arrow.Array) error {
	switch a := a.(type) {
	case *array.Null:
	case *array.Boolean:
		for i := range a.Len() {
			dst[i*stride] = 0
			if a.Value(i) {
				dst[i*stride] = 1
			}
		}
	case *array.Int8:
		spread32(dst, stride, a.Int8Values())
	case *array.Int16:
		spread32(dst, stride, a.Int16Values())
	case *array.Int32:
		spread32(dst, stride, a.Int32Values())
	case *array.Uint8:
		spread32(dst, stride, a.Uint8Values())
	case *array.Uint16:
		spread32(dst, stride, a.Uint16Values())
	case *array.Uint32:
		spread32(dst, stride, a.Uint32Values())
	case *array.Date32:
		spread32(dst, stride, a.Date32Values())
	case *array.Float32:
		for i, v := range a.Float32Values() {
			dst[i*stride] = uint64(math.Float32bits(float32(canonicalDouble(float64(v)))))
		}
	case *array.Int64:
		spread64(dst, stride, a.Int64Values())
	case *array.Uint64:
		spread64(dst, stride, a.Uint64Values())
	case *array.Timestamp:
		spread64(dst, stride, a.TimestampValues())
	case *array.Float64:
		for i, v := range a.Float64Values() {
			dst[i*stride] = math.Float64bits(canonicalDouble(v))
		}
	default:
		return fmt.Errorf("a key column of Arrow type %s was not expected", a.DataType())
	}
	return nil
}

func spread32[T int8 | int16 | int32 | uint8 | uint16 | uint32 | arrow.Date32](dst []uint64, stride int, vals []T) {
	for i, v := range vals {
		dst[i*stride] = uint64(uint32(v))
	}
}

func spread64[T int64 | uint64 | arrow.Timestamp](dst []uint64, stride int, vals []T) {
	for i, v := range vals {
		dst[i*stride] = uint64(v)
	}
}

// decode returns column i of the groups whose key words begin at word base of each
// stride of words; value returns the bytes of a reference.
func (k *keyCodec) decode(i int, words []uint64, base, stride int, value func(ref uint64) []byte, alloc memory.Allocator) (arrow.Array, error) {
	c := &k.cols[i]
	n := len(words) / stride
	v := keyView{words: words, stride: stride, at: base + c.at, n: n}
	switch c.form {
	case keyText:
		return v.texts(c.t.Arrow(), value), nil
	case keyEncoded:
		return v.rows(c.t.Arrow(), value, alloc)
	}
	for r := range n {
		null := c.form == keySmall && v.word(r) == keySmallNull ||
			c.form != keySmall && words[r*stride+base]>>c.nullBit&1 != 0
		if null {
			v.setNull(r)
		}
	}
	switch c.t.Kind {
	case types.Null:
		return array.NewNull(n), nil
	case types.Boolean:
		return v.booleans(), nil
	case types.TinyInt, types.UTinyInt:
		return fixedArray(&v, c.t, func(r int) uint8 { return uint8(v.word(r)) }), nil
	case types.SmallInt, types.USmallInt:
		return fixedArray(&v, c.t, func(r int) uint16 { return uint16(v.word(r)) }), nil
	case types.Int, types.UInt, types.Float, types.Date:
		return fixedArray(&v, c.t, func(r int) uint32 { return uint32(v.word(r)) }), nil
	case types.Decimal:
		return fixedArray(&v, c.t, func(r int) decimal128.Num {
			return decimal128.New(int64(words[r*stride+v.at+1]), v.word(r))
		}), nil
	}
	return fixedArray(&v, c.t, func(r int) uint64 { return v.word(r) }), nil
}

// keyView is one key column inside words, and the NULLs found in it.
type keyView struct {
	words      []uint64
	stride, at int
	n          int
	valid      []byte // nil: none is NULL
	nulls      int
}

func (v *keyView) word(row int) uint64 { return v.words[row*v.stride+v.at] }

func (v *keyView) setNull(row int) {
	if v.valid == nil {
		v.valid = make([]byte, (v.n+7)/8)
		for i := range v.valid {
			v.valid[i] = 0xff
		}
	}
	v.valid[row>>3] &^= 1 << (row & 7)
	v.nulls++
}

// array wraps buffers; the first is left out by the caller.
func (v *keyView) array(t arrow.DataType, bufs ...*memory.Buffer) arrow.Array {
	var valid *memory.Buffer
	if v.nulls > 0 {
		valid = memory.NewBufferBytes(v.valid)
	}
	return array.MakeFromData(array.NewData(t, v.n, append([]*memory.Buffer{valid}, bufs...), nil, v.nulls, 0))
}

func (v *keyView) booleans() arrow.Array {
	bits := make([]byte, (v.n+7)/8)
	for r := range v.n {
		bits[r>>3] |= byte(v.word(r)&1) << (r & 7)
	}
	return v.array(arrow.FixedWidthTypes.Boolean, memory.NewBufferBytes(bits))
}

func fixedArray[T uint8 | uint16 | uint32 | uint64 | decimal128.Num](v *keyView, t types.Type, value func(row int) T) arrow.Array {
	vals := make([]T, v.n)
	for r := range vals {
		vals[r] = value(r)
	}
	var zero T
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), len(vals)*int(unsafe.Sizeof(zero)))
	return v.array(t.Arrow(), memory.NewBufferBytes(raw))
}

func (v *keyView) texts(t arrow.DataType, value func(ref uint64) []byte) arrow.Array {
	ends := make([]int32, v.n+1)
	var text []byte
	for r := range v.n {
		if ref := v.word(r); ref > 0 {
			text = append(text, value(ref)...)
		} else {
			v.setNull(r)
		}
		ends[r+1] = int32(len(text))
	}
	return v.array(t, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ends)), memory.NewBufferBytes(text))
}

func (v *keyView) rows(t arrow.DataType, value func(ref uint64) []byte, alloc memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(alloc, t)
	defer b.Release()
	d, err := decoderOf(b)
	if err != nil {
		return nil, err
	}
	for r := range v.n {
		ref := v.word(r)
		if ref == 0 {
			b.AppendNull()
			continue
		}
		if _, err := d(value(ref)); err != nil {
			return nil, fmt.Errorf("reading a key: %w", err)
		}
	}
	return b.NewArray(), nil
}
