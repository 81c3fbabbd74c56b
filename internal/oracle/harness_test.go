package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ssql/sql/types"
)

// TestGrammarSays draws some cases of each row of the grammar: all of them must bind, and
// some must have a result, also one that DuckDB is asked for, and late rows where rows can
// be late. A row that says nothing would test nothing.
func TestGrammarSays(t *testing.T) {
	neverLate := map[string]bool{
		"filter and project": true, "rows of windows": true, "group without event time": true, "rollup": true, "union": true,
		"top rows": true, "top rows, grouped": true, "groups, grouped": true, "join with a table": true,
		"groups, grouped twice": true, "groups, filtered": true, "top rows, filtered": true, "groups, top rows": true, "groups, top rows, grouped": true,
		"top rows of changing keys": true, "groups, distinct": true, "groups, distinct, grouped": true,
	}
	for _, name := range Grammar() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, punctual, late := 0, 0, int64(0)
			for seed := range uint64(50) {
				c := New(seed, func(n string) bool { return n == name })
				out, err := Run(c, Way{})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, c)
				}
				rows += len(out.Sink)
				late += out.Late
				if !c.Late {
					punctual += len(out.Sink)
				}
			}
			if rows == 0 || punctual == 0 && !grammarRow(name).Loose || (late == 0) != neverLate[name] {
				t.Errorf("%d rows of result, %d of them without late rows, %d late rows", rows, punctual, late)
			}
		})
	}
}

func grammarRow(name string) *Production {
	i := slices.IndexFunc(grammar, func(p Production) bool { return p.Name == name })
	return &grammar[i]
}

// TestSeedsAreStable: the same seed gives the same case, to the last row.
func TestSeedsAreStable(t *testing.T) {
	for seed := range uint64(50) {
		a, b := New(seed, everything), New(seed, everything)
		if a.String() != b.String() {
			t.Fatalf("seed %d gives two cases:\n%s\n%s", seed, a, b)
		}
	}
}

func everything(string) bool { return true }

// exercise is the six events of five-minute windows with ten minutes of patience.
func exercise() *Case {
	clock := func(minute, second int64) int64 { return startMicros + minute*60e6 + second*1e6 }
	s := &Stream{Name: "s0", DelayMicros: 600e6, Cols: []Column{
		{Name: "ts", Type: eventTime.Type, Domain: &eventTime, Shifts: true},
		{Name: "k", Type: types.Of(types.Varchar), Domain: &domains[0]},
	}}
	feed := func(rows ...Row) Feed { return Feed{Rows: [][]Row{rows}} }
	return &Case{
		Grammar: &Production{}, Streams: []*Stream{s}, NoData: true, Late: true, SegmentRows: 10,
		Query: &Query{
			Mode: types.Append, From: &Scan{0, s}, Grouped: true, Window: &Window{Kind: Tumble, Size: 300e6, Slide: 300e6},
			Calls: []Call{{Name: "n", Agg: aggregate("count")}},
		},
		Feeds: []Feed{
			feed(Row{clock(1, 0), "A"}, Row{clock(4, 0), "B"}),
			feed(Row{clock(3, 0), "C"}, Row{clock(16, 0), "D"}),
			feed(Row{clock(2, 0), "E"}, Row{clock(17, 0), "F"}),
		},
	}
}

// TestModelOnTheExercise pins the model to what Spark recorded for the exercise.
func TestModelOnTheExercise(t *testing.T) {
	var got []string
	for _, b := range Model(exercise()) {
		line := fmt.Sprintf("batch %d in=%d watermark=%s late=%d kept=%d", b.ID, b.In, types.FormatTimestamp(b.Watermark)[11:], b.Ops[0].Late, b.Ops[0].Total)
		for _, r := range b.Rows {
			line += " | " + types.FormatTimestamp(r[0].(int64))[11:] + " " + text(r[2])
		}
		got = append(got, line)
	}
	want := []string{
		"batch 0 in=2 watermark=00:00:00 late=0 kept=1",
		"batch 1 in=0 watermark=11:54:00 late=0 kept=1",
		"batch 2 in=2 watermark=11:54:00 late=0 kept=2",
		"batch 3 in=0 watermark=12:06:00 late=0 kept=1 | 12:00:00 3",
		"batch 4 in=2 watermark=12:06:00 late=1 kept=1",
		"batch 5 in=0 watermark=12:07:00 late=0 kept=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDifferencesAreSeen changes one thing of a run at a time.
func TestDifferencesAreSeen(t *testing.T) {
	c := exercise()
	batches := func() []Batch { return Model(c) }
	for name, change := range map[string]func(b []Batch) []Batch{
		"a count":       func(b []Batch) []Batch { b[3].Rows[0][2] = int64(4); return b },
		"a row missing": func(b []Batch) []Batch { b[3].Rows = nil; return b },
		"a row twice":   func(b []Batch) []Batch { b[3].Rows = append(b[3].Rows, b[3].Rows[0]); return b },
		"a late row":    func(b []Batch) []Batch { b[4].Ops[0].Late = 0; return b },
		"a row kept":    func(b []Batch) []Batch { b[4].Ops[0].Total++; return b },
		"a watermark":   func(b []Batch) []Batch { b[5].Watermark++; return b },
		"a batch":       func(b []Batch) []Batch { return b[:5] },
	} {
		if differBatches(c, change(batches()), batches()) == "" {
			t.Errorf("nobody saw %s", name)
		}
	}
	if why := differBatches(c, batches(), batches()); why != "" {
		t.Error(why)
	}
}

func TestDifferToleratesOnlyWhatIsApproximate(t *testing.T) {
	exact := []Column{{Name: "k", Type: types.Of(types.Varchar)}, {Name: "x", Type: types.Of(types.Double)}}
	approx := slices.Clone(exact)
	approx[1].Approx = true
	got, want := []Row{{"a", 1.0}, {"b", 2.0}}, []Row{{"b", 2 * (1 + 1e-15)}, {"a", 1.0}}
	if why := differ("rows", approx, got, want); why != "" {
		t.Error(why)
	}
	if why := differ("rows", exact, got, want); why == "" {
		t.Error("an exact column may differ")
	}
	if why := differ("rows", approx, []Row{{"a", 1.0}}, []Row{{"a", 1.001}}); why == "" {
		t.Error("an approximate column may differ by a thousandth")
	}
}

// TestShrink leaves of a large case the one row and the one item that fail.
func TestShrink(t *testing.T) {
	var c *Case
	for seed := uint64(0); c == nil; seed++ {
		drawn := New(seed, func(name string) bool { return name == "tumble" })
		if drawn.rows() > 100 && len(drawn.Query.Calls) > 2 && len(drawn.Feeds) > 4 {
			c = drawn
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	at := c.Feeds[rng.IntN(len(c.Feeds))].Rows[0][0]
	fails := func(c *Case) string {
		for _, f := range c.Feeds {
			for _, r := range f.Rows[0] {
				if &r[0] == &at[0] {
					return "it fails"
				}
			}
		}
		return ""
	}
	small, why := shrink(c, "it fails", fails)
	if why != "it fails" || small.rows() != 1 || len(small.Feeds) != 1 || len(small.Query.Calls) != 1 || small.Query.Cond != nil {
		t.Errorf("what is left:\n%s", small)
	}
}
