package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ssql/plan"
	"ssql/sql/types"
)

// Production is one row of the grammar: a shape of queries.
type Production struct {
	Name string
	// Streams is how many streams it needs, Weight how often it is drawn.
	Streams, Weight int
	// From draws what is read; nil reads the first stream.
	From func(g *gen) Rel
	// Window draws the window; nil for none.
	Window func(g *gen) *Window
	// Grouped makes an aggregation, ByTime one with the event time as a key, Rollup one by
	// ROLLUP.
	Grouped, ByTime, Rollup bool
	// KeysOnly selects the keys of the deduplication or ranking below, for which of the rows
	// of a key is kept is open.
	KeysOnly bool
	// Modes are those that the engine takes.
	Modes []types.Mode
	// Changes says that retraction is on, since an aggregation or ranking stands over rows that
	// change, or a condition over those: rows are taken back and deleted, which Spark does
	// not do and the model does not know.
	Changes bool
	// Loose says that the result depends on where batches are cut, also when no row is
	// late: DuckDB cannot know it.
	Loose bool
}

var (
	appendOnly   = []types.Mode{types.Append}
	completeOnly = []types.Mode{types.Complete}
	appendUpdate = []types.Mode{types.Append, types.Update}
	appendTable  = []types.Mode{types.Append, types.Complete}
	updateOnly   = []types.Mode{types.Update}
	allModes     = []types.Mode{types.Append, types.Update, types.Complete}
	updateAndAll = []types.Mode{types.Update, types.Complete}
)

