package op

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
	"ssql/state"
)

// sessionMerge is the sessions of a batch on their way into the stored ones. All of them go
// step by step together: one call of an accumulator merges thousands (one call for
// each took twice the time of the whole query, bench w6).
type sessionMerge struct {
	keys     []uint64         // per group of the batch: its key, with the stored strings' numbers
	fresh    []sessionItem    // the sessions of the batch, by key and start
	parts    []sessionItem    // and the stored ones of their keys; those that touch side by side
	outcomes []sessionOutcome // what they become, by key and start

	news     []int32  // the outcomes that are new, in the order in which the batch met them
	created  []uint64 // their keys
	gone     []int32  // the stored sessions that became part of another
	groups   []int32
	dst, src []int32
}

// sessionItem is a session of one key: of the batch, or stored.
type sessionItem struct {
	key        int32 // number of the key
	group      int32 // in the batch's table, or in the stored one
	start, end int64
	stored     bool
}

// sessionOutcome is a session that is to be stored, made of parts that touch.
type sessionOutcome struct {
	key      int32
	group    int32 // in the stored table
	from, to int   // its parts, ascending by start
	end      int64
}

// absorb merges the sessions of the batch into the stored ones, key by key, and
// empties the batch.
func (s *session) absorb() error {
	from := s.batch.state.Window(0).Tables[0]
	if from.Len() > 0 {
		ends, err := s.endsOf(from, from.All(nil))
		if err != nil {
			return err
		}
		s.locate(from, ends)
		s.touch()
		s.resolve()
		if err := s.combine(from); err != nil {
			return err
		}
		s.relink()
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

// locate numbers the keys of the batch's sessions and orders the sessions by key and
// start.
func (s *session) locate(from *state.Table, ends []arrow.Timestamp) {
	m, words := &s.merge, s.held.keys.words
	n := int(from.Len())
	refs := make([]uint64, s.batch.state.Interner().Len()+1)
	m.keys = sized(m.keys, n*words)
	short := make([]uint64, 0, n*(words-1))
	for g := range n {
		key := m.keys[g*words : (g+1)*words]
		copy(key, from.Key(int32(g)))
		for _, k := range s.held.keys.interned {
			key[k] = s.translate(key[k], refs)
		}
		short = append(short, key[:words-1]...)
	}
	m.groups = sized(m.groups, n)
	s.keys.resolve(short, m.groups)
	m.fresh = sized(m.fresh, n)
	for g, key := range m.groups {
		m.fresh[g] = sessionItem{key: key, group: int32(g), start: int64(m.keys[(g+1)*words-1]), end: int64(ends[g])}
	}
	slices.SortFunc(m.fresh, func(x, y sessionItem) int {
		if x.key != y.key {
			return cmp.Compare(x.key, y.key)
		}
		return cmp.Compare(x.start, y.start)
	})
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

// touch walks the sessions of each touched key by their starts, stored and new, and
// finds those that touch. All sessions of a touched key count as updated, as in Spark.
func (s *session) touch() {
	m, t := &s.merge, s.table()
	m.parts, m.outcomes = m.parts[:0], m.outcomes[:0]
	last := s.held.keys.words - 1
	for fresh := m.fresh; len(fresh) > 0; {
		key, n, first := fresh[0].key, 1, len(m.parts)
		for n < len(fresh) && fresh[n].key == key {
			n++
		}
		for g := s.keys.first(key); g >= 0; g = s.keys.after(g) {
			m.parts = append(m.parts, sessionItem{key: key, group: g, start: int64(t.Key(g)[last]), end: s.ends[g], stored: true})
		}
		m.parts = append(m.parts, fresh[:n]...)
		fresh = fresh[n:]
		// A stored session comes before a new one with the same start.
		byStart := func(x, y sessionItem) int { return cmp.Compare(x.start, y.start) }
		if all := m.parts[first:]; !slices.IsSortedFunc(all, byStart) {
			slices.SortStableFunc(all, byStart)
		}
		for first < len(m.parts) {
			o := sessionOutcome{key: key, from: first, to: first + 1, end: m.parts[first].end}
			for o.to < len(m.parts) && m.parts[o.to].start <= o.end {
				o.end = max(o.end, m.parts[o.to].end)
				o.to++
			}
			m.outcomes = append(m.outcomes, o)
			first = o.to
		}
	}
	s.stats.RowsUpdated += int64(len(m.outcomes))
}

// resolve finds the stored session of each outcome: that of its first part, or a new one.
// New ones are made in the order in which the batch met them. That of the outcomes is the
// order of the keys' numbers, which a restart gives anew; sessions would then come out in
// another order, and sums of doubles above them differ in their last bits.
func (s *session) resolve() {
	m, t, words := &s.merge, s.table(), s.held.keys.words
	m.created, m.groups, m.news = m.created[:0], m.groups[:0], m.news[:0]
	for i := range m.outcomes {
		o := &m.outcomes[i]
		first := m.parts[o.from]
		if !first.stored {
			m.news = append(m.news, int32(i))
			continue
		}
		o.group = first.group
		if o.to-o.from > 1 {
			m.groups = append(m.groups, o.group)
		}
	}
	t.MarkDirty(m.groups)
	met := func(outcome int32) int32 { return m.parts[m.outcomes[outcome].from].group }
	slices.SortFunc(m.news, func(x, y int32) int { return cmp.Compare(met(x), met(y)) })
	for _, i := range m.news {
		g := int(met(i))
		m.created = append(m.created, m.keys[g*words:(g+1)*words]...)
	}
	m.groups = sized(m.groups, len(m.news))
	t.Resolve(m.created, m.groups)
	for at, i := range m.news {
		m.outcomes[i].group = m.groups[at]
	}
}

// combine folds the parts of each outcome into its session, in the order of their starts.
func (s *session) combine(from *state.Table) error {
	m := &s.merge
	m.dst, m.src = m.dst[:0], m.src[:0]
	stored := false // where the parts in src are
	for _, o := range m.outcomes {
		for at, p := range m.parts[o.from:o.to] {
			if at == 0 && p.stored {
				continue
			}
			if p.stored != stored {
				if err := s.fold(from, stored); err != nil {
					return err
				}
				stored = p.stored
			}
			m.dst, m.src = append(m.dst, o.group), append(m.src, p.group)
		}
	}
	return s.fold(from, stored)
}

// fold merges the sessions in src, of the batch or stored, into those in dst, and forgets
// both lists.
func (s *session) fold(from *state.Table, stored bool) error {
	m, t := &s.merge, s.table()
	into := s.held.cellsOf(nil, t)
	of := into
	if !stored {
		of = s.batch.cellsOf(nil, from)
	}
	for i := range s.held.calls {
		if err := s.held.calls[i].acc.Merge(&into[i], m.dst, &of[i], m.src); err != nil {
			return s.held.stateError(err, i, windowSpan{}, t)
		}
	}
	m.dst, m.src = m.dst[:0], m.src[:0]
	return nil
}

// relink notes the ends of the sessions that changed, lists those of each key anew, and
// removes the stored ones that became part of another.
func (s *session) relink() {
	m, t := &s.merge, s.table()
	for i := len(m.outcomes) - 1; i >= 0; i-- {
		o := &m.outcomes[i]
		if i+1 == len(m.outcomes) || m.outcomes[i+1].key != o.key {
			s.keys.clear(o.key)
		}
		s.keys.putFirst(o.key, o.group)
	}
	m.gone = m.gone[:0]
	for _, o := range m.outcomes {
		for at, p := range m.parts[o.from:o.to] {
			if at > 0 && p.stored {
				m.gone = append(m.gone, p.group)
			}
		}
		if o.to-o.from > 1 || !m.parts[o.from].stored {
			s.setEnd(o.group, o.end)
		}
	}
	// In an order that a restart keeps, since the places are used again in it.
	slices.Sort(m.gone)
	for _, g := range m.gone {
		t.Remove(g)
	}
	s.stats.RowsRemoved += int64(len(m.gone))
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
	s.keys.remove(g)
	s.table().Remove(g)
	s.stats.RowsRemoved++
}

// refresh reindexes if that is due.
func (s *session) refresh() error {
	if s.stale || s.held.state.Epoch() != s.epoch {
		return s.reindex()
	}
	return nil
}

// reindex finds the stored sessions of each key anew: after they were read from
// bytes, or their strings were renumbered.
func (s *session) reindex() error {
	words := s.held.keys.words - 1
	keys, err := newSessionKeys(words)
	if err != nil {
		return err
	}
	s.keys, s.ends, s.due = keys, nil, state.Expiry{}
	s.stale, s.epoch = false, s.held.state.Epoch()
	t := s.table()
	groups := t.All(nil)
	slices.SortFunc(groups, func(x, y int32) int {
		return cmp.Compare(int64(t.Key(y)[words]), int64(t.Key(x)[words]))
	})
	ends, err := s.endsOf(t, groups)
	if err != nil {
		return err
	}
	var id [1]int32
	for i, g := range groups {
		s.keys.resolve(t.Key(g)[:words], id[:])
		s.keys.putFirst(id[0], g)
		s.setEnd(g, int64(ends[i]))
	}
	return nil
}
