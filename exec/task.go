package exec

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
	"ssql/internal/sqlerr"
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
	// cannot, and from which row of that chunk each row of the present one is made; nil: they
	// are the same.
	locate func(row int) sources.BadRow
	from   *mapping
	// Rows of the present chunk of the source, and what expansions made of them so far.
	read, expanded int64
	// refuses is set where a row for which an expression of any stage fails is a bad row, and
	// not only one for which a column of the stream's definition fails.
	refuses bool

	firstRow int64 // the number of the task's first row in the batch
}

// track is what became of the rows of a task on one route.
type track struct {
	filtered, refused int64
	used              int64   // rows that came to its end
	passed            []int64 // rows that each stage has seen
	// Of a traced task: the rows of the source of which one was refused, and what became of
	// those that came to the end, by output.
	refusedRows  map[int32]bool
	filteredRows []bool // by row of the source: a filter removed one that came of it
	tallies      map[int]*tally
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
	if at, known := k.origin(row); known {
		b = k.locate(at)
	}
	b.Column, b.Reason = column, reason
	if b.Raw == "" {
		b.Raw = rowJSON(rec, row)
	}
	return b
}

// origin returns the row of the source's chunk that a row of the present one is made of.
func (k *task) origin(row int) (at int, known bool) {
	for m := k.from; m != nil; m = m.before {
		if row < 0 || row >= len(m.rows) {
			return 0, false
		}
		row = int(m.rows[row])
	}
	return row, k.locate != nil && row >= 0
}

// newTask returns the scratch of one segment. Tasks are made in the order of the trees and
// of the segments, which gives their rows numbers.
func (r *batchRun) newTask() *task {
	ctx := *r.expr
	k := &task{firstRow: r.tasks << 32, tracks: make([]track, len(r.q.routing.routes))}
	r.tasks++
	k.Task = op.Task{Expr: &ctx, Sizes: r.q.cfg.sizes(), Event: make([]op.EventStats, len(r.event))}
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
	before := k.on
	k.on = &k.tracks[rt.number]
	defer func() { k.on = before }()
	return k.push(rt.stages, rec, func(rec arrow.Record) error {
		if len(rt.inlets) > 0 {
			k.on.used += rec.NumRows()
		}
		for _, in := range rt.inlets {
			given := op.Untraced(rec)
			if rt.traced {
				given = k.arrive(in, rec)
			}
			if err := k.consume(outs[in.number], given); err != nil {
				return err
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

// consume gives a chunk to an inlet, in parts where it is too large for its expressions.
func (k *task) consume(out op.Segment, rec arrow.Record) error {
	err := expr.Guarded(rec.NumRows(), func() error { return out.Consume(rec) })
	if err != nil {
		return k.inParts(err, rec, false, func(rec arrow.Record) error { return k.consume(out, rec) })
	}
	return nil
}

// inParts does again with both halves of a chunk what made too much of the whole, or failed for
// a row of it. Where rows are refused, the row that is left is a bad one.
func (k *task) inParts(err error, rec arrow.Record, refuses bool, again func(rec arrow.Record) error) error {
	n := int32(rec.NumRows())
	var row *expr.RowError
	refuses = refuses && errors.As(err, &row)
	switch {
	case n < 2 && refuses:
		k.Bad(rec, 0, row.Column, row.Err.Text)
		return nil
	case n < 2 || !refuses && !errors.Is(err, expr.ErrChunkTooLarge):
		return k.passable(k.nameRow(err, rec))
	}
	from := k.from
	for _, rows := range [][]int32{sequence(0, n/2), sequence(n/2, n)} {
		k.from = &mapping{rows, from}
		part := op.Take(rec, rows)
		err := again(part)
		part.Release()
		if k.from = from; err != nil {
			return err
		}
	}
	return nil
}

func sequence(from, to int32) []int32 {
	rows := make([]int32, to-from)
	for i := range rows {
		rows[i] = from + int32(i)
	}
	return rows
}

// mapping says of each row of a chunk which row of the chunk before it is made of.
type mapping struct {
	rows   []int32
	before *mapping
}

// push applies the stages to a chunk and gives what is left on.
func (k *task) push(stages []op.Stage, rec arrow.Record, emit op.Emit) error {
	return k.pass(stages, 0, rec, emit)
}

// pass is push from a stage on.
func (k *task) pass(stages []op.Stage, at int, rec arrow.Record, emit op.Emit) error {
	if rec.NumRows() == 0 {
		return nil
	}
	if at == len(stages) {
		return emit(rec)
	}
	if err := k.ended(); err != nil {
		return err
	}
	k.number(at, rec.NumRows())
	passed, filtered, from := *k.on, k.Filtered, k.from
	on := k.on
	emitted := false
	_, isFilter := stages[at].(*op.Filter)
	counted := func() {
		on.filtered += k.Filtered - filtered
		filtered = k.Filtered
	}
	err := expr.Guarded(rec.NumRows(), func() error {
		k.From = nil
		return stages[at].Apply(&k.Task, rec, func(next arrow.Record) error {
			emitted = true
			counted()
			if isFilter {
				k.leftOut(rec, next)
			}
			if err := k.made(stages[at], rec, next); err != nil {
				return err
			}
			err := k.pass(stages, at+1, next, emit)
			k.From, k.from, filtered = nil, from, k.Filtered
			return err
		})
	})
	k.from = from
	counted()
	switch {
	case err == nil:
		if isFilter && !emitted {
			k.leftOut(rec, rec.NewSlice(0, 0))
		}
		return nil
	case emitted:
		return k.nameRow(err, rec)
	}
	on.passed[at] = passed.passed[at] - rec.NumRows()
	return k.inParts(err, rec, k.refusesFor(stages[at]), func(rec arrow.Record) error { return k.pass(stages, at, rec, emit) })
}

// refusesFor reports whether a row for which a stage fails is a bad row.
func (k *task) refusesFor(s op.Stage) bool {
	p, ok := s.(*op.Project)
	return k.refuses || ok && p.Refuses
}

// made notes which rows of rec the rows of next are made of, and refuses too many of them.
func (k *task) made(s op.Stage, rec, next arrow.Record) error {
	if k.From != nil {
		k.from = &mapping{k.From, k.from}
	}
	if _, ok := s.(op.Expander); !ok {
		return nil
	}
	k.expanded += next.NumRows()
	if limit := k.Sizes.RowsPerRowMax; limit > 0 && k.expanded/max(k.read, 1) > limit {
		return sqlerr.New("E_LIMIT", "the rows of a chunk become more than rows_per_row_max = %d rows each", limit).
			WithHint("leave rows out by a condition between the expansions, or raise rows_per_row_max")
	}
	return nil
}

// ended returns why the batch is not wanted any more.
func (k *task) ended() error {
	if k.Expr.Context == nil {
		return nil
	}
	return k.Expr.Context.Err()
}

// begin takes note of a chunk of the source, or of the operator below.
func (k *task) begin(rec arrow.Record) { k.from, k.read, k.expanded = nil, rec.NumRows(), 0 }

// passable adds to the error of a row of a source that the query can go on without the row.
func (k *task) passable(err error) error {
	e, ok := err.(*sqlerr.Error)
	if !ok || e.Detail == "" || k.locate == nil {
		return err
	}
	hint := "SET failed_rows = 'bad' goes on: such rows are bad rows then"
	if e.Hint != "" {
		hint = e.Hint + "; " + hint
	}
	c := *e
	return c.WithHint("%s", hint)
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