// grammar is the table of queries.
var grammar = []Production{
	{Name: "filter and project", Streams: 1, Weight: 2, Modes: appendUpdate},
	{Name: "tumble", Streams: 1, Weight: 4, Window: tumble, Grouped: true, Modes: allModes},
	{Name: "hop", Streams: 1, Weight: 4, Window: hop, Grouped: true, Modes: allModes},
	{Name: "cumulate", Streams: 1, Weight: 2, Window: cumulate, Grouped: true, Modes: allModes},
	{Name: "session", Streams: 1, Weight: 4, Window: sessions, Grouped: true, Modes: appendTable},
	{Name: "rows of windows", Streams: 1, Weight: 1, Window: anyWindow, Modes: appendUpdate},
	{Name: "group by event time", Streams: 1, Weight: 2, Grouped: true, ByTime: true, Modes: allModes},
	{Name: "group without event time", Streams: 1, Weight: 2, Grouped: true, Modes: updateAndAll},
	{Name: "rollup", Streams: 1, Weight: 1, Grouped: true, Rollup: true, Modes: completeOnly},
	{Name: "union", Streams: 2, Weight: 1, From: union, Modes: appendUpdate},
	{Name: "union, windows", Streams: 2, Weight: 2, From: union, Window: anyWindow, Grouped: true, Modes: allModes},
	{Name: "union with itself, windows", Streams: 1, Weight: 1, From: unionWithItself, Window: anyWindow, Grouped: true, Modes: allModes},
	{Name: "dedup", Streams: 1, Weight: 2, From: dedup, Modes: appendUpdate},
	{Name: "dedup with event time", Streams: 1, Weight: 2, From: dedupByTime, Modes: appendUpdate},
	{Name: "dedup within watermark", Streams: 1, Weight: 2, From: dedupWithin, Modes: appendUpdate, Loose: true},
	{Name: "dedup, windows", Streams: 1, Weight: 2, From: dedupByTime, Window: anyWindow, Grouped: true, Modes: appendUpdate},
	{Name: "dedup within watermark, windows", Streams: 1, Weight: 1, From: dedupWithin, Window: anyWindow, Grouped: true, Modes: appendUpdate, Loose: true},
	{Name: "windows, windows", Streams: 1, Weight: 2, From: counted(anyWindow), Window: anyWindow, Grouped: true, Modes: appendOnly},
	{Name: "session, windows", Streams: 1, Weight: 1, From: counted(plainSession), Window: anyWindow, Grouped: true, Modes: appendOnly},
	{Name: "windows, dedup", Streams: 1, Weight: 1, From: dedupOfCounts, KeysOnly: true, Modes: appendOnly},
	{Name: "distinct", Streams: 1, Weight: 1, From: distinctRows, KeysOnly: true, Modes: appendUpdate},
	{Name: "first by event time", Streams: 1, Weight: 2, From: firstByTime, KeysOnly: true, Modes: appendUpdate},
	{Name: "top rows", Streams: 1, Weight: 2, From: topRows, KeysOnly: true, Modes: updateOnly},
	{Name: "top rows of windows", Streams: 1, Weight: 2, From: topOfWindows, KeysOnly: true, Modes: appendUpdate},
	{Name: "groups, grouped", Streams: 1, Weight: 3, From: groups, Grouped: true, Modes: updateAndAll, Changes: true},
	{Name: "windows, grouped while they change", Streams: 1, Weight: 2, From: counted(anyWindow), Window: anyWindow, Grouped: true, Modes: updateAndAll, Changes: true},
	{Name: "top rows, grouped", Streams: 1, Weight: 2, From: topRows, Grouped: true, Modes: updateOnly, Changes: true},
	{Name: "groups, grouped twice", Streams: 1, Weight: 2, From: histogram, Grouped: true, Modes: updateAndAll, Changes: true},
	{Name: "groups, top rows", Streams: 1, Weight: 2, From: topOfGroups, KeysOnly: true, Modes: updateOnly, Changes: true},
	{Name: "groups, top rows, grouped", Streams: 1, Weight: 2, From: topOfGroups, Grouped: true, Modes: updateOnly, Changes: true},
	{Name: "top rows of changing keys", Streams: 1, Weight: 1, From: topOfHistogram, KeysOnly: true, Modes: updateOnly, Changes: true},
	{Name: "top rows, filtered", Streams: 1, Weight: 2, From: topRows, KeysOnly: true, Modes: updateOnly, Changes: true},
	{Name: "groups, distinct", Streams: 1, Weight: 1, From: distinctCounts, KeysOnly: true, Modes: updateOnly, Changes: true},
	{Name: "groups, distinct, grouped", Streams: 1, Weight: 1, From: distinctCounts, Grouped: true, Modes: updateOnly, Changes: true},
	{Name: "windows, filtered", Streams: 1, Weight: 1, Window: anyWindow, Grouped: true, Modes: updateOnly, Changes: true},
	{Name: "groups, filtered", Streams: 1, Weight: 1, Grouped: true, Modes: updateOnly, Changes: true},
	{Name: "join, groups, grouped", Streams: 2, Weight: 2, From: groupsOfJoin, Grouped: true, Modes: updateAndAll, Changes: true},
	{Name: "join, groups, top rows", Streams: 2, Weight: 2, From: topOfJoin, KeysOnly: true, Modes: updateOnly, Changes: true},
	{Name: "inner join", Streams: 2, Weight: 3, From: join(Inner), Modes: appendUpdate},
	{Name: "inner join, one watermark", Streams: 2, Weight: 2, From: oneSided, Modes: appendUpdate, Loose: true},
	{Name: "left join", Streams: 2, Weight: 3, From: join(Left), Modes: appendOnly},
	{Name: "right join", Streams: 2, Weight: 2, From: join(Right), Modes: appendOnly},
	{Name: "full join", Streams: 2, Weight: 2, From: join(Full), Modes: appendOnly},
	{Name: "semi join", Streams: 2, Weight: 2, From: join(Semi), Modes: appendUpdate},
	{Name: "anti join", Streams: 2, Weight: 2, From: join(Anti), Modes: appendOnly},
	{Name: "join, join", Streams: 3, Weight: 2, From: joinOfJoin, Modes: appendOnly},
	{Name: "join, dedup", Streams: 2, Weight: 1, From: dedupOfJoin, KeysOnly: true, Modes: appendOnly},
	{Name: "join, session", Streams: 2, Weight: 1, From: leftSide, Window: plainSession, Grouped: true, Modes: appendOnly},
	{Name: "join of counts", Streams: 2, Weight: 2, From: joinOfCounts, Modes: appendOnly},
	{Name: "as-of join", Streams: 2, Weight: 2, From: asOf, Modes: appendOnly},
	{Name: "as-of join, windows", Streams: 2, Weight: 1, From: asOf, Window: anyWindow, Grouped: true, Modes: appendOnly},
	{Name: "join of windows", Streams: 2, Weight: 2, From: joinOfWindows, Modes: appendOnly},
	{Name: "inner join, windows", Streams: 2, Weight: 2, From: timedJoin(Inner), Window: anyWindow, Grouped: true, Modes: appendOnly},
	{Name: "left join, windows", Streams: 2, Weight: 2, From: timedJoin(Left), Window: anyWindow, Grouped: true, Modes: appendOnly},
	{Name: "join with a table", Streams: 1, Weight: 2, From: staticJoin, Modes: appendUpdate},
	{Name: "join with a table, windows", Streams: 1, Weight: 1, From: staticJoin, Window: anyWindow, Grouped: true, Modes: allModes},
}

