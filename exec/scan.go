package exec

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

// task is what one segment counts while it runs.
type task struct {
	op.Task
	decoded int64            // rows that the source delivered
	lines   int64            // refused lines, which never became rows
	bad     []sources.BadRow // the first refused lines and rows
	tracks  []track          // by route
	on      *track           // of the route whose stages run
	// locate tells where a row of the source's present chunk comes from, nil if it
	// cannot; rows are numbered as in that chunk while asRead is true.
	locate func(row int) sources.BadRow
	asRead bool

	firstRow int64 // the number of the task's first row in the batch
}

// track is what became of the rows of a task on one route.
type track struct {
	filtered, refused int64
	used              int64   // rows that came to its end
	passed            []int64 // rows that each stage has seen
}

// number tells the expressions of a stage which rows of the batch they get: the rows
// that come to it are numbered on from chunk to chunk, so that random numbers depend on
// the plan of the batch and not on where chunks end.
func (k *task) number(stage int, rows int64) {
	for len(k.on.passed) <= stage {
		k.on.passed = append(k.on.passed, 0)
	}
	k.Expr.FirstRow = k.firstRow + k.on.passed[stage]
	k.on.passed[stage] += rows
}

// refusedRow describes a row that a stage refused, by its place in the source if that is
// known.
func (k *task) refusedRow(rec arrow.Record, row int, column, reason string) sources.BadRow {
	b := sources.BadRow{}
	if k.locate != nil && k.asRead {
		b = k.locate(row)
	}
	b.Column, b.Reason = column, reason
	if b.Raw == "" {
		b.Raw = rowJSON(rec, row)
	}
	return b
}

// badRows returns how many bad rows of a source a batch keeps, and whether the first
// one fails it.
func (c *Config) badRows(source int) (keepMax int64, fails bool) {
	if source >= len(c.BadRecords) {
		return c.BadRowsMax, false
	}
	switch c.BadRecords[source] {
	case BadDrop:
		return 0, false
	case BadFail:
		return 1, true // the one to name
	}
	return c.BadRowsMax, false
}

// dropsBad reports whether bad rows of a source are counted and not kept.
func (c *Config) dropsBad(source int) bool {
	return source < len(c.BadRecords) && c.BadRecords[source] == BadDrop
}

// keep keeps a refused line or row if it is among the first keepMax.
func (k *task) keep(keepMax int64, row func() sources.BadRow) {
	if int64(len(k.bad)) < keepMax {
		k.bad = append(k.bad, row())
	}
}

// newTask returns the scratch of one segment. Tasks are made in the order of the trees and
// of the segments, which gives their rows numbers.
func (r *batchRun) newTask() *task {
	ctx := *r.expr
	k := &task{firstRow: r.tasks << 32, tracks: make([]track, r.q.routing.count)}
	r.tasks++
	k.Task = op.Task{Expr: &ctx, Event: make([]op.EventStats, len(r.event))}
	return k
}

// observed adds the event times that a task has seen, in the order of the segments.
func (r *batchRun) observed(k *task) {
	for id, s := range k.Event {
		r.event[id].Add(s)
	}
}

// addTask adds the counts of a segment of a source to the batch's, in the order of the
// segments.
func (r *batchRun) addTask(k *task, source int) {
	r.observed(k)
	read := k.decoded + k.lines
	r.count.read += read
	r.count.bySource[source] += read
	bad := k.lines
	for i := range k.tracks {
		bad += k.tracks[i].refused
	}
	r.count.bad += bad
	if r.q.cfg.dropsBad(source) {
		r.count.badDropped += bad
	}
	r.count.add(r.q.routing.sources[source], k, outputCounts{read: read, bad: k.lines})
	for _, b := range k.bad {
		r.keepBad(badRow{stream: r.q.cfg.Plan.Sources[source].Stream, BadRow: b})
	}
}

