package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// Footer is an Output that shows what a SELECT on a stream read, below its rows.
type Footer interface {
	Footer(text string)
}

// readTotals are the accounts of what one statement read of streams.
type readTotals struct {
	rows, used, filtered, late, bad int64
	watermarkMicros                 int64 // the least of the runs that have ended; 0: none
	runMicros                       int64 // of the present run
}

func (t *readTotals) add(p *exec.Progress) {
	t.rows += p.NumInputRows
	t.used += p.RowsUsed
	t.filtered += p.RowsFiltered
	t.late += p.RowsLate
	t.bad += p.RowsBad
	if p.Forced != "" {
		return // its watermark is behind all rows
	}
	least := int64(0)
	for _, w := range p.Watermarks {
		if micros, ok := exec.ProgressMicros(w.Watermark); ok && (least == 0 || micros < least) {
			least = micros
		}
	}
	t.runMicros = max(t.runMicros, least)
}

// ended keeps the watermark of a run that has ended: the least of all runs is shown.
func (t *readTotals) ended() {
	if t.runMicros > 0 && (t.watermarkMicros == 0 || t.runMicros < t.watermarkMicros) {
		t.watermarkMicros = t.runMicros
	}
	t.runMicros = 0
}

// show gives the accounts to an output that has a place for them.
func (t *readTotals) show(out Output) {
	footer, ok := out.(Footer)
	if !ok {
		return
	}
	text := sqlerr.CountOf(t.rows, "row") + " read"
	if t.late+t.bad+t.filtered > 0 {
		text += fmt.Sprintf(" = %s used + %s filtered + %s late + %s bad", sqlerr.Number(t.used), sqlerr.Number(t.filtered), sqlerr.Number(t.late), sqlerr.Number(t.bad))
	}
	if t.watermarkMicros > 0 { // 1970 is where it starts
		text += "; watermark " + types.FormatTimestamp(t.watermarkMicros)
	}
	footer.Footer(text)
}

// planSelect plans a SELECT: of EMIT what each batch gives, else its result at the end, by a
// plan or a fold.
func (s *Session) planSelect(ctx context.Context, q *sql.Query, cat *catalog.Snapshot) (*plan.Plan, *plan.Fold, error) {
	o := planOptions(ctx, s.settings, true)
	if asksForChanges(q) {
		p, err := plan.Bind(q, cat, o)
		return p, nil, err
	}
	return plan.Snapshot(q, cat, o)
}

// foldColumns lists the columns of a fold without running it: DuckDB describes it over empty
// parts.
func (s *Session) foldColumns(ctx context.Context, f *plan.Fold, cat *catalog.Snapshot, given sql.Node, dir string) (*textTable, error) {
	if f.Whole {
		out := f.Parts[0].Output()
		return planColumns(out.Columns[:out.Tail.Columns]), nil
	}
	c, release, err := s.userConn(ctx, "SELECT", "")
	if err != nil {
		return nil, err
	}
	defer release()
	f, placed, err := placeFold(ctx, c, f, given, dir)
	if err != nil {
		return nil, err
	}
	defer dropParts(c, f)
	t := newTextTable("column_name", "column_type", "null", "extra")
	err = c.Query(ctx, "DESCRIBE "+placed.text, nil, func(row []any) error {
		t.add(duck.Text(row[0]), duck.Text(row[1]), "YES", "")
		return nil
	})
	return t, err
}

// folded is a statement that DuckDB runs over what ssql reads of streams.
type folded struct {
	given sql.Node
	first string // its first word
}

// runFold runs the parts of a fold into temporary tables, and what is left in DuckDB.
func (s *Session) runFold(ctx context.Context, f *plan.Fold, cat *catalog.Snapshot, st folded, r *Request, out Output) (err error) {
	c, release, err := s.userConn(ctx, st.first, st.given.Text)
	if err != nil {
		return err
	}
	defer release()
	f, placed, err := placeFold(ctx, c, f, st.given, r.Dir)
	if err != nil {
		return err
	}
	defer dropParts(c, f)
	totals := &readTotals{}
	for i, part := range f.Parts {
		if err := s.runPart(ctx, c, part, fmt.Sprintf("part %d", i+1), cat, totals, out); err != nil {
			return err
		}
	}
	reader, err := c.QueryArrow(ctx, placed.text)
	if err != nil {
		return f.Refused(foldError(f, placed, st.given, err))
	}
	defer reader.Release()
	schema := reader.Schema()
	if !answersNothing(schema, st.first) {
		if f.Whole {
			schema = types.ArrowSchema(fieldsOf(f.Parts[0].Output())[:schema.NumFields()])
		} else if mayHaveName(schema) {
			if schema, err = nameTypes(ctx, c, placed.text, schema); err != nil {
				return err
			}
		}
		if err := sendReader(reader, schema, out); err != nil {
			return err
		}
	}
	totals.show(out)
	return nil
}

