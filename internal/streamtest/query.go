package streamtest

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"ssql/exec"
	"ssql/internal/library"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// query is one query of a script: its plan, its sink, and the engine while it runs.
type query struct {
	h     *harness
	name  string
	plan  *plan.Plan
	store *store

	running *exec.Query // nil: stopped
	failure error       // it failed while another query's run published rows

	events  []*exec.Progress // of every committed batch, in order
	printed int              // how many of them a run has printed
	rows    map[int64][]string
}

var modes = map[string]types.Mode{"append": types.Append, "update": types.Update, "complete": types.Complete}

// defineQuery binds a query and prints its columns.
func (h *harness) defineQuery(st *Step) ([]string, error) {
	word := st.Options["mode"]
	if word == "" {
		word = "append"
	}
	mode, ok := modes[word]
	if !ok {
		return nil, scriptError("expected mode append, update or complete, found %q", word)
	}
	p, err := h.bind(st.Text(), mode)
	if err != nil {
		h.refused[strings.ToLower(st.Name())] = err
		if h.o.Refused != nil {
			h.o.Refused(st.Text(), err, func(text string) error {
				_, err := h.bind(text, mode)
				return err
			})
		}
		return nil, err
	}
	q := &query{h: h, name: st.Name(), plan: p, store: newStore(st.Name(), p.Outputs), rows: map[int64][]string{}}
	q.store.crash = h.reach
	h.queries[strings.ToLower(q.name)] = q
	h.order = append(h.order, q)
	if len(p.Outputs) == 1 {
		return []string{schemaText(p.Outputs[0].Columns)}, nil
	}
	var lines []string
	for _, out := range p.Outputs {
		lines = append(lines, out.Target+": "+schemaText(out.Columns))
	}
	return append(lines, p.Notices...), nil
}

// bind plans a SELECT, or the INSERTs of a statement set.
func (h *harness) bind(text string, mode types.Mode) (*plan.Plan, error) {
	o := plan.Options{Mode: mode, Policy: h.policy, ANSI: h.ansi, Retraction: h.retraction}
	parsed, err := sql.ParseStatement(sql.Piece{Text: text, Span: sql.Span{End: len(text)}}, sql.DefaultLimits())
	if set, ok := parsed.(*sql.StatementSet); ok && err == nil {
		inserts := make([]plan.Insert, len(set.Inserts))
		for i, in := range set.Inserts {
			inserts[i] = plan.Insert{Target: in.Target[len(in.Target)-1].Name, Query: in.Query}
		}
		return plan.BindSet(inserts, h, o)
	}
	q, err := sql.ParseQueryText(text)
	if err != nil {
		return nil, err
	}
	return plan.Bind(q, h, o)
}

// open starts the engine on the query's checkpoint. The query then runs, which
// means that it sees what any run publishes.
func (q *query) open() error {
	h := q.h
	cfg := exec.Config{
		Name: q.name, Plan: q.plan, Sink: q.store,
		Tables: h.tables, Library: library.NewEvaluator(h.tables.lend),
		FS: h.fs, Dir: path.Join("/checkpoints", q.name),
		NoDataBatches: h.noDataBatches, Workers: h.o.Workers, ChunkRows: h.o.ChunkRows, SnapshotEvery: h.o.SnapshotEvery,
		Clock:   h.clock,
		OnBatch: q.onBatch,
	}
	for _, out := range q.plan.Outputs {
		place := q.name
		if len(q.plan.Outputs) > 1 {
			place = out.Target
		}
		cfg.SinkDescriptions = append(cfg.SinkDescriptions, "memory["+place+"]")
	}
	for _, ref := range q.plan.Sources {
		s := h.streams[strings.ToLower(ref.Stream)]
		if s == nil {
			return fmt.Errorf("query %q reads %q, which is no stream of the script", q.name, ref.Stream)
		}
		src, err := newSource(s, ref.Fields, h.o.SegmentRows)
		if err != nil {
			return err
		}
		cfg.Sources = append(cfg.Sources, sources.Source(src))
	}
	running, err := exec.Open(h.ctx, cfg)
	if err != nil {
		return err
	}
	q.running = running
	return nil
}

// start is open that goes on behind the crash of a sweep.
func (q *query) start() error {
	err := q.open()
	if crashed(err) && q.h.o.Fault.At > 0 {
		return q.h.recover(q)
	}
	return err
}

// stop ends the engine between batches.
func (q *query) stop() {
	if q.running != nil {
		// What was acknowledged is durable; after a crash closing fails as it must.
		_ = q.running.Close()
		q.running = nil
	}
}

func (q *query) onBatch(p *exec.Progress, rows []exec.Rows) {
	q.events = append(q.events, p)
	q.rows[p.BatchID] = nil
	for i, out := range rows {
		t := q.store.tables[i]
		q.rows[p.BatchID] = slices.Concat(q.rows[p.BatchID], t.texts(out.Records), deleted(t.texts(out.Deletes)))
	}
}

