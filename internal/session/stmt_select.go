package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sinks"
	"ssql/sql"
	"ssql/sql/types"
)

// selectStream is a SELECT on a stream: it reads what is there, from the beginning, and
// keeps nothing. What it shows is the result after the last row, unless EMIT asks for what
// each batch gives. At the end open windows are closed, since no more rows will come to this
// query.
func (s *Session) selectStream(ctx context.Context, st *sql.SelectStatement, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	cat.FilesBelow = r.Dir
	return s.selectFrom(ctx, st, cat, r, out)
}

// selectFrom is selectStream with the streams of a catalog.
func (s *Session) selectFrom(ctx context.Context, st *sql.SelectStatement, cat *catalog.Snapshot, r *Request, out Output) error {
	p, fold, err := s.planSelect(ctx, st.Query, cat)
	if err != nil {
		return err
	}
	noteUnborn(cat, out)
	if fold != nil {
		return s.runFold(ctx, fold, cat, folded{given: st.Node, first: "SELECT"}, r, out)
	}
	if asksForChanges(st.Query) {
		return s.printQuery(ctx, p, cat, shown{changes: true}, out)
	}
	return s.printQuery(ctx, p, cat, shown{query: st.Query}, out)
}

// noteUnborn says of the streams that were planned with which of them have no row yet, since
// theirs come from the start of a query on.
func noteUnborn(cat *catalog.Snapshot, out Output) {
	for _, name := range slices.Sorted(maps.Keys(cat.Opened)) {
		st := cat.Opened[name]
		if st.Spec.Preview != nil && len(st.Spec.Preview(st.Options, peekRows, time.Now())) > 0 {
			out.Notice(fmt.Sprintf("stream %q makes its rows from the start of a query on, and a SELECT ends with what is there: PEEK %s shows what they are like, a query with INSERT INTO goes on reading, "+
				"and with an option start in CREATE STREAM there are rows before", st.Row.Name, sql.IdentText(st.Row.Name)))
		}
	}
}

// asksForChanges reports whether EMIT says which rows of each batch to show.
func asksForChanges(q *sql.Query) bool {
	return q.Emit != nil && (q.Emit.Mode == "close" || q.Emit.Mode == "update")
}

// insertIntoConsole is INSERT INTO a sink that shows its rows: what each batch gives, with
// the names and types of the columns of the sink.
func (s *Session) insertIntoConsole(ctx context.Context, st *sql.Insert, n *catalog.Sink, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	cat.FilesBelow = r.Dir
	p, err := plan.BindSet([]plan.Insert{{Query: st.Query, Assign: catalog.ColumnTypes(n.Columns)}}, cat, planOptions(ctx, s.settings, true))
	if err != nil {
		return err
	}
	if len(n.Columns) != 0 && len(n.Columns) != len(p.Outputs[0].Columns) {
		return sqlerr.At(st.Query.Span, "INSERT_COLUMN_ARITY_MISMATCH", "the sink has %s, but the query has %d", sqlerr.CountOf(int64(len(n.Columns)), "column"), len(p.Outputs[0].Columns)).
			WithHint("select one column for each of the sink")
	}
	return s.printQuery(ctx, p, cat, shown{columns: n.Columns}, out)
}

// shown is how the rows of a plan are shown.
type shown struct {
	columns []sql.ColumnDef // their names; nil: as the plan has them
	changes bool            // each row says in which batch it came and whether it is gone
	query   *sql.Query      // of which the result after the last row is shown; nil for what batches give
}

// printQuery runs a plan to its end and prints its rows.
func (s *Session) printQuery(ctx context.Context, p *plan.Plan, cat *catalog.Snapshot, as shown, out Output) error {
	s.noteMeanings(p.Meanings, out)
	for _, notice := range p.Notices {
		out.Notice(notice)
	}
	result := p.Outputs[0]
	run := &selectRun{mode: result.Mode, changes: as.changes, ops: as.changes || result.Deletes, limit: limitOf(result)}
	fields := fieldsOf(result)
	for i := range as.columns {
		fields[i].Name = as.columns[i].Name.Name
	}
	start := func() (err error) {
		run.table, err = out.Table(types.ArrowSchema(run.shownFields(fields)))
		return err
	}
	err := s.runSelect(ctx, p, cat, fields, run, start, out)
	if err == nil {
		err = s.writeEmpty(ctx, as.query, cat, run, result)
	}
	if run.table != nil && (err == nil || run.rows > 0) {
		err = joinErrors(err, run.table.Close())
	}
	for _, text := range run.notices {
		out.Notice(text)
	}
	if err == nil {
		run.totals.show(out)
	}
	return err
}

