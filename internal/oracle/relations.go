package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ssql/internal/vfs"
	"ssql/sql/types"
)

// relation is one way in which the engine must agree with itself.
type relation struct {
	name string
	// check returns what disagrees with the plain run of the case; "" if nothing does, or if
	// the relation says nothing about the case.
	check func(c *Case, base *Outcome) string
}

// relations is the table of relations.
func relations() []relation {
	return []relation{
		{"chunks of 1 row", same(Way{ChunkRows: 1})},
		{"chunks of 3 rows", same(Way{ChunkRows: 3})},
		{"1 worker", identical(Way{Workers: 1})},
		{"4 workers", identical(Way{Workers: 4})},
		{"restarts", restarts},
		{"crashes", crashes},
		{"other cuts into batches", otherCuts},
		{"late rows added", lateRowsAdded},
		{"all times shifted", timesShifted},
		{"other queries in one statement set", inASet},
	}
}

// identical wants the same bytes in the same order.
func identical(w Way) func(*Case, *Outcome) string {
	return func(c *Case, base *Outcome) string {
		out, err := Run(c, w)
		if err != nil {
			return err.Error()
		}
		if why := differLists(out.Lines, base.Lines); why != "" {
			return why
		}
		return differLists(out.SinkText, base.SinkText)
	}
}

// same wants the same bytes, the rows of a batch in any order.
func same(w Way) func(*Case, *Outcome) string {
	return func(c *Case, base *Outcome) string {
		out, err := Run(c, w)
		if err != nil {
			return err.Error()
		}
		return differLists(anyOrder(out.Lines), anyOrder(base.Lines)) + differStored(out, base)
	}
}

// restartsMax is about how often a case is opened again: a start reads the whole log.
const restartsMax = 40

// restarts closes and opens the query after every batch, or after every few when there
// are very many.
func restarts(c *Case, base *Outcome) string {
	return same(Way{RestartEvery: 1 + len(base.Batches)/restartsMax})(c, base)
}

// anyOrder sorts the rows of each batch.
func anyOrder(batches []string) []string {
	out := make([]string, len(batches))
	for i, b := range batches {
		lines := strings.Split(b, "\n")
		slices.Sort(lines[1:])
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

// differLists compares two lists, order included.
func differLists(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("got\n%s\ninstead of\n%s", g, w)
		}
	}
	return ""
}

// differStored compares what is stored in the end, to the last bit.
func differStored(out, base *Outcome) string {
	if why := differLines("the sink", out.SinkText, base.SinkText); why != "" {
		return why
	}
	return differLines("the late rows", out.LateRows, base.LateRows)
}

// crashes lets the disk fail once, or again soon after the start that follows, at
// operations and with losses that follow from the seed of the case.
func crashes(c *Case, base *Outcome) string {
	if base.DiskOps == 0 {
		return ""
	}
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	modes := vfs.CrashModes()
	w := Way{Crash: modes[rng.IntN(len(modes))], Seed: c.Seed, CrashAt: []int{rng.IntN(base.DiskOps) + 1}}
	for rng.IntN(2) == 0 {
		w.CrashAt = append(w.CrashAt, rng.IntN(20)+1)
	}
	out, err := Run(c, w)
	if err != nil {
		return fmt.Sprintf("crash at operations %v, %s: %v", w.CrashAt, w.Crash, err)
	}
	if why := differStored(out, base); why != "" {
		return fmt.Sprintf("crash at operations %v, %s: %s", w.CrashAt, w.Crash, why)
	}
	return ""
}

// otherCuts cuts the same rows into other batches: the final result is the same when no
// row can be late.
func otherCuts(c *Case, base *Outcome) string {
	if c.Late || c.Grammar.Loose {
		return ""
	}
	out, err := Run(c.recut(), Way{})
	if err != nil {
		return err.Error()
	}
	return differ("the sink", c.Query.Columns(), out.Sink, base.Sink)
}

// recut returns the case with its rows cut into batches anew.
func (c *Case) recut() *Case {
	rng := rand.New(rand.NewPCG(c.Seed, 2))
	out := *c
	out.Feeds = nil
	f := Feed{Rows: make([][]Row, len(c.Streams))}
	for _, old := range c.Feeds {
		for i, rows := range old.Rows {
			for _, r := range rows {
				f.Rows[i] = append(f.Rows[i], r)
				if rng.IntN(12) == 0 {
					f.Hold = rng.IntN(4) == 0
					out.Feeds = append(out.Feeds, f)
					f = Feed{Rows: make([][]Row, len(c.Streams))}
				}
			}
		}
	}
	out.Feeds = append(out.Feeds, f)
	return &out
}

