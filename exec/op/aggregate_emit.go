package op

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/invariant"
	"ssql/plan/expr"
	"ssql/sql/types"
	"ssql/state"
)

// emitter gathers groups of the result, from however many windows, into chunks. It
// copies their words, so that a thousand windows of a few groups make a few chunks.
type emitter struct {
	a      *aggregate
	emit   Emit
	slab   []uint64
	stride int
	heap   state.Heap
	blobs  int          // bytes in heap
	spans  []windowSpan // per group, with windows
	cells  []expr.Cells
	all    []int32 // 0, 1, 2, …
	shown  shownOnce
}

// emitBytesMax bounds the blobs of a chunk, beside its rows: a group may hold a long list.
const emitBytesMax = 32 << 20

type windowSpan struct{ start, end int64 }

func newEmitter(a *aggregate) *emitter {
	e := &emitter{a: a, stride: max(1, a.layout.Stride())}
	for _, c := range a.calls {
		e.cells = append(e.cells, expr.Cells{Stride: e.stride, Offset: c.offset, Heap: &e.heap})
	}
	return e
}

// add takes the listed groups of a table. The words must be laid out as those of the
// state; heap may be nil if there are no blobs.
func (e *emitter) add(words []uint64, heap expr.Heap, groups []int32, span windowSpan) error {
	for _, g := range groups {
		at := len(e.slab)
		e.slab = append(e.slab, words[int(g)*e.stride:(int(g)+1)*e.stride]...)
		for _, b := range e.a.layout.Blobs {
			w := &e.slab[at+e.a.layout.KeyWords+b]
			if *w != 0 {
				blob := heap.Blob(*w)
				*w = e.heap.SetBlob(0, blob)
				e.blobs += len(blob)
			}
		}
		if e.a.cfg.Windows != nil {
			e.spans = append(e.spans, span)
		}
		if len(e.slab) >= e.a.cfg.ChunkRows*e.stride || e.blobs >= emitBytesMax {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTable takes the listed groups of a table of the state.
func (e *emitter) addTable(t *state.Table, groups []int32, span windowSpan) error {
	return e.add(t.Words, t.Heap(), groups, span)
}

// flush emits what was taken.
func (e *emitter) flush() error {
	n := len(e.slab) / e.stride
	if n == 0 {
		return nil
	}
	cols, err := e.columns(n)
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	if err != nil {
		return err
	}
	e.slab, e.spans = e.slab[:0], e.spans[:0]
	e.heap.Reset()
	e.blobs = 0
	rec := array.NewRecord(schemaOf(e.a.cfg.Schema, cols), cols, int64(n))
	defer rec.Release()
	if invariant.Enabled && e.a.cfg.Mode == types.Append {
		keyColumns := len(e.a.cfg.Keys)
		if e.a.cfg.Windows != nil {
			keyColumns += 2
		}
		e.shown.check(rec, keyColumns)
	}
	return e.emit(rec)
}

// columns makes the columns of n groups; on an error, those that are ready.
func (e *emitter) columns(n int) ([]arrow.Array, error) {
	a := e.a
	var cols []arrow.Array
	if a.cfg.Windows != nil {
		starts, ends := make([]arrow.Timestamp, n), make([]arrow.Timestamp, n)
		for i, s := range e.spans {
			starts[i], ends[i] = arrow.Timestamp(s.start), arrow.Timestamp(s.end)
		}
		cols = append(cols, timestamps(starts), timestamps(ends))
	}
	for i := range a.keys.cols {
		c, err := a.keys.decode(i, e.slab, 0, e.stride, a.value, a.cfg.Alloc)
		if err != nil {
			return cols, err
		}
		cols = append(cols, c)
	}
	for len(e.all) < n {
		e.all = append(e.all, int32(len(e.all)))
	}
	for i := range a.calls {
		e.cells[i].Slab = e.slab
		c, err := a.calls[i].acc.Result(&e.cells[i], e.all[:n], a.cfg.Alloc)
		if err != nil {
			if ge, ok := err.(*expr.GroupError); ok {
				at := int(ge.Group) * e.stride
				span := windowSpan{}
				if len(e.spans) > 0 {
					span = e.spans[ge.Group]
				}
				err = a.groupError(err, i, span, e.slab[at:at+e.stride], a.value)
			}
			return cols, err
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// Finish shows the groups that the mode shows, and lets go of those that are closed: what
// would fall into them later is late, so append mode shows no group twice (invariant I6).
func (a *aggregate) Finish(emit Emit) error {
	e := a.emitting
	e.emit = emit
	if a.global() {
		a.holdGlobal()
	}
	var err error
	if a.layer == layerPanes {
		err = a.overlap.finish(e)
	} else {
		err = a.finishTables(e)
	}
	if err != nil {
		return err
	}
	a.stats.RowsTotal = a.groups
	a.stats.MemoryBytes = a.memory()
	return e.flush()
}

// memory returns the bytes that are held between batches.
func (a *aggregate) memory() int64 {
	if a.layer == layerPanes {
		return a.state.Bytes() + a.overlap.sweep.bytes()
	}
	return a.state.Bytes()
}

// holdGlobal makes sure of the one group of a grouping without keys; every batch
// touches it (docs/SEMANTICS.md, Output modes).
func (a *aggregate) holdGlobal() {
	t := a.state.Window(0).Tables[0]
	before := t.Len()
	var g [1]int32
	t.Resolve(nil, g[:])
	a.groups += int64(t.Len() - before)
	a.state.Count(t)
}

// finishTables is Finish for tables of which each holds whole groups.
func (a *aggregate) finishTables(e *emitter) error {
	var groups []int32
	for _, win := range a.state.Touched() {
		t := win.Tables[0]
		groups = t.Dirty(groups[:0])
		a.stats.RowsUpdated += int64(len(groups))
		if a.cfg.Mode == types.Update {
			if err := e.addTable(t, groups, a.spanOf(win.Start)); err != nil {
				return err
			}
		}
	}
	closed := a.closedKey()
	for _, win := range a.state.List() {
		t := win.Tables[0]
		if a.drops() && win.Start <= closed {
			a.stats.RowsRemoved += int64(t.Live())
		} else if a.cfg.Mode != types.Complete {
			break
		}
		if a.cfg.Mode != types.Update {
			groups = t.All(groups[:0])
			if err := e.addTable(t, groups, a.spanOf(win.Start)); err != nil {
				return err
			}
		}
	}
	if a.drops() {
		a.groups -= a.stats.RowsRemoved
		a.state.RemoveThrough(closed)
	}
	a.forgetEmptied()
	return nil
}

// forgetEmptied removes the groups that a batch left without rows. They have come out once
// more as such, and a new row begins them anew. Panes of overlapping windows stay until
// their windows close.
func (a *aggregate) forgetEmptied() {
	if !a.cfg.CountsRows || a.layer == layerPanes {
		return
	}
	rows := a.calls[len(a.calls)-1].offset
	var groups []int32
	for _, win := range a.state.Touched() {
		t := win.Tables[0]
		groups = t.Dirty(groups[:0])
		for _, g := range groups {
			if t.Words[int(g)*t.Stride+rows] == 0 {
				t.Remove(g)
				a.groups--
				a.stats.RowsRemoved++
			}
		}
		a.state.Count(t)
	}
}

// closedKey returns the greatest key of a table that the eviction watermark closes.
func (a *aggregate) closedKey() int64 {
	e := a.batch.EvictMicros
	if a.layer == layerWindows {
		return saturatingSub(e, a.cfg.Windows.SizeMicros)
	}
	return e
}

// spanOf returns the window that a table's key stands for.
func (a *aggregate) spanOf(key int64) windowSpan {
	switch a.layer {
	case layerWindows:
		return windowSpan{key, key + a.cfg.Windows.SizeMicros}
	case layerEach:
		w := a.cfg.Windows
		if w.Cumulate {
			return windowSpan{floorTo(key-1, w.SizeMicros, w.OffsetMicros), key}
		}
		return windowSpan{key - w.SizeMicros, key}
	}
	return windowSpan{}
}
