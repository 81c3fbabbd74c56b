package state

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
)

// Windows is the state of one operator: its windows in the order of their start,
// the strings that their keys share, and one number of the operator's own. State
// without windows is one window, whatever its start.
type Windows struct {
	layouts  []Layout
	interner *Interner
	seed     uint64
	list     []*Window // ascending by Start
	last     *Window   // the one that Window returned last
	touched  []*Window // returned by Window since AppendChanges, in no order
	// Mark is kept with the state, for the operator: the watermark it has closed
	// windows up to, for instance.
	Mark int64

	dropped []int64 // starts of windows removed since AppendChanges
	epoch   uint64  // how often the strings were renumbered
	written uint64  // the epoch that AppendChanges knows of
	strings int     // how many strings AppendChanges has written
	lookAt  int     // how many strings make Compact look for unused ones
	bytes   int64
}

// Window is the tables of one window, one per layout.
type Window struct {
	Start   int64
	Tables  []*Table // nil once the window is removed
	touched bool
}

// NewWindows returns empty state for tables of the given layouts.
func NewWindows(layouts ...Layout) (*Windows, error) {
	for i := range layouts {
		if err := layouts[i].check(); err != nil {
			return nil, fmt.Errorf("making state: %w", err)
		}
	}
	return &Windows{layouts: layouts, interner: NewInterner(), seed: rand.Uint64()}, nil
}

// Interner returns the strings that interned key words refer to.
func (w *Windows) Interner() *Interner { return w.interner }

// Epoch changes whenever strings may have got other numbers.
func (w *Windows) Epoch() uint64 { return w.epoch }

// Touched returns the windows that Window returned since AppendChanges and that are still
// there, the oldest first. The slice is valid until the next call of Window.
func (w *Windows) Touched() []*Window {
	w.touched = slices.DeleteFunc(w.touched, func(win *Window) bool { return win.Tables == nil })
	slices.SortFunc(w.touched, func(a, b *Window) int { return cmp.Compare(a.Start, b.Start) })
	return w.touched
}

// List returns the windows, the oldest first. The slice is valid until a window is
// added or removed.
func (w *Windows) List() []*Window { return w.list }

// Find returns the window of a start, nil if there is none.
func (w *Windows) Find(start int64) *Window {
	if i := w.search(start); i < len(w.list) && w.list[i].Start == start {
		return w.list[i]
	}
	return nil
}

// Window returns the window of a start, a new one if there is none. A window is to be
// changed only after it was returned by Window in the same batch: AppendChanges looks
// at no other.
func (w *Windows) Window(start int64) *Window {
	if w.last != nil && w.last.Start == start {
		return w.last
	}
	i := w.search(start)
	if i == len(w.list) || w.list[i].Start != start {
		win := &Window{Start: start, Tables: make([]*Table, len(w.layouts))}
		for t := range win.Tables {
			win.Tables[t] = newTable(&w.layouts[t], w.seed)
		}
		w.list = slices.Insert(w.list, i, win)
		w.bytes += windowBytes
	}
	w.last = w.list[i]
	if !w.last.touched {
		w.last.touched = true
		w.touched = append(w.touched, w.last)
	}
	return w.last
}

// windowBytes is about what a window without groups takes.
const windowBytes = 320

func (w *Windows) search(start int64) int {
	n := len(w.list)
	if n > 0 && w.list[n-1].Start < start {
		return n // the usual case: time goes on
	}
	return sort.Search(n, func(i int) bool { return w.list[i].Start >= start })
}

// RemoveThrough removes all windows whose start is at most start. Its cost is that
// of the windows removed.
func (w *Windows) RemoveThrough(start int64) {
	n := 0
	for n < len(w.list) && w.list[n].Start <= start {
		w.release(w.list[n])
		w.list[n] = nil
		n++
	}
	w.list = w.list[n:]
	if len(w.list) == 0 {
		w.list = nil
	}
}

