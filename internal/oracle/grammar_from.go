package oracle

import (
	"fmt"
	"slices"

	"ssql/sql/types"
)

func union(g *gen) Rel { return &Union{[]Rel{g.scan(0), g.scan(1)}} }

func unionWithItself(g *gen) Rel { return &Union{[]Rel{g.scan(0), g.scan(0)}} }

func dedup(g *gen) Rel {
	d := &Dedup{In: g.scan(0), Keys: []string{"k"}}
	for _, c := range d.Columns()[2:] {
		// Whether 0 and -0 are one key Spark leaves open.
		if c.Type.Kind != types.Double && g.IntN(3) == 0 {
			d.Keys = append(d.Keys, c.Name)
		}
	}
	return d
}

func dedupByTime(g *gen) Rel {
	d := dedup(g).(*Dedup)
	d.Keys = append(d.Keys, "ts")
	return d
}

func dedupWithin(g *gen) Rel {
	d := dedup(g).(*Dedup)
	d.Within = true
	return d
}

// distinctRows keeps one row of each combination of values, with the time among them or not.
func distinctRows(g *gen) Rel {
	d := dedup(g).(*Dedup)
	d.Distinct = true
	if g.IntN(2) == 0 {
		d.Keys = append([]string{"ts"}, d.Keys...)
	}
	return d
}

func asOf(g *gen) Rel {
	a := &AsOf{Left: g.scan(0), Right: g.scan(1), Outer: g.IntN(2) == 0, Strict: g.IntN(3) == 0}
	a.Only, _ = g.oneSided(a.Left, a.Right)
	return a
}

// counted counts rows by windows and keys, to be grouped again.
func counted(window func(g *gen) *Window) func(g *gen) Rel {
	return func(g *gen) Rel { return g.counts(0, window(g)) }
}

func (g *gen) counts(stream int, w *Window) *Sub {
	q := &Query{From: g.scan(stream), Window: w, Grouped: true, Keys: g.c.Streams[stream].Cols[1:2]}
	if g.IntN(3) == 0 {
		q.Cond = predicate(g.Rand, q.From.Columns(), 1)
	}
	q.Calls = []Call{{Name: "n", Agg: aggregate("count")}}
	return &Sub{q}
}

// groups counts rows by keys.
func groups(g *gen) Rel { return g.groupsOf(g.scan(0)) }

func (g *gen) groupsOf(in Rel) *Groups {
	q := &Query{From: in, Grouped: true, Keys: in.Columns()[1:2], Calls: []Call{{Name: "n", Agg: aggregate("count")}}}
	for _, c := range in.Columns()[2:] {
		if c.Domain.Few && g.IntN(2) == 0 && len(q.Keys) < 2 {
			q.Keys = append(slices.Clone(q.Keys), c)
		}
	}
	return &Groups{q}
}

// histogram counts how many groups have how many rows.
func histogram(g *gen) Rel {
	in := g.groupsOf(g.scan(0))
	cols := in.Columns()
	return &Groups{&Query{From: in, Grouped: true, Keys: cols[len(cols)-1:], Calls: []Call{{Name: "m", Agg: aggregate("count")}}}}
}

// distinctCounts keeps each number of rows that some group has.
func distinctCounts(g *gen) Rel {
	return &Dedup{In: g.groupsOf(g.scan(0)), Keys: []string{"n"}, Distinct: true}
}

// groupsOfJoin counts the rows of a join by keys.
func groupsOfJoin(g *gen) Rel { return g.groupsOf(partnered(g)) }

// topOfGroups keeps the groups with the most or the fewest rows of each key, or of each
// number of rows.
func topOfGroups(g *gen) Rel { return g.topOf(g.groupsOf(g.scan(0))) }

func topOfJoin(g *gen) Rel { return g.topOf(g.groupsOf(partnered(g))) }

func (g *gen) topOf(in *Groups) Rel {
	return &Rank{In: in, Keys: []string{"k"}, Order: "n", Then: columnNames(in.Query.Keys), Desc: g.IntN(2) == 0, Count: g.IntN(3) + 1}
}

