package op

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/state"
)

// segmentStrings numbers the strings of one segment. Those that the state knew when
// the segment began keep the state's numbers; new ones are numbered behind them and
// get the state's numbers in Merge. What other segments add in the meantime is
// not looked at, so that nothing depends on which of them is faster.
type segmentStrings struct {
	mu     *sync.RWMutex   // the state's strings may grow while segments are consumed
	shared *state.Interner // of the state
	known  int             // how many of shared the segment may use
	local  *state.Interner // new ones
	refs   []uint64        // by number in local: the state's reference, 0 while unknown

	values [][]byte // scratch of refsOf and stateRefs
	ids    []int32
	fresh  []int32
}

// begin starts a segment.
func (s *segmentStrings) begin(shared *state.Interner) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.shared, s.known = shared, shared.Len()
	s.local.Reset()
	s.refs = s.refs[:0]
}

// ref returns the reference of a string: its number plus one. mu must be held.
func (s *segmentStrings) ref(b []byte) uint64 { return s.refOf(s.shared.Find(b), b) }

// refOf is ref for a string that has the number id among the shared ones, -1 for none.
func (s *segmentStrings) refOf(id int32, b []byte) uint64 {
	if id >= 0 && int(id) < s.known {
		return uint64(id) + 1
	}
	return uint64(s.known) + uint64(s.local.Intern(b)) + 1
}

// value returns the string of a reference, which is not 0.
func (s *segmentStrings) value(ref uint64) []byte {
	if n := int(ref) - 1; n >= s.known {
		return s.local.Value(int32(n - s.known))
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.shared.Value(int32(ref) - 1)
}

// stateRefs replaces the segment's references at words at, at+stride, ... of keys by the
// state's, adding the strings to the state that it does not know. mu must be held for
// writing.
func (s *segmentStrings) stateRefs(keys []uint64, at, stride int) {
	for len(s.refs) < s.local.Len() {
		s.refs = append(s.refs, 0)
	}
	const asked = 1<<64 - 1
	s.fresh, s.values = s.fresh[:0], s.values[:0]
	for i := at; i < len(keys); i += stride {
		if n := int(keys[i]) - 1 - s.known; n >= 0 && s.refs[n] == 0 {
			s.refs[n] = asked
			s.fresh, s.values = append(s.fresh, int32(n)), append(s.values, s.local.Value(int32(n)))
		}
	}
	s.ids = sized(s.ids, len(s.values))
	s.shared.InternAll(s.values, s.ids)
	for i, n := range s.fresh {
		s.refs[n] = uint64(s.ids[i]) + 1
	}
	for i := at; i < len(keys); i += stride {
		if n := int(keys[i]) - 1 - s.known; n >= 0 {
			keys[i] = s.refs[n]
		}
	}
}

// interning turns the strings of some columns into references. What a dictionary column says of a
// value is looked up once per dictionary, not per row, and kept from segment to segment.
type interning struct {
	*segmentStrings
	caches []dictCache // per column
	buf    []byte
}

// settle ends a segment: references to its new strings become the state's.
func (in *interning) settle() {
	for i := range in.caches {
		c := &in.caches[i]
		for _, index := range c.fresh {
			n := int(c.refs[index]) - 1 - in.known
			c.refs[index] = -1
			if n < len(in.refs) && in.refs[n] != 0 {
				c.refs[index] = int32(in.refs[n])
			}
		}
		c.fresh = c.fresh[:0]
	}
}

// forget drops what is known of dictionaries: the state's numbers have changed.
func (in *interning) forget() {
	for i := range in.caches {
		in.caches[i].drop()
	}
}

// dictCache is the references of one dictionary's values.
type dictCache struct {
	data  arrow.ArrayData // of the dictionary; held
	refs  []int32         // by index: the reference, -1 while unknown
	fresh []int32         // indexes whose reference is of the segment only
}

func (c *dictCache) drop() {
	if c.data != nil {
		c.data.Release()
	}
	c.data, c.refs, c.fresh = nil, c.refs[:0], c.fresh[:0]
}

// follow makes the cache that of a dictionary. What is known stays if the dictionary is the
// same or has only grown, as those of a decoder do.
func (c *dictCache) follow(data arrow.ArrayData) {
	if data == c.data {
		return
	}
	if c.data == nil || !grownFrom(c.data, data) {
		c.refs, c.fresh = c.refs[:0], c.fresh[:0]
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

// texts fills dst with references to the strings of column i.
func (in *interning) texts(i int, dst []uint64, stride int, a arrow.Array) error {
	in.mu.RLock()
	defer in.mu.RUnlock()
	switch a := a.(type) {
	case *array.Dictionary:
		return in.dictionary(&in.caches[i], dst, stride, a)
	case *array.String:
		in.refsOf(dst, stride, a, func(row int) []byte { return bytesOf(a.Value(row)) })
	case *array.Binary:
		in.refsOf(dst, stride, a, a.Value)
	default:
		return fmt.Errorf("a key column of Arrow type %s was not expected", a.DataType())
	}
	return nil
}

// refsOf fills dst with references to the values of the rows, 0 where there is none. mu must be
// held.
func (s *segmentStrings) refsOf(dst []uint64, stride int, a arrow.Array, value func(row int) []byte) {
	hasNulls := a.NullN() > 0
	if !s.shared.Big() {
		for row := range a.Len() {
			dst[row*stride] = 0
			if !hasNulls || a.IsValid(row) {
				dst[row*stride] = s.ref(value(row))
			}
		}
		return
	}
	s.values = s.values[:0]
	for row := range a.Len() {
		if !hasNulls || a.IsValid(row) {
			s.values = append(s.values, value(row))
		}
	}
	s.ids = sized(s.ids, len(s.values))
	s.shared.FindAll(s.values, s.ids)
	at := 0
	for row := range a.Len() {
		dst[row*stride] = 0
		if !hasNulls || a.IsValid(row) {
			dst[row*stride] = s.refOf(s.ids[at], s.values[at])
			at++
		}
	}
	clear(s.values) // the scratch outlives the chunk, which it must not hold
}

// bytesOf views a string as bytes, to be read only.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

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
			ref = in.lookUp(c, vals, index)
		}
		dst[r*stride] = uint64(ref)
	}
	return nil
}

// lookUp finds the reference of one value of a dictionary.
func (in *interning) lookUp(c *dictCache, vals *array.String, index int32) int32 {
	ref := int32(0)
	if vals.IsValid(int(index)) {
		ref = int32(in.ref(bytesOf(vals.Value(int(index)))))
		if int(ref) > in.known {
			c.fresh = append(c.fresh, index)
		}
	}
	c.refs[index] = ref
	return ref
}

// encoded fills dst with references to the canonical bytes of nested values.
func (in *interning) encoded(dst []uint64, stride int, a arrow.Array) error {
	e, err := valueEncoder(a, true)
	if err != nil {
		return err
	}
	in.mu.RLock()
	defer in.mu.RUnlock()
	for r := range a.Len() {
		dst[r*stride] = 0
		if a.IsValid(r) {
			// decoderOf expects the mark of a value in front.
			in.buf = e(append(in.buf[:0], 1), r)
			dst[r*stride] = in.ref(in.buf)
		}
	}
	return nil
}
