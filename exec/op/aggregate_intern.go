package op

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/state"
)

// interning turns the strings of key columns into small numbers that hold for one
// worker, over chunks and batches. What a dictionary column says of a value is
// looked up once per dictionary, not per row.
type interning struct {
	strings *state.Interner
	caches  []dictCache // per key column
	buf     []byte
}

// interningBytesMax is when a worker's numbers are started anew; the state has its
// own.
const interningBytesMax = 64 << 20

func newInterning(columns int) *interning {
	return &interning{strings: state.NewInterner(), caches: make([]dictCache, columns)}
}

// renew forgets all numbers if they take too much room, and reports whether it did.
func (in *interning) renew() bool {
	if in.strings.Bytes() < interningBytesMax {
		return false
	}
	in.strings.Reset()
	in.dropCaches()
	return true
}

func (in *interning) dropCaches() {
	for i := range in.caches {
		in.caches[i].drop()
	}
}

// dictCache is the references of one dictionary's values.
type dictCache struct {
	data arrow.ArrayData // of the dictionary; held
	refs []int32         // by index: the reference, -1 while unknown
}

func (c *dictCache) drop() {
	if c.data != nil {
		c.data.Release()
	}
	c.data, c.refs = nil, c.refs[:0]
}

// follow makes the cache that of a dictionary. What is known stays if the dictionary is the
// same or has only grown, as those of a decoder do.
func (c *dictCache) follow(data arrow.ArrayData) {
	if data == c.data {
		return
	}
	if c.data == nil || !grownFrom(c.data, data) {
		c.refs = c.refs[:0]
	}
	data.Retain()
	if c.data != nil {
		c.data.Release()
	}
	c.data = data
	for len(c.refs) < data.Len() {
		c.refs = append(c.refs, -1)
	}
}

// grownFrom reports whether the values of old are the first ones of grown.
func grownFrom(old, grown arrow.ArrayData) bool {
	n := old.Len()
	if grown.Len() < n || old.NullN() > 0 || grown.NullN() > 0 || old.Offset() != 0 || grown.Offset() != 0 {
		return false
	}
	if n == 0 {
		return true
	}
	was, is := old.Buffers(), grown.Buffers()
	offsets := was[1].Bytes()[:4*(n+1)]
	if !sameBytes(offsets, is[1].Bytes()[:4*(n+1)]) {
		return false
	}
	end := arrow.Int32Traits.CastFromBytes(offsets)[n]
	return end == 0 || sameBytes(was[2].Bytes()[:end], is[2].Bytes()[:end])
}

func sameBytes(a, b []byte) bool { return &a[0] == &b[0] || bytes.Equal(a, b) }

// texts fills dst with references to the strings of key column i.
func (in *interning) texts(i int, dst []uint64, stride int, a arrow.Array) error {
	switch a := a.(type) {
	case *array.Dictionary:
		return in.dictionary(&in.caches[i], dst, stride, a)
	case *array.String:
		hasNulls := a.NullN() > 0
		for r := range a.Len() {
			ref := uint64(0)
			if !hasNulls || a.IsValid(r) {
				ref = in.textRef(a.Value(r))
			}
			dst[r*stride] = ref
		}
	case *array.Binary:
		for r := range a.Len() {
			dst[r*stride] = 0
			if a.IsValid(r) {
				dst[r*stride] = uint64(in.strings.Intern(a.Value(r))) + 1
			}
		}
	default:
		return fmt.Errorf("a key column of Arrow type %s was not expected", a.DataType())
	}
	return nil
}

func (in *interning) textRef(s string) uint64 {
	in.buf = append(in.buf[:0], s...)
	return uint64(in.strings.Intern(in.buf)) + 1
}

func (in *interning) dictionary(c *dictCache, dst []uint64, stride int, a *array.Dictionary) error {
	indices, ok := a.Indices().(*array.Int32)
	vals, ok2 := a.Dictionary().(*array.String)
	if !ok || !ok2 {
		return fmt.Errorf("a key column of Arrow type %s was not expected", a.DataType())
	}
	c.follow(a.Data().Dictionary())
	refs, hasNulls := c.refs, a.NullN() > 0
	for r, index := range indices.Int32Values() {
		if hasNulls && a.IsNull(r) {
			dst[r*stride] = 0
			continue
		}
		ref := refs[index]
		if ref < 0 {
			ref = 0
			if vals.IsValid(int(index)) {
				ref = int32(in.textRef(vals.Value(int(index))))
			}
			refs[index] = ref
		}
		dst[r*stride] = uint64(ref)
	}
	return nil
}

// encoded fills dst with references to the canonical bytes of nested values.
func (in *interning) encoded(dst []uint64, stride int, a arrow.Array) error {
	e, err := valueEncoder(a, true)
	if err != nil {
		return err
	}
	for r := range a.Len() {
		dst[r*stride] = 0
		if a.IsValid(r) {
			// decoderOf expects the mark of a value in front.
			in.buf = e(append(in.buf[:0], 1), r)
			dst[r*stride] = uint64(in.strings.Intern(in.buf)) + 1
		}
	}
	return nil
}