// placeFold makes the tables of the parts of a fold and asks DuckDB whether it can run the
// rest; if not, those of the other one.
func placeFold(ctx context.Context, c *duck.Conn, f *plan.Fold, given sql.Node, dir string) (*plan.Fold, *placedFiles, error) {
	if err := makeParts(ctx, c, f); err != nil {
		dropParts(c, f)
		return nil, nil, err
	}
	placed := placeFiles(sql.Node{Span: sql.Span{End: len(f.Text)}, Text: f.Text}, dir)
	_, err := c.Prepare(ctx, placed.text)
	pivots := strings.Contains(strings.ToUpper(f.Text), "PIVOT") // its columns are known when it has its rows
	var refused *duck.SQLError
	if err == nil || pivots && !(errors.As(err, &refused) && strings.EqualFold(refused.Kind, "parser")) {
		return f, placed, nil
	}
	dropParts(c, f)
	if f.Other != nil {
		return placeFold(ctx, c, f.Other, given, dir)
	}
	return nil, nil, f.Refused(foldError(f, placed, given, err))
}

// copiesFiles reports whether a statement makes a table of files, or inserts them into one that is there:
// once, as DuckDB does with all of its formats. Standard input may have no end, and a target that is not there is the table
// of a query.
func copiesFiles(st *sql.Undecided, cat *catalog.Snapshot) bool {
	if st.Stream || len(st.Files) == 0 || slices.ContainsFunc(st.Files, catalog.IsStdin) || slices.ContainsFunc(append(st.Refs, st.Target), cat.IsStream) {
		return false
	}
	if catalog.FirstWords(st.Text, "CREATE", "TABLE") {
		return true
	}
	if !catalog.FirstWords(st.Text, "INSERT") || st.Target == nil {
		return false
	}
	table, err := cat.Table(st.Target)
	return err == nil && table != nil
}

// readsOnce reports whether a statement of DuckDB's needs what it reads of streams once, whole:
// COPY, SUMMARIZE, PIVOT and the like, and CREATE TEMP TABLE AS.
func readsOnce(text string) bool {
	words, _ := sql.Words(text)
	if len(words) > 0 && sql.IsOverRelation(words[0].Text) {
		return true
	}
	for i, w := range words {
		switch strings.ToUpper(w.Text) {
		case "CREATE", "OR", "REPLACE":
		case "TEMP", "TEMPORARY":
			return i > 0 && i+1 < len(words) && strings.EqualFold(words[i+1].Text, "TABLE")
		default:
			return false
		}
	}
	return false
}

// foldStatement runs a statement of DuckDB's over what it reads of streams. unread is why
// ssql cannot read it, nil if it is not meant to.
func (s *Session) foldStatement(ctx context.Context, st *sql.Undecided, cat *catalog.Snapshot, unread error, r *Request, out Output) error {
	words, _ := sql.Words(st.Text)
	if err := refuseConditions(words, s.settings.Integer("plan_nodes_max"), st.Node); err != nil {
		return first(unread, err)
	}
	reads, err := st.Reads(s.settings.Limits())
	if err != nil {
		return first(unread, err)
	}
	cat.FilesBelow = r.Dir
	f, err := plan.FoldStatement(st.Text, st.Span.Start, reads.Queries, reads.Tables, cat, planOptions(ctx, s.settings, true))
	if err != nil {
		return err
	}
	err = s.runFold(ctx, f, cat, folded{given: st.Node, first: catalog.FirstWord(st.Text)}, r, out)
	if unread != nil && sqlerr.Code(err) == "DUCKDB_PARSER" {
		return unread
	}
	return err
}

// first returns the first error that is one.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// foldError gives DuckDB's refusal of the rest of a statement its place.
func foldError(f *plan.Fold, placed *placedFiles, given sql.Node, err error) error {
	err = placed.failed(err)
	e, ok := err.(*sqlerr.Error)
	if !ok {
		return err
	}
	whole := e.Span.Start == 0 && e.Span.End >= len(f.Text)
	e.Span.Start, e.Span.End = f.Back(e.Span.Start), f.Back(e.Span.End)
	if whole || e.Span.End <= e.Span.Start {
		e.Span.End = e.Span.Start + 1
	}
	if whole {
		e.Span = given.Span
	}
	return e
}

// partTable returns the quoted name of the table of a part.
func partTable(part *plan.FoldPart) string { return "temp.main." + types.QuoteIdent(part.Table) }

