package op_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
)

const (
	second = int64(1_000_000)
	minute = 60 * second
)

// field is a column of a test input.
func field(name string, t types.Type) types.Field {
	return types.Field{Name: name, Type: t, Nullable: true}
}

var (
	timestamp = types.Of(types.Timestamp)
	varchar   = types.Of(types.Varchar)
	bigint    = types.Of(types.BigInt)
	integer   = types.Of(types.Int)
	double    = types.Of(types.Double)
)

// grouping builds an AggregateConfig over named columns.
type grouping struct {
	t      testing.TB
	fields []types.Field
	cfg    op.AggregateConfig
	out    []types.Field
}

func groupOver(t testing.TB, mode types.Mode, fields ...types.Field) *grouping {
	return &grouping{t: t, fields: fields, cfg: op.AggregateConfig{Mode: mode, Alloc: memory.DefaultAllocator}}
}

func (g *grouping) column(name string) expr.Expr {
	for i, f := range g.fields {
		if f.Name == name {
			return &expr.Column{Index: i, Name: name, T: f.Type, Null: true}
		}
	}
	g.t.Fatalf("no column %q", name)
	return nil
}

// windows lays windows over the column ts, which has a watermark.
func (g *grouping) windows(w op.Windows) *grouping {
	g.cfg.Windows, g.cfg.Time, g.cfg.Watermarked = &w, g.column("ts"), true
	g.out = append(g.out, field("window_start", timestamp), field("window_end", timestamp))
	return g
}

func tumble(size int64) op.Windows { return op.Windows{SizeMicros: size, SlideMicros: size} }

func (g *grouping) by(names ...string) *grouping {
	for _, n := range names {
		c := g.column(n)
		g.cfg.Keys = append(g.cfg.Keys, c)
		g.out = append(g.out, field(n, c.Type()))
	}
	return g
}

// call adds an aggregate; no columns mean count(*).
func (g *grouping) call(name string, columns ...string) *grouping {
	g.t.Helper()
	var args []expr.Expr
	for _, c := range columns {
		args = append(args, g.column(c))
	}
	return g.bound(name, args)
}

func (g *grouping) bound(name string, args []expr.Expr) *grouping {
	g.t.Helper()
	agg, err := expr.BindAggregate(name, args, len(args) == 0, sqlerr.Span{})
	if err != nil {
		g.t.Fatal(err)
	}
	g.cfg.Calls = append(g.cfg.Calls, op.AggregateCall{Aggregate: agg})
	g.out = append(g.out, field(name, agg.Type))
	return g
}

// distinct makes the last call one over distinct arguments.
func (g *grouping) distinct() *grouping {
	g.cfg.Calls[len(g.cfg.Calls)-1].Distinct = true
	return g
}

// where gives the last call a filter.
func (g *grouping) where(column string) *grouping {
	g.cfg.Calls[len(g.cfg.Calls)-1].Filter = g.column(column)
	return g
}

func (g *grouping) make() (op.Stateful, error) {
	cfg := g.cfg
	cfg.Schema = types.ArrowSchema(g.out)
	return op.NewAggregate(cfg)
}

func (g *grouping) run(steps ...optest.Step) {
	g.t.Helper()
	optest.Run(g.t.(*testing.T), optest.Case{New: g.make, Inputs: [][]types.Field{g.fields}, Steps: steps})
}

var readings = []types.Field{field("ts", timestamp), field("k", varchar), field("v", bigint)}

func TestAppendEmitsAWindowOnceWhenItIsClosed(t *testing.T) {
	groupOver(t, types.Append, readings...).windows(tumble(10*second)).by("k").call("count").call("sum", "v").run(
		optest.Step{
			Rows: []string{
				"2024-01-01 00:00:01 | a | 1", "2024-01-01 00:00:12 | b | 2", "2024-01-01 00:00:09.999999 | a | 4",
				"2024-01-01 00:00:10 | NULL | 8", "2024-01-01 00:00:03 | b | NULL",
			},
			Total: 4, Updated: 4,
		},
		optest.Step{
			Evict: "2024-01-01 00:00:10",
			Want: []string{
				"2024-01-01 00:00:00 | 2024-01-01 00:00:10 | a | 2 | 5",
				"2024-01-01 00:00:00 | 2024-01-01 00:00:10 | b | 1 | NULL",
			},
			Total: 2, Removed: 2,
		},
		optest.Step{
			Late: "2024-01-01 00:00:10", Evict: "2024-01-01 00:00:10",
			Rows:     []string{"2024-01-01 00:00:09 | a | 1", "2024-01-01 00:00:19 | NULL | 16", "2024-01-01 00:00:00 | c | 1"},
			WantLate: []string{"2024-01-01 00:00:09 | a | 1", "2024-01-01 00:00:00 | c | 1"},
			Total:    2, Updated: 1,
		},
		optest.Step{
			Late: "2024-01-01 00:00:10", Evict: "2024-01-01 00:00:20",
			Want: []string{
				"2024-01-01 00:00:10 | 2024-01-01 00:00:20 | NULL | 2 | 24",
				"2024-01-01 00:00:10 | 2024-01-01 00:00:20 | b | 1 | 2",
			},
			Removed: 2,
		},
	)
}