// add adds what became of the rows of a task to the outputs that a route leads to. Every
// output accounts for all rows of the source, once for each route that ends in it.
func (c *counts) add(rt *route, k *task, on outputCounts) {
	t := &k.tracks[rt.number]
	on.filtered += t.filtered
	on.bad += t.refused
	on.used, on.expanded = t.used, rt.expands
	for _, o := range rt.outputs {
		c.outputs[o].add(on)
	}
	for _, next := range rt.next {
		c.add(next, k, on)
	}
}

// read reads the segments of a source, as many at once as there are workers, and merges
// them into its inlets in order: the order of rows, and so every floating-point sum, is
// the same for any number of workers. What an inlet may not merge yet waits for it.
func (r *batchRun) read(source int) error {
	type job struct {
		task *task
		outs []op.Segment // by inlet
		done chan error
	}
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	segs, inlets := r.segments[source], r.q.routing.inlets[source]
	keepMax, fails := r.q.cfg.badRows(source)
	// A window of running and finished segments: wide enough to keep every worker
	// busy, narrow enough to bound the memory of partial results.
	window := make(chan *job, 2*r.q.cfg.Workers)
	slots := make(chan struct{}, r.q.cfg.Workers)
	start := func(seg sources.Segment) *job {
		k := r.newTask()
		k.Bad = func(rec arrow.Record, row int, column, reason string) {
			k.on.refused++
			k.keep(keepMax, func() sources.BadRow { return k.refusedRow(rec, row, column, reason) })
		}
		j := &job{task: k, done: make(chan error, 1)}
		for _, in := range inlets {
			j.outs = append(j.outs, in.b.op.Segment(in.input))
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			j.done <- r.readSegment(ctx, seg, k, keepMax, r.q.routing.sources[source], j.outs)
		}()
		return j
	}
	merge := func(j *job) error {
		if err := <-j.done; err != nil {
			return err
		}
		r.addTask(j.task, source)
		if fails && len(j.task.bad) > 0 {
			return badRecord(j.task.bad[0])
		}
		return r.mergeAll(inlets, j.outs)
	}
	var first error
	for _, seg := range segs {
		if len(window) == cap(window) {
			if first = merge(<-window); first != nil {
				break
			}
		}
		window <- start(seg)
	}
	close(window)
	for j := range window {
		if first == nil {
			first = merge(j)
		} else {
			cancel()
			<-j.done
		}
	}
	return first
}

// mergeAll merges what one segment of a source gave to each of its inlets.
func (r *batchRun) mergeAll(inlets []*inlet, outs []op.Segment) error {
	for i, in := range inlets {
		if !in.first {
			r.waiting[in] = append(r.waiting[in], outs[i])
			continue
		}
		if err := r.merge(in.b, outs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *batchRun) readSegment(ctx context.Context, seg sources.Segment, k *task, keepMax int64, from *route, outs []op.Segment) error {
	rc := &sources.ReadContext{
		ChunkRows: r.q.cfg.ChunkRows,
		Bad: func(b sources.BadRow) {
			k.lines++
			k.keep(keepMax, func() sources.BadRow { return b })
		},
		Notice: r.q.notice,
	}
	return seg.Read(ctx, rc, func(rec arrow.Record) error {
		k.decoded += rec.NumRows()
		k.locate, k.asRead = rc.Locate, true
		return k.flow(from, rec, outs)
	})
}

// badRecord is the error of a bad row under bad_records = 'fail'.
func badRecord(b sources.BadRow) error {
	var where string
	switch {
	case b.File == "":
		where = "a row of the input is bad"
	case b.Line == 0:
		where = fmt.Sprintf("a row of %q is bad", b.File)
	default:
		where = fmt.Sprintf("line %d of %q is bad", b.Line, b.File)
	}
	if b.Column != "" {
		where += fmt.Sprintf(", column %q", b.Column)
	}
	return sqlerr.New("E_DECODE", "%s: %s", where, b.Reason).
		WithDetail("It is %s", b.Raw).
		WithHint("correct the file, or SET bad_records = 'table' to keep such rows in ssql.bad_rows and go on")
}
