package oracle

import "ssql/plan"

// The model runs a case a row at a time, by Spark's rules for watermarks, late rows,
// closing and batches without rows (docs/SEMANTICS.md), with the differences from Spark
// that cases can show: rows without event time are bad (D7), a filter stands
// above the watermark (D3), late rows are counted one by one (D4), DISTINCT is exact (D9),
// NULL keys match nothing in a join (D10).
//
// It is written for plainness: state is lists of rows, and every question is answered by
// going through them.
type model struct {
	c      *Case
	root   node
	states []stateful // children first
	nodes  []*int64   // watermark of each stream; nil before its first row
	queues [][][]Row  // per stream: what was fed and not yet read, a batch each
	// global is the watermark of the next batch, evict and late what the newest ran with.
	global, evict int64
	batches       []Batch
}

// node is an operator of the model.
type node interface {
	// water returns the watermark that the operator passes on for a global one; ok is false
	// when there is no watermark below.
	water(global int64) (micros int64, ok bool)
	// run returns the operator's rows in a batch.
	run(b *tick) []Row
}

// stateful is an operator that keeps rows between batches.
type stateful interface {
	node
	// wants reports whether a batch without rows is due when the global watermark goes
	// from last to next.
	wants(last, next int64) bool
	// stats returns the late rows of the newest batch, and the rows kept.
	stats() OpStats
}

// tick is one batch of the model.
type tick struct {
	m           *model
	input       [][]Row // by stream
	late, evict int64   // global watermarks
	in          int64   // a stream that is read twice counts twice
	bad         int64
}

// incoming is the watermark that n's parent gets for a global one: none before the first
// advance, and never below 1970.
func incoming(n node, global int64) int64 {
	if global == 0 {
		return 0
	}
	micros, _ := n.water(global)
	return max(0, micros)
}

// Model returns the batches that a case must run.
func Model(c *Case) []Batch {
	m := &model{c: c, nodes: make([]*int64, len(c.Streams)), queues: make([][][]Row, len(c.Streams))}
	m.root = m.lower(c.Query)
	for _, f := range c.Feeds {
		for i, rows := range f.Rows {
			if len(rows) > 0 {
				m.queues[i] = append(m.queues[i], rows)
			}
		}
		if !f.Hold {
			m.drain()
		}
	}
	return m.batches
}

// drain runs all batches that are due: those with rows first.
func (m *model) drain() {
	for {
		input, any := make([][]Row, len(m.queues)), false
		for i, q := range m.queues {
			if len(q) > 0 && m.reads(i) {
				input[i], m.queues[i], any = q[0], q[1:], true
			}
		}
		if !any && !m.closes() {
			return
		}
		m.batch(input)
	}
}

// reads reports whether the query reads a stream at all.
func (m *model) reads(stream int) bool {
	return anyRel(m.c.Query.From, func(r Rel) bool {
		s, ok := r.(*Scan)
		return ok && s.Index == stream
	})
}

// closes reports whether a batch without rows is due.
func (m *model) closes() bool {
	if !m.c.NoData || len(m.batches) == 0 {
		return false
	}
	for _, s := range m.states {
		if s.wants(m.evict, m.global) {
			return true
		}
	}
	return false
}

// batch runs one batch. Its late watermark is the eviction watermark of the batch before.
func (m *model) batch(input [][]Row) {
	b := &tick{m: m, input: input, late: m.evict, evict: m.global}
	out := Batch{ID: int64(len(m.batches)), Watermark: b.evict}
	out.Rows = m.root.run(b)
	out.In, out.Bad = b.in, b.bad
	for i := len(m.states) - 1; i >= 0; i-- {
		out.Ops = append(out.Ops, m.states[i].stats())
	}
	m.batches = append(m.batches, out)
	m.evict = m.global
	m.advance()
}

// advance moves the watermark for the next batch: a stream without rows so far counts as
// 1970, and it never goes back.
func (m *model) advance() {
	first, value := true, int64(0)
	for i, s := range m.c.Streams {
		if s.DelayMicros < 0 || !m.reads(i) {
			continue
		}
		at := int64(0)
		if m.nodes[i] != nil {
			at = *m.nodes[i]
		}
		if first || m.c.Policy == plan.MinPolicy && at < value || m.c.Policy == plan.MaxPolicy && at > value {
			first, value = false, at
		}
	}
	m.global = max(m.global, value)
}

// lower makes the operators of a query.
func (m *model) lower(q *Query) node {
	in := m.relation(q.From)
	cols := q.From.Columns()
	if q.Cond != nil {
		in = &filterNode{in, places(cols), q.Cond}
	}
	if !q.Grouped {
		return &selectNode{in: in, q: q, at: places(cols)}
	}
	var n stateful
	if q.Window != nil && q.Window.Kind == Session {
		n = newSession(in, q)
	} else {
		n = newAggregate(in, q)
	}
	m.states = append(m.states, n)
	if q.Limit > 0 {
		return &limitNode{n, q}
	}
	return n
}

// relation makes the operators of a relation, inputs first.
func (m *model) relation(r Rel) node {
	var ins []node
	if _, own := r.(*Sub); !own {
		for _, in := range r.Inputs() {
			ins = append(ins, m.relation(in))
		}
	}
	return r.lower(m, ins)
}

func (s *Scan) lower(m *model, _ []node) node { return &scanNode{m, s.Index} }

func (w *Where) lower(_ *model, ins []node) node {
	return &filterNode{ins[0], places(w.Columns()), w.Cond}
}

func (u *Union) lower(_ *model, ins []node) node { return &unionNode{ins} }

func (w *Windowed) lower(_ *model, ins []node) node { return &windowNode{ins[0], w} }

func (s *LeftSide) lower(_ *model, ins []node) node {
	return &cutNode{ins[0], len(s.Columns())}
}

func (s *Sub) lower(m *model, _ []node) node { return &subNode{m.lower(s.Query)} }

// lower makes nothing: the model does not know rows that are taken back (Production.Changes).
func (g *Groups) lower(*model, []node) node { return nil }

func (d *Dedup) lower(m *model, ins []node) node {
	n := newDedup(d, ins[0], !d.Distinct && m.c.Query.reads(d.Columns()[0].Name))
	m.states = append(m.states, n)
	return n
}

func (j *Join) lower(m *model, ins []node) node {
	n := newJoin(j, ins, m.c.Query)
	m.states = append(m.states, n)
	return n
}

func (j *StaticJoin) lower(_ *model, ins []node) node { return newStatic(j, ins[0]) }

// places maps the names of columns to their places.
func places(cols []Column) map[string]int {
	at := map[string]int{}
	for i, c := range cols {
		at[c.Name] = i
	}
	return at
}
