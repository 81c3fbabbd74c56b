package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/checkpoint"
	"ssql/exec/op"
	"ssql/plan/expr"
	"ssql/sources"
)

// result is an executed batch that is not yet committed.
type result struct {
	plan    *checkpoint.Plan
	replay  bool
	rows    []Rows // by output, retained
	rowsOut int64  // of all outputs
	deleted int64  // of all outputs: rows that are in a result no more
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
	nextClose int64        // the watermark at which the next held result comes out
	closes    bool         // there is one
	offsets   []offsetPair // per source
	snapshot  []byte       // nil when none is due
	started   time.Time
	durations map[string]time.Duration
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
	tasks    int64                   // made so far; see newTask
	done     []bool                  // by source: it has been read
	waiting  map[*inlet][]op.Segment // read, but not due yet
}

// execute runs the plan of a batch in memory: nothing outside the process changes,
// so an execution may be thrown away at any time (invariant I4: the result is a
// function of the PLAN record and the state of the batch before).
func (q *Query) execute(ctx context.Context, batch *planned) (*result, error) {
	start, p := time.Now(), batch.plan
	r := &batchRun{
		q: q, ctx: ctx, plan: p,
		expr: &expr.Ctx{Alloc: memory.DefaultAllocator, NowMicros: p.NowMicros, Seed: p.Seed, Library: q.cfg.Library,
			ValueBytesMax: q.cfg.ValueBytesMax, ColumnBytesMax: q.cfg.ChunkBytesMax, Context: ctx},
		event: make([]op.EventStats, len(q.cfg.Plan.Watermarks)),
		count: counts{bySource: make([]int64, len(q.cfg.Sources)), outputs: make([]outputCounts, len(q.roots))},
		times: make([]operatorTimes, len(q.states)),
		done:  make([]bool, len(q.cfg.Sources)), waiting: map[*inlet][]op.Segment{},
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
	res.rows = make([]Rows, len(q.roots))
	for i, root := range q.roots {
		if err := r.finish(root, func(rec arrow.Record) error {
			rows, deleted := res.rows[i].take(op.Untraced(rec), q.cfg.Plan.Outputs[i].Deletes)
			r.count.outputs[i].rowsOut += rows
			r.count.outputs[i].rowsDeleted += deleted
			res.rowsOut, res.deleted = res.rowsOut+rows, res.deleted+deleted
			return nil
		}); err != nil {
			return nil, q.batchError(p, err)
		}
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
	late := r.q.propagate(r.plan.LateMicros)
	evict := r.q.propagate(r.plan.WatermarkMicros)
	var first error
	for _, root := range r.q.roots {
		visit(root, func(t tree) {
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
	}
	return first
}

// finish feeds all inputs of a breaker and passes its rows on.
func (r *batchRun) finish(b *breaker, emit op.Emit) error {
	if err := r.feedAll(b); err != nil {
		return err
	}
	if b.state == nil {
		return expr.Guarded(0, func() error { return b.op.Finish(emit) })
	}
	// The operators above work while this one emits: their time is not its own.
	start, above := time.Now(), time.Duration(0)
	err := expr.Guarded(0, func() error {
		return b.op.Finish(func(rec arrow.Record) error {
			before := time.Now()
			defer func() { above += time.Since(before) }()
			return emit(rec)
		})
	})
	r.times[b.index].removals = time.Since(start) - above
	return err
}

// merge folds a segment into a breaker.
func (r *batchRun) merge(b *breaker, s op.Segment) error {
	start := time.Now()
	err := expr.Guarded(0, func() error { return b.op.Merge(s) })
	if b.state == nil {
		return err
	}
	r.times[b.index].updates += time.Since(start)
	return err
}

// feedAll drives the rows of all inputs into a breaker. A source is read when the first
// who needs it is fed, for all who read it.
func (r *batchRun) feedAll(b *breaker) error {
	for _, parts := range b.feeds {
		for _, f := range parts {
			if f.below != nil {
				if err := r.feedFrom(f); err != nil {
					return err
				}
				continue
			}
			if !r.done[f.source] {
				r.done[f.source] = true
				if err := r.read(f.source); err != nil {
					return err
				}
			}
			for _, s := range r.waiting[f.inlet] {
				if err := r.merge(b, s); err != nil {
					return err
				}
			}
			delete(r.waiting, f.inlet)
		}
	}
	return nil
}

// feedFrom drives the rows of the operator below into a breaker: they are one segment.
func (r *batchRun) feedFrom(f feed) error {
	k := r.newTask()
	k.Bad = func(rec arrow.Record, row int, column, reason string) {
		r.keepBad(badRow{BadRow: k.refusedRow(rec, row, column, reason)})
	}
	to := f.route.inlets[0]
	seg := to.b.op.Segment(to.input)
	if err := r.finish(f.below, func(rec arrow.Record) error {
		k.begin(rec)
		return k.flow(f.route, op.Untraced(rec), []op.Segment{seg})
	}); err != nil {
		return err
	}
	r.observed(k)
	return r.merge(to.b, seg)
}
