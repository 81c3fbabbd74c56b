package exec

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/checkpoint"
	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sources"
)

// result is an executed batch that is not yet committed.
type result struct {
	plan    *checkpoint.Plan
	replay  bool
	rows    []arrow.Record // retained
	rowsOut int64
	counts  counts
	event   []op.EventStats
	stats   []op.Stats // by operator index
	states  []byte     // the STATE payload
	late    []lateRows
	bad     []badRow
	// Late rows of all operators, and how many of them are in late.
	lateSeen, lateKept int64
	times              []operatorTimes // by operator index
	// The global watermark and those of the nodes after the batch.
	watermark int64
	nodes     []*int64
	offsets   []offsetPair // per source
	snapshot  []byte       // nil when none is due
	started   time.Time
	durations map[string]time.Duration
}

// counts account for every row read: read = used + filtered + late + bad.
type counts struct {
	read     int64   // rows and refused lines
	bySource []int64 // the same, per source
	used     int64   // reached the first breaker and were not late
	filtered int64
	late     int64
	bad      int64
	// badDropped are the bad rows that their source says not to keep.
	badDropped int64
	expanded   bool // a stage multiplied rows, so that used counts more than rows
}

// operatorTimes is where a stateful operator spent a batch.
type operatorTimes struct{ updates, removals, commit time.Duration }

// batchRun is the execution of one batch.
type batchRun struct {
	q        *Query
	ctx      context.Context
	plan     *checkpoint.Plan
	expr     *expr.Ctx
	event    []op.EventStats
	late     []lateRows
	bad      []badRow
	lateSeen int64
	lateKept int64
	count    counts
	times    []operatorTimes // by operator index
	segments [][]sources.Segment
	tasks    int64 // made so far; see newTask
}

