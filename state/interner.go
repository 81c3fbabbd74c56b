package state

import (
	"bytes"
	"hash/maphash"
)

// Interner numbers byte strings densely from 0 in the order of their first
// appearance. The strings lie end to end in one arena; the index is open addressing
// with 8-byte slots.
//
// The zero value is not ready; use NewInterner.
type Interner struct {
	seed  maphash.Seed
	arena []byte
	ends  []uint64 // end of string id in arena; its start is the end of id-1
	slots []uint64 // high 32 bits of the hash, then id+1; 0 is free
	shift uint
}

const slotsMin = 16

// NewInterner returns an empty interner. Its hash is seeded at random, so that data
// cannot be made to collide; the numbers do not depend on it.
func NewInterner() *Interner {
	in := &Interner{seed: maphash.MakeSeed()}
	in.Reset()
	return in
}

// Reset forgets all strings.
func (in *Interner) Reset() {
	in.arena, in.ends = in.arena[:0], in.ends[:0]
	if len(in.slots) == slotsMin {
		clear(in.slots)
		return
	}
	in.slots, in.shift = make([]uint64, slotsMin), shiftOf(slotsMin)
}

// Len returns how many strings there are.
func (in *Interner) Len() int { return len(in.ends) }

// Bytes returns the memory that is held, in bytes.
func (in *Interner) Bytes() int64 {
	return int64(cap(in.arena)) + 8*int64(cap(in.ends)) + 8*int64(cap(in.slots))
}

// Value returns the bytes of a number below Len. They must not be changed and are
// valid until the next Reset.
func (in *Interner) Value(id int32) []byte {
	start := uint64(0)
	if id > 0 {
		start = in.ends[id-1]
	}
	end := in.ends[id]
	return in.arena[start:end:end]
}

// Find returns the number of b, -1 if b was never interned.
func (in *Interner) Find(b []byte) int32 {
	id, _ := in.walk(in.tag(b), b)
	return id
}

// FindAll puts the number of each key into ids, -1 for one that was never interned.
func (in *Interner) FindAll(keys [][]byte, ids []int32) {
	in.ahead(keys, func(i int, tag uint64) { ids[i], _ = in.walk(tag, keys[i]) })
}

// Intern returns the number of b, a new one if b is new. b is copied.
func (in *Interner) Intern(b []byte) int32 { return in.intern(in.tag(b), b) }

// InternAll puts the number of each key into ids, a new one for one that is new. The
// keys are copied.
func (in *Interner) InternAll(keys [][]byte, ids []int32) {
	in.ahead(keys, func(i int, tag uint64) { ids[i] = in.intern(tag, keys[i]) })
}

// Big reports whether FindAll and InternAll are faster than one key after the other: the slots do
// not fit the cache.
func (in *Interner) Big() bool { return len(in.slots) > slotsCached }

func (in *Interner) tag(b []byte) uint64 { return maphash.Bytes(in.seed, b) >> 32 }

// ahead calls f with every key and its tag. What f will look at was read before, for many
// keys at once: see Index.touch.
func (in *Interner) ahead(keys [][]byte, f func(i int, tag uint64)) {
	var tags [lookAhead]uint32
	for from := 0; from < len(keys); from += lookAhead {
		some := keys[from:min(len(keys), from+lookAhead)]
		for i, key := range some {
			tags[i] = uint32(in.tag(key))
		}
		if in.Big() {
			in.touch(tags[:len(some)])
		}
		for i := range some {
			f(from+i, uint64(tags[i]))
		}
	}
}

// touch reads the places of tags and the strings that stand there. What it returns means
// nothing; see Index.touch.
//
//go:noinline
func (in *Interner) touch(tags []uint32) byte {
	var at [lookAhead]int32
	mask := len(in.slots) - 1
	n := 0
	for _, tag := range tags {
		if s := in.slots[int(tag>>in.shift)&mask]; uint32(s>>32) == tag {
			at[n] = int32(uint32(s)) - 1
			n++
		}
	}
	var ends [lookAhead]uint64
	for i, id := range at[:n] {
		ends[i] = in.ends[id]
	}
	sum := byte(0)
	for _, end := range ends[:n] {
		if end > 0 {
			sum += in.arena[end-1]
		}
	}
	return sum
}

// walk looks for a string. It returns its number, or -1 and the place of the free slot
// that ended the walk.
func (in *Interner) walk(tag uint64, b []byte) (int32, int) {
	mask := len(in.slots) - 1
	for p := int(tag >> in.shift); ; p = (p + 1) & mask {
		s := in.slots[p]
		if s == 0 {
			return -1, p
		}
		if s>>32 == tag {
			if id := int32(uint32(s)) - 1; bytes.Equal(in.Value(id), b) {
				return id, p
			}
		}
	}
}

func (in *Interner) intern(tag uint64, b []byte) int32 {
	id, p := in.walk(tag, b)
	if id >= 0 {
		return id
	}
	if need := len(in.arena) + len(b); need > cap(in.arena) {
		in.arena = roomier(in.arena, need)
	}
	if len(in.ends) == cap(in.ends) {
		in.ends = roomier(in.ends, len(in.ends)+1)
	}
	in.arena = append(in.arena, b...)
	in.ends = append(in.ends, uint64(len(in.arena)))
	n := len(in.ends)
	in.slots[p] = tag<<32 | uint64(n)
	if n > len(in.slots)/4*3 {
		in.slots, in.shift = growSlots(in.slots)
	}
	return int32(n - 1)
}

// shiftOf returns how far a 32-bit tag is shifted to give a place among n slots, a
// power of two: the place is made of the tag's top bits, so that a slot can be moved
// to a bigger table without looking at its key.
func shiftOf(n int) uint {
	shift := uint(32)
	for n > 1 {
		n >>= 1
		shift--
	}
	return shift
}

// growSlots returns a table of twice the size with the same entries.
func growSlots(old []uint64) ([]uint64, uint) {
	slots := make([]uint64, 2*len(old))
	shift, mask := shiftOf(len(slots)), len(slots)-1
	for _, s := range old {
		if s == 0 {
			continue
		}
		p := int(s >> 32 >> shift)
		for slots[p] != 0 {
			p = (p + 1) & mask
		}
		slots[p] = s
	}
	return slots, shift
}