// runSelect runs a plan to the end of its input. start is called when its sources are open;
// the rows go to the table of the run.
func (s *Session) runSelect(ctx context.Context, p *plan.Plan, cat *catalog.Snapshot, fields []types.Field, run *selectRun, start func() error, out Output) error {
	result := p.Outputs[0]
	srcs, err := openSources(p, cat, once(run.onNotice))
	if err != nil {
		return err
	}
	if err := start(); err != nil {
		return closeAfter(srcs, err)
	}
	sink, err := s.store.FindSink("console", run.print)
	if err != nil {
		return closeAfter(srcs, err)
	}
	cfg := s.config("select", p, s.settings)
	if result.Mode != types.Append {
		// A closing batch emits nothing new here, and would print a global aggregate twice.
		cfg.NoDataBatches = false
	}
	cfg.Sources, cfg.SinkDescriptions = srcs, []string{"console"}
	if cfg.BadRecords, err = badPolicies(p, cat, s.settings); err != nil {
		return closeAfter(srcs, err)
	}
	cfg.FlushAtEnd = false // toEnd closes what is open, and says so
	if cfg.Sink, err = sink.Open(sinks.OpenContext{Query: "select", Mode: result.Mode, Fields: fields, Keys: result.KeyColumns}); err != nil {
		return closeAfter(srcs, err)
	}
	cfg.OnNotice, cfg.OnWait, cfg.EachBatch = run.onNotice, out.Notice, run.changes
	follower, _ := out.(Follower)
	cfg.OnBatch = func(p *exec.Progress, _ []exec.Rows) {
		run.totals.add(p)
		if follower != nil {
			follower.Batch(batchInfo(p))
		}
	}
	q, err := exec.Open(ctx, cfg)
	if err != nil {
		return closeAfter(srcs, err)
	}
	run.query = q
	giveUp := s.giveUp
	s.waitFor(func() {
		q.Stop()
		time.AfterFunc(selectEndsWithin, giveUp)
	}, stopsSelect)
	err = run.toEnd(ctx, s.settings.Get("end_of_input") != "hold")
	run.totals.ended()
	// The rows that came are printed also when the query did not come to its end.
	return joinErrors(err, run.writeComplete(), q.Close())
}

// selectEndsWithin is how long the running batch of a SELECT may go on after Ctrl-C. What it has made is
// shown then, and nothing is lost with the rest: a SELECT keeps nothing.
const selectEndsWithin = time.Second

// selectRun is a SELECT that runs.
type selectRun struct {
	mode    types.Mode
	changes bool // each row says its batch
	ops     bool // each row says what it is: see opColumn
	batch   int64
	totals  readTotals
	query   *exec.Query
	table   TableWriter
	limit   int64 // rows after which the query can end, -1 without
	rows    int64
	late    int64
	bad     int64
	badText string // about the first bad row
	windows int64  // open before they were flushed
	// complete is the newest result in complete mode: each batch replaces it, and it is
	// printed once, at the end.
	complete []arrow.Record

	mu      sync.Mutex
	notices []string // said when it has ended: sources speak from goroutines of theirs
}

func (r *selectRun) onNotice(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notices = append(r.notices, text)
}

// limitOf returns the LIMIT of a result, -1 without.
func limitOf(o *plan.Output) int64 {
	if l, ok := o.Root.(*plan.Limit); ok && o.Mode == types.Append {
		return l.Count
	}
	return -1
}

// print takes a batch from the console sink.
func (r *selectRun) print(b *sinks.Batch) error {
	r.batch = b.Batch
	r.late += b.Info.RowsLate
	r.bad += b.Info.RowsBad
	for _, side := range b.Side {
		if side.Table == "bad_rows" && r.badText == "" {
			r.badText = firstBad(side.Record)
		}
	}
	records := b.Outputs[0].Records
	if r.mode == types.Complete {
		r.keepComplete(records)
		return nil
	}
	for _, rec := range records {
		if err := r.write(rec, "u"); err != nil {
			return err
		}
	}
	for _, rec := range b.Outputs[0].Deletes {
		if err := r.write(rec, "d"); err != nil {
			return err
		}
	}
	if r.limit >= 0 && r.rows >= r.limit {
		r.query.Stop()
	}
	return nil
}

