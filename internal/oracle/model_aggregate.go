package oracle

import (
	"ssql/sql/types"
)

// aggregateNode groups, and keeps every value of every group.
type aggregateNode struct {
	in     node
	q      *Query
	at     map[string]int
	groups map[string]*group
	order  []*group // as they came
	late   int64
}

// group is one group.
type group struct {
	id      string
	key     Row
	closes  Value     // the time when it is over; nil for never
	values  [][]Value // per call: what is not NULL
	touched bool
}

func newAggregate(in node, q *Query) *aggregateNode {
	return &aggregateNode{in: in, q: q, at: places(q.From.Columns()), groups: map[string]*group{}}
}

func (n *aggregateNode) water(global int64) (int64, bool) { return n.in.water(global) }

// timed reports whether groups close: an event time is among the keys, and followed.
func (n *aggregateNode) timed() bool {
	_, ok := n.in.water(1)
	return ok && (n.q.Window != nil || n.q.ByTime)
}

func (n *aggregateNode) run(b *tick) []Row {
	n.late = 0
	drops := n.timed() && n.q.Mode != types.Complete
	late, evict := incoming(n.in, b.late), incoming(n.in, b.evict)
	for _, g := range n.order {
		g.touched = false
	}
	if len(n.q.keyColumns()) == 0 {
		n.group(Row{}).touched = true // one group, also of no rows
	}
	for _, r := range n.in.run(b) {
		windows, used := windowsOf(n.q.Window, r[0]), false
		for _, w := range windows {
			key := n.keyOf(r, w)
			if drops && n.closing(key).(int64) <= late {
				continue
			}
			for _, set := range n.sets(key) {
				n.group(set).add(n.q, n.at, r)
			}
			used = true
		}
		// A row is late when it is late for all its windows (D4).
		if len(windows) > 0 && !used {
			n.late++
		}
	}
	return n.emit(drops, evict)
}

// keyOf returns the key of a row in one of its windows.
func (n *aggregateNode) keyOf(r, window Row) Row {
	key := append(Row{}, window...)
	if n.q.ByTime {
		key = append(key, r[0])
	}
	for _, k := range n.q.Keys {
		key = append(key, r[n.at[k.Name]])
	}
	return key
}

// sets returns the key for each grouping set. The number of the set behind a key of
// ROLLUP keeps totals apart from groups of NULLs; it is not shown.
func (n *aggregateNode) sets(key Row) []Row {
	if !n.q.Rollup {
		return []Row{key}
	}
	var out []Row
	for size := len(key); size >= 0; size-- {
		set := make(Row, len(key), len(key)+1)
		copy(set, key[:size])
		out = append(out, append(set, int64(size)))
	}
	return out
}

// closing returns the time when the group of a key is over: the end of its window, or its
// event time; nil for never.
func (n *aggregateNode) closing(key Row) Value {
	switch {
	case n.q.Window != nil:
		return key[1]
	case n.q.ByTime:
		return key[0]
	}
	return nil
}

// group returns the group of a key.
func (n *aggregateNode) group(key Row) *group {
	id := ""
	for _, v := range key {
		id += text(v) + "|"
	}
	g := n.groups[id]
	if g == nil {
		g = &group{id: id, key: key, closes: n.closing(key), values: make([][]Value, len(n.q.Calls))}
		n.groups[id] = g
		n.order = append(n.order, g)
	}
	return g
}

// add takes the values of a row into a group.
func (g *group) add(q *Query, at map[string]int, r Row) {
	g.touched = true
	for i, c := range q.Calls {
		if c.Filter != nil && !isTrue(c.Filter.Eval(at, r)) {
			continue
		}
		v := Value(int64(1)) // count(*) counts rows
		if c.Arg != nil {
			v = c.Arg.Eval(at, r)
		}
		if v != nil || c.Agg.Nulls {
			g.values[i] = append(g.values[i], v)
		}
	}
}

// emit returns the rows of the mode, and forgets groups that are over.
func (n *aggregateNode) emit(drops bool, evict int64) []Row {
	var out []Row
	var left []*group
	for _, g := range n.order {
		over := drops && g.closes != nil && g.closes.(int64) <= evict
		if n.q.Mode == types.Complete || n.q.Mode == types.Update && g.touched || n.q.Mode == types.Append && over {
			if r := g.result(n.q); r != nil {
				out = append(out, r)
			}
		}
		if over {
			delete(n.groups, g.id)
		} else {
			left = append(left, g)
		}
	}
	n.order = left
	return out
}

// result computes the row of a group; nil if HAVING removes it.
func (g *group) result(q *Query) Row {
	out := append(Row{}, g.key[:len(q.keyColumns())]...)
	for i, c := range q.Calls {
		values := g.values[i]
		if c.Distinct {
			values = distinct(values)
		}
		v := c.Agg.Of(values, c.argType())
		if h := q.Having; i == 0 && h != nil && !comparisons[h.Op].test(compare(v, h.Value)) {
			return nil
		}
		out = append(out, v)
	}
	return out
}

func distinct(values []Value) []Value {
	var out []Value
	seen := map[string]bool{}
	for _, v := range values {
		if id := text(v); !seen[id] {
			seen[id] = true
			out = append(out, v)
		}
	}
	return out
}

// wants: an aggregation that does not show its whole table, with or without event time
// among its keys.
func (n *aggregateNode) wants(last, next int64) bool {
	return n.q.Mode != types.Complete && incoming(n.in, next) > incoming(n.in, last)
}

func (n *aggregateNode) stats() OpStats { return OpStats{Late: n.late, Total: int64(len(n.order))} }
