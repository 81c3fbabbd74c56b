package oracle

// joinNode joins two streams in Spark's order (spark-semantics §1.5).
type joinNode struct {
	j     *Join
	sides [2]*joinSide
	at    map[string]int // of the columns of both sides, as l.… and r.…
	blank Row            // the right side of a row without partner
	late  int64
}

// joinSide is one side and the rows that it keeps.
type joinSide struct {
	in   node
	keys []int
	rows []*joinRow
}

type joinRow struct {
	row     Row
	matched bool
}

func (r *joinRow) time() int64 { return r.row[0].(int64) }

func newJoin(j *Join, left, right node) *joinNode {
	n := &joinNode{j: j, at: map[string]int{}, blank: make(Row, len(j.Right.Columns()))}
	n.sides = [2]*joinSide{{in: left}, {in: right}}
	width := 0
	for i, r := range []Rel{j.Left, j.Right} {
		for at, c := range r.Columns() {
			n.at["lr"[i:i+1]+"."+c.Name] = width + at
		}
		for _, k := range j.Keys {
			n.sides[i].keys = append(n.sides[i].keys, places(r.Columns())[k])
		}
		if j.TimeKey {
			n.sides[i].keys = append(n.sides[i].keys, 0)
		}
		width += len(r.Columns())
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
	goneLeft, goneRight := n.j.thresholds(n.incoming(b.evict))
	over := func(r *joinRow, gone *int64) bool { return gone != nil && r.time() <= *gone }
	var out []Row
	for i, side := range n.sides {
		other := n.sides[1-i]
		for _, row := range side.in.run(b) {
			if !n.keeps(i, row) {
				continue
			}
			r := &joinRow{row: row}
			if r.time() <= late {
				n.late++
				continue
			}
			for _, o := range other.rows {
				if pair, ok := n.pair(i, r, o); ok {
					out = append(out, pair)
					r.matched, o.matched = true, true
				}
			}
			// A right row that is over already finds nobody any more.
			if i == 0 || !over(r, goneRight) {
				side.rows = append(side.rows, r)
			}
		}
	}
	left, right := []*joinRow(nil), []*joinRow(nil)
	for _, r := range n.sides[0].rows {
		if !over(r, goneLeft) {
			left = append(left, r)
		} else if n.j.Outer && !r.matched {
			out = append(out, append(append(Row{}, r.row...), n.blank...))
		}
	}
	for _, r := range n.sides[1].rows {
		if !over(r, goneRight) {
			right = append(right, r)
		}
	}
	n.sides[0].rows, n.sides[1].rows = left, right
	return out
}

// keeps reports whether a row may find a partner, or is kept without: NULL matches
// nothing, and "column IS NOT NULL" follows from the condition, as Spark infers it, for
// every side whose rows are not emitted without a partner.
func (n *joinNode) keeps(i int, row Row) bool {
	if i == 0 && n.j.Outer {
		return true
	}
	for _, k := range n.sides[i].keys {
		if row[k] == nil {
			return false
		}
	}
	if n.j.Residual != nil {
		return row[n.at["l."+n.j.Compared]] != nil
	}
	return true
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
	for _, b := range n.j.Bounds {
		if !b.holds(left.time(), right.time()) {
			return nil, false
		}
	}
	full := append(append(Row{}, left.row...), right.row...)
	if n.j.Residual != nil && !isTrue(n.j.Residual.Eval(n.at, full)) {
		return nil, false
	}
	return full, true
}

// wants: some rows may go.
func (n *joinNode) wants(last, next int64) bool {
	left, right := n.j.thresholds(0)
	return (left != nil || right != nil) && n.incoming(next) > n.incoming(last)
}

func (n *joinNode) stats() OpStats {
	return OpStats{Late: n.late, Total: int64(len(n.sides[0].rows) + len(n.sides[1].rows))}
}
