package exec

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
	"ssql/plan/expr"
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
	// Of a traced task: the rows of the source of which one was refused, and what became of
	// those that came to the end, by output.
	refusedRows map[int32]bool
	tallies     map[int]*tally
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

// newTask returns the scratch of one segment. Tasks are made in the order of the trees and
// of the segments, which gives their rows numbers.
func (r *batchRun) newTask() *task {
	ctx := *r.expr
	k := &task{firstRow: r.tasks << 32, tracks: make([]track, len(r.q.routing.routes))}
	r.tasks++
	k.Task = op.Task{Expr: &ctx, Event: make([]op.EventStats, len(r.event))}
	return k
}

// keep keeps a refused line or row if it is among the first keepMax.
func (k *task) keep(keepMax int64, row func() sources.BadRow) {
	if int64(len(k.bad)) < keepMax {
		k.bad = append(k.bad, row())
	}
}

// flow drives a chunk along a route. outs take the rows of its inlets, by their number.
func (k *task) flow(rt *route, rec arrow.Record, outs []op.Segment) error {
	before, asRead := k.on, k.asRead
	k.on = &k.tracks[rt.number]
	defer func() { k.on, k.asRead = before, asRead }()
	return k.push(rt.stages, rec, func(rec arrow.Record) error {
		if len(rt.inlets) > 0 {
			k.on.used += rec.NumRows()
		}
		for _, in := range rt.inlets {
			given := op.Untraced(rec)
			if rt.traced {
				given = k.arrive(in, rec)
			}
			if err := outs[in.number].Consume(given); err != nil {
				return k.nameRow(err, rec)
			}
		}
		for _, next := range rt.next {
			if err := k.flow(next, rec, outs); err != nil {
				return err
			}
		}
		return nil
	})
}

// push applies the stages to a chunk and gives what is left on.
func (k *task) push(stages []op.Stage, rec arrow.Record, emit op.Emit) error {
	rec.Retain()
	for i, s := range stages {
		k.number(i, rec.NumRows())
		filtered := k.Filtered
		next, err := s.Apply(&k.Task, rec)
		if err != nil {
			err = k.nameRow(err, rec)
			rec.Release()
			return err
		}
		k.on.filtered += k.Filtered - filtered
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
	return emit(rec)
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
