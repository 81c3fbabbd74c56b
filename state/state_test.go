package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// testLayouts is a keyed table with every kind of word, and a dense one.
var testLayouts = []Layout{
	{KeyWords: 2, CellWords: 3, Interned: []int{1}, Blobs: []int{0, 2}},
	{KeyWords: 1, CellWords: 1, Interned: []int{0}},
	{},
}

func newState(t testing.TB) *Windows {
	t.Helper()
	w, err := NewWindows(testLayouts...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// dump describes all that a reader of the state can see, group numbers included.
func dump(w *Windows) []string {
	var out []string
	for _, win := range w.List() {
		for i, tab := range win.Tables {
			for _, g := range tab.All(nil) {
				words := slices.Clone(tab.Words[int(g)*tab.Stride:][:tab.layout.Stride()])
				text := ""
				for _, k := range tab.layout.Interned {
					if words[k] > 0 {
						text += string(w.interner.Value(int32(words[k])-1)) + ";"
						words[k] = 1
					}
				}
				for _, b := range tab.layout.Blobs {
					at := tab.KeyWords + b
					text += string(tab.heap.Blob(words[at])) + ";"
					words[at] = 0
				}
				out = append(out, fmt.Sprintf("%d/%d/%d %v %s", win.Start, i, g, words, text))
			}
		}
	}
	return append(out, fmt.Sprint("mark ", w.Mark))
}

// step changes the state at random, as an operator would.
func step(w *Windows, rng *rand.Rand, keys int) {
	for range 5 {
		win := w.Window(int64(rng.IntN(6)) * 10)
		str := func() uint64 {
			if rng.IntN(5) == 0 {
				return 0
			}
			return uint64(w.interner.Intern(fmt.Appendf(nil, "key-%d", rng.IntN(keys)))) + 1
		}
		out := make([]int32, 4)
		t := win.Tables[0]
		var k []uint64
		for range out {
			k = append(k, rng.Uint64()>>rng.IntN(64)&0xff, str())
		}
		t.Resolve(k, out)
		for _, g := range out {
			cells := t.Words[int(g)*t.Stride+t.KeyWords:]
			cells[1] += rng.Uint64() >> rng.IntN(64)
			cells[0] = t.heap.SetBlob(cells[0], fmt.Appendf(nil, "blob %d", rng.IntN(1000)))
			cells[2] = t.heap.Extend(cells[2], []byte{'a' + byte(rng.IntN(26))})
		}
		if g := int32(rng.IntN(int(t.Len()))); rng.IntN(3) == 0 && t.Alive(g) {
			t.Remove(g)
		}
		w.Count(t)
		t = win.Tables[1]
		t.Resolve([]uint64{str(), str(), str(), str()}, out)
		for _, g := range out {
			t.Words[int(g)*t.Stride+1]++
		}
		w.Count(t)
		t = win.Tables[2]
		t.Resolve(nil, out[:1])
		w.Count(t)
	}
	for range 100 { // strings that nothing refers to any more
		w.interner.Intern(binary.AppendUvarint(nil, rng.Uint64()))
	}
	switch rng.IntN(6) {
	case 0:
		w.RemoveThrough(int64(rng.IntN(3)) * 10)
	case 1:
		w.Remove(int64(rng.IntN(6)) * 10)
	}
	w.Mark = rng.Int64()
}

func TestChangesAndSnapshotsGiveTheSameStateBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	live, follower := newState(t), newState(t)
	for i := range 200 {
		step(live, rng, 50+i*50)
		changes := live.AppendChanges(nil)
		if err := follower.ApplyChanges(changes); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		want := dump(live)
		if got := dump(follower); !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d: after changes\n got %q\nwant %q", i, got, want)
		}
		if i%7 == 3 {
			snapshot := live.AppendSnapshot(nil)
			restored := newState(t)
			if err := restored.Restore(snapshot); err != nil {
				t.Fatal(err)
			}
			if got := dump(restored); !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d: after the snapshot\n got %q\nwant %q", i, got, want)
			}
			if rng.IntN(2) == 0 {
				follower = restored
			}
		}
		if g, f := groupsOf(live), groupsOf(follower); g != f {
			t.Fatalf("step %d: %d groups, %d in the follower", i, g, f)
		}
	}
	if live.Epoch() == 0 {
		t.Fatal("the strings were never renumbered: the test shows nothing about it")
	}
}