// Grammar returns the names of the rows of the grammar.
func Grammar() []string {
	names := make([]string, len(grammar))
	for i, p := range grammar {
		names[i] = p.Name
	}
	return names
}

// gen draws one case.
type gen struct {
	*rand.Rand
	c *Case
	p *Production
}

// one draws one of several.
func one[T any](g *gen, items ...T) T { return items[g.IntN(len(items))] }

// New draws the case of a seed among the rows of the grammar that keep accepts.
func New(seed uint64, keep func(name string) bool) *Case {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 0x5ec0de)), c: &Case{Seed: seed}}
	g.p = g.production(keep)
	g.c.Grammar = g.p
	g.c.Late = g.p.Loose || g.IntN(2) == 0
	g.c.NoData = !g.c.Late || g.IntN(6) > 0
	g.c.SegmentRows = one(g, 2, 7, 40, 1000)
	if g.c.Late && g.IntN(4) == 0 {
		g.c.Policy = plan.MaxPolicy
	}
	g.streams()
	g.query()
	g.bare()
	g.rows()
	return g.c
}

func (g *gen) production(keep func(string) bool) *Production {
	var drawn []*Production
	for i := range grammar {
		if keep(grammar[i].Name) {
			for range grammar[i].Weight {
				drawn = append(drawn, &grammar[i])
			}
		}
	}
	return drawn[g.IntN(len(drawn))]
}

// streams draws the columns: the event time, a key that all streams share, and others.
func (g *gen) streams() {
	domain := func(few bool) *Domain {
		for {
			if d := &domains[g.IntN(len(domains))]; d.Few || !few {
				return d
			}
		}
	}
	key, others := domain(true), []*Domain{}
	for key.Type.Kind == types.Double {
		key = domain(true) // Spark leaves open whether 0 and -0 are one key of a join
	}
	for range g.IntN(4) + 1 {
		others = append(others, domain(false))
	}
	for i := range g.p.Streams {
		s := &Stream{Name: fmt.Sprintf("s%d", i), DelayMicros: one[int64](g, 0, 1, 3, 5, 10, 20) * 1e6}
		s.Cols = []Column{
			{Name: "ts", Type: eventTime.Type, Domain: &eventTime, Shifts: true},
			{Name: "k", Type: key.Type, Domain: key},
		}
		for n, d := range others {
			s.Cols = append(s.Cols, Column{Name: fmt.Sprintf("c%d", n), Type: d.Type, Domain: d})
		}
		g.c.Streams = append(g.c.Streams, s)
	}
}

