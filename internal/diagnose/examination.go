package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// Query is what is known of a query before its tables are read.
type Query struct {
	Row      *catalog.QueryRow
	Plan     *plan.Plan
	BindErr  error          // why there is no plan
	Lost     error          // why it cannot have its checkpoint; nil: it can
	Running  bool           // in this session
	Activity *exec.Activity // the batch that runs now
	Every    time.Duration  // interval of the trigger, 0 without one
	Held     bool           // somebody has its checkpoint open
	Now      time.Time
	Targets  []string // of its outputs
	Tables   []string // the targets that are no sinks
}

// Examination is what is known about a query when it is diagnosed.
type Examination struct {
	Query

	failure string // code and text of the newest error; "" without
	inputs  []inputSight
	batches int64
	life    life // over all runs
	bad     badSight
	late    lateSight
	past    *pastProgress
	outputs []outputSight
}

// Examine looks at the inputs of a query, and at what the tables of ssql say of it.
func Examine(ctx context.Context, q Query, cat *catalog.Snapshot, c *duck.Conn) (*Examination, error) {
	x := &Examination{Query: q, past: &pastProgress{}}
	if err := x.lookAtInputs(cat); err != nil {
		return nil, err
	}
	for _, target := range q.Targets {
		o := outputSight{target: target, mode: q.Row.Mode, table: slices.Contains(q.Tables, target)}
		if len(q.Targets) > 1 {
			o.of = " of " + target
		}
		x.outputs = append(x.outputs, o)
	}
	return x, x.read(ctx, c)
}

// outputSight is what is known of one output.
type outputSight struct {
	target string
	mode   string
	table  bool   // the target is no sink
	of     string // " of target" in a statement set
	// life is what became of its rows over all runs; in a statement set, over the batches
	// whose progress is kept.
	life   life
	stored int64 // rows of the table now
}

// life is what became of rows over many batches.
type life struct{ rowsRead, rowsOut, rowsLate, rowsBad, rowsFiltered, rowsPartlyLate int64 }

// inputSight is what is known of one source of the plan.
type inputSight struct {
	name  string
	sight sources.Sight // without Found if the connector cannot tell
}

// badSight is what ssql.bad_rows has of a query.
type badSight struct {
	column, reason, raw, file string // of the newest
	nullTimes, future         int64  // rows without event time, and beyond max_future
}

// lateSight is what ssql.late_rows has of a query.
type lateSight struct {
	least, most int64 // by how much rows were late, in microseconds
	any         bool
}

// pastProgress is what the kept rows of progress say, the newest first.
type pastProgress struct {
	newest *batchProgress
	// first is the oldest batch that is kept.
	first *batchProgress
	// moved is the batch after which the watermark had the value that it has now.
	moved *batchProgress
	// input is the newest batch that read something of each source, nil for none.
	input []*batchProgress
	// latest is the batch with the greatest event time, nil without any.
	latest *batchProgress
	// lateSince is the first of the batches of which every row was late, up to the newest
	// with rows; nil if that one had others.
	lateSince *batchProgress
	lateEnds  bool  // a batch before had other rows
	closed    int64 // groups and rows that left the state
}

// batchProgress is what the diagnosis reads of a row of ssql.progress.
type batchProgress struct {
	BatchID        int64                        `json:"batchId"`
	Timestamp      exec.ProgressTime            `json:"timestamp"`
	EventTime      map[string]exec.ProgressTime `json:"eventTime"`
	StateOperators []exec.OperatorProgress      `json:"stateOperators"`
	Sources        []exec.SourceProgress        `json:"sources"`
	Watermarks     []exec.WatermarkProgress     `json:"watermarks"`
	NextClose      exec.ProgressTime            `json:"nextClose"`
	RowsUsed       int64                        `json:"rowsUsed"`
	RowsLate       int64                        `json:"rowsLate"`
}

// at names the batch and its time.
func (p *batchProgress) at() string {
	return fmt.Sprintf("batch %d at %s", p.BatchID, timeText(p.Timestamp.UnixMicro()))
}

// lookAtInputs asks the connector of each source what there is.
func (x *Examination) lookAtInputs(cat *catalog.Snapshot) error {
	if x.Plan == nil {
		return nil
	}
	for _, ref := range x.Plan.Sources {
		in := inputSight{name: ref.Stream}
		st, err := cat.StreamOf(&ref)
		if err != nil {
			return err
		}
		if st != nil && st.Spec.Look != nil {
			if in.sight, err = st.Spec.Look(st.Row.Name, st.Options); err != nil {
				in.sight = sources.Sight{Empty: true, Found: placeText(err)}
			}
		}
		x.inputs = append(x.inputs, in)
	}
	return nil
}

