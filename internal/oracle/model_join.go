package oracle

import "slices"

// joinNode joins two streams in Spark's order (docs/SEMANTICS.md, Joins).
type joinNode struct {
	j     *Join
	sides [2]*joinSide
	at    map[string]int // of the columns of both sides, as l.… and r.…
	late  int64
}

// joinSide is one side and the rows that it keeps.
type joinSide struct {
	in   node
	keys []int
	// timed says that the join sees the event time: nothing is late by a column that
	// nothing reads.
	timed bool
	blank Row // NULLs for the columns of the side
	rows  []*joinRow
}

type joinRow struct {
	row     Row
	matched bool
}

func (r *joinRow) time() int64 { return r.row[0].(int64) }

func newJoin(j *Join, ins []node, q *Query) *joinNode {
	n := &joinNode{j: j, at: map[string]int{}}
	width := 0
	for i, r := range []Rel{j.Left, j.Right} {
		cols := r.Columns()
		s := &joinSide{in: ins[i], blank: make(Row, len(cols))}
		marked, oneSided := j.oneSided()
		plain := oneSided && marked != i
		s.timed = j.TimeKey || len(j.Bounds) > 0 || q.reads("lr"[i:i+1]+"_"+cols[0].Name)
		if plain {
			s.timed = j.TimeKey
		}
		for at, c := range cols {
			n.at["lr"[i:i+1]+"."+c.Name] = width + at
		}
		for _, k := range j.Keys {
			s.keys = append(s.keys, places(cols)[k])
		}
		n.sides[i] = s
		width += len(cols)
	}
	return n
}

// input is the least watermark of the sides.
func (n *joinNode) input(global int64) (int64, bool) {
	return (&unionNode{[]node{n.sides[0].in, n.sides[1].in}}).water(global)
}

// water holds back what rows that are still kept may be emitted with.
func (n *joinNode) water(global int64) (int64, bool) {
	micros, ok := n.input(global)
	return n.j.output(micros), ok
}

func (n *joinNode) incoming(global int64) int64 {
	if global == 0 {
		return 0
	}
	micros, _ := n.input(global)
	return max(0, micros)
}

func (n *joinNode) run(b *tick) []Row {
	n.late = 0
	late := n.incoming(b.late)
	behind := [2]int64{late, late}
	if marked, ok := n.j.oneSided(); ok {
		if t := n.j.thresholds(late)[1-marked]; t != nil {
			behind[1-marked] = *t
		}
	}
	gone := n.j.thresholds(n.incoming(b.evict))
	var out []Row
	for i, side := range n.sides {
		for _, row := range side.in.run(b) {
			passes := n.j.Only[i] == nil || isTrue(n.j.Only[i].Eval(n.at, n.wide(i, row)))
			alone := n.j.Kind.keepsAlone(i)
			if !alone && (!passes || n.hasNull(i, row)) {
				continue
			}
			r := &joinRow{row: row}
			if side.timed && r.time() <= behind[i] {
				n.late++
				continue
			}
			if !passes {
				out = append(out, n.alone(i, r))
				continue
			}
			out = append(out, n.arrive(i, r, gone[i])...)
		}
	}
	return append(out, n.leave(gone)...)
}

// wide puts a row in its place among the columns of both sides.
func (n *joinNode) wide(side int, row Row) Row {
	if side == 0 {
		return row
	}
	return slices.Concat(n.sides[0].blank, row)
}

// hasNull reports whether a row cannot have a partner: "column IS NOT NULL" follows from
// the condition, as Spark infers it, for a side whose rows are not emitted alone.
func (n *joinNode) hasNull(i int, row Row) bool {
	if row[0] == nil && (n.j.TimeKey || len(n.j.Bounds) > 0) {
		return true // of a stream without watermark
	}
	for _, k := range n.sides[i].keys {
		if row[k] == nil {
			return true
		}
	}
	return n.j.Residual != nil && row[n.at["l."+n.j.Compared]] == nil
}