// bare takes the watermarks away, at times, where the query does without.
func (g *gen) bare() {
	q := g.c.Query
	needed := q.Mode == types.Append && q.Grouped || anyRel(q.From, func(r Rel) bool {
		switch r := r.(type) {
		case *Join, *AsOf, *Rank, *Sub:
			return true
		case *Dedup:
			return r.Within
		}
		return false
	})
	for _, c := range q.Calls {
		needed = needed || c.Distinct // its values must be forgotten some time
	}
	if needed || g.IntN(6) > 0 {
		return
	}
	for _, s := range g.c.Streams {
		s.DelayMicros = -1
	}
}

// query draws the query.
func (g *gen) query() {
	q := &Query{Mode: one(g, g.p.Modes...)}
	g.c.Query = q
	if g.p.From != nil {
		q.From = g.p.From(g)
	} else {
		q.From = g.scan(0)
	}
	cols := q.From.Columns()
	if g.IntN(2) == 0 && (!g.p.KeysOnly || g.p.Changes) {
		over := cols
		if r, ok := q.From.(*Rank); ok && g.p.Changes {
			over = cols[places(cols)[r.Order]:][:1] // the same whichever of equal rows is kept
		} else if g.p.Changes {
			over = cols[len(cols)-1:]
		} else if _, ok := q.From.(*Sub); ok {
			over = cols[2:] // a condition on keys is pushed below the grouping
		}
		q.Cond = predicate(g.Rand, over, 2)
	}
	if j, ok := q.From.(*Join); ok && !j.TimeKey && len(j.Bounds) == 0 {
		q.Cond = nil // it is pushed below, and decides there whether the join sees the event time
	}
	if g.p.Window != nil {
		q.Window = g.p.Window(g)
		free := q.Window.Kind != Cumulate && q.Window.WideIf == nil
		q.Window.Spark = q.Window.WideIf != nil || g.p.Grouped && free && g.IntN(3) == 0
	}
	if !g.p.Grouped {
		g.selection(q, cols)
		return
	}
	q.Grouped, q.ByTime, q.Rollup = true, g.p.ByTime, g.p.Rollup
	g.keys(q, cols)
	g.calls(q, cols)
	if q.Mode == types.Complete && !q.Rollup && len(q.keyColumns()) > 0 && g.IntN(4) == 0 {
		q.Limit = g.IntN(8) + 1
	}
}

func (g *gen) selection(q *Query, cols []Column) {
	if g.p.KeysOnly {
		for _, name := range keysOf(q.From) {
			for _, c := range cols {
				if c.Name == name {
					q.Select = append(q.Select, Item{c.Name, colExpr{c}})
				}
			}
		}
		return
	}
	if q.Window != nil {
		for _, c := range windowColumns() {
			q.Select = append(q.Select, Item{c.Name, colExpr{c}})
		}
	}
	for n := range g.IntN(4) + 1 {
		q.Select = append(q.Select, Item{fmt.Sprintf("x%d", n), scalar(g.Rand, cols)})
	}
}

// keysOf are the columns that are the same whichever row of a key is kept.
func keysOf(r Rel) []string {
	switch r := r.(type) {
	case *Dedup:
		return r.Keys
	case *Rank:
		if r.Then != nil {
			return columnNames(r.Columns())
		}
		if slices.Contains(r.Keys, r.Order) {
			return r.Keys
		}
		return append(slices.Clone(r.Keys), r.Order)
	}
	return nil
}

// keys draws at most two; a session and a ROLLUP need one.
func (g *gen) keys(q *Query, cols []Column) {
	if q.Rollup || q.Window != nil && q.Window.Kind == Session {
		q.Keys = append(q.Keys, cols[1])
		cols = cols[2:]
	}
	for _, c := range cols {
		if len(q.Keys) < 2 && c.Domain.Few && g.IntN(2) == 0 {
			q.Keys = append(q.Keys, c)
		}
	}
}

