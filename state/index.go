package state

import "math/bits"

// Slab is the words of groups, one after the other: of group g from
// g*Stride on, its KeyWords first.
type Slab struct {
	Words    []uint64
	KeyWords int
	Stride   int
}

// Len returns how many groups the slab has room for, those removed included.
func (s *Slab) Len() int32 { return int32(len(s.Words) / s.Stride) }

// Key returns the key words of a group.
func (s *Slab) Key(group int32) []uint64 {
	at := int(group) * s.Stride
	return s.Words[at : at+s.KeyWords : at+s.KeyWords]
}

// add appends a group with a key and zero cells.
func (s *Slab) add(key []uint64) int32 {
	at := len(s.Words)
	if need := at + s.Stride; need <= cap(s.Words) {
		s.Words = s.Words[:need]
		clear(s.Words[at+len(key) : need])
	} else {
		s.Words = roomier(s.Words, need)[:need]
	}
	copy(s.Words[at:], key)
	return int32(at / s.Stride)
}

// roomier returns s with room for need elements. Small slices double; big ones grow
// by half, because copying what is there outweighs everything else when
// millions of groups are added.
func roomier[T any](s []T, need int) []T {
	const big = 1 << 22
	size := 2 * cap(s)
	if size > big {
		size = cap(s) + cap(s)/2
	}
	bigger := make([]T, len(s), max(need, size))
	copy(bigger, s)
	return bigger
}

// Index finds groups of a Slab by their key words. Several indexes may share a slab:
// each knows only the groups that were added through it.
//
// It is open addressing with 8-byte slots or, for keys that are one small dense number, an array as long
// as that costs less than four entries per group.
type Index struct {
	slots   []uint64 // high 32 bits of the hash, then group+1; 0 is free
	shift   uint
	dense   []int32 // group+1 by key, instead of slots
	n       int
	keyMax  uint64 // greatest key ever added, if denseOK
	denseOK bool
	seed    uint64
}

// slotsFirst is the size of the first slots: groups by a time of their own have a
// table each, which had better be small.
const slotsFirst = 4

// slotsKept is the size up to which the slots of a reset index are not worth keeping.
const slotsKept = 4096

// NewIndex returns an empty index. dense says that every key is one word that holds
// a small dense number. The seed keeps data from being made to collide.
func NewIndex(dense bool, seed uint64) Index { return Index{denseOK: dense, seed: seed} }

// Len returns how many groups the index knows.
func (x *Index) Len() int { return x.n }

// Bytes returns the memory that is held, in bytes.
func (x *Index) Bytes() int64 { return 8*int64(cap(x.slots)) + 4*int64(cap(x.dense)) }

// Reset forgets all groups and keeps the memory.
func (x *Index) Reset() {
	if x.denseOK && len(x.slots) <= slotsKept {
		x.slots = nil // so that the array gets its chance again
	}
	clear(x.slots)
	clear(x.dense)
	x.n, x.keyMax = 0, 0
}

// Resolve finds the group of each key, adding a group with zero cells for each that
// is new. keys holds one key after the other; there are len(out) of them.
func (x *Index) Resolve(s *Slab, keys []uint64, out []int32) {
	if s.KeyWords == 0 && len(out) > 0 {
		g := x.add(s, nil)
		for i := range out {
			out[i] = g
		}
		return
	}
	i := 0
	for i < len(out) {
		if x.dense != nil {
			i = x.resolveDense(s, keys, out, i)
			continue
		}
		n := min(len(out)-i, lookAhead)
		i += x.resolveHashed(s, keys[i*s.KeyWords:], out[i:i+n])
	}
}

// resolveDense resolves from row i on until the index changes its form, and returns
// the next row.
func (x *Index) resolveDense(s *Slab, keys []uint64, out []int32, i int) int {
	dense := x.dense
	keys = keys[:len(out)]
	for ; i < len(out); i++ {
		k := keys[i]
		if k < uint64(len(dense)) {
			if g := dense[k]; g != 0 {
				out[i] = g - 1
				continue
			}
		}
		out[i] = x.insert(s, keys[i:i+1])
		if x.dense == nil {
			return i + 1
		}
		dense = x.dense
	}
	return i
}

