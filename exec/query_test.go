package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec"
	"ssql/internal/vfs"
	"ssql/plan"
	"ssql/sinks"
	memsink "ssql/sinks/memory"
	"ssql/sources"
	"ssql/sources/files"
	memsource "ssql/sources/memory"
	"ssql/sql"
	"ssql/sql/types"
)

// fixture is one stream, one query and what outlives an engine: disk, sink, input.
type fixture struct {
	t       *testing.T
	query   string
	stream  *plan.Stream
	open    func(fields []types.Field) sources.Source
	limits  sources.Limits
	disk    vfs.FS
	store   memsink.Store
	batches []string // one line per committed batch
	last    *exec.Progress
	input   *memsource.Stream
}

func (f *fixture) Relation(name sql.Name) (*plan.Relation, error) {
	return &plan.Relation{Name: name[0].Name, Stream: f.stream}, nil
}

func (f *fixture) Similar(string) string { return "" }

// start opens the query on the fixture's disk and sink.
func (f *fixture) start() (*exec.Query, error) {
	f.t.Helper()
	q, err := sql.ParseQueryText(f.query)
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := plan.Bind(q, f, plan.Options{Mode: types.Append})
	if err != nil {
		f.t.Fatal(err)
	}
	sink, err := f.store.Open(sinks.OpenContext{Query: "q", Target: "q"})
	if err != nil {
		f.t.Fatal(err)
	}
	cfg := exec.Config{
		Name: "q", Plan: p, Sink: sink, FS: f.disk, Dir: "ckpt", NoDataBatches: true, Limits: f.limits,
		SnapshotEvery: 3,
		OnBatch: func(p *exec.Progress, _ []exec.Rows) {
			f.last = p
			line := fmt.Sprintf("batch %d in=%d out=%d watermark=%s", p.BatchID, p.NumInputRows, p.Sink.NumOutputRows, types.FormatTimestamp(p.WatermarkMicros))
			if p.RowsLate > 0 {
				line += fmt.Sprintf(" late=%d", p.RowsLate)
			}
			f.batches = append(f.batches, line)
		},
	}
	for _, s := range p.Sources {
		cfg.Sources = append(cfg.Sources, f.open(s.Fields))
	}
	return exec.Open(context.Background(), cfg)
}

// run opens the query, runs what is there, and closes it.
func (f *fixture) run() error {
	q, err := f.start()
	if err != nil {
		return err
	}
	return errors.Join(q.Run(context.Background(), exec.Trigger{Kind: exec.AvailableNow}), q.Close())
}

// rows lists what the sink holds, sorted.
func (f *fixture) rows() []string {
	var out []string
	for _, rec := range f.store.Rows("q") {
		cells := make([]string, rec.NumCols())
		for i := range cells {
			cells[i] = types.Text(rec.Column(i), 0)
		}
		out = append(out, strings.Join(cells, " | "))
	}
	slices.Sort(out)
	return out
}

// timeline is the six-event exercise on a memory stream.
func timeline(t *testing.T) *fixture {
	f := &fixture{
		t: t, disk: vfs.NewMem(),
		query: `SELECT window_start, count(*) AS n FROM TUMBLE(events, event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end`,
		stream: &plan.Stream{
			ID:         "events",
			Stored:     []types.Field{{Name: "id", Type: types.Of(types.Varchar), Nullable: true}, {Name: "event_time", Type: types.Of(types.Timestamp), Nullable: true}},
			Order:      []string{"id", "event_time"},
			Watermarks: []plan.StreamWatermark{{Column: "event_time", DelayMicros: 600e6}},
		},
		input: memsource.NewStream(),
	}
	f.open = func(fields []types.Field) sources.Source { return f.input.Open(fields) }
	return f
}

