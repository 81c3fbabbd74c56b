package state

import (
	"encoding/binary"
	"math/bits"
)

// Version is the first byte of everything that is written. A reader refuses any
// other.
const Version = 1

const (
	kindChanges  = 1
	kindSnapshot = 2
)

// AppendChanges appends what changed since the last call, and forgets it. Its size
// is that of the changed groups and new strings.
func (w *Windows) AppendChanges(dst []byte) []byte {
	dst = w.appendHead(dst, kindChanges, w.strings)
	dst = binary.AppendUvarint(dst, uint64(len(w.dropped)))
	for _, start := range w.dropped {
		dst = binary.AppendVarint(dst, start)
	}
	touched := w.Touched()
	dst = binary.AppendUvarint(dst, uint64(len(touched)))
	var groups []int32
	for _, win := range touched {
		dst = binary.AppendVarint(dst, win.Start)
		for _, t := range win.Tables {
			groups = t.Dirty(groups[:0])
			dst = t.append(dst, t.gone, groups)
		}
	}
	w.ForgetChanges()
	return dst
}

// AppendSnapshot appends the whole state, after Compact. It is to be called after
// AppendChanges: changes that are not written yet stay marked, but nothing is
// compacted then.
func (w *Windows) AppendSnapshot(dst []byte) []byte {
	w.Compact()
	dst = w.appendHead(dst, kindSnapshot, 0)
	dst = binary.AppendUvarint(dst, 0)
	dst = binary.AppendUvarint(dst, uint64(len(w.list)))
	var groups, gone []int32
	for _, win := range w.list {
		dst = binary.AppendVarint(dst, win.Start)
		for _, t := range win.Tables {
			gone = gone[:0]
			for g := int32(0); g < t.Len(); g++ {
				if !t.Alive(g) {
					gone = append(gone, g)
				}
			}
			groups = t.All(groups[:0])
			dst = t.append(dst, gone, groups)
		}
	}
	return dst
}

// appendHead appends version, kind, epoch, Mark and the strings from number from on.
func (w *Windows) appendHead(dst []byte, kind byte, from int) []byte {
	dst = append(dst, Version, kind)
	dst = binary.AppendUvarint(dst, w.epoch)
	dst = binary.AppendVarint(dst, w.Mark)
	dst = binary.AppendUvarint(dst, uint64(from))
	dst = binary.AppendUvarint(dst, uint64(w.interner.Len()-from))
	for id := from; id < w.interner.Len(); id++ {
		dst = appendBytes(dst, w.interner.Value(int32(id)))
	}
	return dst
}

// append appends the length of the table, the removed groups, and the listed ones,
// which are ascending.
func (t *Table) append(dst []byte, gone, groups []int32) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.Len()))
	dst = binary.AppendUvarint(dst, uint64(len(gone)))
	for _, g := range gone {
		dst = binary.AppendUvarint(dst, uint64(g))
	}
	dst = binary.AppendUvarint(dst, uint64(len(groups)))
	next := int32(0)
	for _, g := range groups {
		dst = binary.AppendUvarint(dst, uint64(g-next))
		next = g + 1
		at := int(g) * t.Stride
		dst = t.appendGroup(dst, t.Words[at:at+t.layout.Stride()])
	}
	return dst
}

func (t *Table) appendGroup(dst []byte, words []uint64) []byte {
	blobs := t.layout.Blobs
	for i, word := range words {
		if len(blobs) > 0 && i == t.KeyWords+blobs[0] {
			dst = appendBytes(dst, t.heap.Blob(word))
			blobs = blobs[1:]
			continue
		}
		dst = appendWord(dst, word)
	}
	return dst
}

// Restore replaces the state by a snapshot.
func (w *Windows) Restore(snapshot []byte) error {
	w.list, w.last, w.touched, w.dropped = nil, nil, nil, nil
	w.bytes, w.Mark, w.epoch = 0, 0, 0
	w.interner.Reset()
	return w.read(snapshot, kindSnapshot)
}

// ApplyChanges replays what AppendChanges wrote, in the order in which it was
// written. After an error the state is of no use.
func (w *Windows) ApplyChanges(changes []byte) error { return w.read(changes, kindChanges) }