// read fills in what the tables of ssql say.
func (x *Examination) read(ctx context.Context, c *duck.Conn) error {
	l := &x.life
	for _, ask := range []struct {
		text string
		args []any
		take func(row []any) error
	}{
		{`SELECT count(*), coalesce(sum(rows_in), 0)::BIGINT, coalesce(sum(rows_out), 0)::BIGINT, coalesce(sum(rows_late), 0)::BIGINT,
			coalesce(sum(rows_bad), 0)::BIGINT, coalesce(sum(rows_filtered), 0)::BIGINT FROM ssql.commits WHERE query_id = ?`, []any{x.Row.ID},
			integers(&x.batches, &l.rowsRead, &l.rowsOut, &l.rowsLate, &l.rowsBad, &l.rowsFiltered)},
		{`SELECT message FROM ssql.errors WHERE lower(query) = lower(?) ORDER BY occurred_at DESC LIMIT 1`, []any{x.Row.Name},
			texts(&x.failure)},
		{`SELECT "column", reason, raw, file FROM ssql.bad_rows WHERE lower(query) = lower(?) ORDER BY batch DESC, file, line LIMIT 1`, []any{x.Row.Name},
			texts(&x.bad.column, &x.bad.reason, &x.bad.raw, &x.bad.file)},
		{`SELECT count(*) FILTER (reason = 'event time is null'), count(*) FILTER (reason LIKE '%max_future%')
			FROM ssql.bad_rows WHERE lower(query) = lower(?)`, []any{x.Row.Name},
			integers(&x.bad.nullTimes, &x.bad.future)},
		{`SELECT coalesce(sum((progress->>'rowsPartlyLate')::BIGINT), 0)::BIGINT FROM ssql.progress WHERE query_id = ?`, []any{x.Row.ID},
			integers(&l.rowsPartlyLate)},
		{`SELECT epoch_us(min(late_by)), epoch_us(max(late_by)) FROM ssql.late_rows WHERE lower(query) = lower(?)`, []any{x.Row.Name},
			func(row []any) error {
				x.late.any = row[0] != nil
				return integers(&x.late.least, &x.late.most)(row)
			}},
	} {
		if err := c.Query(ctx, ask.text, ask.args, ask.take); err != nil {
			return err
		}
	}
	if err := x.readProgress(ctx, c); err != nil {
		return err
	}
	if err := x.readOutputs(ctx, c); err != nil || x.BindErr != nil {
		return err
	}
	for i := range x.outputs {
		o := &x.outputs[i]
		if !o.table {
			continue
		}
		// A table is missing if the query has not started, or somebody dropped it.
		if err := c.Query(ctx, "SELECT count(*) FROM "+o.target, nil, integers(&o.stored)); err != nil && !duck.Missing(err) {
			return err
		}
	}
	return nil
}

// readOutputs fills in what became of the rows of each output.
func (x *Examination) readOutputs(ctx context.Context, c *duck.Conn) error {
	if len(x.outputs) == 1 {
		x.outputs[0].life = x.life
		return nil
	}
	const ask = `SELECT o->>'target', any_value(o->>'outputMode'), sum((o->>'numInputRows')::BIGINT)::BIGINT, sum((o->>'numOutputRows')::BIGINT)::BIGINT,
		sum((o->>'rowsBad')::BIGINT)::BIGINT, sum((o->>'rowsFiltered')::BIGINT)::BIGINT
		FROM (SELECT unnest((progress->'outputs')::JSON[]) AS o FROM ssql.progress WHERE query_id = ?) GROUP BY 1`
	return c.Query(ctx, ask, []any{x.Row.ID}, func(row []any) error {
		for i := range x.outputs {
			if o := &x.outputs[i]; o.target == duck.Text(row[0]) {
				o.mode = duck.Text(row[1])
				return integers(&o.life.rowsRead, &o.life.rowsOut, &o.life.rowsBad, &o.life.rowsFiltered)(row[2:])
			}
		}
		return nil
	})
}

// integers returns a function that takes the columns of a row, 0 for NULL.
func integers(to ...*int64) func(row []any) error {
	return func(row []any) error {
		for i, p := range to {
			*p, _ = row[i].(int64)
		}
		return nil
	}
}

// texts returns a function that takes the columns of a row.
func texts(to ...*string) func(row []any) error {
	return func(row []any) error {
		for i, p := range to {
			*p = duck.Text(row[i])
		}
		return nil
	}
}