// execute runs the plan of a batch in memory: nothing outside the process changes,
// so an execution may be thrown away at any time (invariant I4: the result is a
// function of the PLAN record and the state of the batch before).
func (q *Query) execute(ctx context.Context, batch *planned) (*result, error) {
	start, p := time.Now(), batch.plan
	r := &batchRun{
		q: q, ctx: ctx, plan: p,
		expr:  &expr.Ctx{Alloc: memory.DefaultAllocator, NowMicros: p.NowMicros, Seed: p.Seed, Library: q.cfg.Library},
		event: make([]op.EventStats, len(q.cfg.Plan.Watermarks)),
		count: counts{bySource: make([]int64, len(q.cfg.Sources))},
		times: make([]operatorTimes, len(q.states)),
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	if err := r.loadTables(); err != nil {
		return nil, err
	}
	opened := time.Now()
	res := &result{
		plan: p, replay: batch.replay, offsets: batch.offsets, started: batch.started,
		durations: map[string]time.Duration{"getBatch": opened.Sub(start)},
	}
	if batch.latestOffset > 0 {
		res.durations["latestOffset"] = batch.latestOffset
	}
	if batch.walCommit > 0 {
		res.durations["walCommit"] = batch.walCommit
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	if err := r.finish(q.root, func(rec arrow.Record) error {
		rec.Retain()
		res.rows = append(res.rows, rec)
		res.rowsOut += rec.NumRows()
		return nil
	}); err != nil {
		return nil, q.batchError(p, err)
	}
	for i, b := range q.states {
		s := b.state.Stats()
		res.stats = append(res.stats, s)
		before := time.Now()
		changes := b.state.AppendChanges(nil)
		r.times[i].commit = time.Since(before)
		res.states = binary.AppendUvarint(res.states, uint64(len(changes)))
		res.states = append(res.states, changes...)
	}
	res.counts, res.event, res.late, res.bad = r.count, r.event, r.late, r.bad
	res.lateSeen, res.lateKept, res.times = r.lateSeen, r.lateKept, r.times
	if err := r.account(res); err != nil {
		return nil, err
	}
	res.durations["execute"] = time.Since(opened)
	return res, nil
}

// open pins the segments of every source before any operator is touched: a missing
// file stops the batch while the state is still that of the batch before.
func (r *batchRun) open() error {
	r.segments = make([][]sources.Segment, len(r.q.cfg.Sources))
	for i, src := range r.q.cfg.Sources {
		if !reads(r.plan.Ranges[i]) {
			continue
		}
		segs, err := src.Segments(r.ctx, r.plan.Ranges[i])
		if err != nil {
			return fmt.Errorf("opening the input of batch %d: %w", r.plan.Batch, err)
		}
		r.segments[i] = segs
	}
	return nil
}

// begin hands every breaker its watermarks.
func (r *batchRun) begin() error {
	n := len(r.q.states)
	late := propagate(r.q.root, r.plan.LateMicros, n)
	evict := propagate(r.q.root, r.plan.WatermarkMicros, n)
	var first error
	visit(r.q.root, func(t tree) {
		b, ok := t.(*breaker)
		if !ok || first != nil {
			return
		}
		batch := &op.Batch{ID: r.plan.Batch, Expr: r.expr}
		if b.state != nil {
			batch.LateMicros, batch.EvictMicros = late[b.index], evict[b.index]
			batch.Late = func(input int, rec arrow.Record) error { return r.takeLate(b, input, batch.LateMicros, rec) }
		}
		first = b.op.Begin(batch)
	})
	return first
}

// finish feeds all inputs of a breaker and passes its rows on.
func (r *batchRun) finish(b *breaker, emit op.Emit) error {
	if err := r.feedAll(b); err != nil {
		return err
	}
	if b.state == nil {
		return b.op.Finish(emit)
	}
	// The operators above work while this one emits: their time is not its own.
	start, above := time.Now(), time.Duration(0)
	err := b.op.Finish(func(rec arrow.Record) error {
		before := time.Now()
		defer func() { above += time.Since(before) }()
		return emit(rec)
	})
	r.times[b.index].removals = time.Since(start) - above
	return err
}

// merge folds a segment into a breaker.
func (r *batchRun) merge(b *breaker, s op.Segment) error {
	if b.state == nil {
		return b.op.Merge(s)
	}
	start := time.Now()
	err := b.op.Merge(s)
	r.times[b.index].updates += time.Since(start)
	return err
}

// feed drives the rows of t through stages into input i of breaker b.
func (r *batchRun) feed(t tree, stages []op.Stage, b *breaker, i int) error {
	switch t := t.(type) {
	case *pipe:
		return r.feed(t.in, append(append([]op.Stage(nil), t.stages...), stages...), b, i)
	case *union:
		for _, in := range t.ins {
			if err := r.feed(in, stages, b, i); err != nil {
				return err
			}
		}
		return nil
	case *breaker:
		// The rows of an operator below are one segment.
		k := r.newTask()
		k.Bad = func(rec arrow.Record, row int, column, reason string) {
			r.keepBad(badRow{BadRow: k.refusedRow(rec, row, column, reason)})
		}
		seg := b.op.Segment(i)
		if err := r.finish(t, func(rec arrow.Record) error {
			return push(k, stages, rec, seg.Consume)
		}); err != nil {
			return err
		}
		r.addTask(k, -1)
		return r.merge(b, seg)
	case *scan:
		return r.scanInto(t.source, stages, &oneInput{r, b, i})
	}
	return errors.New("a node that cannot be fed")
}

// push applies the stages to a chunk and gives what is left to consume.
func push(k *task, stages []op.Stage, rec arrow.Record, consume op.Emit) error {
	rec.Retain()
	k.asRead = true
	for i, s := range stages {
		k.number(i, rec.NumRows())
		next, err := s.Apply(&k.Task, rec)
		if err != nil {
			err = k.nameRow(err, rec)
			rec.Release()
			return err
		}
		if _, ok := s.(op.Expander); ok || next.NumRows() != rec.NumRows() {
			k.asRead = false
		}
		rec.Release()
		rec = next
		if rec.NumRows() == 0 {
			break
		}
	}
	defer rec.Release()
	if rec.NumRows() == 0 {
		return nil
	}
	if err := consume(rec); err != nil {
		return k.nameRow(err, rec)
	}
	return nil
}

// nameRow adds the row to an error that belongs to one.
func (k *task) nameRow(err error, rec arrow.Record) error {
	var row *expr.RowError
	if !errors.As(err, &row) || row.Row < 0 || int64(row.Row) >= rec.NumRows() {
		return err
	}
	e := *row.Err
	at := k.refusedRow(rec, row.Row, "", "")
	switch {
	case at.File == "":
		e.Detail = "The row is " + at.Raw + "."
	case at.Line == 0:
		e.Detail = fmt.Sprintf("The row is in %q: %s.", at.File, at.Raw)
	default:
		e.Detail = fmt.Sprintf("The row is line %d of %q: %s.", at.Line, at.File, at.Raw)
	}
	return &e
}

// account checks that no row got lost: read = used + filtered + late + bad. It is
// an assertion: a difference is a bug, and the batch must not be committed.
func (r *batchRun) account(res *result) error {
	c := &res.counts
	for i, b := range r.q.states {
		if feedsFromScan(b) {
			c.late += res.stats[i].RowsLate
		}
	}
	if c.expanded {
		// Windows multiplied the rows on their way, so what arrived cannot be
		// compared with what was read.
		c.used = c.read - c.filtered - c.late - c.bad
		return nil
	}
	c.used -= c.late
	if c.read != c.used+c.filtered+c.late+c.bad {
		return sqlerr.New(sqlerr.Internal, "batch %d read %d rows but used %d, filtered %d, found %d late and %d bad",
			res.plan.Batch, c.read, c.used, c.filtered, c.late, c.bad)
	}
	return nil
}

// feedsFromScan reports whether a breaker takes rows of a source directly: only
// there a late row is a row that was read.
func feedsFromScan(b *breaker) bool {
	var has func(t tree) bool
	has = func(t tree) bool {
		switch t := t.(type) {
		case *scan:
			return true
		case *pipe:
			return has(t.in)
		case *union:
			for _, in := range t.ins {
				if has(in) {
					return true
				}
			}
		}
		return false
	}
	for _, in := range b.ins {
		if has(in) {
			return true
		}
	}
	return false
}
