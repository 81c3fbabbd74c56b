package oracle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

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

// Way is how a case runs. The zero value is the plainest way.
type Way struct {
	ChunkRows, Workers int
	// RestartEvery closes the query after so many batches and opens it again; 0 for never.
	RestartEvery int
	// CrashAt lets the disk fail at its n-th operation, from 1, and start again as Crash
	// leaves it; each number counts from the start before.
	CrashAt []int
	Crash   vfs.CrashMode
	Seed    uint64 // of what a crash leaves
	// Beside are cases over the same streams and feeds: their queries are further outputs of
	// one statement set.
	Beside []*Case
}

// Batch is what one batch did, of the engine or of the model.
type Batch struct {
	ID, In    int64
	Rows      []Row
	Watermark int64
	Bad       int64
	// Ops are the stateful operators, nearest to the sink first.
	Ops []OpStats
}

// OpStats is what one operator reports of a batch.
type OpStats struct{ Late, Total int64 }

// Outcome is what a run of the engine left.
type Outcome struct {
	Batches  []Batch
	Sink     []Row    // in the order of the sink
	SinkText []string // the same, to the last bit
	Late     int64    // counted in all batches
	LateRows []string // kept beside the sink
	// Lines describe every batch with its rows to the last bit, in the order of the rows.
	Lines   []string
	Steps   []Step  // in update mode: the sink on the way
	DiskOps int     // operations on the disk
	Beside  [][]Row // what the sinks of Way.Beside hold
}

// Step is what the sink holds after the first feeds.
type Step struct {
	Feeds int
	Sink  []Row
}

// run is one life of a case in the engine, over any number of starts.
type run struct {
	c      *Case
	way    Way
	plan   *plan.Plan
	output int // of the plan, which is the case's
	disk   *vfs.Mem
	fault  *vfs.Injector
	store  memsink.Store
	query  *exec.Query // nil while it is closed
	input  []*memsource.Stream
	out    Outcome
	ran    int // batches in this start
	fatal  error
	rng    *rand.Rand
}

// catalog gives the streams of a case to the planner.
type catalog struct{ *Case }

// Relation finds a stream.
func (c catalog) Relation(name sql.Name) (*plan.Relation, error) {
	for _, s := range c.Streams {
		if s.Name == name[len(name)-1].Name {
			return &plan.Relation{Name: s.Name, Stream: s.declared()}, nil
		}
	}
	if c.Table != nil {
		return &plan.Relation{Name: c.Table.Table.Name, Table: &plan.Table{Text: c.Table.Table.Name, Fields: c.Table.Table.declared().Stored}}, nil
	}
	return nil, nil
}

// Snapshot returns the rows of the table.
func (c catalog) Snapshot(_ context.Context, _ string, fields []types.Field) ([]arrow.Record, error) {
	whole := record(c.Table.Table.Cols, c.Table.Rows)
	defer whole.Release()
	cols := make([]arrow.Array, len(fields))
	for i, f := range fields {
		cols[i] = whole.Column(whole.Schema().FieldIndices(f.Name)[0])
	}
	return []arrow.Record{array.NewRecord(types.ArrowSchema(fields), cols, whole.NumRows())}, nil
}

// Similar knows nothing.
func (c catalog) Similar(string) string { return "" }

func (s *Stream) declared() *plan.Stream {
	d := &plan.Stream{ID: s.Name}
	for _, c := range s.Cols {
		d.Stored = append(d.Stored, types.Field{Name: c.Name, Type: c.Type, Nullable: true})
		d.Order = append(d.Order, c.Name)
	}
	if s.DelayMicros >= 0 {
		d.Watermarks = []plan.StreamWatermark{{Column: "ts", DelayMicros: s.DelayMicros}}
	}
	return d
}

// Run runs a case in the engine to its end.
func Run(c *Case, way Way) (*Outcome, error) {
	p, err := bind(c, way.Beside)
	if err != nil {
		return nil, err
	}
	output := slices.IndexFunc(p.Outputs, func(o *plan.Output) bool { return o.Target == target })
	r := &run{c: c, way: way, plan: p, output: output, rng: rand.New(rand.NewPCG(way.Seed, 1))}
	r.boot(vfs.NewMem())
	for range c.Streams {
		r.input = append(r.input, memsource.NewStream())
	}
	for i, f := range c.Feeds {
		if err := r.feed(f); err != nil {
			return nil, err
		}
		if f.Hold {
			continue
		}
		if err := r.drain(); err != nil {
			return nil, err
		}
		if c.Query.Mode == types.Update {
			rows, err := r.stored(target)
			if err != nil {
				return nil, err
			}
			r.out.Steps = append(r.out.Steps, Step{i + 1, rows})
		}
	}
	r.out.DiskOps = r.fault.Ops()
	if r.query != nil {
		if err := r.query.Close(); err != nil && !r.fault.Crashed() {
			return nil, err
		}
	}
	return &r.out, r.collect()
}