// arrive joins a row with what the other side keeps, and keeps it.
func (n *joinNode) arrive(i int, r *joinRow, gone *int64) []Row {
	var out []Row
	drop := func(*joinRow) bool { return false }
	if n.j.Kind.leftOnly() && i == 1 { // a left row is forgotten at its first partner
		drop = func(o *joinRow) bool { return o.matched }
	}
	for _, o := range n.sides[1-i].rows {
		pair, ok := n.pair(i, r, o)
		if !ok {
			continue
		}
		r.matched, o.matched = true, true
		switch {
		case n.j.Kind == Semi:
			out = append(out, pair[:len(n.sides[0].blank)])
		case n.j.Kind != Anti:
			out = append(out, pair)
		}
		if n.j.Kind.leftOnly() && i == 0 {
			return out
		}
	}
	n.sides[1-i].rows = slices.DeleteFunc(n.sides[1-i].rows, drop)
	// A right row that is over already finds nobody any more.
	if i == 0 || gone == nil || r.time() > *gone || n.j.Kind.keepsAlone(1) && !r.matched {
		n.sides[i].rows = append(n.sides[i].rows, r)
	}
	return out
}

// leave forgets the rows that are over, and emits those that are kept alone.
func (n *joinNode) leave(gone [2]*int64) []Row {
	var out []Row
	for i, side := range n.sides {
		var left []*joinRow
		for _, r := range side.rows {
			if gone[i] == nil || r.time() > *gone[i] {
				left = append(left, r)
			} else if n.j.Kind.keepsAlone(i) && !r.matched {
				out = append(out, n.alone(i, r))
			}
		}
		side.rows = left
	}
	return out
}

// alone is a row without a partner.
func (n *joinNode) alone(i int, r *joinRow) Row {
	switch {
	case n.j.Kind.leftOnly():
		return r.row
	case i == 0:
		return slices.Concat(r.row, n.sides[1].blank)
	}
	return slices.Concat(n.sides[0].blank, r.row)
}

// pair returns the row of two partners.
func (n *joinNode) pair(side int, r, o *joinRow) (Row, bool) {
	left, right := r, o
	if side == 1 {
		left, right = o, r
	}
	for i, k := range n.sides[0].keys {
		a, b := left.row[k], right.row[n.sides[1].keys[i]]
		if a == nil || b == nil || compare(a, b) != 0 {
			return nil, false
		}
	}
	if n.j.TimeKey && n.j.timeOf(0, left.time()) != n.j.timeOf(1, right.time()) {
		return nil, false
	}
	for _, b := range n.j.Bounds {
		if !b.holds(left.time(), right.time()) {
			return nil, false
		}
	}
	full := slices.Concat(left.row, right.row)
	if n.j.Residual != nil && !isTrue(n.j.Residual.Eval(n.at, full)) {
		return nil, false
	}
	return full, true
}

// wants: some rows may go.
func (n *joinNode) wants(last, next int64) bool {
	gone := n.j.thresholds(0)
	return (gone[0] != nil || gone[1] != nil) && n.incoming(next) > n.incoming(last)
}

func (n *joinNode) stats() OpStats {
	return OpStats{Late: n.late, Total: int64(len(n.sides[0].rows) + len(n.sides[1].rows))}
}

// staticNode joins a stream with a table.
type staticNode struct {
	j    *StaticJoin
	in   node
	keys [2]int
}

func newStatic(j *StaticJoin, in node) *staticNode {
	return &staticNode{j, in, [2]int{places(j.In.Columns())[j.Key], places(j.Table.Cols)[j.Key]}}
}

func (n *staticNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *staticNode) run(b *tick) []Row {
	var out []Row
	for _, r := range n.in.run(b) {
		matched := false
		for _, t := range n.j.Rows {
			k, l := r[n.keys[0]], t[n.keys[1]]
			if k == nil || l == nil || compare(k, l) != 0 {
				continue
			}
			if n.j.Kind == Inner || n.j.Kind == Left {
				out = append(out, slices.Concat(r, t))
			} else if n.j.Kind == Semi && !matched {
				out = append(out, r)
			}
			matched = true
		}
		switch {
		case matched:
		case n.j.Kind == Left:
			out = append(out, slices.Concat(r, make(Row, len(n.j.Table.Cols))))
		case n.j.Kind == Anti:
			out = append(out, r)
		}
	}
	return out
}
