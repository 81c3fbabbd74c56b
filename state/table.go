package state

import (
	"math/bits"
	"slices"
)

// Table is the groups of one layout in one window.
type Table struct {
	Slab
	index  Index
	heap   *Heap // nil without blobs in the layout
	layout *Layout
	dirty  []uint64 // bit per group: changed since AppendChanges
	dead   []uint64 // bit per group: removed; nil as long as none was
	free   []int32  // removed groups to use again
	gone   []int32  // groups removed since AppendChanges
	bytes  int64    // as last counted by Windows
}

func newTable(l *Layout, seed uint64) *Table {
	t := &Table{
		Slab:   Slab{KeyWords: l.KeyWords, Stride: max(1, l.Stride())},
		index:  NewIndex(l.dense(), seed),
		layout: l,
	}
	if len(l.Blobs) > 0 {
		t.heap = &Heap{}
	}
	return t
}

// Heap returns the heap of the cells' blobs, nil if the layout has none.
func (t *Table) Heap() *Heap { return t.heap }

// Live returns how many groups there are, those removed not included.
func (t *Table) Live() int { return t.index.Len() }

// Bytes returns the memory that is held, in bytes.
func (t *Table) Bytes() int64 {
	b := 8*int64(cap(t.Words)+cap(t.dirty)+cap(t.dead)) + 4*int64(cap(t.free)+cap(t.gone)) + t.index.Bytes()
	if t.heap != nil {
		b += t.heap.Bytes()
	}
	return b
}

// Find returns the group of a key, -1 if there is none.
func (t *Table) Find(key []uint64) int32 { return t.index.Find(&t.Slab, key) }

// Resolve finds or adds the group of each key and marks all of them dirty. keys
// holds one key after the other; there are len(out) of them. Slices of Words that
// were taken before are stale afterwards.
func (t *Table) Resolve(keys []uint64, out []int32) {
	if len(t.free) > 0 {
		for i := range out {
			out[i] = t.reuse(keys[i*t.KeyWords : (i+1)*t.KeyWords])
		}
	} else {
		t.index.Resolve(&t.Slab, keys, out)
	}
	t.MarkDirty(out)
}

// reuse is Resolve of one key while there are removed groups to use again.
func (t *Table) reuse(key []uint64) int32 {
	g := t.Find(key)
	if g >= 0 {
		return g
	}
	last := len(t.free) - 1
	if last < 0 {
		return t.index.insert(&t.Slab, key)
	}
	g, t.free = t.free[last], t.free[:last]
	t.place(g, key)
	return g
}

// place puts a key with zero cells into a dead group.
func (t *Table) place(g int32, key []uint64) {
	at := int(g) * t.Stride
	clear(t.Words[at : at+t.Stride])
	copy(t.Words[at:], key)
	clearBit(t.dead, g)
	t.index.link(&t.Slab, g)
}

// Remove takes a group out. Its number may be given to another key later.
func (t *Table) Remove(g int32) {
	t.kill(g)
	t.gone = append(t.gone, g)
	t.free = append(t.free, g)
}

func (t *Table) kill(g int32) {
	t.index.unlink(&t.Slab, g)
	for _, b := range t.layout.Blobs {
		t.heap.Free(t.Words[int(g)*t.Stride+t.KeyWords+b])
	}
	t.dead = setBit(t.dead, g)
	if int(g>>6) < len(t.dirty) {
		clearBit(t.dirty, g)
	}
}

// Alive reports whether a group below Len holds a key.
func (t *Table) Alive(g int32) bool { return !hasBit(t.dead, g) }

// MarkDirty marks groups whose cells were changed.
func (t *Table) MarkDirty(groups []int32) {
	if need := (int(t.Len()) + 63) / 64; need > len(t.dirty) {
		t.dirty = append(t.dirty, make([]uint64, need-len(t.dirty))...)
	}
	dirty := t.dirty
	for _, g := range groups {
		dirty[g>>6] |= 1 << (g & 63)
	}
}

// Dirty appends the groups that are marked, ascending.
func (t *Table) Dirty(dst []int32) []int32 {
	for i, w := range t.dirty {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// All appends every group that is alive, ascending.
func (t *Table) All(dst []int32) []int32 {
	n := t.Len()
	for g := int32(0); g < n; g++ {
		if !hasBit(t.dead, g) {
			dst = append(dst, g)
		}
	}
	return dst
}

// forget clears the marks of what changed. Removed groups are used again in an order that
// does not depend on the one in which they went: it is the same after a restart.
func (t *Table) forget() {
	clear(t.dirty)
	if len(t.gone) > 0 {
		slices.Sort(t.free)
		t.gone = t.gone[:0]
	}
}

func hasBit(set []uint64, g int32) bool {
	return int(g>>6) < len(set) && set[g>>6]&(1<<(g&63)) != 0
}

func setBit(set []uint64, g int32) []uint64 {
	if need := int(g>>6) + 1; need > len(set) {
		set = append(set, make([]uint64, need-len(set))...)
	}
	set[g>>6] |= 1 << (g & 63)
	return set
}

func clearBit(set []uint64, g int32) { set[g>>6] &^= 1 << (g & 63) }
