package oracle

import "slices"

// scanNode reads a stream and follows its watermark.
type scanNode struct {
	m      *model
	stream int
}

func (n *scanNode) water(global int64) (int64, bool) {
	return global, n.m.c.Streams[n.stream].DelayMicros >= 0
}

// run observes the event times, floored to milliseconds. A row without one is bad.
func (n *scanNode) run(b *tick) []Row {
	s := n.m.c.Streams[n.stream]
	b.in += int64(len(b.input[n.stream]))
	if s.DelayMicros < 0 {
		return b.input[n.stream]
	}
	var out []Row
	for _, r := range b.input[n.stream] {
		t, ok := r[0].(int64)
		if !ok {
			b.bad++
			continue
		}
		mark := floorMillis(t) - s.DelayMicros
		if have := n.m.nodes[n.stream]; have == nil || *have < mark {
			n.m.nodes[n.stream] = &mark
		}
		out = append(out, r)
	}
	return out
}

type filterNode struct {
	in   node
	at   map[string]int
	cond Expr
}

func (n *filterNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *filterNode) run(b *tick) []Row {
	var out []Row
	for _, r := range n.in.run(b) {
		if isTrue(n.cond.Eval(n.at, r)) {
			out = append(out, r)
		}
	}
	return out
}

type unionNode struct{ ins []node }

// water is the least of the inputs that have one.
func (n *unionNode) water(global int64) (int64, bool) {
	least, found := int64(0), false
	for _, in := range n.ins {
		if micros, ok := in.water(global); ok && (!found || micros < least) {
			least, found = micros, true
		}
	}
	return least, found
}

func (n *unionNode) run(b *tick) []Row {
	var out []Row
	for _, in := range n.ins {
		out = append(out, in.run(b)...)
	}
	return out
}

// selectNode computes the columns of a query without aggregation, once per window if
// there is one.
type selectNode struct {
	in node
	q  *Query
	at map[string]int
}

func (n *selectNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *selectNode) run(b *tick) []Row {
	at := n.at
	if n.q.Window != nil {
		at = places(slices.Concat(n.q.From.Columns(), windowColumns()))
	}
	var out []Row
	for _, r := range n.in.run(b) {
		for _, w := range windowsOf(n.q.Window, r[0]) {
			full := append(append(Row{}, r...), w...)
			var selected Row
			for _, it := range n.q.Select {
				selected = append(selected, it.Expr.Eval(at, full))
			}
			out = append(out, selected)
		}
	}
	return out
}

// windowsOf returns the window_start and window_end of each window that a time falls in:
// none without a time, and one empty window without windows.
func windowsOf(w *Window, time Value) []Row {
	if w == nil {
		return []Row{{}}
	}
	t, ok := time.(int64)
	if !ok {
		return nil
	}
	var out []Row
	if w.Kind == Cumulate {
		start := floorTo(t-w.Offset, w.Size) + w.Offset
		for end := start + w.Slide; end <= start+w.Size; end += w.Slide {
			if t < end {
				out = append(out, Row{start, end})
			}
		}
		return out
	}
	for start := floorTo(t-w.Offset, w.Slide) + w.Offset; start+w.Size > t; start -= w.Slide {
		out = append(out, Row{start, start + w.Size})
	}
	return out
}

// floorTo returns the greatest multiple of period at or below t.
func floorTo(t, period int64) int64 {
	rem := t % period
	if rem < 0 {
		rem += period
	}
	return t - rem
}

// windowNode gives each row once per window, its end in the place of the time.
type windowNode struct {
	in node
	w  *Windowed
}

func (n *windowNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *windowNode) run(b *tick) []Row {
	var out []Row
	for _, r := range n.in.run(b) {
		for _, w := range windowsOf(n.w.Window, r[0]) {
			out = append(out, append(Row{w[1], w[0]}, r[1:]...))
		}
	}
	return out
}

// cutNode gives the first columns.
type cutNode struct {
	node
	width int
}

func (n *cutNode) run(b *tick) []Row {
	var out []Row
	for _, r := range n.node.run(b) {
		out = append(out, r[:n.width:n.width])
	}
	return out
}

// subNode gives the last microsecond of a window in the place of its start and end.
type subNode struct{ in node }

func (n *subNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *subNode) run(b *tick) []Row {
	var out []Row
	for _, r := range n.in.run(b) {
		out = append(out, append(Row{r[1].(int64) - 1}, r[2:]...))
	}
	return out
}

// limitNode keeps the first groups by their keys, NULL first.
type limitNode struct {
	node
	q *Query
}

func (n *limitNode) run(b *tick) []Row {
	out := n.node.run(b)
	slices.SortFunc(out, func(a, b Row) int {
		return slices.CompareFunc(a[:len(n.q.keyColumns())], b[:len(n.q.keyColumns())], compare)
	})
	return out[:min(len(out), n.q.Limit)]
}

// dedupNode keeps the first row of each key.
type dedupNode struct {
	in   node
	keys []int
	// timed says that it sees the event time: Spark leaves the column out when nothing
	// above reads it and it is no key, and then no row is late.
	timed bool
	// expires says when a key is forgotten: delay after the event time of its first row.
	expires bool
	delay   int64
	only    bool             // the keys are all columns
	seen    map[string]int64 // key → event time of its first row
	late    int64
}

func newDedup(d *Dedup, in node, timed bool) *dedupNode {
	at := places(d.In.Columns())
	n := &dedupNode{in: in, seen: map[string]int64{}, timed: timed, only: d.Distinct}
	for _, k := range d.Keys {
		n.keys = append(n.keys, at[k])
		n.expires = n.expires || at[k] == 0
	}
	n.timed = n.timed || n.expires || d.Within
	if d.Within {
		n.expires, n.delay = true, scanOf(d.In).Stream.DelayMicros
	}
	return n
}

// scanOf returns the stream below a deduplication.
func scanOf(r Rel) *Scan {
	if w, ok := r.(*Where); ok {
		return scanOf(w.In)
	}
	return r.(*Scan)
}

func (n *dedupNode) water(global int64) (int64, bool) { return n.in.water(global) }

// run drops late rows first, whether the event time is a key or not.
func (n *dedupNode) run(b *tick) []Row {
	n.late = 0
	_, watched := n.in.water(1)
	timed := n.timed && watched
	late, evict := incoming(n.in, b.late), incoming(n.in, b.evict)
	var out []Row
	for _, r := range n.in.run(b) {
		t, _ := r[0].(int64)
		if timed && t <= late {
			n.late++
			continue
		}
		id := ""
		for _, k := range n.keys {
			id += text(r[k]) + "|"
		}
		if _, have := n.seen[id]; !have {
			n.seen[id] = t
			out = append(out, n.shown(r))
		}
	}
	if timed && n.expires {
		for id, t := range n.seen {
			if t+n.delay <= evict {
				delete(n.seen, id)
			}
		}
	}
	return out
}

func (n *dedupNode) shown(r Row) Row {
	if !n.only {
		return r
	}
	var out Row
	for _, k := range n.keys {
		out = append(out, r[k])
	}
	return out
}

func (n *dedupNode) wants(last, next int64) bool {
	return incoming(n.in, next) > incoming(n.in, last)
}

func (n *dedupNode) stats() OpStats { return OpStats{Late: n.late, Total: int64(len(n.seen))} }