func (g *gen) calls(q *Query, cols []Column) {
	arrives := g.arrives(q)
	for n := range g.IntN(4) + 1 {
		call := Call{Name: fmt.Sprintf("a%d", n), Agg: aggregate("count")}
		if g.IntN(4) > 0 {
			call.ArgCol = cols[g.IntN(len(cols))]
			call.Arg = scalar(g.Rand, []Column{call.ArgCol})
			for {
				call.Agg = &aggregates[g.IntN(len(aggregates))]
				if call.Agg.Takes(call.ArgCol) && (!call.Agg.Ordered || arrives) {
					break
				}
			}
			// Distinct values are kept only for groups that close some time.
			closes := (q.Window != nil || q.ByTime) && q.Mode != types.Complete
			call.Distinct = closes && call.Agg.Distinct && g.IntN(3) == 0
		}
		if g.IntN(5) == 0 {
			call.Filter = predicate(g.Rand, cols, 1)
		}
		q.Calls = append(q.Calls, call)
	}
	// In update mode, as in Spark, the sink keeps the last row that HAVING let through, unless
	// rows are taken back.
	often := 4
	if g.p.Changes {
		often = 2
	}
	if q.Calls[0].Agg.Name == "count" && g.IntN(often) == 0 && (q.Mode != types.Update || g.c.Late || g.p.Changes) {
		q.Having = &Having{Op: g.IntN(len(comparisons)), Value: int64(g.IntN(5))}
	}
}

// arrives reports whether the order in which rows came is known where they are grouped.
func (g *gen) arrives(q *Query) bool {
	session := q.Window != nil && q.Window.Kind == Session
	return !session && !g.p.Changes && !anyRel(q.From, func(r Rel) bool {
		switch r.(type) {
		case *Join, *AsOf, *StaticJoin, *Sub, *Union:
			return true
		}
		return false
	})
}

func aggregate(name string) *Aggregate {
	for i := range aggregates {
		if aggregates[i].Name == name {
			return &aggregates[i]
		}
	}
	return nil
}

// scan reads a stream, at times through a filter.
func (g *gen) scan(i int) Rel {
	s := &Scan{i, g.c.Streams[i]}
	if g.IntN(4) > 0 {
		return s
	}
	cols := s.Columns()
	if g.p.Streams > 1 {
		cols = cols[2:] // a condition on a key of a join would hold for the other side, too
	}
	return &Where{s, predicate(g.Rand, cols, 1)}
}

func tumble(g *gen) *Window {
	size := one[int64](g, 1, 5, 7, 10, 60) * 1e6
	return &Window{Kind: Tumble, Size: size, Slide: size, Offset: g.offset(size)}
}

// offset is none, or less than a period, to either side.
func (g *gen) offset(period int64) int64 {
	if period <= 1e6 || g.IntN(3) > 0 {
		return 0
	}
	return (g.Int64N(2*period/1e6-1) - (period/1e6 - 1)) * 1e6
}

func hop(g *gen) *Window {
	slide := one[int64](g, 1, 2, 5, 7) * 1e6
	size := slide * int64(g.IntN(4)+1)
	if g.IntN(3) == 0 {
		size += g.Int64N(slide/1e6+1) * 1e6 // not a multiple
	}
	return &Window{Kind: Hop, Size: size, Slide: slide, Offset: g.offset(slide)}
}

func cumulate(g *gen) *Window {
	step := one[int64](g, 1, 2, 5) * 1e6
	return &Window{Kind: Cumulate, Size: step * int64(g.IntN(5)+1), Slide: step, Offset: g.offset(step)}
}

func anyWindow(g *gen) *Window { return one(g, tumble, hop, cumulate)(g) }

// sessions have a constant gap, or one that depends on the row.
func sessions(g *gen) *Window {
	w := plainSession(g)
	if g.IntN(3) == 0 {
		w.Wide = one[int64](g, 0, 2, 15) * 1e6
		w.WideIf = predicate(g.Rand, g.c.Query.From.Columns()[1:], 1)
	}
	return w
}

func plainSession(g *gen) *Window {
	return &Window{Kind: Session, Size: one[int64](g, 1, 3, 5, 10) * 1e6}
}