// target is the table of a case, and besideTarget that of the i-th case beside it.
const target = "q"

func besideTarget(i int) string { return fmt.Sprint("beside", i) }

// emits say in words when the rows of a mode come out.
var emits = map[types.Mode]string{types.Append: " EMIT ON WINDOW CLOSE", types.Update: " EMIT ON UPDATE", types.Complete: " EMIT COMPLETE"}

// bind plans the query of a case, with those beside it as one statement set.
func bind(c *Case, beside []*Case) (*plan.Plan, error) {
	q, err := sql.ParseQueryText(c.Query.SQL())
	if err != nil {
		return nil, fmt.Errorf("parsing: %w", err)
	}
	inserts := []plan.Insert{{Target: target, Query: q}}
	for i, other := range beside {
		text := other.Query.SQL() + emits[other.Query.Mode]
		if q, err = sql.ParseQueryText(text); err != nil {
			return nil, fmt.Errorf("parsing %s: %w", text, err)
		}
		inserts = append(inserts, plan.Insert{Target: besideTarget(i), Query: q})
	}
	p, err := plan.BindSet(inserts, catalog{c}, plan.Options{Mode: c.Query.Mode, Policy: c.Policy, Retraction: c.Grammar.Changes})
	if err != nil {
		return nil, fmt.Errorf("binding: %w", err)
	}
	return p, nil
}

// boot starts the machine with a disk, and with the next crash ahead.
func (r *run) boot(disk *vfs.Mem) {
	fault := vfs.Fault{}
	if len(r.way.CrashAt) > 0 {
		fault = vfs.Fault{At: r.way.CrashAt[0], Err: vfs.ErrCrashed, Sticky: true}
		r.way.CrashAt = r.way.CrashAt[1:]
	}
	r.disk, r.fault = disk, vfs.NewInjector(disk, fault)
}

func (r *run) feed(f Feed) error {
	for i, rows := range f.Rows {
		if len(rows) == 0 {
			continue
		}
		rec := record(r.c.Streams[i].Cols, rows)
		if err := r.input[i].Feed(rec); err != nil {
			return err
		}
		rec.Release()
	}
	return nil
}

// drain runs batches until none is due, through restarts and crashes.
func (r *run) drain() error {
	for {
		r.ran = 0
		err := r.once()
		switch {
		case err != nil && r.fault.Crashed():
			r.boot(r.disk.CrashClone(r.rng, r.way.Crash))
		case err != nil:
			return err
		case r.fatal != nil:
			return r.fatal
		case r.way.RestartEvery == 0 || r.ran == 0:
			return nil
		}
	}
}

// once opens the query if it is closed and runs it until nothing is due or it was
// stopped. It stays open for the next feed, but after a stop and after a failure.
func (r *run) once() error {
	if r.query == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	err := r.query.Run(context.Background(), exec.Trigger{Kind: exec.AvailableNow})
	if err != nil || r.way.RestartEvery > 0 {
		err = errors.Join(err, r.query.Close())
		r.query = nil
	}
	return err
}

func (r *run) open() error {
	var places []sinks.OpenContext
	for _, out := range r.plan.Outputs {
		places = append(places, sinks.OpenContext{Query: "q", Target: out.Target})
	}
	sink, err := r.store.OpenAll(places)
	if err != nil {
		return err
	}
	cfg := exec.Config{
		Name: "q", Plan: r.plan, Sink: sink, SinkDescriptions: make([]string, len(places)), FS: r.fault, Dir: "checkpoint", NoDataBatches: r.c.NoData,
		Workers: r.way.Workers, ChunkRows: r.way.ChunkRows, Limits: sources.Limits{FilesMax: 1},
		SnapshotEvery: 3, OnBatch: r.observe, Tables: catalog{r.c},
	}
	for _, s := range r.plan.Sources {
		cfg.Sources = append(cfg.Sources, r.source(s))
	}
	r.query, err = exec.Open(context.Background(), cfg)
	return err
}