// readProgress goes through the kept rows of progress, the newest first.
func (x *Examination) readProgress(ctx context.Context, c *duck.Conn) error {
	same := true
	return c.Query(ctx, `SELECT progress::VARCHAR FROM ssql.progress WHERE query_id = ? ORDER BY batch DESC`, []any{x.Row.ID}, func(row []any) error {
		p := &batchProgress{}
		if err := json.Unmarshal([]byte(duck.Text(row[0])), p); err != nil {
			return fmt.Errorf("reading stored progress: %w", err)
		}
		x.past.add(p)
		if same = same && x.watermarkOf(p) == x.watermarkOf(x.past.newest); same {
			x.past.moved = p
		}
		return nil
	})
}

// add takes the progress of the batch before those that were added.
func (past *pastProgress) add(p *batchProgress) {
	if past.newest == nil {
		past.newest, past.input = p, make([]*batchProgress, len(p.Sources))
	}
	past.first = p
	for i, s := range p.Sources {
		if i < len(past.input) && past.input[i] == nil && s.NumInputRows > 0 {
			past.input[i] = p
		}
	}
	if most, ok := p.EventTime["max"]; ok && (past.latest == nil || most.After(past.latest.EventTime["max"].Time)) {
		past.latest = p
	}
	for _, o := range p.StateOperators {
		past.closed += o.NumRowsRemoved
	}
	switch {
	case past.lateEnds:
	case p.RowsUsed > 0:
		past.lateEnds = true
	case p.RowsLate > 0:
		past.lateSince = p
	}
}

// watermarkOf returns the watermark after a batch, with which the next one runs, in UTC
// microseconds: 0 before it has moved.
func (x *Examination) watermarkOf(p *batchProgress) int64 {
	ran := int64(0)
	if at, ok := p.EventTime["watermark"]; ok {
		ran = at.UnixMicro()
	}
	var nodes []int64
	for _, w := range p.Watermarks {
		if w.Idle {
			continue
		}
		nodes = append(nodes, nodeMicros(w))
	}
	if len(nodes) == 0 {
		return ran
	}
	if x.Plan != nil && x.Plan.Policy == plan.MaxPolicy {
		return max(ran, slices.Max(nodes))
	}
	return max(ran, slices.Min(nodes))
}

// nodeMicros returns the watermark of one input, 0 before its first row.
func nodeMicros(w exec.WatermarkProgress) int64 {
	micros, _ := exec.ProgressMicros(w.Watermark)
	return micros
}

// watermark returns the watermark that the next batch runs with; ok is false before it
// has moved.
func (x *Examination) watermark() (micros int64, ok bool) {
	if x.past.newest == nil {
		return 0, false
	}
	micros = x.watermarkOf(x.past.newest)
	return micros, micros != 0
}

// open returns how many groups or rows are held, and what they are.
func (x *Examination) open() (int64, string) {
	if x.past.newest == nil || x.Plan == nil {
		return 0, "group"
	}
	return exec.HeldRows(x.Plan, x.past.newest.StateOperators), exec.HeldNoun(x.Plan)
}

// streamsOf names the streams below the watermark of an input.
func (x *Examination) streamsOf(id int) []string {
	var names []string
	var visit func(n plan.Node, below bool)
	visit = func(n plan.Node, below bool) {
		switch n := n.(type) {
		case *plan.Watermark:
			below = below || n.Def.ID == id
		case *plan.Scan:
			if below && !slices.Contains(names, n.Stream) {
				names = append(names, n.Stream)
			}
		}
		for _, in := range n.Inputs() {
			visit(in, below)
		}
	}
	for _, o := range x.Plan.Outputs {
		visit(o.Root, false)
	}
	return names
}

// planHas reports whether the plan has a node that f accepts.
func (x *Examination) planHas(f func(n plan.Node) bool) bool {
	var has func(n plan.Node) bool
	has = func(n plan.Node) bool { return f(n) || slices.ContainsFunc(n.Inputs(), has) }
	return x.Plan != nil && slices.ContainsFunc(x.Plan.Outputs, func(o *plan.Output) bool { return has(o.Root) })
}

// placeText is an error on one line.
func placeText(err error) string {
	if e, ok := err.(*sqlerr.Error); ok {
		return e.Text
	}
	return err.Error()
}

// timeText shows a time as results do.
func timeText(micros int64) string { return types.FormatTimestamp(micros) }

// durationText shows a length of time in whole seconds, or less where it is shorter.
func durationText(micros int64) string {
	if micros >= 1_000_000 {
		micros -= micros % 1_000_000
	}
	return sql.IntervalText(types.Interval{Micros: micros})
}
