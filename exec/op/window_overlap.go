package op

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"ssql/sql/types"
	"ssql/state"
)

// overlap keeps count of the windows of an aggregate and, where they share panes,
// puts their groups together.
type overlap struct {
	panes
	a *aggregate
	// open lists the windows that have groups and are not closed, ascending, if they
	// share panes. A group of a window is a key in any of its panes.
	open  []windowCount
	sweep sweep
}

// windowCount is how many groups a window has.
type windowCount struct{ window, groups int64 }

func newOverlap(a *aggregate, p panes) *overlap {
	o := &overlap{panes: p, a: a}
	o.sweep.init(o)
	return o
}

// perRow returns how many windows a row can fall in.
func (o *overlap) perRow() int64 {
	if o.rest != 0 {
		return o.SizeMicros/o.SlideMicros + 1
	}
	return o.perWindow
}

// late reports whether rows of a pane are late for all their windows, or for some.
func (o *overlap) late(start int64) (late, partly bool) {
	first, last := o.lateness(start)
	limit := o.a.batch.LateMicros
	return last <= limit, first <= limit
}

// openFrom returns the first window that was not closed by an earlier batch.
func (o *overlap) openFrom() int64 {
	if !o.a.drops() {
		return math.MinInt64
	}
	return o.through(o.a.state.Mark) + 1
}

// added counts the groups that new keys of a pane, from group before on, bring to
// its windows, and returns their number. A key is new to those windows only that
// hold neither the pane with the same key before this one nor the one after.
func (o *overlap) added(win *state.Window, before int32) int64 {
	t := win.Tables[0]
	if before == t.Len() {
		return 0
	}
	list := o.a.state.List()
	at := sort.Search(len(list), func(i int) bool { return list[i].Start >= win.Start })
	number, from := o.number(win.Start), o.openFrom()
	first, last := o.windows(number)
	total := int64(0)
	for g := before; g < t.Len(); g++ {
		key := t.Key(g)
		lo, hi := max(first, from), last
		for i := at - 1; i >= 0; i-- {
			q := o.number(list[i].Start)
			if q <= number-o.perWindow {
				break
			}
			if list[i].Tables[0].Find(key) >= 0 {
				_, l := o.windows(q)
				lo = max(lo, l+1)
				break
			}
		}
		for i := at + 1; i < len(list); i++ {
			q := o.number(list[i].Start)
			if q >= number+o.perWindow {
				break
			}
			if list[i].Tables[0].Find(key) >= 0 {
				f, _ := o.windows(q)
				hi = min(hi, f-1)
				break
			}
		}
		if lo <= hi {
			o.count(lo, hi)
			total += hi - lo + 1
		}
	}
	return total
}

// count adds a group to the windows lo to hi.
func (o *overlap) count(lo, hi int64) {
	i := len(o.open)
	if i > 0 && o.open[i-1].window >= lo {
		i = sort.Search(len(o.open), func(i int) bool { return o.open[i].window >= lo })
	}
	for k := lo; k <= hi; k++ {
		if i == len(o.open) || o.open[i].window != k {
			o.open = slices.Insert(o.open, i, windowCount{window: k})
		}
		o.open[i].groups++
		i++
	}
}

// recount counts the groups of all windows after the state was read, and returns
// their number.
func (o *overlap) recount() int64 {
	o.open = o.open[:0]
	o.sweep.forget()
	from, total := o.openFrom(), int64(0)
	lastPane := map[string]int64{} // by key: the last pane it was met in
	for _, win := range o.a.state.List() {
		t, number := win.Tables[0], o.number(win.Start)
		first, last := o.windows(number)
		for _, g := range t.All(nil) {
			lo := max(first, from)
			key := wordsText(t.Key(g))
			if q, ok := lastPane[key]; ok {
				_, l := o.windows(q)
				lo = max(lo, l+1)
			}
			lastPane[key] = number
			if lo <= last {
				o.count(lo, last)
				total += last - lo + 1
			}
		}
	}
	return total
}