// Remove removes one window.
func (w *Windows) Remove(start int64) {
	if i := w.search(start); i < len(w.list) && w.list[i].Start == start {
		w.release(w.list[i])
		w.list = slices.Delete(w.list, i, i+1)
	}
}

func (w *Windows) release(win *Window) {
	for _, t := range win.Tables {
		w.bytes -= t.bytes
	}
	win.Tables = nil
	w.bytes -= windowBytes
	w.dropped = append(w.dropped, win.Start)
	w.last = nil
}

// Count brings Bytes up to date with a table that was changed.
func (w *Windows) Count(t *Table) {
	bytes := t.Bytes()
	w.bytes += bytes - t.bytes
	t.bytes = bytes
}

// Bytes returns the memory that is held, in bytes, as of the last Count of each
// table.
func (w *Windows) Bytes() int64 {
	return w.bytes + w.interner.Bytes() + 8*int64(cap(w.list)+cap(w.dropped))
}

// ForgetChanges clears the marks of what changed without writing them, for state
// that is kept nowhere. AppendChanges does it too.
func (w *Windows) ForgetChanges() {
	for _, win := range w.touched {
		win.touched = false
		for _, t := range win.Tables {
			t.forget()
		}
	}
	clear(w.touched)
	w.touched, w.last = w.touched[:0], nil
	w.dropped = w.dropped[:0]
	w.written, w.strings = w.epoch, w.interner.Len()
}

// garbageMin is how many strings there must be before unused ones are looked for.
const garbageMin = 4096

// Compact renumbers the strings if fewer than half of them are in use, and reports
// whether it did. It looks only when there are twice as many as were in use the
// last time. It is done between AppendChanges and the next change, and again in the same
// place when changes are replayed, so that numbers agree; elsewhere it does nothing.
func (w *Windows) Compact() bool {
	unwritten := len(w.touched) > 0 || len(w.dropped) > 0 || w.strings != w.interner.Len()
	if w.interner.Len() < max(garbageMin, w.lookAt) || unwritten || w.written != w.epoch {
		return false
	}
	used := w.usedStrings()
	n := 0
	for _, u := range used {
		if u {
			n++
		}
	}
	w.lookAt = 2 * n
	if n >= len(used)/2 {
		return false
	}
	w.renumber(used)
	return true
}

// usedStrings reports for each string whether a key refers to it.
func (w *Windows) usedStrings() []bool {
	used := make([]bool, w.interner.Len())
	for _, win := range w.list {
		for _, t := range win.Tables {
			for _, k := range t.layout.Interned {
				for g := int32(0); g < t.Len(); g++ {
					if ref := t.Key(g)[k]; ref > 0 && t.Alive(g) {
						used[ref-1] = true
					}
				}
			}
		}
	}
	return used
}

// renumber keeps the used strings only, in their order.
func (w *Windows) renumber(used []bool) {
	old, fresh := w.interner, NewInterner()
	refs := make([]uint64, len(used)+1)
	for id, u := range used {
		if u {
			refs[id+1] = uint64(fresh.Intern(old.Value(int32(id)))) + 1
		}
	}
	w.interner = fresh
	for _, win := range w.list {
		for _, t := range win.Tables {
			t.renumber(refs)
			w.Count(t)
		}
	}
	w.epoch++
	w.strings = fresh.Len()
}

// renumber replaces each reference r of the keys by refs[r].
func (t *Table) renumber(refs []uint64) {
	if len(t.layout.Interned) == 0 {
		return
	}
	t.index = NewIndex(t.layout.dense(), t.index.seed)
	t.index.reserve(int(t.Len()))
	for g := int32(0); g < t.Len(); g++ {
		if !t.Alive(g) {
			continue
		}
		key := t.Key(g)
		for _, k := range t.layout.Interned {
			key[k] = refs[key[k]]
		}
		t.index.link(&t.Slab, g)
	}
}
