package exec

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/sources"
)

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
			k.refuse(rec, row)
			k.keep(keepMax, func() sources.BadRow { return k.refusedRow(rec, row, column, reason) })
		}
		j := &job{task: k, done: make(chan error, 1)}
		for _, in := range inlets {
			j.outs = append(j.outs, in.b.op.Segment(in.input))
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			j.done <- r.readSegment(ctx, seg, k, keepMax, source, j.outs)
		}()
		return j
	}
	merge := func(j *job) error {
		if err := <-j.done; err != nil {
			return err
		}
		r.addTask(j.task, source)
		if fails && len(j.task.bad) > 0 {
			return refuseBad(j.task.bad[0])
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

func (r *batchRun) readSegment(ctx context.Context, seg sources.Segment, k *task, keepMax int64, source int, outs []op.Segment) error {
	k.refuses = r.q.cfg.FailedRows == FailedToBad
	from, trace := r.q.routing.sources[source], r.q.routing.traced[source]
	rc := &sources.ReadContext{
		ChunkRows: r.q.cfg.ChunkRows,
		Bad: func(b sources.BadRow) {
			k.lines++
			k.keep(keepMax, func() sources.BadRow { return b })
		},
		Notice: r.q.notice,
	}
	return seg.Read(ctx, rc, func(rec arrow.Record) error {
		given := rec
		if trace {
			given = k.traced(rec)
		}
		k.decoded += rec.NumRows()
		k.locate = rc.Locate
		k.begin(rec)
		return k.flow(from, given, outs)
	})
}

// refuseBad is the error of a bad row under bad_records = 'fail'.
func refuseBad(b sources.BadRow) error {
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
