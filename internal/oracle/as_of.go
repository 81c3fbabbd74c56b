package oracle

import (
	"fmt"
	"slices"
)

// AsOf joins each left row with the newest version of its key up to its time: ASOF JOIN.
// Of versions with one time the one that came last holds. A row comes out when the
// watermark has passed its time.
type AsOf struct {
	Left, Right Rel
	Outer       bool // rows without a version come out with NULLs
	Strict      bool // the version is older than the row, and not of the same time
	// Only are conditions of ON on one side, over l.c and r.c; nil without.
	Only [2]Expr
}

func (a *AsOf) join() *Join {
	return &Join{Left: a.Left, Right: a.Right, Keys: []string{"k"}}
}

// Columns returns those of both sides.
func (a *AsOf) Columns() []Column { return a.join().Columns() }

// From is a subquery. For DuckDB it ranks all versions that could hold.
func (a *AsOf) From(d dialect) string {
	out := list(a.Columns(), func(c Column) string { return c.Name[:1] + "." + c.Name[2:] + " AS " + c.Name })
	side := func(alias string, r Rel) string {
		return fmt.Sprintf("(SELECT %s FROM %s) AS %s", outward(r, d), r.From(d), alias)
	}
	word, op := "JOIN", ">="
	if a.Outer {
		word = "LEFT JOIN"
	}
	if a.Strict {
		op = ">"
	}
	on := fmt.Sprintf("l.k = r.k AND l.ts %s r.ts", op)
	for _, e := range a.Only {
		if e != nil {
			on += " AND " + e.SQL()
		}
	}
	if d == duck {
		return fmt.Sprintf("(SELECT l.seq AS seq, %s FROM %s %s %s ON %s QUALIFY row_number() OVER (PARTITION BY l.seq ORDER BY r.ts DESC, r.seq DESC) = 1) AS j",
			out, side("l", a.Left), word, side("r", a.Right), on)
	}
	return fmt.Sprintf("(SELECT %s FROM %s ASOF %s %s ON %s) AS j", out, side("l", a.Left), word, side("r", a.Right), on)
}

// Inputs returns the sides.
func (a *AsOf) Inputs() []Rel { return []Rel{a.Left, a.Right} }

// With changes the sides.
func (a *AsOf) With(ins []Rel, change func(Expr) Expr) Rel {
	out := *a
	out.Left, out.Right = ins[0], ins[1]
	for i, e := range a.Only {
		if e != nil {
			out.Only[i] = change(e)
		}
	}
	return &out
}

func (a *AsOf) lower(m *model, ins []node) node {
	n := &asOfNode{a: a, in: &unionNode{ins}, key: places(a.Left.Columns())["k"], width: len(a.Right.Columns())}
	for i, r := range a.Inputs() {
		n.at[i] = map[string]int{}
		for name, place := range places(r.Columns()) {
			n.at[i][[...]string{"l.", "r."}[i]+name] = place
		}
	}
	m.states = append(m.states, n)
	return n
}

// asOfNode keeps left rows until their time has passed, and versions until a newer one has.
type asOfNode struct {
	a           *AsOf
	in          *unionNode
	key, width  int
	at          [2]map[string]int // of the conditions
	left, right []Row
	late        int64
}

func (n *asOfNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *asOfNode) run(b *tick) []Row {
	n.late = 0
	late, evict := incoming(n.in, b.late), incoming(n.in, b.evict)
	for i, side := range []*[]Row{&n.left, &n.right} {
		for _, r := range n.in.ins[i].run(b) {
			switch {
			case !n.passes(i, r) && !(i == 0 && n.a.Outer): // it does not come to the join
			case r[0].(int64) <= late:
				n.late++
			case r[n.key] == nil && !(i == 0 && n.a.Outer): // it has no partner and is not kept alone
			default:
				*side = append(*side, r)
			}
		}
	}
	var out, waiting []Row
	for _, r := range n.left {
		if r[0].(int64) > evict {
			waiting = append(waiting, r)
		} else if v := n.version(r); v != nil {
			out = append(out, slices.Concat(r, v))
		} else if n.a.Outer {
			out = append(out, slices.Concat(r, make(Row, n.width)))
		}
	}
	n.left = waiting
	n.right = slices.DeleteFunc(slices.Clone(n.right), func(v Row) bool { return n.replaced(v, evict) })
	return out
}

// passes reports whether a row meets the condition of its side.
func (n *asOfNode) passes(side int, r Row) bool {
	return n.a.Only[side] == nil || isTrue(n.a.Only[side].Eval(n.at[side], r))
}

// version returns the version that holds for a row; nil without.
func (n *asOfNode) version(r Row) Row {
	if !n.passes(0, r) {
		return nil
	}
	var best Row
	for _, v := range n.right {
		order := compare(v[0], r[0])
		if v[n.key] == nil || compare(v[n.key], r[n.key]) != 0 || order > 0 || order == 0 && n.a.Strict {
			continue
		}
		if best == nil || compare(v[0], best[0]) >= 0 {
			best = v
		}
	}
	return best
}

// replaced reports whether a newer version that the watermark has passed holds instead.
func (n *asOfNode) replaced(v Row, evict int64) bool {
	after := false // v has been seen: what follows came later
	for _, o := range n.right {
		if &o[0] == &v[0] {
			after = true
			continue
		}
		if t := o[0].(int64); t <= evict && compare(o[n.key], v[n.key]) == 0 && (t > v[0].(int64) || t == v[0].(int64) && after) {
			return true
		}
	}
	return false
}

func (n *asOfNode) wants(last, next int64) bool {
	return incoming(n.in, next) > incoming(n.in, last)
}

func (n *asOfNode) stats() OpStats {
	return OpStats{Late: n.late, Total: int64(len(n.left) + len(n.right))}
}
