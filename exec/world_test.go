package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec"
	"ssql/internal/vfs"
	"ssql/plan"
	"ssql/sinks"
	memsink "ssql/sinks/memory"
	"ssql/sources"
	memsource "ssql/sources/memory"
	"ssql/sql"
	"ssql/sql/types"
)

// handClock steps only when a test says so, or when the query waits: then it jumps to
// the end of the wait.
type handClock struct {
	now    time.Time
	waits  []time.Duration
	onWait func() // called when a wait begins
}

func (c *handClock) Now() time.Time { return c.now }

func (c *handClock) After(d time.Duration) <-chan time.Time {
	c.waits = append(c.waits, d)
	c.now = c.now.Add(d)
	if c.onWait != nil {
		c.onWait()
	}
	over := make(chan time.Time, 1)
	over <- c.now
	return over
}

// world is a query with several streams of (id, v, event_time), and what outlives its
// engine: disk, sink, input, clock.
type world struct {
	t       *testing.T
	query   string
	options plan.Options
	streams map[string]*plan.Stream
	inputs  map[string]*memsource.Stream
	clock   *handClock
	disk    vfs.FS
	store   memsink.Store
	change  func(c *exec.Config) // of the configuration, before the query is opened

	batches  []string // one line per committed batch
	notices  []string
	progress []*exec.Progress
}

const tumble5 = `SELECT window_start, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end`

// newWorld makes streams with a watermark delay of no time.
func newWorld(t *testing.T, query string, streams ...string) *world {
	w := &world{
		t: t, query: query, streams: map[string]*plan.Stream{}, inputs: map[string]*memsource.Stream{}, disk: vfs.NewMem(),
		clock: &handClock{now: time.Date(2026, 9, 10, 12, 0, 0, 0, time.UTC)},
	}
	for _, name := range streams {
		w.inputs[name] = memsource.NewStream()
		w.streams[name] = &plan.Stream{
			ID: name,
			Stored: []types.Field{
				{Name: "id", Type: types.Of(types.Varchar), Nullable: true}, {Name: "v", Type: types.Of(types.BigInt), Nullable: true},
				{Name: "event_time", Type: types.Of(types.Timestamp), Nullable: true},
			},
			Order:      []string{"id", "v", "event_time"},
			Watermarks: []plan.StreamWatermark{{Column: "event_time"}},
		}
	}
	return w
}

func (w *world) Relation(name sql.Name) (*plan.Relation, error) {
	s := w.streams[name[0].Name]
	if s == nil {
		return nil, nil
	}
	return &plan.Relation{Name: name[0].Name, Stream: s}, nil
}

func (w *world) Similar(string) string { return "" }

