package op

import (
	"math"
	"math/rand/v2"

	"ssql/plan/expr"
	"ssql/state"
)

// sweep puts the groups of windows together from panes, window after window. Panes
// stand in blocks of as many as a window has, so a window is the end of one block and
// the beginning of the next: what the ends and the beginnings of blocks add up to is
// kept, and a window costs a few merges per group however many panes it has (van Herk
// and Gil-Werman). The ends are kept in two steps, within stretches of about the square root
// of a block and from stretch to stretch, so that only that many sums are held.
//
// How values are added up depends only on where blocks and stretches lie, never on what is
// kept from earlier batches: sums of doubles are the same after a restart.
type sweep struct {
	o       *overlap
	seed    uint64
	epoch   uint64
	stretch int64      // panes per stretch
	whole   *sums      // over all keys, kept over batches
	some    *sums      // over the keys that a batch has changed
	span    windowSpan // of the window that is summed up
	out     *sumTable
	spare   []*sumTable
	pick    []int32
}

// sums is what is known of the end of one block and of the beginning of another.
type sums struct {
	tailBlock int64
	tailFrom  int64       // the pane whose sum was asked for last; noPane: nothing is known
	inner     []*sumTable // by pane of the stretch of tailFrom: the sum from it to the end of the stretch
	outer     []*sumTable // by stretch of the block: the sum from it to the end of the block
	head      *sumTable
	headBlock int64
	headTo    int64 // head is the sum up to this pane; noPane: nothing is known
}

// noPane stands for a sum that is not made.
const noPane = math.MaxInt64

func (s *sums) known() bool { return s.tailFrom != noPane || s.headTo != noPane }

func newSums() *sums { return &sums{tailFrom: noPane, headTo: noPane} }

// sumTable is groups outside of the state, laid out like those in it.
type sumTable struct {
	slab  state.Slab
	index state.Index
	heap  state.Heap
	cells []expr.Cells
	keys  []uint64
	dst   []int32
	all   []int32
}

func (sw *sweep) init(o *overlap) {
	sw.o, sw.seed = o, rand.Uint64()
	sw.stretch = int64(math.Ceil(math.Sqrt(float64(o.perWindow))))
	sw.whole, sw.some = newSums(), newSums()
}

// table returns an empty table.
func (sw *sweep) table() *sumTable {
	if n := len(sw.spare); n > 0 {
		t := sw.spare[n-1]
		sw.spare = sw.spare[:n-1]
		return t
	}
	a := sw.o.a
	t := &sumTable{
		slab:  state.Slab{KeyWords: a.layout.KeyWords, Stride: max(1, a.layout.Stride())},
		index: state.NewIndex(a.keys.words == 1 && len(a.keys.interned) == 1, sw.seed),
	}
	for _, c := range a.calls {
		t.cells = append(t.cells, expr.Cells{Stride: t.slab.Stride, Offset: c.offset, Heap: &t.heap})
	}
	return t
}

func (sw *sweep) release(t *sumTable) {
	if t == nil {
		return
	}
	t.slab.Words = t.slab.Words[:0]
	t.index.Reset()
	t.heap.Reset()
	sw.spare = append(sw.spare, t)
}

// groups returns the numbers of all groups.
func (t *sumTable) groups() []int32 {
	n := t.slab.Len()
	for int32(len(t.all)) < n {
		t.all = append(t.all, int32(len(t.all)))
	}
	return t.all[:n]
}

func (t *sumTable) bytes() int64 {
	return 8*int64(cap(t.slab.Words)) + t.index.Bytes() + t.heap.Bytes()
}

// fold adds the listed groups of another table to this one, for a window.
func (t *sumTable) fold(a *aggregate, span windowSpan, words []uint64, from []expr.Cells, groups []int32) error {
	stride := t.slab.Stride
	t.keys, t.dst = t.keys[:0], sized(t.dst, len(groups))
	for _, g := range groups {
		at := int(g) * stride
		t.keys = append(t.keys, words[at:at+t.slab.KeyWords]...)
	}
	t.index.Resolve(&t.slab, t.keys, t.dst)
	for i := range a.calls {
		t.cells[i].Slab, from[i].Slab = t.slab.Words, words
		if err := a.calls[i].acc.Merge(&t.cells[i], t.dst, &from[i], groups); err != nil {
			if ge, ok := err.(*expr.GroupError); ok {
				return a.groupError(err, i, span, t.slab.Key(ge.Group), a.value)
			}
			return err
		}
	}
	return nil
}