// lookAhead is how many keys are hashed, and their places read, before the first is
// compared: big tables are not in the cache, and the processor waits for many places at
// once only if none depends on another. With 4 million groups a query took a quarter less time
// (docs/PERFORMANCE.md, w5).
const lookAhead = 128

// slotsCached is how many slots, of 8 bytes, the cache holds anyway: reading ahead only costs then.
const slotsCached = 1 << 14

// resolveHashed resolves at most lookAhead keys until the index changes its form, and returns
// how many. The walk is written out here because it is the hottest loop there is for
// keys that are not dense.
func (x *Index) resolveHashed(s *Slab, keys []uint64, out []int32) int {
	var tags [lookAhead]uint32
	kw := s.KeyWords
	for i := range out {
		tags[i] = uint32(hashKey(x.seed, keys[i*kw:(i+1)*kw]) >> 32)
	}
	if len(x.slots) > slotsCached && x.n > 0 {
		x.touch(s, tags[:len(out)])
	}
rows:
	for i := range out {
		key, tag, slots := keys[i*kw:(i+1)*kw], uint64(tags[i]), x.slots
		if (x.n + 1) > len(slots)/4*3 {
			if g := x.Find(s, key); g >= 0 {
				out[i] = g
				continue
			}
			if out[i] = x.insert(s, key); x.dense != nil {
				return i + 1
			}
			continue
		}
		mask := len(slots) - 1
		p := int(tag >> x.shift)
		for ; slots[p&mask] != 0; p++ {
			w := slots[p&mask]
			if w>>32 != tag {
				continue
			}
			if g := int32(uint32(w)) - 1; s.Words[int(g)*s.Stride] == key[0] && equalKeys(s.Key(g), key) {
				out[i] = g
				continue rows
			}
		}
		g := s.add(key)
		out[i] = g
		slots[p&mask] = tag<<32 | uint64(g+1)
		x.added(key)
	}
	return len(out)
}

// added counts a key.
func (x *Index) added(key []uint64) {
	x.n++
	if x.denseOK {
		x.keyMax = max(x.keyMax, key[0])
	}
}

// touch reads the places of tags and the keys that stand there, so that they are in the cache.
// It returns something of all it has read, and is a call, so that the compiler cannot leave the
// reading out.
//
//go:noinline
func (x *Index) touch(s *Slab, tags []uint32) uint64 {
	var at [lookAhead]int32
	mask := len(x.slots) - 1
	for i, tag := range tags {
		if w := x.slots[int(tag>>x.shift)&mask]; uint32(w>>32) == tag {
			at[i] = int32(uint32(w)) - 1
		}
	}
	sum := uint64(0)
	for _, g := range at[:len(tags)] {
		sum += s.Words[int(g)*s.Stride]
	}
	return sum
}

// Find returns the group of a key, -1 if there is none.
func (x *Index) Find(s *Slab, key []uint64) int32 {
	if x.dense != nil {
		if key[0] < uint64(len(x.dense)) {
			return x.dense[key[0]] - 1
		}
		return -1
	}
	if x.slots == nil {
		return -1
	}
	g, _ := x.probe(s, key)
	return g
}

// probe walks the slots for a key. It returns the group and its place, or -1 and the
// place of the free slot that ended the walk.
func (x *Index) probe(s *Slab, key []uint64) (int32, int) {
	tag := hashKey(x.seed, key) >> 32
	mask := len(x.slots) - 1
	for p := int(tag >> x.shift); ; p = (p + 1) & mask {
		w := x.slots[p]
		if w == 0 {
			return -1, p
		}
		if w>>32 == tag {
			if g := int32(uint32(w)) - 1; equalKeys(s.Key(g), key) {
				return g, p
			}
		}
	}
}

