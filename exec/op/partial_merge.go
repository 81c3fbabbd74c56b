package op

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/plan/expr"
	"ssql/state"
)

// mergeScratch is what Merge needs while it folds a partial into the state.
type mergeScratch struct {
	bounds []int32 // where the groups of each table begin in order
	order  []int32 // the partial's groups, table by table
	dst    []int32 // the state's group of each in order
	keys   []uint64
	cells  []expr.Cells
	to     []int32 // by group of the partial: the state's, for DISTINCT
}

// Merge folds a segment's groups into the state, in the order in which the segment
// met them.
func (a *aggregate) Merge(s Segment) error {
	p, ok := s.(*partial)
	if !ok {
		return fmt.Errorf("a segment %T was not expected", s)
	}
	defer a.pool.put(p)
	for _, rec := range p.late {
		if err := a.batch.Late(0, rec); err != nil {
			return err
		}
	}
	a.stats.RowsLate += p.rowsLate
	a.stats.RowsPartlyLate += p.rowsPartly
	m := &a.merging
	m.sort(p)
	for i := range p.tables.list {
		from, to := m.bounds[i], m.bounds[i+1]
		if from == to {
			continue
		}
		win := a.state.Window(p.tables.list[i].key)
		if err := a.mergeTable(p, win, m.order[from:to], m.dst[from:to]); err != nil {
			return err
		}
	}
	if err := a.mergeSets(p); err != nil {
		return err
	}
	return a.checkLimits(a.groups, a.memory())
}

// sort lists the partial's groups table by table, in the order in which they were
// added.
func (m *mergeScratch) sort(p *partial) {
	tables, n := len(p.tables.list), len(p.table)
	m.bounds = sized(m.bounds, tables+1)
	clear(m.bounds)
	for _, t := range p.table {
		m.bounds[t+1]++
	}
	for i := range tables {
		m.bounds[i+1] += m.bounds[i]
	}
	m.order, m.dst = sized(m.order, n), sized(m.dst, n)
	for g, t := range p.table {
		m.order[m.bounds[t]] = int32(g)
		m.bounds[t]++
	}
	copy(m.bounds[1:], m.bounds[:tables])
	m.bounds[0] = 0
}

// mergeTable folds the listed groups of the partial into a window of the state and
// fills dst with the groups they are there.
func (a *aggregate) mergeTable(p *partial, win *state.Window, src, dst []int32) error {
	m, t := &a.merging, win.Tables[0]
	m.keys = m.keys[:0]
	for _, g := range src {
		m.keys = append(m.keys, p.slab.Key(g)...)
	}
	a.translate(p, m.keys, 0, a.keys.words, a.keys.interned)
	before, live := t.Len(), t.Live()
	t.Resolve(m.keys, dst)
	m.cells = a.cellsOf(m.cells[:0], t)
	for i := range a.calls {
		c := &a.calls[i]
		if c.set >= 0 {
			continue
		}
		p.cells[i].Slab = p.slab.Words
		if err := c.acc.Merge(&m.cells[i], dst, &p.cells[i], src); err != nil {
			return a.stateError(err, i, a.spanOf(win.Start), t)
		}
	}
	if a.layer == layerPanes {
		a.groups += a.overlap.added(win, before)
	} else {
		a.groups += int64(t.Live() - live)
	}
	a.state.Count(t)
	return nil
}

// translate turns the references at the given words of keys, counted from word base of each stride, into the state's.
func (a *aggregate) translate(p *partial, keys []uint64, base, stride int, interned []int) {
	if len(interned) == 0 {
		return
	}
	a.strings.Lock()
	defer a.strings.Unlock()
	for _, at := range interned {
		p.in.stateRefs(keys, base+at, stride)
	}
}

// cellsOf appends the cells of each call in a table.
func (a *aggregate) cellsOf(dst []expr.Cells, t *state.Table) []expr.Cells {
	for i := range a.calls {
		c := expr.Cells{Slab: t.Words, Stride: t.Stride, Offset: a.calls[i].offset}
		if h := t.Heap(); h != nil {
			c.Heap = h
		}
		dst = append(dst, c)
	}
	return dst
}

func (a *aggregate) stateError(err error, call int, span windowSpan, t *state.Table) error {
	if ge, ok := err.(*expr.GroupError); ok {
		return a.groupError(err, call, span, t.Key(ge.Group), a.value)
	}
	return err
}

// mergeSets adds the values that the DISTINCT calls have seen to those of the state,
// and folds the new ones into their groups.
func (a *aggregate) mergeSets(p *partial) error {
	if len(p.sets) == 0 {
		return nil
	}
	m := &a.merging
	m.to = sized(m.to, len(m.order))
	for i, g := range m.order {
		m.to[g] = m.dst[i]
	}
	for i := range a.calls {
		if a.calls[i].set < 0 {
			continue
		}
		if err := a.mergeSet(p, i); err != nil {
			return err
		}
	}
	return nil
}

// mergeSet is mergeSets for one call. Runs of entries of the same window go together.
func (a *aggregate) mergeSet(p *partial, call int) error {
	c := &a.calls[call]
	set := &p.sets[c.set]
	n := set.slab.Len()
	tableOf := func(entry int32) int32 { return p.table[set.slab.Key(entry)[0]] }
	for from := int32(0); from < n; {
		table, end := tableOf(from), from+1
		for end < n && tableOf(end) == table {
			end++
		}
		win := a.state.Window(p.tables.list[table].key)
		if err := a.mergeValues(p, call, win, from, end); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// mergeValues folds the entries from to end of a set, which are of one window.
func (a *aggregate) mergeValues(p *partial, call int, win *state.Window, from, end int32) error {
	c, m := &a.calls[call], &a.merging
	set, seen := &p.sets[c.set], win.Tables[1+c.set]
	words := set.slab.KeyWords
	m.keys = append(m.keys[:0], set.slab.Words[int(from)*words:int(end)*words]...)
	for i := 0; i < len(m.keys); i += words {
		m.keys[i] = uint64(m.to[m.keys[i]])
	}
	a.translate(p, m.keys, 1, words, c.values.interned)
	before := seen.Len()
	out := make([]int32, end-from)
	seen.Resolve(m.keys, out)
	a.state.Count(seen)
	fresh, groups := m.keys[:0], []int32(nil)
	for i, g := range out {
		if g >= before {
			key := m.keys[i*words : (i+1)*words]
			groups = append(groups, int32(key[0]))
			fresh = append(fresh, key...)
		}
	}
	if len(groups) == 0 {
		return nil
	}
	args := make([]arrow.Array, len(c.args))
	for i := range args {
		col, err := c.values.decode(i, fresh, 1, words, a.value, a.cfg.Alloc)
		if err != nil {
			return err
		}
		defer col.Release()
		args[i] = col
	}
	t := win.Tables[0]
	m.cells = a.cellsOf(m.cells[:0], t)
	if err := c.acc.Update(&m.cells[call], groups, args); err != nil {
		return a.stateError(err, call, a.spanOf(win.Start), t)
	}
	a.state.Count(t)
	return nil
}