// lateRowsAdded adds a batch of rows that are too late for everything: they are counted
// and change nothing.
func lateRowsAdded(c *Case, base *Outcome) string {
	final := c.finalMicros()
	if final == 0 || c.Grammar.Changes || !c.NoData || !c.Query.dropsLate() || len(c.Feeds) == 0 {
		return ""
	}
	out := *c
	f := Feed{Rows: make([][]Row, len(c.Streams))}
	added := int64(0)
	for i, rows := range c.Feeds[0].Rows {
		for n, r := range rows {
			if r[0] == nil {
				continue
			}
			late := slices.Clone(r)
			late[0] = final - 100e6 - int64(n)*7e6
			f.Rows[i] = append(f.Rows[i], late)
			added++
		}
	}
	out.Feeds = append(slices.Clone(c.Feeds), f)
	got, err := Run(&out, Way{})
	if err != nil {
		return err.Error()
	}
	if why := differLines("the sink", got.SinkText, base.SinkText); why != "" {
		return why
	}
	want := base.Late + added
	if !c.Query.keepsAll() {
		want = lateOf(Model(&out))
	}
	if got.Late != want {
		return fmt.Sprintf("%d rows late after adding %d, want %d", got.Late, added, want)
	}
	return ""
}

func lateOf(batches []Batch) int64 {
	n := int64(0)
	for _, b := range batches {
		for _, o := range b.Ops {
			n += o.Late
		}
	}
	return n
}

// dropsLate reports whether every row far behind the watermark is dropped as late.
func (q *Query) dropsLate() bool {
	if q.pushesDown() {
		return false
	}
	switch r := q.From.(type) {
	case *AsOf:
		return true
	case *Join:
		_, oneSided := r.oneSided()
		return r.TimeKey || len(r.Bounds) > 0 && !oneSided
	case *Dedup:
		time := r.Columns()[0].Name
		return r.Within || slices.Contains(r.Keys, r.In.Columns()[0].Name) || !r.Distinct && q.reads(time)
	case *Rank:
		time := r.Columns()[0].Name
		return slices.Contains(r.Keys, time) || r.Count == 1 && r.Order == time && !r.Desc
	case *Sub:
		return true
	}
	return q.Grouped && q.Mode != types.Complete && (q.Window != nil || q.ByTime)
}

// keepsAll reports whether every row of the streams reaches an operator that counts late
// rows.
func (q *Query) keepsAll() bool {
	switch r := q.From.(type) {
	case *Scan:
		return q.Cond == nil && q.Window != nil && q.Window.WideIf == nil
	case *Dedup:
		_, direct := r.In.(*Scan)
		return direct
	}
	return false
}

// windows returns the windows of a query and of what it reads.
func (q *Query) windows() []*Window {
	var out []*Window
	if q.Window != nil {
		out = append(out, q.Window)
	}
	anyRel(q.From, func(r Rel) bool {
		switch r := r.(type) {
		case *Windowed:
			out = append(out, r.Window)
		case *Sub:
			out = append(out, r.Query.Window)
		}
		return false
	})
	return out
}

// timesShifted moves all event times by whole windows: the result moves with them.
func timesShifted(c *Case, base *Outcome) string {
	const hour = 3600e6 // of the greatest time that windows and delays can take together
	shift := int64(1000e6)
	for _, w := range c.Query.windows() {
		if w.Kind != Session {
			shift *= w.Size * w.Slide / 1e12
		}
	}
	out := *c
	out.Query = c.Query.shifted(shift)
	out.Feeds = nil
	for _, f := range c.Feeds {
		moved := Feed{Hold: f.Hold, Rows: make([][]Row, len(f.Rows))}
		for i, rows := range f.Rows {
			for _, r := range rows {
				if t, ok := r[0].(int64); ok {
					if t < hour {
						return "" // the watermark starts at 1970, which does not move
					}
					r = slices.Clone(r)
					r[0] = t + shift
				}
				moved.Rows[i] = append(moved.Rows[i], r)
			}
		}
		out.Feeds = append(out.Feeds, moved)
	}
	got, err := Run(&out, Way{})
	if err != nil {
		return err.Error()
	}
	cols := c.Query.Columns()
	want := make([]Row, len(base.Sink))
	for i, r := range base.Sink {
		want[i] = slices.Clone(r)
		for k, col := range cols {
			if t, ok := r[k].(int64); ok && col.Shifts {
				want[i][k] = t + shift
			}
		}
	}
	return differ(fmt.Sprintf("the sink, shifted by %d s", shift/1e6), cols, got.Sink, want)
}
