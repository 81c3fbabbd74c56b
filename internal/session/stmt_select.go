package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sinks"
	"ssql/sql"
	"ssql/sql/types"
)

// selectStream is a SELECT on a stream: it reads what is there, from the beginning,
// and keeps nothing. At the end open windows are closed, since no more rows will
// come to this query.
func (s *Session) selectStream(ctx context.Context, st *sql.SelectStatement, r *Request, out Output) error {
	return s.printQuery(ctx, st.Query, nil, r, out)
}

// insertIntoConsole is INSERT INTO a sink that shows its rows: a SELECT with the names and
// types of the columns of the sink.
func (s *Session) insertIntoConsole(ctx context.Context, st *sql.Insert, n *namedSink, r *Request, out Output) error {
	return s.printQuery(ctx, st.Query, n.columns, r, out)
}

// printQuery runs a query to its end and prints its rows, as columns if there are any.
func (s *Session) printQuery(ctx context.Context, query *sql.Query, as []sql.ColumnDef, r *Request, out Output) error {
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	cat.filesBelow = r.Dir
	p, err := plan.BindSet([]plan.Insert{{Query: query, Assign: columnTypes(as)}}, cat, planOptions(ctx, s.settings, true))
	if err != nil {
		return err
	}
	s.noteMeanings(p.Meanings, out)
	for _, notice := range p.Notices {
		out.Notice(notice)
	}
	result := p.Outputs[0]
	if as != nil && len(as) != len(result.Columns) {
		return sqlerr.At(query.Span, "INSERT_COLUMN_ARITY_MISMATCH", "the sink has %s, but the query has %d", count(int64(len(as)), "column"), len(result.Columns)).
			WithHint("select one column for each of the sink")
	}
	run := &selectRun{mode: result.Mode, deletes: result.Deletes, limit: limitOf(result)}
	srcs, err := openSources(p, cat, once(run.onNotice))
	if err != nil {
		return err
	}
	fields := fieldsOf(result)
	for i := range as {
		fields[i].Name = as[i].Name.Name
	}
	if run.table, err = out.Table(types.ArrowSchema(run.shownFields(fields))); err != nil {
		return closeAfter(srcs, err)
	}
	sink, err := s.findSink("console", run.print)
	if err != nil {
		return closeAfter(srcs, err)
	}
	cfg := s.config("select", p, s.settings)
	if result.Mode != plan.Append {
		// A closing batch emits nothing new here, and would print a global aggregate twice.
		cfg.NoDataBatches = false
	}
	cfg.Sources, cfg.SinkDescriptions = srcs, []string{"console"}
	if cfg.BadRecords, err = badPolicies(p, cat, s.settings); err != nil {
		return closeAfter(srcs, err)
	}
	cfg.FlushAtEnd = false // toEnd closes what is open, and says so
	if cfg.Sink, err = sink.Open(sinks.OpenContext{Query: "select", Mode: sinkMode(result.Mode), Fields: fields, Keys: result.KeyColumns}); err != nil {
		return closeAfter(srcs, err)
	}
	cfg.OnNotice = run.onNotice
	if f, ok := out.(Follower); ok {
		cfg.OnBatch = func(p *exec.Progress, _ []exec.Rows) { f.Batch(batchInfo(p)) }
	}
	q, err := exec.Open(ctx, cfg)
	if err != nil {
		return closeAfter(srcs, err)
	}
	run.query = q
	s.waitFor(q.Stop, stopsQuery)
	err = run.toEnd(ctx, s.settings.get("end_of_input") != "hold")
	// The rows that came are printed also when the query did not come to its end.
	err = joinErrors(err, run.writeComplete(), run.table.Close(), q.Close())
	for _, text := range run.notices {
		out.Notice(text)
	}
	return err
}

// selectRun is a SELECT that runs.
type selectRun struct {
	mode    plan.Mode
	deletes bool // plan.Output.Deletes
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
	if l, ok := o.Root.(*plan.Limit); ok && o.Mode == plan.Append {
		return l.Count
	}
	return -1
}

// print takes a batch from the console sink.
func (r *selectRun) print(b *sinks.Batch) error {
	r.late += b.Info.RowsLate
	r.bad += b.Info.RowsBad
	for _, side := range b.Side {
		if side.Table == "bad_rows" && r.badText == "" {
			r.badText = firstBad(side.Record)
		}
	}
	records := b.Outputs[0].Records
	if r.mode == plan.Complete {
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

// opColumn is shown behind the columns of a result whose rows can go again: u for a row that
// is new or replaces the one of its keys, d for one that is no more. The letters are those
// of the files that changes are written to.
const opColumn = "op"

// shownFields are the columns that are printed.
func (r *selectRun) shownFields(fields []types.Field) []types.Field {
	if !r.deletes {
		return fields
	}
	return append(fields[:len(fields):len(fields)], types.Field{Name: opColumn, Type: types.Of(types.Varchar)})
}

// write prints rows, with what they are if rows can go again.
func (r *selectRun) write(rec arrow.Record, op string) error {
	r.rows += rec.NumRows()
	if !r.deletes {
		return r.table.Write(rec)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	for range int(rec.NumRows()) {
		b.Append(op)
	}
	ops := b.NewArray()
	defer ops.Release()
	fields := append(rec.Schema().Fields(), arrow.Field{Name: opColumn, Type: ops.DataType()})
	shown := array.NewRecord(arrow.NewSchema(fields, nil), append(rec.Columns()[:rec.NumCols():rec.NumCols()], ops), rec.NumRows())
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
		r.onNotice(fmt.Sprintf("the input ended with %s open; a SELECT closes them, a query that stays would hold them", count(r.windows, "group")))
	}
	if r.late > 0 {
		r.onNotice(fmt.Sprintf("left out: %s behind the watermark", count(r.late, "row")))
	}
	if r.bad > 0 {
		text := "left out: " + count(r.bad, "row") + " that cannot be read"
		if r.badText != "" {
			text += ", the first " + r.badText
		}
		r.onNotice(text)
	}
	return nil
}