// opColumn is shown behind the columns of a result whose rows can go again, and of EMIT: u for
// a row that is new or replaces the one of its keys, d for one that is no more. The letters
// are those of the files that changes are written to. batchColumn is shown before it with
// EMIT: the number of the batch that gave the row.
const (
	batchColumn = "batch"
	opColumn    = "op"
)

// shownFields are the columns that are printed.
func (r *selectRun) shownFields(fields []types.Field) []types.Field {
	shown := fields[:len(fields):len(fields)]
	if r.changes {
		shown = append(shown, types.Field{Name: batchColumn, Type: types.Of(types.BigInt)})
	}
	if r.ops {
		shown = append(shown, types.Field{Name: opColumn, Type: types.Of(types.Varchar)})
	}
	return shown
}

// write prints rows, with their batch and what they are as far as that is shown.
func (r *selectRun) write(rec arrow.Record, op string) error {
	r.rows += rec.NumRows()
	if !r.ops {
		return r.table.Write(rec)
	}
	rows := int(rec.NumRows())
	fields, columns := rec.Schema().Fields(), rec.Columns()[:rec.NumCols():rec.NumCols()]
	add := func(name string, column arrow.Array) {
		fields, columns = append(fields, arrow.Field{Name: name, Type: column.DataType()}), append(columns, column)
	}
	if r.changes {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		defer b.Release()
		for range rows {
			b.Append(r.batch)
		}
		batches := b.NewArray()
		defer batches.Release()
		add(batchColumn, batches)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	for range rows {
		b.Append(op)
	}
	ops := b.NewArray()
	defer ops.Release()
	add(opColumn, ops)
	shown := array.NewRecord(arrow.NewSchema(fields, nil), columns, rec.NumRows())
	defer shown.Release()
	return r.table.Write(shown)
}

// keepComplete takes a result that replaces the one before.
func (r *selectRun) keepComplete(records []arrow.Record) {
	for _, rec := range records {
		rec.Retain()
	}
	for _, rec := range r.complete {
		rec.Release()
	}
	r.complete = append([]arrow.Record(nil), records...)
}

// writeComplete prints the newest result in complete mode.
func (r *selectRun) writeComplete() error {
	defer r.keepComplete(nil)
	for _, rec := range r.complete {
		if err := r.table.Write(rec); err != nil {
			return err
		}
		r.rows += rec.NumRows()
	}
	return nil
}

// firstBad describes the first row of a record for ssql.bad_rows.
func firstBad(rec arrow.Record) string {
	cell := func(name string) string {
		if at := rec.Schema().FieldIndices(name); len(at) == 1 && rec.Column(at[0]).IsValid(0) {
			return rec.Column(at[0]).ValueStr(0)
		}
		return ""
	}
	where := cell("stream")
	if file := cell("file"); file != "" {
		where = file
		if line := cell("line"); line != "" {
			where += ":" + line
		}
	}
	what := cell("reason")
	if column := cell("column"); column != "" {
		what = fmt.Sprintf("column %q: %s", column, what)
	}
	return "in " + where + ": " + what
}

// toEnd runs the query over what is there and, with flush, closes what is open then.
func (r *selectRun) toEnd(ctx context.Context, flush bool) error {
	if err := r.query.Run(ctx, exec.Trigger{Kind: exec.AvailableNow}); err != nil {
		if errors.Is(err, context.Canceled) {
			return err
		}
		return &QueryError{Name: "select", Err: err}
	}
	for _, o := range r.query.StateProgress() {
		r.windows += o.NumRowsTotal
	}
	limited := r.limit >= 0 && r.rows >= r.limit
	if flush && !limited {
		before := r.query.Progress()
		if err := r.query.Flush(ctx); err != nil {
			return &QueryError{Name: "select", Err: err}
		}
		flush = r.query.Progress() != before
	}
	if flush && !limited {
		r.onNotice(fmt.Sprintf("the input ended with %s open; a SELECT closes them, a query that stays would hold them", sqlerr.CountOf(r.windows, "group")))
	}
	if r.late > 0 {
		r.onNotice(fmt.Sprintf("left out: %s behind the watermark", sqlerr.CountOf(r.late, "row")))
	}
	if r.bad > 0 {
		text := "left out: " + sqlerr.CountOf(r.bad, "row") + " that cannot be read"
		if r.badText != "" {
			text += ", the first " + r.badText
		}
		r.onNotice(text)
	}
	return nil
}