// feed adds rows `id v time` to a stream; the time is NULL or of the day 2026-09-10
// unless it has a date.
func (w *world) feed(stream string, rows ...string) {
	w.t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(w.streams[stream].Stored))
	defer b.Release()
	for _, r := range rows {
		cells := strings.SplitN(r, " ", 3)
		if !strings.Contains(cells[2], "-") && cells[2] != "NULL" {
			cells[2] = "2026-09-10 " + cells[2]
		}
		for i, f := range w.streams[stream].Stored {
			if cells[i] == "NULL" {
				b.Field(i).AppendNull()
			} else if err := types.AppendText(b.Field(i), f.Type, cells[i]); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	if err := w.inputs[stream].Feed(b.NewRecord()); err != nil {
		w.t.Fatal(err)
	}
}

// inserts are the INSERTs of a statement set; a SELECT goes to table q.
func (w *world) inserts() []plan.Insert {
	w.t.Helper()
	st, err := sql.ParseStatement(sql.Piece{Text: w.query, Span: sql.Span{End: len(w.query)}}, sql.DefaultLimits())
	if set, ok := st.(*sql.StatementSet); ok && err == nil {
		out := make([]plan.Insert, len(set.Inserts))
		for i, in := range set.Inserts {
			out[i] = plan.Insert{Target: in.Target[0].Name, Query: in.Query}
		}
		return out
	}
	parsed, err := sql.ParseQueryText(w.query)
	if err != nil {
		w.t.Fatal(err)
	}
	return []plan.Insert{{Target: "q", Query: parsed}}
}

// start opens the query.
func (w *world) start() (*exec.Query, error) {
	w.t.Helper()
	p, err := plan.BindSet(w.inserts(), w, w.options)
	if err != nil {
		w.t.Fatal(err)
	}
	var places []sinks.OpenContext
	var descriptions []string
	for _, out := range p.Outputs {
		places = append(places, sinks.OpenContext{Query: "q", Target: out.Target})
		descriptions = append(descriptions, "memory["+out.Target+"]")
	}
	sink, err := w.store.OpenAll(places)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := exec.Config{
		Name: "q", Plan: p, Sink: sink, SinkDescriptions: descriptions, FS: w.disk, Dir: "ckpt", NoDataBatches: true,
		Clock: w.clock, SnapshotEvery: 3, Definition: w.query,
		OnBatch: func(p *exec.Progress, _ []exec.Rows) {
			w.progress = append(w.progress, p)
			w.batches = append(w.batches, line(p))
		},
		OnNotice: func(text string) { w.notices = append(w.notices, text) },
	}
	for _, s := range p.Sources {
		cfg.Sources = append(cfg.Sources, w.inputs[s.Stream].Open(s.Fields))
	}
	if w.change != nil {
		w.change(&cfg)
	}
	return exec.Open(context.Background(), cfg)
}

// line describes a batch: what it read and wrote, its watermark without the date, and
// what else there is to see.
func line(p *exec.Progress) string {
	text := fmt.Sprintf("%d in=%d out=%d wm=%s", p.BatchID, p.NumInputRows, p.Sink.NumOutputRows, clockText(p.WatermarkMicros))
	if p.RowsLate > 0 {
		text += fmt.Sprintf(" late=%d", p.RowsLate)
	}
	if p.RowsBad > 0 {
		text += fmt.Sprintf(" bad=%d", p.RowsBad)
	}
	for _, w := range p.Watermarks {
		if w.Idle {
			text += " idle=" + w.Column
		}
	}
	if p.Forced != "" {
		text += " forced=" + p.Forced
	}
	if p.Replay {
		text += " replay"
	}
	return text
}

func clockText(micros int64) string {
	return strings.TrimPrefix(types.FormatTimestamp(micros), "2026-09-10 ")
}

// run opens the query, runs what is there, and closes it.
func (w *world) run() error {
	w.t.Helper()
	return w.runTrigger(exec.Trigger{Kind: exec.AvailableNow})
}

func (w *world) runTrigger(t exec.Trigger) error {
	w.t.Helper()
	q, err := w.start()
	if err != nil {
		return err
	}
	if err := q.Run(context.Background(), t); err != nil {
		if e := q.Close(); e != nil {
			w.t.Error(e)
		}
		return err
	}
	return q.Close()
}

func (w *world) mustRun() {
	w.t.Helper()
	if err := w.run(); err != nil {
		w.t.Fatal(err)
	}
}

// takeBatches returns the batches since the last call.
func (w *world) takeBatches() []string {
	out := w.batches
	w.batches = nil
	return out
}

func (w *world) takeNotices() []string {
	out := w.notices
	w.notices = nil
	return out
}

// table lists rows of the sink's table in the order in which they came, or those of a
// side table.
func (w *world) table(name string) []string {
	recs := w.store.Rows(name)
	if strings.HasSuffix(name, "_rows") {
		recs = w.store.Side(name)
	}
	var out []string
	for _, rec := range recs {
		for row := 0; row < int(rec.NumRows()); row++ {
			cells := make([]string, rec.NumCols())
			for i := range cells {
				cells[i] = strings.TrimPrefix(types.Text(rec.Column(i), row), "2026-09-10 ")
				if plain, err := strconv.Unquote(cells[i]); err == nil {
					cells[i] = plain
				}
			}
			out = append(out, strings.Join(cells, " | "))
		}
	}
	return out
}

// failSink makes the sink fail at a batch, before or after it has stored it, once.
func (w *world) failSink(batch int64, after bool) {
	fail := func(b *sinks.Batch) error {
		if b.Batch != batch {
			return nil
		}
		w.store.Faults = sinks.Faults{}
		return errors.New("the sink fails")
	}
	w.store.Faults = sinks.Faults{BeforeCommit: fail}
	if after {
		w.store.Faults = sinks.Faults{AfterCommit: fail}
	}
}

// endless is a source without Freeze.
type endless struct{ sources.Source }