// forget drops all sums.
func (sw *sweep) forget() {
	sw.drop(sw.whole)
	sw.drop(sw.some)
}

// forgetFiltered drops the sums over changed keys.
func (sw *sweep) forgetFiltered() { sw.drop(sw.some) }

func (sw *sweep) drop(s *sums) {
	sw.dropTail(s)
	sw.dropHead(s)
}

func (sw *sweep) dropTail(s *sums) {
	sw.releaseAll(s.inner)
	sw.releaseAll(s.outer)
	s.tailFrom = noPane
}

func (sw *sweep) releaseAll(tables []*sumTable) {
	for i, t := range tables {
		sw.release(t)
		tables[i] = nil
	}
}

func (sw *sweep) dropHead(s *sums) {
	sw.release(s.head)
	s.head, s.headTo = nil, noPane
}

// refresh drops the sums that panes changed by this batch are in.
func (sw *sweep) refresh() {
	s, o := sw.whole, sw.o
	if sw.epoch != o.a.state.Epoch() {
		sw.forget()
		sw.epoch = o.a.state.Epoch()
	}
	if !s.known() {
		return
	}
	for _, win := range o.a.state.Touched() {
		pane := o.number(win.Start)
		block := floorDivide(pane, o.perWindow)
		if s.tailFrom != noPane && block == s.tailBlock && pane >= s.tailFrom {
			sw.dropTail(s)
		}
		if s.headTo != noPane && block == s.headBlock && pane <= s.headTo {
			sw.dropHead(s)
		}
	}
}

// bytes returns the memory of the sums.
func (sw *sweep) bytes() int64 {
	total := int64(0)
	for _, list := range [][]*sumTable{sw.spare, sw.whole.inner, sw.whole.outer, {sw.out, sw.whole.head}} {
		for _, t := range list {
			if t != nil {
				total += t.bytes()
			}
		}
	}
	return total
}

// pane returns a pane of the state and its groups, only those of changed keys if
// touched is set; nil if there are none.
func (sw *sweep) pane(number int64, touched *touchedKeys) (*state.Table, []int32) {
	win := sw.o.a.state.Find(sw.o.start(number))
	if win == nil {
		return nil, nil
	}
	t := win.Tables[0]
	sw.pick = sw.pick[:0]
	if touched == nil {
		sw.pick = t.All(sw.pick)
		return t, sw.pick
	}
	for id := range touched.of {
		if g := t.Find(touched.slab.Key(int32(id))); g >= 0 {
			sw.pick = append(sw.pick, g)
		}
	}
	return t, sw.pick
}

// foldPane adds a pane to a table.
func (sw *sweep) foldPane(t *sumTable, number int64, touched *touchedKeys) error {
	src, groups := sw.pane(number, touched)
	if len(groups) == 0 {
		return nil
	}
	return t.fold(sw.o.a, sw.span, src.Words, sw.o.a.cellsOf(nil, src), groups)
}

// foldTable adds another table, which may be nil.
func (sw *sweep) foldTable(t, from *sumTable) error {
	if from == nil {
		return nil
	}
	return t.fold(sw.o.a, sw.span, from.slab.Words, from.cells, from.groups())
}

