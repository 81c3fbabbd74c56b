package column

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

const (
	dictRowsMin  = 64 << 10  // rows before the share of distinct values says anything
	dictSizeMax  = 1 << 20   // values after which a new dictionary is begun
	dictBytesMax = 256 << 20 // and their bytes; Arrow's offsets end at 2 GiB
)

// Dictionary interns the values of one VARCHAR column for as long as its decoder
// lives: the same text has the same id in every chunk until a new dictionary is
// begun. It is used by one goroutine; the arrays it hands out may be read by any.
//
// It only grows: each array of it is a prefix of the next one, and in the same
// memory until that is full. A consumer that translates ids to its own can keep its
// table when the first values of the next array are those of the last, which the
// addresses of the buffers tell at once.
type Dictionary struct {
	slots   []dictSlot // open addressing, at most half full
	offsets []int32    // value id is data[offsets[id]:offsets[id+1]]
	data    []byte
	size    int
	rows    int64 // values interned, for the share of distinct ones
	seed    uint64
	values  *array.String // the first values.Len() of them
}

// dictSlot holds enough of a value to decide most comparisons within its own cache
// line: the first 16 bytes and the length.
type dictSlot struct {
	w0, w1 uint64
	hash   uint32
	length int32
	id     int32 // plus one; 0 is an empty slot
}

// newDictionary returns an empty dictionary.
func newDictionary() *Dictionary {
	// The seed is random so that nobody can choose keys that collide; no result
	// depends on it.
	return &Dictionary{
		slots: make([]dictSlot, 1024), offsets: make([]int32, 1, 512), seed: maphash.Bytes(maphash.MakeSeed(), nil),
	}
}

// next returns the dictionary for the next chunk: d itself, a new one when d has
// become too large, or nil when most values are distinct, so that interning them
// costs more than it saves.
func (d *Dictionary) next() *Dictionary {
	switch {
	case d.rows >= dictRowsMin && int64(d.size)*2 > d.rows:
		return nil
	case d.size >= dictSizeMax || len(d.data) >= dictBytesMax:
		return newDictionary()
	}
	return d
}

// Len returns the number of values.
func (d *Dictionary) Len() int { return d.size }

// Intern returns the id of a value.
func (d *Dictionary) Intern(text []byte) int32 {
	var w0, w1 uint64
	switch n := len(text); {
	case n >= 16:
		w0, w1 = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
	case n > 8:
		w0, w1 = binary.LittleEndian.Uint64(text), partialWord(text[8:])
	default:
		w0 = partialWord(text)
	}
	return d.InternWords(w0, w1, text)
}

func partialWord(b []byte) uint64 {
	var w uint64
	for i := min(len(b), 8) - 1; i >= 0; i-- {
		w = w<<8 | uint64(b[i])
	}
	return w
}

// InternWords is Intern for a caller that has the first 16 bytes at hand, as two
// little-endian words, zero behind the end of the text.
func (d *Dictionary) InternWords(w0, w1 uint64, text []byte) int32 {
	d.rows++
	hash := d.hash(w0, w1, text)
	mask := uint64(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		if s.id == 0 {
			return d.add(i, w0, w1, hash, text)
		}
		if s.w0 == w0 && s.w1 == w1 && int(s.length) == len(text) && s.hash == uint32(hash>>32) &&
			(len(text) <= 16 || bytes.Equal(text[16:], d.value(s.id - 1)[16:])) {
			return s.id - 1
		}
	}
}

func (d *Dictionary) value(id int32) []byte { return d.data[d.offsets[id]:d.offsets[id+1]] }

// Odd constants with about half of their bits set, from the digits of pi and e.
const (
	mix0 = 0x243F6A8885A308D3
	mix1 = 0xB7E151628AED2A6B
)

func (d *Dictionary) hash(w0, w1 uint64, text []byte) uint64 {
	h := mix(w0^d.seed^mix0, w1^uint64(len(text))^mix1)
	if len(text) > 16 {
		rest := text[16:]
		for ; len(rest) >= 8; rest = rest[8:] {
			h = mix(h^binary.LittleEndian.Uint64(rest), mix1)
		}
		h = mix(h^partialWord(rest), mix0)
	}
	return h
}

// mix multiplies to 128 bits and folds: every bit of the inputs reaches every bit
// of the result.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func (d *Dictionary) add(slot uint64, w0, w1, hash uint64, text []byte) int32 {
	id := int32(d.size)
	d.slots[slot] = dictSlot{w0: w0, w1: w1, hash: uint32(hash >> 32), length: int32(len(text)), id: id + 1}
	// Arrays handed out view the first part of data and offsets. Appending writes
	// behind it, or into new memory.
	d.data = append(d.data, text...)
	d.offsets = append(d.offsets, int32(len(d.data)))
	d.size++
	if 2*d.size > len(d.slots) {
		d.grow()
	}
	return id
}

func (d *Dictionary) grow() {
	old := d.slots
	d.slots = make([]dictSlot, 4*len(old))
	mask := uint64(len(d.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := d.hash(s.w0, s.w1, d.value(s.id-1)) & mask
		for d.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = s
	}
}

// Array returns the values by id. It is the same array until a value is added.
func (d *Dictionary) Array() *array.String {
	if d.values == nil || d.values.Len() != d.size {
		// The memory belongs to the garbage collector: the array may outlive d.
		data := array.NewData(arrow.BinaryTypes.String, d.size, []*memory.Buffer{
			nil,
			memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(d.offsets)),
			memory.NewBufferBytes(d.data),
		}, nil, 0, 0)
		d.values = array.NewStringData(data)
		data.Release()
	}
	return d.values
}