func (x *Index) add(s *Slab, key []uint64) int32 {
	if g := x.Find(s, key); g >= 0 {
		return g
	}
	return x.insert(s, key)
}

// insert adds a key that is not there.
func (x *Index) insert(s *Slab, key []uint64) int32 {
	g := s.add(key)
	x.link(s, g)
	return g
}

// link makes a group of the slab known whose key is not there.
func (x *Index) link(s *Slab, g int32) {
	key := s.Key(g)
	if x.denseOK {
		x.keyMax = max(x.keyMax, key[0])
	}
	if x.dense != nil && key[0] >= uint64(len(x.dense)) {
		if x.densely() {
			x.growDense()
		} else {
			x.rebuild(s, x.n+1)
		}
	}
	x.n++
	if x.dense != nil {
		x.dense[key[0]] = g + 1
		return
	}
	if x.n > len(x.slots)/4*3 {
		x.grow(s)
		if x.dense != nil {
			x.dense[key[0]] = g + 1
			return
		}
	}
	_, p := x.probe(s, key)
	x.slots[p] = hashKey(x.seed, key)>>32<<32 | uint64(g+1)
}

// reserve makes room for n groups in all, so that adding them moves nothing.
func (x *Index) reserve(n int) {
	if x.n > 0 || x.dense != nil {
		return
	}
	size := slotsMin
	for n > size/4*3 {
		size *= 2
	}
	if size > len(x.slots) {
		x.slots, x.shift = make([]uint64, size), shiftOf(size)
	}
}

// unlink forgets a group that is known.
func (x *Index) unlink(s *Slab, g int32) {
	x.n--
	if x.dense != nil {
		x.dense[s.Key(g)[0]] = 0
		return
	}
	_, p := x.probe(s, s.Key(g))
	mask := len(x.slots) - 1
	// Entries behind the hole move up unless they stand at or after their own place.
	for q := (p + 1) & mask; x.slots[q] != 0; q = (q + 1) & mask {
		home := int(x.slots[q] >> 32 >> x.shift)
		if (q-home)&mask >= (q-p)&mask {
			x.slots[p] = x.slots[q]
			p = q
		}
	}
	x.slots[p] = 0
}

// densely reports whether an array as index is worth its memory.
func (x *Index) densely() bool {
	return x.denseOK && x.keyMax < 4*uint64(x.n+slotsMin)
}

func (x *Index) growDense() {
	size := max(2*len(x.dense), int(x.keyMax)+1, slotsMin)
	dense := make([]int32, size)
	copy(dense, x.dense)
	x.dense = dense
}

// grow makes room in the slots, or turns them into an array.
func (x *Index) grow(s *Slab) {
	if x.slots == nil {
		x.slots, x.shift = make([]uint64, slotsFirst), shiftOf(slotsFirst)
		return
	}
	if !x.densely() {
		x.slots, x.shift = growSlots(x.slots)
		return
	}
	old := x.slots
	x.slots = nil
	x.growDense()
	for _, w := range old {
		if w != 0 {
			g := int32(uint32(w)) - 1
			x.dense[s.Key(g)[0]] = g + 1
		}
	}
}

// rebuild turns an array into slots with room for n groups.
func (x *Index) rebuild(s *Slab, n int) {
	size := slotsMin
	for n > size/4*3 {
		size *= 2
	}
	dense := x.dense
	x.dense, x.slots, x.shift = nil, make([]uint64, size), shiftOf(size)
	for _, g := range dense {
		if g != 0 {
			key := s.Key(g - 1)
			_, p := x.probe(s, key)
			x.slots[p] = hashKey(x.seed, key)>>32<<32 | uint64(g)
		}
	}
}

func equalKeys(a, b []uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

const mixer = 0x9E3779B97F4A7C15

// mix folds a word into a hash by a 128-bit product.
func mix(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word, mixer)
	return hi ^ lo
}

func hashKey(seed uint64, key []uint64) uint64 {
	h := seed
	for _, w := range key {
		h = mix(h, w)
	}
	return h
}