// feed adds rows `id time`.
func (f *fixture) feed(rows ...string) {
	f.t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(f.stream.Stored))
	defer b.Release()
	for _, r := range rows {
		id, at, _ := strings.Cut(r, " ")
		b.Field(0).(*array.StringBuilder).Append(id)
		if err := types.AppendText(b.Field(1), types.Of(types.Timestamp), "2026-09-10 "+at); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := f.input.Feed(b.NewRecord()); err != nil {
		f.t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestTimelineWithARestartAfterEveryFeed(t *testing.T) {
	f := timeline(t)
	for _, rows := range [][]string{{"A 12:01:00", "B 12:04:00"}, {"C 12:03:00", "D 12:16:00"}, {"E 12:02:00", "F 12:17:00"}} {
		f.feed(rows...)
		if err := f.run(); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "batches", f.batches, []string{
		"batch 0 in=2 out=0 watermark=1970-01-01 00:00:00",
		"batch 1 in=0 out=0 watermark=2026-09-10 11:54:00",
		"batch 2 in=2 out=0 watermark=2026-09-10 11:54:00",
		"batch 3 in=0 out=1 watermark=2026-09-10 12:06:00",
		"batch 4 in=2 out=0 watermark=2026-09-10 12:06:00 late=1",
		"batch 5 in=0 out=0 watermark=2026-09-10 12:07:00",
	})
	equal(t, "sink", f.rows(), []string{"2026-09-10 12:00:00 | 3"})
}

const quakesDir = "../examples/quakes"

// quakes reads the earthquake feed from a folder, one file a batch.
func quakes(t *testing.T, dir string) *fixture {
	computed, err := sql.ParseExprText("epoch_ms(properties.time)")
	if err != nil {
		t.Fatal(err)
	}
	properties := types.StructOf(
		types.Field{Name: "mag", Type: types.Of(types.Double), Nullable: true},
		types.Field{Name: "time", Type: types.Of(types.BigInt), Nullable: true})
	f := &fixture{
		t: t, disk: vfs.NewMem(), limits: sources.Limits{FilesMax: 1},
		query: `SELECT window_start, count(*) AS n, max(properties.mag) AS strongest FROM TUMBLE(quakes, event_time, INTERVAL '1' HOUR) GROUP BY window_start, window_end`,
		stream: &plan.Stream{
			ID:         "quakes",
			Stored:     []types.Field{{Name: "properties", Type: properties, Nullable: true}},
			Computed:   []plan.ComputedColumn{{Name: "event_time", Expr: computed}},
			Order:      []string{"properties", "event_time"},
			Watermarks: []plan.StreamWatermark{{Column: "event_time", DelayMicros: types.DayMicros}},
		},
	}
	spec := files.Spec()
	set, err := sources.CheckOptions("files", spec.Options, []sources.Given{{Name: "path", Text: dir}, {Name: "order", Text: "name"}})
	if err != nil {
		t.Fatal(err)
	}
	f.open = func(fields []types.Field) sources.Source {
		s, err := spec.Open(sources.OpenContext{Stream: "quakes", Options: sources.Values{Set: set}, Fields: fields, Encode: make([]bool, len(fields))})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return f
}

// checkQuakes compares what came out with what DuckDB and Spark gave over the same feed.
func checkQuakes(t *testing.T, f *fixture, windows int, used, late, open int64) {
	t.Helper()
	gotUsed, gotLate := int64(0), int64(0)
	for _, rec := range f.store.Rows("q") {
		gotUsed += rec.Column(1).(*array.Int64).Value(0)
	}
	for _, rec := range f.store.Side("late_rows") {
		gotLate += rec.NumRows()
	}
	gotOpen := f.last.StateOperators[0].NumRowsTotal
	if n := len(f.rows()); n != windows || gotUsed != used || gotLate != late || gotOpen != open {
		t.Errorf("windows %d, rows used %d, late %d, open %d; want %d, %d, %d, %d", n, gotUsed, gotLate, gotOpen, windows, used, late, open)
	}
}

// A backlog is read one file a batch without closing batches between, so lateness
// lags one batch behind.
func TestQuakesBacklog(t *testing.T) {
	f := quakes(t, quakesDir)
	if err := f.run(); err != nil {
		t.Fatal(err)
	}
	checkQuakes(t, f, 143, 1239, 255, 25)
}

// Files that come one at a time each get their closing batch, and more rows are late.
func TestQuakesArriving(t *testing.T) {
	dir := t.TempDir()
	f := quakes(t, dir)
	parts, err := os.ReadDir(quakesDir)
	if err != nil || len(parts) == 0 {
		t.Fatalf("no files in %s: %v", quakesDir, err)
	}
	for _, p := range parts {
		text, err := os.ReadFile(filepath.Join(quakesDir, p.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name()), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.run(); err != nil {
			t.Fatal(err)
		}
	}
	checkQuakes(t, f, 143, 1194, 300, 25)
}
