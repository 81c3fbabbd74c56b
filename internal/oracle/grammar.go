package oracle

import (
	"fmt"
	"math/rand/v2"

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
	// Grouped makes an aggregation, ByTime one with the event time as a key.
	Grouped, ByTime bool
	// Modes are those that the engine takes.
	Modes []plan.Mode
	// Loose says that the result depends on where batches are cut, also when no row is
	// late: DuckDB cannot know it.
	Loose bool
}

var (
	appendOnly = []plan.Mode{plan.Append}
	streaming  = []plan.Mode{plan.Append, plan.Update}
	allModes   = []plan.Mode{plan.Append, plan.Update, plan.Complete}
	tables     = []plan.Mode{plan.Update, plan.Complete}
)

// grammar is the table of queries.
var grammar = []Production{
	{Name: "filter and project", Streams: 1, Weight: 2, Modes: streaming},
	{Name: "tumble", Streams: 1, Weight: 4, Window: tumble, Grouped: true, Modes: allModes},
	{Name: "hop", Streams: 1, Weight: 4, Window: hop, Grouped: true, Modes: allModes},
	{Name: "cumulate", Streams: 1, Weight: 2, Window: cumulate, Grouped: true, Modes: allModes},
	{Name: "rows of windows", Streams: 1, Weight: 1, Window: anyWindow, Modes: streaming},
	{Name: "group by event time", Streams: 1, Weight: 2, Grouped: true, ByTime: true, Modes: allModes},
	{Name: "group without event time", Streams: 1, Weight: 2, Grouped: true, Modes: tables},
	{Name: "union", Streams: 2, Weight: 1, From: union, Modes: streaming},
	{Name: "union, windows", Streams: 2, Weight: 2, From: union, Window: anyWindow, Grouped: true, Modes: allModes},
	{Name: "dedup", Streams: 1, Weight: 2, From: dedup, Modes: streaming},
	{Name: "dedup with event time", Streams: 1, Weight: 2, From: dedupByTime, Modes: streaming},
	{Name: "dedup within watermark", Streams: 1, Weight: 2, From: dedupWithin, Modes: streaming, Loose: true},
	{Name: "dedup, windows", Streams: 1, Weight: 2, From: dedupByTime, Window: anyWindow, Grouped: true, Modes: streaming},
	{Name: "join", Streams: 2, Weight: 3, From: innerJoin, Modes: appendOnly},
	{Name: "left join", Streams: 2, Weight: 3, From: leftJoin, Modes: appendOnly},
	{Name: "join, windows", Streams: 2, Weight: 2, From: innerJoin, Window: anyWindow, Grouped: true, Modes: appendOnly},
	{Name: "left join, windows", Streams: 2, Weight: 2, From: leftJoin, Window: anyWindow, Grouped: true, Modes: appendOnly},
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

// query draws the query.
func (g *gen) query() {
	q := &Query{Mode: one(g, g.p.Modes...), Time: "ts", From: g.scan(0)}
	g.c.Query = q
	if g.p.From != nil {
		q.From = g.p.From(g)
	}
	if _, ok := q.From.(*Join); ok {
		q.Time = "l_ts"
	}
	cols := q.From.Columns()
	if g.IntN(2) == 0 {
		q.Cond = predicate(g.Rand, cols, 2)
	}
	if g.p.Window != nil {
		q.Window = g.p.Window(g)
		q.Window.Spark = g.p.Grouped && q.Window.Kind != Cumulate && g.IntN(3) == 0
	}
	if !g.p.Grouped {
		g.selection(q, cols)
		return
	}
	q.Grouped, q.ByTime = true, g.p.ByTime
	g.keys(q, cols)
	g.calls(q, cols)
}

func (g *gen) selection(q *Query, cols []Column) {
	if q.Window != nil {
		for _, c := range windowColumns() {
			q.Select = append(q.Select, Item{c.Name, colExpr{c}})
		}
	}
	for n := range g.IntN(4) + 1 {
		q.Select = append(q.Select, Item{fmt.Sprintf("x%d", n), scalar(g.Rand, cols)})
	}
}

func (g *gen) keys(q *Query, cols []Column) {
	for _, c := range cols {
		if len(q.Keys) < 2 && c.Domain.Few && g.IntN(2) == 0 {
			q.Keys = append(q.Keys, c)
		}
	}
}

func (g *gen) calls(q *Query, cols []Column) {
	for n := range g.IntN(4) + 1 {
		call := Call{Name: fmt.Sprintf("a%d", n), Agg: aggregate("count")}
		if g.IntN(4) > 0 {
			call.ArgCol = cols[g.IntN(len(cols))]
			call.Arg = colExpr{call.ArgCol}
			for {
				if call.Agg = &aggregates[g.IntN(len(aggregates))]; call.Agg.Takes(call.ArgCol) {
					break
				}
			}
			// Distinct values are kept only for groups that close some time.
			closes := (q.Window != nil || q.ByTime) && q.Mode != plan.Complete
			call.Distinct = closes && call.Agg.Name == "count" && g.IntN(2) == 0
		}
		if g.IntN(5) == 0 {
			call.Filter = predicate(g.Rand, cols, 1)
		}
		q.Calls = append(q.Calls, call)
	}
	// In update mode the sink keeps the last row that HAVING let through.
	if q.Calls[0].Agg.Name == "count" && g.IntN(4) == 0 && (q.Mode != plan.Update || g.c.Late) {
		q.Having = &Having{Op: g.IntN(len(comparisons)), Value: int64(g.IntN(5))}
	}
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

func union(g *gen) Rel { return &Union{[]Rel{g.scan(0), g.scan(1)}} }

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

func innerJoin(g *gen) Rel { return g.join(false) }

func leftJoin(g *gen) Rel { return g.join(true) }

func (g *gen) join(outer bool) Rel {
	j := &Join{Left: g.scan(0), Right: g.scan(1), Outer: outer, Keys: []string{"k"}}
	if g.IntN(4) == 0 {
		j.TimeKey = true
	} else {
		// r_ts + low <(=) l_ts <(=) r_ts + high; the lower bound says when a left row is over.
		low := -g.Int64N(12) * 1e6
		j.Bounds = []Bound{
			{OrEqual: g.IntN(2) == 0, Micros: low},
			{OrEqual: g.IntN(2) == 0, Micros: low + g.Int64N(15)*1e6, Above: true},
		}
	}
	if g.IntN(4) == 0 {
		left := j.Left.Columns()
		c := left[2+g.IntN(len(left)-2)]
		l, r, op := c, c, 0
		l.Name, r.Name = "l."+c.Name, "r."+c.Name
		for j.Residual == nil || comparisons[op].op == "=" { // equality would be one more key
			op = g.IntN(len(comparisons))
			j.Residual, j.Compared = comparison(op, colExpr{l}, colExpr{r}), c.Name
		}
	}
	return j
}