// topOfHistogram keeps the first numbers of rows of each number of groups: all keys change.
func topOfHistogram(g *gen) Rel {
	return &Rank{In: histogram(g), Keys: []string{"m"}, Order: "n", Then: []string{"m"}, Desc: g.IntN(2) == 0, Count: g.IntN(3) + 1}
}

// dedupOfCounts keeps one row of each window and count.
func dedupOfCounts(g *gen) Rel {
	return &Dedup{In: g.counts(0, anyWindow(g)), Keys: []string{"v_time", "n"}}
}

// firstByTime keeps the earliest row of each key, or in update mode also the latest.
func firstByTime(g *gen) Rel {
	return &Rank{In: g.scan(0), Keys: []string{"k"}, Order: "ts", Count: 1, Desc: g.c.Query.Mode == types.Update && g.IntN(2) == 0}
}

// topRows keeps the first rows of each key by another column.
func topRows(g *gen) Rel {
	in := g.scan(0)
	return &Rank{In: in, Keys: []string{"k"}, Order: g.ordered(in), Desc: g.IntN(2) == 0, Count: g.IntN(3) + 1}
}

// topOfWindows keeps the first rows of each window and key.
func topOfWindows(g *gen) Rel {
	in := &Windowed{g.scan(0), anyWindow(g)}
	k := &Rank{In: in, Keys: []string{"window_end", "window_start"}, Order: g.ordered(in), Desc: g.IntN(2) == 0, Count: g.IntN(3) + 1}
	if g.IntN(2) == 0 && k.Order != "k" {
		k.Keys = append(k.Keys, "k")
	}
	return k
}

// ordered draws a column to order by: any but the time.
func (g *gen) ordered(r Rel) string {
	cols := r.Columns()[2:]
	return cols[g.IntN(len(cols))].Name
}

// join draws a stream–stream join on equal times, or with bounds that say when rows are
// over, as far as the kind needs it.
func join(kind JoinKind) func(g *gen) Rel {
	return func(g *gen) Rel {
		j := rangeJoin(kind)(g).(*Join)
		switch g.IntN(4) {
		case 0:
			g.equalTimes(j)
		case 1:
			switch kind {
			case Inner:
				j.Bounds = one(g, nil, j.Bounds[:1], j.Bounds[1:])
			case Left, Semi, Anti:
				j.Bounds = j.Bounds[:1]
			case Right:
				j.Bounds = j.Bounds[1:]
			}
		}
		return j
	}
}

// equalTimes joins on equal times: as they are, moved, or cut to buckets.
func (g *gen) equalTimes(j *Join) {
	j.TimeKey, j.Bounds = true, nil
	switch g.IntN(4) {
	case 0:
	case 1:
		j.ShiftMicros = one[int64](g, 1e6, -1e6, 5e6, -7e6, 250e3)
	default:
		j.Cut = [2]int64{one[int64](g, 0, 1e6, 5e6, 10e6), one[int64](g, 0, 1e6, 5e6, 10e6)}
		j.ShiftMicros = one[int64](g, 0, 0, 5e6, -10e6)
	}
}

// timedJoin draws a join with bounds to both sides, or on equal times.
func timedJoin(kind JoinKind) func(g *gen) Rel {
	return func(g *gen) Rel {
		j := rangeJoin(kind)(g).(*Join)
		if g.IntN(2) == 0 {
			g.equalTimes(j)
		}
		return j
	}
}

// rangeJoin draws a join with bounds to both sides:
// r_ts + low <(=) l_ts <(=) r_ts + high.
func rangeJoin(kind JoinKind) func(g *gen) Rel {
	return func(g *gen) Rel {
		j := &Join{Kind: kind, Left: g.scan(0), Right: g.scan(1), Keys: []string{"k"}}
		unit := one[int64](g, 1e6, 1e6, 250e3, 333)
		low := -g.Int64N(12e6/unit) * unit
		j.Bounds = []Bound{
			{OrEqual: g.IntN(2) == 0, Micros: low},
			{OrEqual: g.IntN(2) == 0, Micros: low + g.Int64N(15e6/unit)*unit, Above: true},
		}
		g.conditions(j)
		return j
	}
}