func TestUpdateEmitsTouchedGroupsAndEvictsInSilence(t *testing.T) {
	groupOver(t, types.Update, readings...).windows(tumble(10*second)).by("k").call("max", "v").run(
		optest.Step{
			Rows:  []string{"2024-01-01 00:00:01 | a | 1", "2024-01-01 00:00:11 | a | 2", "2024-01-01 00:00:12 | b | 3"},
			Total: 3, Updated: 3,
			Want: []string{
				"2024-01-01 00:00:00 | 2024-01-01 00:00:10 | a | 1",
				"2024-01-01 00:00:10 | 2024-01-01 00:00:20 | a | 2",
				"2024-01-01 00:00:10 | 2024-01-01 00:00:20 | b | 3",
			},
		},
		optest.Step{Evict: "2024-01-01 00:00:11", Total: 2, Removed: 1},
		optest.Step{
			Late: "2024-01-01 00:00:11", Evict: "2024-01-01 00:00:11",
			Rows:     []string{"2024-01-01 00:00:02 | a | 1", "2024-01-01 00:00:19 | b | 1"},
			WantLate: []string{"2024-01-01 00:00:02 | a | 1"},
			Want:     []string{"2024-01-01 00:00:10 | 2024-01-01 00:00:20 | b | 3"},
			Total:    2, Updated: 1,
		},
	)
}

func TestARowMayOpenAndCloseAWindowInOneBatch(t *testing.T) {
	groupOver(t, types.Append, readings...).windows(tumble(10 * second)).call("count").run(
		optest.Step{
			Late: "1970-01-01 00:00:00", Evict: "2024-01-01 00:00:30",
			Rows:    []string{"2024-01-01 00:00:01 | a | 1", "2024-01-01 00:00:31 | a | 1"},
			Want:    []string{"2024-01-01 00:00:00 | 2024-01-01 00:00:10 | 1"},
			Updated: 2, Removed: 1, Total: 1,
		},
	)
}

func TestCompleteKeepsAndEmitsEverything(t *testing.T) {
	groupOver(t, types.Complete, readings...).windows(tumble(10*second)).call("count").run(
		optest.Step{
			Rows:  []string{"2024-01-01 00:00:01 | a | 1"},
			Want:  []string{"2024-01-01 00:00:00 | 2024-01-01 00:00:10 | 1"},
			Total: 1, Updated: 1,
		},
		optest.Step{
			Late: "2024-01-02 00:00:00", Evict: "2024-01-02 00:00:00",
			Rows: []string{"2024-01-01 00:00:05 | a | 1", "1969-12-31 23:59:59 | a | 1"},
			Want: []string{
				"1969-12-31 23:59:50 | 1970-01-01 00:00:00 | 1",
				"2024-01-01 00:00:00 | 2024-01-01 00:00:10 | 2",
			},
			Total: 2, Updated: 2,
		},
	)
}

func TestAGlobalAggregateAlwaysHasOneGroup(t *testing.T) {
	for _, mode := range []types.Mode{types.Update, types.Complete} {
		groupOver(t, mode, readings...).call("count").call("max", "v").run(
			optest.Step{Want: []string{"0 | NULL"}, Total: 1, Updated: 1},
			optest.Step{Rows: []string{"NULL | a | 5", "NULL | a | NULL"}, Want: []string{"2 | 5"}, Total: 1, Updated: 1},
			optest.Step{Evict: "2024-01-01 00:00:00", Want: []string{"2 | 5"}, Total: 1, Updated: 1},
		)
	}
}

func TestTimesAtTheEndsOfTheCalendar(t *testing.T) {
	groupOver(t, types.Complete, readings...).windows(tumble(minute)).call("count").run(
		optest.Step{
			Rows: []string{"0001-01-01 00:00:00 | a | 1", "9999-12-31 23:59:59.999999 | a | 1", "NULL | a | 1", "1969-12-31 23:59:59.999999 | a | 1"},
			Want: []string{
				"0001-01-01 00:00:00 | 0001-01-01 00:01:00 | 1",
				"1969-12-31 23:59:00 | 1970-01-01 00:00:00 | 1",
				"9999-12-31 23:59:00 | 10000-01-01 00:00:00 | 1",
			},
			Total: 3, Updated: 3,
		},
	)
}

func TestAClosingKeyClosesItsGroup(t *testing.T) {
	g := groupOver(t, types.Append, readings...).by("ts").call("count")
	g.cfg.Close, g.cfg.Watermarked = g.column("ts"), true
	g.run(
		optest.Step{
			Rows:  []string{"2024-01-01 00:00:10 | a | 1", "NULL | a | 1", "2024-01-01 00:00:25 | a | 1", "2024-01-01 00:00:10 | b | 2"},
			Total: 3, Updated: 3,
		},
		optest.Step{
			Evict: "2024-01-01 00:00:10",
			Want:  []string{"2024-01-01 00:00:10 | 2"},
			Total: 2, Removed: 1,
		},
		optest.Step{
			Late: "2024-01-01 00:00:10", Evict: "2024-01-01 00:00:24.999999",
			Rows:     []string{"2024-01-01 00:00:10 | a | 1", "NULL | a | 1"},
			WantLate: []string{"2024-01-01 00:00:10 | a | 1"},
			Total:    2, Updated: 1,
		},
	)
}

func TestWithoutAWatermarkNothingIsLate(t *testing.T) {
	g := groupOver(t, types.Update, readings...).windows(tumble(10 * second)).call("count")
	g.cfg.Watermarked = false
	g.run(optest.Step{
		Rows:  []string{"1969-12-31 23:59:59 | a | 1"},
		Want:  []string{"1969-12-31 23:59:50 | 1970-01-01 00:00:00 | 1"},
		Total: 1, Updated: 1,
	})
}