// drive runs batches until nothing is due. A run that fails is forgotten with all its
// batches, as the recorder does.
func (q *query) drive(trigger exec.Trigger) error {
	before := len(q.events)
	err := q.attempt(trigger)
	if crashed(err) && q.h.o.Fault.At > 0 {
		err = q.goOn(trigger, q.nextBatch(before))
	}
	if err != nil {
		q.events = q.events[:before]
		q.stop()
	}
	return err
}

// attempt opens the query if it is stopped, and runs it.
func (q *query) attempt(trigger exec.Trigger) error {
	if q.running == nil {
		if err := q.open(); err != nil {
			return err
		}
	}
	return q.running.Run(q.h.ctx, trigger)
}

// nextBatch is the batch that was due before the events behind n.
func (q *query) nextBatch(n int) int64 {
	if n == 0 {
		return 0
	}
	return q.events[n-1].BatchID + 1
}

// publish makes the rows fed so far visible, and lets every running query but one read
// them: they print at their own run.
func (h *harness) publish(except *query) error {
	for _, s := range h.streams {
		if err := s.publish(); err != nil {
			return err
		}
	}
	for _, q := range h.order {
		if q != except && q.running != nil {
			q.failure = q.drive(exec.Trigger{Kind: exec.AvailableNow})
		}
	}
	return nil
}

// run publishes what was fed and prints the batches of one query.
func (h *harness) run(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	trigger := exec.Trigger{Kind: exec.AvailableNow}
	word := st.Options["trigger"]
	switch word {
	case "", "available_now":
	case "once":
		trigger.Kind = exec.Once
	default:
		return nil, scriptError("expected trigger once or available_now, found %q", word)
	}
	if word != "" {
		q.stop() // it starts with its own trigger, and ends with it
	}
	if err := h.publish(q); err != nil {
		return nil, err
	}
	failure := q.failure
	q.failure = nil
	if failure == nil {
		failure = h.driveArmed(q, trigger)
	}
	if failure != nil {
		return nil, failure
	}
	if word != "" {
		q.stop()
	}
	if h.o.Reopen && q.running != nil {
		q.stop()
		if err := q.start(); err != nil {
			return nil, fmt.Errorf("opening the query again after its run: %w", err)
		}
	}
	return q.print(slices.Contains(st.Args, "ordered")), nil
}

// restart stops a query and starts it again. What it does by itself belongs to the
// next run, and so does what goes wrong.
func (h *harness) restart(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	q.stop()
	if err := q.start(); err != nil {
		return nil, err
	}
	r := q.running.Resumed()
	line := fmt.Sprintf("resume batch %d", r.NextBatch)
	switch {
	case r.InSink:
		line += " (planned, in the sink, not committed)"
	case r.Pending:
		line += " (planned, not committed)"
	}
	q.failure = q.drive(exec.Trigger{Kind: exec.AvailableNow})
	if q.failure != nil && !crashed(q.failure) {
		q.failure = nil // the next run meets it again
	}
	return []string{line}, nil
}

// print returns headers and rows of the batches that were not printed yet.
func (q *query) print(ordered bool) []string {
	lines := []string{}
	for _, p := range q.events[q.printed:] {
		lines = append(lines, batchHeader(p))
		rows := q.rows[p.BatchID]
		if !ordered {
			rows = slices.Sorted(slices.Values(rows))
		}
		lines = append(lines, rows...)
	}
	q.printed = len(q.events)
	return lines
}

// batchHeader is `batch ID  in=N out=N deleted=N  watermark=T  late=N  replay`.
func batchHeader(p *exec.Progress) string {
	line := fmt.Sprintf("batch %d  in=%d out=%d", p.BatchID, p.NumInputRows, p.Sink.NumOutputRows)
	if n := p.Sink.NumDeletedRows; n > 0 {
		line += fmt.Sprintf(" deleted=%d", n)
	}
	if p.HasWatermark {
		line += "  watermark=" + types.FormatTimestamp(p.WatermarkMicros)
	}
	late := int64(0)
	for _, op := range p.StateOperators {
		late += op.NumRowsDroppedByWatermark
	}
	if late > 0 {
		line += fmt.Sprintf("  late=%d", late)
	}
	if p.Replay {
		line += "  replay"
	}
	return line
}

// fault arms a failure of a sink.
func (h *harness) fault(st *Step) ([]string, error) {
	q, err := h.query(st.Options["sink"])
	if err != nil {
		return nil, err
	}
	var batch int64
	if _, err := fmt.Sscan(st.Options["batch"], &batch); err != nil {
		return nil, scriptError("expected batch=N, found %q", st.Options["batch"])
	}
	when := st.Options["when"]
	switch when {
	case "":
		when = "before"
	case "before", "after":
	default:
		return nil, scriptError("expected when=before or when=after, found %q", when)
	}
	q.store.faults[batch] = when
	return nil, nil
}

// faultOf returns the injected failure in an error's chain.
func faultOf(err error) *injectedFault {
	var f *injectedFault
	if errors.As(err, &f) {
		return f
	}
	return nil
}