// tailOf returns the sum of a pane and those behind it in its stretch, and the sum of
// the stretches behind in its block, nil if there are none.
func (sw *sweep) tailOf(s *sums, pane int64, touched *touchedKeys) (inner, outer *sumTable, err error) {
	size := sw.o.perWindow
	block := floorDivide(pane, size)
	first := block * size
	at := (pane - first) / sw.stretch
	fresh := s.tailFrom == noPane || s.tailBlock != block || pane < s.tailFrom
	if fresh {
		sw.dropTail(s)
		if err := sw.makeOuter(s, first, at, touched); err != nil {
			return nil, nil, err
		}
	}
	if fresh || (s.tailFrom-first)/sw.stretch != at {
		if err := sw.makeInner(s, first, at, pane, touched); err != nil {
			return nil, nil, err
		}
	}
	s.tailBlock, s.tailFrom = block, pane
	if at+1 < int64(len(s.outer)) {
		outer = s.outer[at+1]
	}
	return s.inner[pane-first-at*sw.stretch], outer, nil
}

// makeOuter adds up the stretches of the block that begins with pane first, from
// the last one down to the one behind stretch at.
func (sw *sweep) makeOuter(s *sums, first, at int64, touched *touchedKeys) error {
	stretches := (sw.o.perWindow + sw.stretch - 1) / sw.stretch
	s.outer = sized(s.outer, int(stretches))
	clear(s.outer)
	for j := stretches - 1; j > at; j-- {
		t := sw.table()
		s.outer[j] = t
		end := min((j+1)*sw.stretch, sw.o.perWindow)
		for q := j * sw.stretch; q < end; q++ {
			if err := sw.foldPane(t, first+q, touched); err != nil {
				return err
			}
		}
		if j+1 < stretches {
			if err := sw.foldTable(t, s.outer[j+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeInner adds up the panes of stretch at, from its last one down to pane, and lets go of
// the stretches up to it.
func (sw *sweep) makeInner(s *sums, first, at, pane int64, touched *touchedKeys) error {
	sw.releaseAll(s.outer[:at+1])
	sw.releaseAll(s.inner)
	s.inner = sized(s.inner, int(sw.stretch))
	clear(s.inner)
	begin := first + at*sw.stretch
	end := min(begin+sw.stretch, first+sw.o.perWindow)
	var behind *sumTable
	for q := end - 1; q >= pane; q-- {
		t := sw.table()
		s.inner[q-begin] = t
		if err := sw.foldPane(t, q, touched); err != nil {
			return err
		}
		if err := sw.foldTable(t, behind); err != nil {
			return err
		}
		behind = t
	}
	return nil
}

// headOf returns the sum of a pane and all before it in its block.
func (sw *sweep) headOf(s *sums, pane int64, touched *touchedKeys) (*sumTable, error) {
	size := sw.o.perWindow
	block := floorDivide(pane, size)
	if s.headTo == noPane || s.headBlock != block || s.headTo > pane {
		sw.dropHead(s)
		s.head, s.headBlock, s.headTo = sw.table(), block, block*size-1
	}
	for s.headTo < pane {
		if err := sw.foldPane(s.head, s.headTo+1, touched); err != nil {
			return nil, err
		}
		s.headTo++
	}
	return s.head, nil
}

// show emits the groups of a window; with touched only those that were changed.
func (sw *sweep) show(e *emitter, window int64, touched *touchedKeys) error {
	s := sw.whole
	if touched != nil {
		s = sw.some
	}
	first, last := sw.o.panesOf(window)
	start, end := sw.o.span(window)
	sw.span = windowSpan{start, end}
	head, err := sw.headOf(s, last, touched)
	if err != nil {
		return err
	}
	t := head
	if first%sw.o.perWindow != 0 {
		inner, outer, err := sw.tailOf(s, first, touched)
		if err != nil {
			return err
		}
		if sw.out == nil {
			sw.out = sw.table()
		}
		t = sw.out
		t.slab.Words = t.slab.Words[:0]
		t.index.Reset()
		t.heap.Reset()
		for _, part := range []*sumTable{inner, outer, head} {
			if err := sw.foldTable(t, part); err != nil {
				return err
			}
		}
	}
	groups := t.groups()
	if touched != nil {
		sw.pick = sw.pick[:0]
		for _, g := range groups {
			if touched.within(t.slab.Key(g), first, last) {
				sw.pick = append(sw.pick, g)
			}
		}
		groups = sw.pick
	}
	return e.add(t.slab.Words, &t.heap, groups, sw.span)
}