func (w *Windows) read(b []byte, kind byte) error {
	if len(b) < 2 || b[0] != Version || b[1] != kind {
		return corrupt("version %d and kind %d were expected at the start", Version, kind)
	}
	r := &reader{b: b[2:]}
	w.readHead(r, kind)
	for n := r.count(); n > 0 && r.err == nil; n-- {
		w.Remove(r.varint())
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		win := w.Window(r.varint())
		for _, t := range win.Tables {
			if r.err == nil {
				w.readTable(r, t)
			}
		}
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes are left over")
	}
	w.ForgetChanges()
	return r.err
}

func (w *Windows) readHead(r *reader, kind byte) {
	epoch := r.uvarint()
	w.Mark = r.varint()
	if kind == kindSnapshot {
		w.epoch = epoch
	} else {
		w.follow(r, epoch)
	}
	if from := r.uvarint(); from != uint64(w.interner.Len()) {
		r.fail("strings do not go on where they ended")
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		next := w.interner.Len()
		if int(w.interner.Intern(r.bytes())) != next && r.err == nil {
			r.fail("a string is there twice")
		}
	}
}

// follow renumbers the strings where the writer of the changes did: a snapshot was
// written between these changes and those before, and the epoch is one higher. A state
// that was restored from that snapshot is renumbered already.
func (w *Windows) follow(r *reader, epoch uint64) {
	switch {
	case r.err != nil || w.epoch == epoch:
	case w.epoch+1 == epoch:
		w.renumber(w.usedStrings())
	default:
		r.fail("changes that came before these are missing")
	}
}

func (w *Windows) readTable(r *reader, t *Table) {
	defer w.Count(t)
	n, old := r.uvarint(), t.Len()
	gone := r.count()
	removed := make([]int32, gone)
	for i := range removed {
		removed[i] = int32(min(r.uvarint(), 1<<31-1))
	}
	changed := r.count()
	if n < uint64(old) || n-uint64(old) > uint64(changed+gone) {
		r.fail("a table has a length that its groups do not make")
	}
	if r.err != nil {
		return
	}
	t.extend(int32(n))
	for _, g := range removed {
		if g >= int32(n) {
			r.fail("a removed group is out of range")
			return
		}
		if t.Alive(g) {
			t.kill(g)
		}
	}
	w.readGroups(r, t, n, changed)
	t.tidy()
}

func (w *Windows) readGroups(r *reader, t *Table, n uint64, changed int) {
	next := uint64(0)
	words := make([]uint64, t.layout.Stride())
	for ; changed > 0 && r.err == nil; changed-- {
		g := next + r.uvarint()
		if g >= n {
			r.fail("a group is out of range")
			return
		}
		next = g + 1
		w.readGroup(r, t, int32(g), words)
	}
}

// extend makes the table n groups long; the new ones are dead until they are read.
func (t *Table) extend(n int32) {
	old := t.Len()
	if n <= old {
		return
	}
	if old == 0 {
		t.index.reserve(int(n))
	}
	t.Words = append(t.Words, make([]uint64, int(n-old)*t.Stride)...)
	for g := old; g < n; g++ {
		t.dead = setBit(t.dead, g)
	}
}

// tidy makes the list of free groups anew.
func (t *Table) tidy() {
	t.free = t.free[:0]
	if t.Live() == int(t.Len()) {
		t.dead = nil
		return
	}
	for i, w := range t.dead {
		for ; w != 0; w &= w - 1 {
			t.free = append(t.free, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
}

func (w *Windows) readGroup(r *reader, t *Table, g int32, words []uint64) {
	kw := t.KeyWords
	for i := range words[:kw] {
		words[i] = r.word()
	}
	for _, k := range t.layout.Interned {
		if words[k] > uint64(w.interner.Len()) {
			r.fail("a key refers to a string that is not there")
		}
	}
	if r.err != nil {
		return
	}
	found := t.Find(words[:kw])
	if found >= 0 && found != g {
		r.fail("a key is there twice")
		return
	}
	if found < 0 {
		if t.Alive(g) {
			t.kill(g)
		}
		t.place(g, words[:kw])
	}
	cells := t.Words[int(g)*t.Stride+kw:][:t.layout.CellWords]
	blobs := t.layout.Blobs
	for i := range cells {
		if len(blobs) > 0 && i == blobs[0] {
			blobs = blobs[1:]
			if b := r.bytes(); len(b) > 0 || cells[i] != 0 {
				cells[i] = t.heap.SetBlob(cells[i], b)
			}
			continue
		}
		cells[i] = r.word()
	}
}
