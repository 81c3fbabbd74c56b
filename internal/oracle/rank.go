package oracle

import (
	"fmt"
	"slices"
	"strings"

	"ssql/sql/types"
)

// Rank keeps the first rows of each key in an order: ROW_NUMBER() <= Count. Rows that the
// order does not tell apart count as they came.
type Rank struct {
	In    Rel
	Keys  []string // with the time of In: keys close
	Order string
	Then  []string // what rows are ordered by that are equal in Order; nil: they count as they came
	Desc  bool
	Count int
}

// Columns returns those of the input.
func (k *Rank) Columns() []Column { return k.In.Columns() }

// From is a subquery over the numbered rows.
func (k *Rank) From(d dialect) string {
	order := k.Order
	if k.Desc {
		order += " DESC"
	}
	if d == duck {
		order += [...]string{" NULLS FIRST", " NULLS LAST"}[bit(k.Desc)] // as in Spark
	}
	for _, c := range k.Then {
		if order += ", " + c; d == duck {
			order += " NULLS FIRST"
		}
	}
	if d == duck {
		order += ", seq"
	}
	cols := outward(k, d)
	return fmt.Sprintf("(SELECT %s FROM (SELECT %s, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s) AS rn FROM %s) WHERE rn <= %d) AS t",
		cols, cols, strings.Join(k.Keys, ", "), order, k.In.From(d), k.Count)
}

// Inputs returns the input.
func (k *Rank) Inputs() []Rel { return []Rel{k.In} }

// With changes the input.
func (k *Rank) With(ins []Rel, _ func(Expr) Expr) Rel {
	out := *k
	out.In = ins[0]
	return &out
}

func (k *Rank) lower(m *model, ins []node) node {
	n := &rankNode{in: ins[0], rank: k, mode: m.c.Query.Mode, at: places(k.Columns()), keys: map[string]*ranked{}}
	n.closes = slices.Contains(k.Keys, k.Columns()[0].Name)
	n.byTime = !n.closes && k.Count == 1 && !k.Desc && k.Order == k.Columns()[0].Name
	m.states = append(m.states, n)
	return n
}

// rankNode keeps, of each key, the rows that are first.
type rankNode struct {
	in   node
	rank *Rank
	mode types.Mode
	at   map[string]int
	// closes says that the time is among the keys: they are over when it has passed. byTime,
	// that the earliest row is kept: it is final when its time has passed.
	closes, byTime bool
	keys           map[string]*ranked
	order          []*ranked
	late           int64
}

// ranked is one key.
type ranked struct {
	id      string
	rows    []Row
	changed bool
	final   bool // its row came out; the key is remembered for ever
}

func (n *rankNode) water(global int64) (int64, bool) { return n.in.water(global) }

func (n *rankNode) run(b *tick) []Row {
	n.late = 0
	late, evict := incoming(n.in, b.late), incoming(n.in, b.evict)
	for _, r := range n.in.run(b) {
		if t := r[0].(int64); (n.closes || n.byTime) && t <= late {
			n.late++
			continue
		}
		n.add(r)
	}
	var out []Row
	var left []*ranked
	for _, k := range n.order {
		over := (n.closes || n.byTime) && !k.final && k.rows[0][0].(int64) <= evict
		if n.mode == types.Update && k.changed || n.mode == types.Append && over {
			out = append(out, k.rows...)
		}
		k.changed, k.final = false, k.final || over && n.byTime
		if over && n.closes {
			delete(n.keys, k.id)
			continue
		}
		left = append(left, k)
	}
	n.order = left
	return out
}

// add puts a row in its place among the rows of its key.
func (n *rankNode) add(r Row) {
	id := ""
	for _, k := range n.rank.Keys {
		id += text(r[n.at[k]]) + "|"
	}
	k := n.keys[id]
	if k == nil {
		k = &ranked{id: id}
		n.keys[id] = k
		n.order = append(n.order, k)
	}
	if k.final {
		return
	}
	at := len(k.rows)
	for at > 0 && n.before(r, k.rows[at-1]) {
		at--
	}
	if at >= n.rank.Count {
		return
	}
	k.rows = slices.Insert(k.rows, at, r)
	k.rows = k.rows[:min(len(k.rows), n.rank.Count)]
	k.changed = true
}

// before reports whether a comes before b: NULL is less than everything.
func (n *rankNode) before(a, b Row) bool {
	order := compare(a[n.at[n.rank.Order]], b[n.at[n.rank.Order]])
	return order < 0 && !n.rank.Desc || order > 0 && n.rank.Desc
}

func (n *rankNode) wants(last, next int64) bool {
	return (n.closes || n.byTime) && incoming(n.in, next) > incoming(n.in, last)
}

func (n *rankNode) stats() OpStats {
	total := 0
	for _, k := range n.order {
		total += len(k.rows)
	}
	return OpStats{Late: n.late, Total: int64(total)}
}