// makeParts makes the tables of the parts, empty.
func makeParts(ctx context.Context, c *duck.Conn, f *plan.Fold) error {
	for _, part := range f.Parts {
		names := part.Columns()
		columns := make([]string, len(names))
		for i, col := range part.Output().Columns {
			columns[i] = types.QuoteIdent(names[i]) + " " + col.Type.String()
		}
		if _, err := c.Exec(ctx, "CREATE TEMP TABLE "+types.QuoteIdent(part.Table)+" ("+strings.Join(columns, ", ")+")"); err != nil {
			return duckError(err, sql.Node{})
		}
	}
	return nil
}

// dropParts drops the tables of the parts. It runs also when the statement was cancelled.
func dropParts(c *duck.Conn, f *plan.Fold) {
	for _, part := range f.Parts {
		if _, err := c.Exec(context.Background(), "DROP TABLE IF EXISTS "+partTable(part)); err != nil {
			c.Spoil() // the table goes with the connection
		}
	}
}

// runPart runs a part to the end of its input.
func (s *Session) runPart(ctx context.Context, c *duck.Conn, part *plan.FoldPart, name string, cat *catalog.Snapshot, totals *readTotals, out Output) error {
	result := part.Output()
	s.noteMeanings(part.Plan.Meanings, out)
	for _, notice := range part.Plan.Notices {
		out.Notice(notice)
	}
	fields := fieldsOf(result)
	run := &selectRun{mode: result.Mode, limit: limitOf(result), totals: *totals}
	start := func() error {
		table, err := newPartTable(ctx, c, part, name, fields)
		run.table = table
		return err
	}
	err := s.runSelect(ctx, part.Plan, cat, fields, run, start, out)
	if err == nil && s.interrupted() {
		err = ErrInterrupted
	}
	if err == nil {
		err = s.writeEmpty(ctx, part.Query, cat, run, result)
	}
	for _, text := range run.notices {
		out.Notice(text)
	}
	*totals = run.totals
	return err
}

// interrupted reports whether Interrupt was called during the running statement.
func (s *Session) interrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// partRows writes rows into the table of a part.
type partRows struct {
	ctx    context.Context
	conn   *duck.Conn
	view   *duck.Stage
	insert string
}

func newPartTable(ctx context.Context, c *duck.Conn, part *plan.FoldPart, name string, fields []types.Field) (*partRows, error) {
	view, err := c.Stage(ctx, name, types.ArrowSchema(fields))
	if err != nil {
		return nil, err
	}
	return &partRows{ctx, c, view, "INSERT INTO " + partTable(part) + " SELECT * FROM " + view.View()}, nil
}

// Write implements TableWriter.
func (w *partRows) Write(rec arrow.Record) error {
	if err := w.view.Set([]arrow.Record{rec}); err != nil {
		return err
	}
	defer w.view.Clear()
	_, err := w.conn.Exec(w.ctx, w.insert)
	return err
}

// Close implements TableWriter.
func (w *partRows) Close() error { return nil }

// writeEmpty writes the one row that an aggregation without GROUP BY has over no rows, which
// no batch gives: a batch has rows.
func (s *Session) writeEmpty(ctx context.Context, q *sql.Query, cat *catalog.Snapshot, run *selectRun, result *plan.Output) error {
	if run.rows > 0 || run.windows > 0 || q == nil || result.Mode != types.Complete || !result.Global() {
		return nil
	}
	f, err := plan.FoldRelations(q, cat, planOptions(ctx, s.settings, true))
	if err != nil {
		return nil // there is no such row to be had, as on a stream
	}
	c, release, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer release()
	defer c.Spoil()
	if err := makeParts(ctx, c, f); err != nil {
		return err
	}
	names, casts := make([]string, len(result.Columns)), make([]string, len(result.Columns))
	for i, col := range result.Columns {
		names[i] = fmt.Sprintf("c%d", i)
		casts[i] = "CAST(" + names[i] + " AS " + col.Type.String() + ") AS " + types.QuoteIdent(col.Name)
	}
	reader, err := c.QueryArrow(ctx, "SELECT "+strings.Join(casts, ", ")+" FROM ("+f.Text+") AS q("+strings.Join(names, ", ")+")")
	if err != nil {
		return nil // an aggregate that only ssql has
	}
	defer reader.Release()
	for reader.Next() {
		if err := writeAs(run, reader.Record(), fieldsOf(result)); err != nil {
			return err
		}
	}
	return reader.Err()
}

// writeAs writes a record under the schema of a result.
func writeAs(run *selectRun, rec arrow.Record, fields []types.Field) error {
	named := array.NewRecord(types.ArrowSchema(fields), rec.Columns(), rec.NumRows())
	defer named.Release()
	return run.write(named, "u")
}