// finish shows and closes windows that share panes.
func (o *overlap) finish(e *emitter) error {
	a := o.a
	o.sweep.refresh()
	if err := o.showTouched(e); err != nil {
		return err
	}
	closed := int64(math.MinInt64)
	if a.drops() {
		closed = o.through(a.batch.EvictMicros)
	}
	n := 0
	for n < len(o.open) && (o.open[n].window <= closed || a.cfg.Mode == types.Complete) {
		w := o.open[n]
		if a.cfg.Mode != types.Update {
			if err := o.sweep.show(e, w.window, nil); err != nil {
				return err
			}
		}
		if w.window <= closed {
			a.stats.RowsRemoved += w.groups
		}
		n++
	}
	if a.drops() {
		a.groups -= a.stats.RowsRemoved
		o.open = append(o.open[:0], o.open[n:]...)
		a.state.RemoveThrough(o.start(o.lastClosedPane(closed)))
		a.state.Mark = max(a.state.Mark, a.batch.EvictMicros)
	} else {
		o.sweep.forget()
	}
	return nil
}

// lastClosedPane returns the last pane that only windows up to closed hold.
func (o *overlap) lastClosedPane(closed int64) int64 {
	if o.Cumulate {
		return floorDivide(closed+1, o.perWindow)*o.perWindow - 1
	}
	return closed*o.perSlide + o.perSlide - 1
}

// showTouched counts the groups of windows that the batch has changed and, in update
// mode, shows them.
func (o *overlap) showTouched(e *emitter) error {
	touched := o.touched()
	if len(touched.panes) == 0 {
		return nil
	}
	from, next := o.openFrom(), int64(math.MinInt64)
	for _, pane := range touched.panes {
		first, last := o.windows(pane)
		for k := max(first, from, next); k <= last; k++ {
			if o.a.cfg.Mode == types.Update {
				if err := o.sweep.show(e, k, touched); err != nil {
					return err
				}
			}
			next = k + 1
		}
	}
	o.a.stats.RowsUpdated = touched.windows(o, from)
	o.sweep.forgetFiltered()
	return nil
}

// touchedKeys is the keys that a batch has changed, and where.
type touchedKeys struct {
	slab  state.Slab
	index state.Index
	panes []int64   // numbers of the changed panes, ascending
	of    [][]int64 // per key: those it was changed in
}

// touched lists the keys that the batch has changed.
func (o *overlap) touched() *touchedKeys {
	words := o.a.layout.KeyWords
	tk := &touchedKeys{
		slab:  state.Slab{KeyWords: words, Stride: max(1, words)},
		index: state.NewIndex(false, o.sweep.seed),
	}
	var groups, out []int32
	var keys []uint64
	for _, win := range o.a.state.Touched() {
		t, pane := win.Tables[0], o.number(win.Start)
		groups = t.Dirty(groups[:0])
		if len(groups) == 0 {
			continue
		}
		tk.panes = append(tk.panes, pane)
		keys, out = keys[:0], sized(out, len(groups))
		for _, g := range groups {
			keys = append(keys, t.Key(g)...)
		}
		tk.index.Resolve(&tk.slab, keys, out)
		for _, id := range out {
			if int(id) == len(tk.of) {
				tk.of = append(tk.of, nil)
			}
			tk.of[id] = append(tk.of[id], pane)
		}
	}
	return tk
}

// windows counts the groups that were changed: for each key, the windows from
// window from on that hold a changed pane.
func (tk *touchedKeys) windows(o *overlap, from int64) int64 {
	total := int64(0)
	for _, panes := range tk.of {
		next := from
		for _, pane := range panes {
			first, last := o.windows(pane)
			lo := max(first, next)
			if lo <= last {
				total += last - lo + 1
				next = last + 1
			}
		}
	}
	return total
}

// within reports whether a key was changed in one of the panes first to last.
func (tk *touchedKeys) within(key []uint64, first, last int64) bool {
	id := tk.index.Find(&tk.slab, key)
	if id < 0 {
		return false
	}
	panes := tk.of[id]
	i := sort.Search(len(panes), func(i int) bool { return panes[i] >= first })
	return i < len(panes) && panes[i] <= last
}

// wordsText returns words as a map key.
func wordsText(words []uint64) string {
	b := make([]byte, 0, 8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}