func TestAppendChangesWritesOnlyWhatChanged(t *testing.T) {
	w, err := NewWindows(Layout{KeyWords: 1, CellWords: 2, Interned: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 10_000
	keys, out := make([]uint64, n), make([]int32, n)
	for i := range keys {
		keys[i] = uint64(w.interner.Intern(fmt.Appendf(nil, "device-%d", i))) + 1
	}
	w.Window(60).Tables[0].Resolve(keys, out)
	all := len(w.AppendChanges(nil))
	if none := len(w.AppendChanges(nil)); none > 12 {
		t.Errorf("%d bytes for no change at all", none)
	}
	tab := w.Window(60).Tables[0]
	tab.Resolve(keys[5000:5010], out[:10])
	for i := range 10 {
		tab.Words[int(out[i])*tab.Stride+1] = 42
	}
	if some := len(w.AppendChanges(nil)); some > 12+10*10 {
		t.Errorf("%d bytes for 10 changed groups of %d, which took %d", some, n, all)
	}
}

func TestRemoveThroughFreesOnlyOldWindows(t *testing.T) {
	w := newState(t)
	for _, start := range []int64{30, -10, 0, 20, 10} {
		win := w.Window(start)
		win.Tables[1].Resolve([]uint64{0, uint64(w.interner.Intern([]byte("x"))) + 1}, make([]int32, 2))
		w.Count(win.Tables[1])
	}
	w.RemoveThrough(10)
	var starts []int64
	for _, win := range w.List() {
		starts = append(starts, win.Start)
	}
	if want := []int64{20, 30}; !slices.Equal(starts, want) || groupsOf(w) != 4 {
		t.Errorf("windows %v with %d groups are left, want %v with 4", starts, groupsOf(w), want)
	}
	if w.Find(0) != nil || w.Find(20) == nil {
		t.Error("Find sees a removed window or misses one that is there")
	}
	w.RemoveThrough(1 << 62)
	if len(w.List()) != 0 || groupsOf(w) != 0 {
		t.Error("not everything is removed")
	}
}

func TestIndexIsRightInEveryForm(t *testing.T) {
	for _, c := range []struct {
		name  string
		dense bool
		key   func(rng *rand.Rand) uint64
	}{
		{"hashed", false, func(r *rand.Rand) uint64 { return r.Uint64N(3000) << 40 }},
		{"dense", true, func(r *rand.Rand) uint64 { return r.Uint64N(3000) }},
		{"dense keys far apart", true, func(r *rand.Rand) uint64 { return r.Uint64N(3000) * 1000 }},
		{"dense, then far apart", true, func(r *rand.Rand) uint64 {
			if r.IntN(1000) == 0 {
				return 1<<31 + r.Uint64N(1000)
			}
			return r.Uint64N(300)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			slab, x := Slab{KeyWords: 1, Stride: 2}, NewIndex(c.dense, 99)
			model := map[uint64]int32{}
			keys, out := make([]uint64, 100), make([]int32, 100)
			for range 200 {
				for i := range keys {
					keys[i] = c.key(rng)
				}
				x.Resolve(&slab, keys, out)
				for i, k := range keys {
					g, ok := model[k]
					if !ok {
						g = int32(len(model))
						model[k] = g
					}
					if out[i] != g || x.Find(&slab, keys[i:i+1]) != g {
						t.Fatalf("key %d is group %d, want %d", k, out[i], g)
					}
				}
			}
			if x.Len() != len(model) || int(slab.Len()) != len(model) {
				t.Errorf("%d groups in the index, %d in the slab, want %d", x.Len(), slab.Len(), len(model))
			}
			if x.Find(&slab, []uint64{1<<63 + 5}) != -1 {
				t.Error("found a key that was never added")
			}
		})
	}
}

func TestHeapKeepsWhatWasStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var h Heap
	model := map[uint64][]byte{}
	for i := range 20_000 {
		b := bytes.Repeat([]byte{byte(i)}, rng.IntN(60))
		var handle uint64
		if len(model) > 0 && rng.IntN(4) > 0 {
			for handle = range model {
				break
			}
		}
		switch {
		case handle != 0 && rng.IntN(5) == 0:
			h.Free(handle)
			delete(model, handle)
		case rng.IntN(2) == 0:
			handle = h.SetBlob(handle, b)
			model[handle] = b
		default:
			old := model[handle]
			handle = h.Extend(handle, b)
			model[handle] = append(slices.Clone(old), b...)
		}
	}
	for handle, want := range model {
		if got := h.Blob(handle); !bytes.Equal(got, want) {
			t.Fatalf("handle %d holds %q, want %q", handle, got, want)
		}
	}
	live := 0
	for _, b := range model {
		live += len(b)
	}
	if len(h.arena) > 8*live+2*heapGapsMin {
		t.Errorf("%d bytes are held for %d", len(h.arena), live)
	}
}

func TestInternerNumbersStringsInOrder(t *testing.T) {
	in := NewInterner()
	for round := range 2 {
		for i := range 5000 {
			s := fmt.Appendf(nil, "s%d", i)
			if round == 0 && in.Find(s) != -1 {
				t.Fatalf("%q is there before it was interned", s)
			}
			if id := in.Intern(s); int(id) != i {
				t.Fatalf("%q is %d, want %d", s, id, i)
			}
			if in.Find(s) != int32(i) || !bytes.Equal(in.Value(int32(i)), s) {
				t.Fatalf("%q cannot be found again", s)
			}
		}
	}
	if in.Len() != 5000 || in.Intern(nil) != 5000 || in.Intern([]byte{}) != 5000 {
		t.Error("the empty string must be one string")
	}
}

func TestWordsTakeOnlyTheBytesTheyNeed(t *testing.T) {
	for _, c := range []struct {
		w    uint64
		size int
	}{{0, 1}, {1, 2}, {255, 2}, {256, 2}, {257, 3}, {1 << 63, 2}, {0x4035800000000000, 4}, {^uint64(0), 9}} {
		b := appendWord(nil, c.w)
		for _, tail := range [][]byte{nil, make([]byte, 16)} {
			r := reader{b: append(slices.Clone(b), tail...)}
			if got := r.word(); got != c.w || r.err != nil || len(r.b) != len(tail) {
				t.Errorf("%#x reads as %#x, %v", c.w, got, r.err)
			}
		}
		if len(b) != c.size {
			t.Errorf("%#x takes %d bytes, want %d", c.w, len(b), c.size)
		}
	}
}

func TestLayoutsAreChecked(t *testing.T) {
	for _, l := range []Layout{
		{KeyWords: 1, Interned: []int{1}},
		{KeyWords: 2, Interned: []int{1, 0}},
		{CellWords: 1, Blobs: []int{-1}},
	} {
		if _, err := NewWindows(l); err == nil {
			t.Errorf("layout %+v is accepted", l)
		}
	}
}

func TestDamagedBytesAreNamed(t *testing.T) {
	w := newState(t)
	step(w, rand.New(rand.NewPCG(7, 8)), 10)
	good := w.AppendSnapshot(nil)
	for _, bad := range [][]byte{nil, {9, 9}, good[:len(good)-1], append(slices.Clone(good), 0)} {
		if err := newState(t).Restore(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes: error %v, want ErrCorrupt", len(bad), err)
		}
	}
	if err := newState(t).ApplyChanges(good); !errors.Is(err, ErrCorrupt) {
		t.Error("a snapshot passes for changes")
	}
}

// seeds are one snapshot and a run of changes.
func seeds(t testing.TB) (snapshot []byte, changes [][]byte) {
	w, rng := newState(t), rand.New(rand.NewPCG(9, 10))
	for range 4 {
		step(w, rng, 20)
		changes = append(changes, w.AppendChanges(nil))
	}
	return w.AppendSnapshot(nil), changes
}

func FuzzRestore(f *testing.F) {
	snapshot, _ := seeds(f)
	f.Add(snapshot)
	f.Add([]byte{Version, kindSnapshot})
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newState(t)
		if w.Restore(b) == nil {
			use(w)
		}
	})
}

func FuzzApply(f *testing.F) {
	_, changes := seeds(f)
	for i := range changes {
		f.Add(binary.AppendUvarint(nil, uint64(i)), changes[i])
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		w := newState(t)
		if i, n := binary.Uvarint(first); n > 0 && i < uint64(len(changes)) {
			for _, c := range changes[:i] {
				if err := w.ApplyChanges(c); err != nil {
					t.Fatal(err)
				}
			}
		}
		if w.ApplyChanges(second) == nil {
			use(w)
		}
	})
}

// use does to accepted state what an operator would.
func use(w *Windows) {
	dump(w)
	step(w, rand.New(rand.NewPCG(11, 12)), 5)
	w.AppendChanges(nil)
	w.AppendSnapshot(nil)
	w.RemoveThrough(1 << 62)
}

// groupsOf counts the groups in all tables.
func groupsOf(w *Windows) int {
	n := 0
	for _, win := range w.List() {
		for _, t := range win.Tables {
			n += t.Live()
		}
	}
	return n
}