// oneSided is an inner join of which one stream has no watermark.
func oneSided(g *gen) Rel {
	j := timedJoin(Inner)(g).(*Join)
	g.c.Streams[g.IntN(2)].DelayMicros = -1
	return j
}

// joinOfWindows joins rows of equal windows.
func joinOfWindows(g *gen) Rel {
	w := anyWindow(g)
	j := &Join{
		Kind: one(g, Inner, Left, Right, Full, Semi, Anti), Keys: []string{"k", "window_start"}, TimeKey: true,
		Left: &Windowed{g.scan(0), w}, Right: &Windowed{g.scan(1), w},
	}
	g.conditions(j)
	return j
}

// leftSide joins, and goes on with the left columns.
func leftSide(g *gen) Rel {
	return &LeftSide{timedJoin(one(g, Inner, Left, Semi))(g).(*Join)}
}

// partnered is leftSide of rows that all have a partner, and so come out at once.
func partnered(g *gen) Rel {
	return &LeftSide{timedJoin(one(g, Inner, Semi))(g).(*Join)}
}

// joinOfJoin joins three streams.
func joinOfJoin(g *gen) Rel {
	j := timedJoin(one(g, Inner, Left, Right, Full, Semi, Anti))(g).(*Join)
	j.Left, j.Right = partnered(g), g.scan(2)
	return j
}

func dedupOfJoin(g *gen) Rel {
	d := dedupByTime(g).(*Dedup)
	d.In = partnered(g)
	return d
}

// joinOfCounts joins the counts of equal windows and keys.
func joinOfCounts(g *gen) Rel {
	w := anyWindow(g)
	left, right := g.counts(0, w), g.counts(1, w)
	return &Join{Kind: one(g, Inner, Left, Right, Full), Left: left, Right: right, Keys: []string{"k"}, TimeKey: true}
}

// conditions draws more of ON: conditions of one side, and a comparison of both.
func (g *gen) conditions(j *Join) {
	var sides [2][]Column
	j.Only, sides = g.oneSided(j.Left, j.Right)
	if g.IntN(4) > 0 {
		return
	}
	at, op := g.IntN(len(sides[0])), 0
	for j.Residual == nil || comparisons[op].op == "=" { // equality would be one more key
		op = g.IntN(len(comparisons))
		j.Residual = comparison(op, colExpr{sides[0][at]}, colExpr{sides[1][at]})
	}
	j.Compared = sides[0][at].Name[2:]
}

// staticJoin joins the first stream with a table.
func staticJoin(g *gen) Rel {
	cols := g.c.Streams[0].Cols[1:]
	j := &StaticJoin{Kind: one(g, Inner, Left, Semi, Anti), In: g.scan(0), Key: "k", Table: &Stream{Name: "t0", Cols: cols, DelayMicros: -1}}
	for range g.IntN(6) {
		var r Row
		for _, c := range cols {
			r = append(r, one[Value](g, c.Domain.draw(g.Rand), c.Domain.draw(g.Rand), c.Domain.draw(g.Rand), nil))
		}
		j.Rows = append(j.Rows, r)
	}
	g.c.Table = j
	return j
}

// oneSided draws conditions of each side of a join, or none, over columns that it returns.
func (g *gen) oneSided(left, right Rel) (only [2]Expr, sides [2][]Column) {
	for i, r := range []Rel{left, right} {
		for _, c := range r.Columns() {
			if c.Name[0] == 'c' {
				c.Name = fmt.Sprintf("%c.%s", "lr"[i], c.Name)
				sides[i] = append(sides[i], c)
			}
		}
		if g.IntN(5) == 0 {
			only[i] = predicate(g.Rand, sides[i], 0)
		}
	}
	return only, sides
}
