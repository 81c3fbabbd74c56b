package op

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
	"ssql/state"
)

// absorb merges the sessions of the batch into the stored ones, key by key, and
// empties the batch.
func (s *session) absorb() error {
	from := s.batch.state.Window(0).Tables[0]
	groups := from.All(nil)
	if len(groups) > 0 {
		ends, err := s.endsOf(from, groups)
		if err != nil {
			return err
		}
		items, keys := s.locate(from, groups, ends)
		for len(items) > 0 {
			n := 1
			for n < len(items) && items[n].key == items[0].key {
				n++
			}
			if err := s.absorbKey(items[:n], keys, from); err != nil {
				return err
			}
			items = items[n:]
		}
	}
	s.batch.state.Remove(0)
	s.batch.state.ForgetChanges()
	s.batch.state.Compact()
	return nil
}

// endsOf returns the ends of sessions of a table.
func (s *session) endsOf(t *state.Table, groups []int32) ([]arrow.Timestamp, error) {
	c := &s.held.calls[s.end]
	cells := expr.Cells{Slab: t.Words, Stride: t.Stride, Offset: c.offset}
	a, err := c.acc.Result(&cells, groups, s.cfg.Alloc)
	if err != nil {
		return nil, err
	}
	return a.(*array.Timestamp).TimestampValues(), nil
}

// sessionItem is a session of one key: of the batch, or stored.
type sessionItem struct {
	key        int32 // number of the key
	group      int32
	start, end int64
	stored     bool
}

// locate numbers the keys of the batch's sessions and orders the sessions by key and
// start. keys holds the words of each group's key with the stored strings' numbers, by
// place in groups; an item's group refers to the batch's table.
func (s *session) locate(from *state.Table, groups []int32, ends []arrow.Timestamp) (items []sessionItem, keys map[int32][]uint64) {
	words := s.held.keys.words
	keys = make(map[int32][]uint64, len(groups))
	refs := make([]uint64, s.batch.state.Interner().Len()+1)
	slab := make([]uint64, 0, len(groups)*words)
	short := make([]uint64, 0, len(groups)*(words-1))
	for _, g := range groups {
		at := len(slab)
		slab = append(slab, from.Key(g)...)
		key := slab[at : at+words : at+words]
		for _, k := range s.held.keys.interned {
			key[k] = s.translate(key[k], refs)
		}
		keys[g] = key
		short = append(short, key[:words-1]...)
	}
	numbers := make([]int32, len(groups))
	s.index.Resolve(&s.keys, short, numbers)
	for int32(len(s.lists)) < s.keys.Len() {
		s.lists = append(s.lists, nil)
	}
	items = make([]sessionItem, len(groups))
	for i, g := range groups {
		items[i] = sessionItem{key: numbers[i], group: g, start: int64(keys[g][words-1]), end: int64(ends[i])}
	}
	slices.SortFunc(items, func(x, y sessionItem) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.start, y.start))
	})
	return items, keys
}

// translate returns the stored number of a string of the batch.
func (s *session) translate(ref uint64, refs []uint64) uint64 {
	if ref == 0 {
		return 0
	}
	if refs[ref] == 0 {
		refs[ref] = uint64(s.held.state.Interner().Intern(s.batch.value(ref))) + 1
	}
	return refs[ref]
}

// absorbKey walks the sessions of one key by their starts and merges those that
// touch. All sessions of a touched key count as updated, as in Spark.
func (s *session) absorbKey(fresh []sessionItem, keys map[int32][]uint64, from *state.Table) error {
	id := fresh[0].key
	t := s.table()
	last := s.held.keys.words - 1
	all := slices.Clone(fresh)
	for _, g := range s.lists[id] {
		all = append(all, sessionItem{key: id, group: g, start: int64(t.Key(g)[last]), end: s.ends[g], stored: true})
	}
	slices.SortStableFunc(all, func(x, y sessionItem) int {
		if c := cmp.Compare(x.start, y.start); c != 0 || x.stored == y.stored {
			return c
		}
		if x.stored {
			return -1
		}
		return 1
	})
	list := s.lists[id][:0]
	for len(all) > 0 {
		n, end := 1, all[0].end
		for n < len(all) && all[n].start <= end {
			end = max(end, all[n].end)
			n++
		}
		g, err := s.combine(all[:n], end, keys, from)
		if err != nil {
			return err
		}
		list = append(list, g)
		s.stats.RowsUpdated++
		all = all[n:]
	}
	s.lists[id] = list
	return nil
}

// combine merges sessions that touch, in the order of their starts, and returns the
// stored session they are now.
func (s *session) combine(parts []sessionItem, end int64, keys map[int32][]uint64, from *state.Table) (int32, error) {
	t := s.table()
	if len(parts) == 1 && parts[0].stored {
		return parts[0].group, nil
	}
	dst := []int32{parts[0].group}
	if parts[0].stored {
		t.MarkDirty(dst)
		parts = parts[1:]
	} else {
		t.Resolve(keys[parts[0].group], dst)
	}
	cells := s.held.cellsOf(nil, t)
	fresh := s.batch.cellsOf(nil, from)
	for _, p := range parts {
		src := fresh
		if p.stored {
			src = cells
		}
		for i := range s.held.calls {
			if err := s.held.calls[i].acc.Merge(&cells[i], dst, &src[i], []int32{p.group}); err != nil {
				return 0, s.held.stateError(err, i, windowSpan{}, t)
			}
		}
		if p.stored {
			t.Remove(p.group)
			s.stats.RowsRemoved++
		}
	}
	s.setEnd(dst[0], end)
	return dst[0], nil
}

func (s *session) setEnd(g int32, end int64) {
	for int(g) >= len(s.ends) {
		s.ends = append(s.ends, 0)
	}
	s.ends[g] = end
	s.due.Add(end, g)
}

// remove takes a session out that has been handed out.
func (s *session) remove(g int32) {
	t := s.table()
	id := s.index.Find(&s.keys, t.Key(g)[:s.held.keys.words-1])
	if at := slices.Index(s.lists[id], g); at >= 0 {
		s.lists[id] = slices.Delete(s.lists[id], at, at+1)
	}
	t.Remove(g)
	s.stats.RowsRemoved++
}

// reindex finds the stored sessions of each key anew: after they were read from
// bytes, or their strings were renumbered. Keys without sessions are forgotten.
func (s *session) reindex() error {
	words := s.held.keys.words - 1
	s.keys = state.Slab{KeyWords: words, Stride: words}
	s.index = state.NewIndex(false, rand.Uint64())
	s.lists, s.ends, s.due = nil, nil, state.Expiry{}
	s.late, s.epoch = false, s.held.state.Epoch()
	t := s.table()
	groups := t.All(nil)
	slices.SortFunc(groups, func(x, y int32) int {
		return cmp.Compare(int64(t.Key(x)[words]), int64(t.Key(y)[words]))
	})
	ends, err := s.endsOf(t, groups)
	if err != nil {
		return err
	}
	var id [1]int32
	for i, g := range groups {
		s.index.Resolve(&s.keys, t.Key(g)[:words], id[:])
		for int32(len(s.lists)) < s.keys.Len() {
			s.lists = append(s.lists, nil)
		}
		s.lists[id[0]] = append(s.lists[id[0]], g)
		s.setEnd(g, int64(ends[i]))
	}
	return nil
}
