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
	refused int64            // of them, rows that a stage refused
	used    int64            // rows that reached the breaker
	badSeen int64            // refused lines and rows
	bad     []sources.BadRow // the first of them
	// locate tells where a row of the source's present chunk comes from, nil if it
	// cannot; rows are numbered as in that chunk while asRead is true.
	locate func(row int) sources.BadRow
	asRead bool

	firstRow int64   // the number of the task's first row in the batch
	passed   []int64 // rows that each stage has seen
}

// number tells the expressions of a stage which rows of the batch they get: the rows
// that come to it are numbered on from chunk to chunk, so that random numbers depend on
// the plan of the batch and not on where chunks end.
func (k *task) number(stage int, rows int64) {
	for len(k.passed) <= stage {
		k.passed = append(k.passed, 0)
	}
	k.Expr.FirstRow = k.firstRow + k.passed[stage]
	k.passed[stage] += rows
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

// addBad counts a refused line or row and keeps it if it is among the first keepMax.
func (k *task) addBad(keepMax int64, row func() sources.BadRow) {
	k.badSeen++
	if int64(len(k.bad)) < keepMax {
		k.bad = append(k.bad, row())
	}
}

// newTask returns the scratch of one segment. Tasks are made in the order of the tree and
// of the segments, which gives their rows numbers.
func (r *batchRun) newTask() *task {
	ctx := *r.expr
	k := &task{firstRow: r.tasks << 32}
	r.tasks++
	k.Task = op.Task{Expr: &ctx, Event: make([]op.EventStats, len(r.event))}
	return k
}

// addTask adds a segment's counts to the batch's, in the order of the segments.
func (r *batchRun) addTask(k *task, source int) {
	for id, s := range k.Event {
		r.event[id].Add(s)
	}
	if source < 0 {
		return
	}
	// A refused row has been decoded; a refused line never became a row.
	read := k.decoded + k.badSeen - k.refused
	r.count.read += read
	r.count.bySource[source] += read
	r.count.used += k.used
	r.count.filtered += k.Filtered
	r.count.bad += k.badSeen
	if r.q.cfg.dropsBad(source) {
		r.count.badDropped += k.badSeen
	}
	for _, b := range k.bad {
		r.keepBad(badRow{stream: r.q.cfg.Plan.Sources[source].Stream, BadRow: b})
	}
}

// scanInto reads the segments of a source, as many at once as there are workers,
// and merges them into an inlet in order: the order of rows, and so every
// floating-point sum, is the same for any number of workers.
func (r *batchRun) scanInto(source int, stages []op.Stage, to inlet) error {
	for _, s := range stages {
		if _, ok := s.(op.Expander); ok {
			r.count.expanded = true
		}
	}
	type job struct {
		task *task
		out  op.Segment
		done chan error
	}
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	segs := r.segments[source]
	keepMax, fails := r.q.cfg.badRows(source)
	// A window of running and finished segments: wide enough to keep every worker
	// busy, narrow enough to bound the memory of partial results.
	window := make(chan *job, 2*r.q.cfg.Workers)
	slots := make(chan struct{}, r.q.cfg.Workers)
	start := func(seg sources.Segment) *job {
		k := r.newTask()
		k.Bad = func(rec arrow.Record, row int, column, reason string) {
			k.refused++
			k.addBad(keepMax, func() sources.BadRow { return k.refusedRow(rec, row, column, reason) })
		}
		j := &job{task: k, out: to.segment(), done: make(chan error, 1)}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			j.done <- r.readSegment(ctx, seg, k, keepMax, stages, j.out)
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
		return to.merge(j.out)
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

func (r *batchRun) readSegment(ctx context.Context, seg sources.Segment, k *task, keepMax int64, stages []op.Stage, out op.Segment) error {
	rc := &sources.ReadContext{
		ChunkRows: r.q.cfg.ChunkRows,
		Bad:       func(b sources.BadRow) { k.addBad(keepMax, func() sources.BadRow { return b }) },
		Notice:    r.q.notice,
	}
	return seg.Read(ctx, rc, func(rec arrow.Record) error {
		k.decoded += rec.NumRows()
		k.locate = rc.Locate
		return push(k, stages, rec, func(rec arrow.Record) error {
			k.used += rec.NumRows()
			return out.Consume(rec)
		})
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