func (r *run) source(s plan.SourceRef) sources.Source {
	for i, have := range r.c.Streams {
		if have.Name == s.Stream {
			return &cutSource{Source: r.input[i].Open(s.Fields), rows: int64(r.c.SegmentRows)}
		}
	}
	return nil
}

// observe keeps what a batch did. A batch that is run again after a crash is kept once.
func (r *run) observe(p *exec.Progress, outputs []exec.Rows) {
	r.ran++
	if n := r.way.RestartEvery; n > 0 && r.ran%n == 0 {
		r.query.Stop()
	}
	if read := p.RowsUsed + p.RowsFiltered + p.RowsLate + p.RowsBad; len(p.Outputs) == 0 && read != p.NumInputRows {
		r.fatal = errors.Join(r.fatal, fmt.Errorf("batch %d read %d rows and accounts for %d", p.BatchID, p.NumInputRows, read))
	}
	b := Batch{ID: p.BatchID, In: p.NumInputRows, Watermark: p.WatermarkMicros, Bad: p.RowsBad}
	var lines []string
	for _, rec := range outputs[r.output].Records {
		for i := range int(rec.NumRows()) {
			lines = append(lines, recordText(rec, i))
		}
		rows, err := rowsOf(rec)
		r.fatal = errors.Join(r.fatal, err)
		b.Rows = append(b.Rows, rows...)
	}
	for _, rec := range outputs[r.output].Deletes {
		for i := range int(rec.NumRows()) {
			lines = append(lines, "deleted "+recordText(rec, i))
		}
	}
	for _, o := range p.StateOperators {
		b.Ops = append(b.Ops, OpStats{o.NumRowsDroppedByWatermark, o.NumRowsTotal})
	}
	line := fmt.Sprintf("batch %d in=%d watermark=%s bad=%d ops=%v", b.ID, b.In, types.FormatTimestamp(b.Watermark), b.Bad, b.Ops)
	line = strings.Join(append([]string{line}, lines...), "\n  ")
	if n := len(r.out.Batches); n > 0 && r.out.Batches[n-1].ID == b.ID {
		r.out.Batches[n-1], r.out.Lines[n-1] = b, line
		return
	}
	r.out.Batches, r.out.Lines = append(r.out.Batches, b), append(r.out.Lines, line)
}

// stored reads a table of the sink.
func (r *run) stored(table string) (rows []Row, err error) {
	for _, rec := range r.store.Rows(table) {
		row, err := rowsOf(rec)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row...)
	}
	return rows, nil
}

// collect reads what the run left.
func (r *run) collect() (err error) {
	if r.out.Sink, err = r.stored(target); err != nil {
		return err
	}
	for i := range r.way.Beside {
		rows, err := r.stored(besideTarget(i))
		if err != nil {
			return err
		}
		r.out.Beside = append(r.out.Beside, rows)
	}
	for _, rec := range r.store.Rows(target) {
		r.out.SinkText = append(r.out.SinkText, recordText(rec, 0))
	}
	for _, rec := range r.store.Side("late_rows") {
		for i := range int(rec.NumRows()) {
			r.out.LateRows = append(r.out.LateRows, recordText(rec, i))
		}
	}
	for _, b := range r.out.Batches {
		for _, o := range b.Ops {
			r.out.Late += o.Late
		}
	}
	return nil
}

func recordText(rec arrow.Record, row int) string {
	cells := make([]string, rec.NumCols())
	for i := range cells {
		cells[i] = types.Text(rec.Column(i), row)
	}
	return strings.Join(cells, " | ")
}

// cutSource cuts the rows of another source into segments of a number of rows, as files
// on a disk would be.
type cutSource struct {
	sources.Source
	rows int64
}

// Segments reads the range and cuts it.
func (s *cutSource) Segments(ctx context.Context, r sources.Range) ([]sources.Segment, error) {
	whole, err := s.Source.Segments(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []sources.Segment
	for _, seg := range whole {
		err := seg.Read(ctx, &sources.ReadContext{ChunkRows: int(s.rows)}, func(rec arrow.Record) error {
			rec.Retain()
			out = append(out, cutSegment{rec})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cutSegment is one segment.
type cutSegment struct{ rec arrow.Record }

// Read gives the rows in chunks.
func (s cutSegment) Read(_ context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	for at := int64(0); at < s.rec.NumRows(); at += int64(c.ChunkRows) {
		chunk := s.rec.NewSlice(at, min(at+int64(c.ChunkRows), s.rec.NumRows()))
		err := emit(chunk)
		chunk.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
