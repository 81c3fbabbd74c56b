package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ssql/exec"
	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/library"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/plan/expr"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// config fills in what a query needs to run, but for sources, sink and folder.
func (s *Session) config(name string, p *plan.Plan, v settings.Values) exec.Config {
	c := exec.Config{
		Name: name, Plan: p, FS: s.cfg.FS, Clock: s.cfg.Clock,
		Limits: sources.Limits{
			FilesMax: v.Integer("max_files_per_batch"),
			RowsMax:  v.Integer("max_rows_per_batch"),
			BytesMax: v.Integer("max_bytes_per_batch"),
		},
		NoDataBatches: v.Boolean("no_data_batches"),
		Workers:       int(v.Integer("workers")),
		ChunkRows:     int(v.Integer("chunk_rows")),
		ChunkBytesMax: v.BoundedBytes("chunk_bytes_max", 32),
		ValueBytesMax: v.BoundedBytes("value_bytes_max", 16),
		RowsPerRowMax: v.Integer("rows_per_row_max"),
		CreatedBy:     s.cfg.Program,
		SnapshotEvery: int(v.Integer("snapshot_every")),
		IdleTimeout:   time.Duration(v.Quantity("idle_timeout")) * time.Microsecond,
		LateRowsMax:   keepAtMost(v.Integer("late_rows_max")),
		BadRowsMax:    keepAtMost(v.Integer("bad_rows_max")),
		StateRowsMax:  v.Integer("state_rows_max"),
		StateBytesMax: stateBytesMax(v.Quantity("state_bytes_max")),
		FlushAtEnd:    v.Get("end_of_input") == "flush",
		Tables:        tables{s},
		Library:       library.NewEvaluator(s.withConn),
	}
	if v.Get("failed_rows") == "bad" {
		c.FailedRows = exec.FailedToBad
	}
	switch v.Get("late_rows") {
	case "drop":
		c.LateRows = exec.LateDrop
	case "fail":
		c.LateRows = exec.LateFail
	}
	return c
}

// keepAtMost turns a limit of ours, where 0 keeps nothing, into one of exec's, where 0
// is the default.
func keepAtMost(rows int64) int64 {
	if rows == 0 {
		return -1
	}
	return rows
}

// stateBytesMax returns the limit of an operator's state. Unless it is set it is a
// eighth of the memory: while state grows it is there twice, the collector lets garbage lie, and the
// rest is DuckDB's. So state that grows without bound ends in an error that says so, not
// in a process that the system has killed.
func stateBytesMax(set int64) int64 {
	if set > 0 {
		return set
	}
	return duck.ProcessBytes() / 8
}

// openSources opens the streams of a plan.
func openSources(p *plan.Plan, cat *catalog.Snapshot, notice func(text string)) ([]sources.Source, error) {
	keys := groupingKeys(p)
	var opened []sources.Source
	for _, ref := range p.Sources {
		st, err := cat.StreamOf(&ref)
		if err != nil {
			return nil, closeAfter(opened, err)
		}
		encode := make([]bool, len(ref.Fields))
		for i, f := range ref.Fields {
			encode[i] = f.Type.Kind == types.Varchar && keys[strings.ToLower(f.Name)]
		}
		src, err := st.Open(ref.Fields, encode, notice)
		if err != nil {
			return nil, closeAfter(opened, err)
		}
		opened = append(opened, src)
	}
	return opened, nil
}

// badPolicies returns what happens to the bad rows of each source of a plan: what the
// stream says, else what the settings say.
func badPolicies(p *plan.Plan, cat *catalog.Snapshot, v settings.Values) ([]exec.BadPolicy, error) {
	policies := map[string]exec.BadPolicy{"table": exec.BadToTable, "drop": exec.BadDrop, "fail": exec.BadFail}
	out := make([]exec.BadPolicy, len(p.Sources))
	for i, ref := range p.Sources {
		st, err := cat.StreamOf(&ref)
		if err != nil {
			return nil, err
		}
		word := st.Options.String(catalog.BadRecords)
		if word == "" {
			word = v.Get(catalog.BadRecords)
		}
		out[i] = policies[word]
	}
	return out, nil
}

// once passes a message on the first time that it comes.
func once(f func(text string)) func(text string) {
	var mu sync.Mutex
	said := map[string]bool{}
	return func(text string) {
		mu.Lock()
		again := said[text]
		said[text] = true
		mu.Unlock()
		if !again {
			f(text)
		}
	}
}

func closeAfter(opened []sources.Source, err error) error {
	for _, src := range opened {
		err = joinErrors(err, src.Close())
	}
	return err
}

// groupingKeys returns the names of columns that rows are grouped or matched by, in
// lower case. A column that is renamed on the way is missed, which costs time only.
func groupingKeys(p *plan.Plan) map[string]bool {
	out := map[string]bool{}
	add := func(keys []expr.Expr) {
		for _, k := range keys {
			if c, ok := k.(*expr.Column); ok {
				out[strings.ToLower(c.Name)] = true
			}
		}
	}
	var visit func(plan.Node)
	visit = func(n plan.Node) {
		switch n := n.(type) {
		case *plan.Aggregate:
			add(n.Keys)
		case *plan.Dedup:
			columns := n.Input.Columns()
			for _, i := range n.Keys {
				out[strings.ToLower(columns[i].Name)] = true
			}
		case *plan.Join:
			add(n.LeftKeys)
			add(n.RightKeys)
		}
		for _, in := range n.Inputs() {
			visit(in)
		}
	}
	for _, o := range p.Outputs {
		visit(o.Root)
	}
	return out
}

// openSink opens the tables and sinks that a query writes to, as one. descriptions are
// what its progress calls them.
func (s *Session) openSink(b *bound, compared *compatibility, notice func(text string)) (sink sinks.Sink, descriptions []string, err error) {
	spec, err := s.store.FindSink("duckdb", nil)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the target of query %q: %w", b.Name, err)
	}
	var places []sinks.OpenContext
	defer func() {
		for _, o := range places {
			if err != nil && o.Rows != nil {
				err = joinErrors(err, o.Rows.Close())
			}
		}
	}()
	for _, out := range b.plan.Outputs {
		o, description, err := s.place(b, out, compared)
		if err != nil {
			return nil, nil, err
		}
		o.Notice = notice
		places, descriptions = append(places, o), append(descriptions, description)
	}
	sink, err = spec.OpenAll(places)
	return sink, descriptions, err
}

// place says where an output goes. What does not go to a table is opened.
func (s *Session) place(b *bound, out *plan.Output, compared *compatibility) (o sinks.OpenContext, description string, err error) {
	in := b.InsertOf(out)
	o = sinks.OpenContext{
		Query: b.Name, QueryID: compared.queryID, Unborn: compared.unborn, Target: out.Target, Mode: out.Mode,
		Fields: fieldsOf(out), Keys: out.KeyColumns, ByName: in.ByName,
	}
	for _, c := range in.Columns {
		o.Columns = append(o.Columns, c.Name)
	}
	named, err := s.store.SinkNamed(b.cat.Ctx, in.Target)
	switch {
	case err != nil:
		return o, "", err
	case named == nil:
		return o, "duckdb[" + o.Target + "]", nil
	case named.IsConsole():
		return o, "", sqlerr.At(in.Target[0].Span, "UNSUPPORTED_INSERT", "query %q cannot write to sink %q, which shows its rows to who waits for them", b.Name, named.Name).
			WithHint("INSERT INTO %s SELECT .. as a statement of its own shows them", sql.IdentText(named.Name))
	}
	o.Rows, err = openSink(named, b, in, o)
	o.Target = types.QuoteIdent(named.Name)
	return o, named.Spec.Name + "[" + named.Path + "]", err
}

// fieldsOf returns the columns of an output.
func fieldsOf(out *plan.Output) []types.Field {
	fields := make([]types.Field, len(out.Columns))
	for i, c := range out.Columns {
		fields[i] = c.Field
	}
	return fields
}

// noteWritten says what a new query that replaces rows does to those that are in its tables.
func (s *Session) noteWritten(ctx context.Context, b *bound, q *exec.Query, out Output) error {
	if !q.Resumed().New {
		return nil
	}
	for _, result := range b.plan.Outputs {
		if result.Mode == types.Append {
			continue
		}
		if err := s.noteShared(ctx, b, result, out); err != nil {
			return err
		}
		if result.Mode != types.Complete {
			continue
		}
		if err := s.noteReplaced(ctx, b, result, out); err != nil {
			return err
		}
	}
	return nil
}

// noteShared says that a new query replaces rows of a table that another query writes, too: a
// key that both have is that of one row, the one that was written last.
func (s *Session) noteShared(ctx context.Context, b *bound, result *plan.Output, out Output) error {
	all, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	target := b.InsertOf(result).Target
	for _, other := range all {
		if sql.Canonical(other.Name) == sql.Canonical(b.Name) || !slices.ContainsFunc(other.Targets(), func(name string) bool {
			return sql.Canonical(name) == sql.Canonical(target.SQL())
		}) {
			continue
		}
		if result.Mode == types.Complete {
			out.Notice(fmt.Sprintf("query %q writes into %s, too, and in complete mode each batch of %q replaces the whole table, its rows as well; a table of its own keeps both", other.Name, target.SQL(), b.Name))
			continue
		}
		keys := "the one row that each batch replaces"
		if len(result.KeyColumns) > 0 {
			keys = "a row of the same " + keyNames(result)
		}
		out.Notice(fmt.Sprintf("query %q writes into %s, too: %s is the one that either has written last; a column that tells the two apart, in both keys, keeps both", other.Name, target.SQL(), keys))
	}
	return nil
}

// keyNames writes the key columns of a result: k, window_start.
func keyNames(result *plan.Output) string {
	names := make([]string, len(result.KeyColumns))
	for i, c := range result.KeyColumns {
		names[i] = sql.IdentText(result.Columns[c].Name)
	}
	return strings.Join(names, ", ")
}

// noteReplaced says that the first batch of a new query in complete mode replaces rows that
// a table has already, and that may be somebody's.
func (s *Session) noteReplaced(ctx context.Context, b *bound, result *plan.Output, out Output) error {
	if named, err := s.store.SinkNamed(ctx, b.InsertOf(result).Target); err != nil || named != nil {
		return err
	}
	target, rows := result.Target, ""
	err := s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, "SELECT count(*) FROM "+target, nil, func(row []any) error {
			rows = duck.Text(row[0])
			return nil
		})
	})
	switch {
	case err != nil:
		return fmt.Errorf("counting the rows of table %s: %w", target, err)
	case rows == "1":
		out.Notice(fmt.Sprintf("the row that table %s has is replaced: in complete mode each batch writes the whole table", target))
	case rows != "0":
		out.Notice(fmt.Sprintf("the %s rows that table %s has are replaced: in complete mode each batch writes the whole table", rows, target))
	}
	return nil
}

// openQuery opens checkpoint, sources and sink of a query and brings its state back.
func (s *Session) openQuery(ctx context.Context, b *bound, j *job, out Output) (*exec.Query, error) {
	compared, err := s.compare(b, j.row)
	if err != nil {
		return nil, err
	}
	if err := compared.refusal(b); err != nil {
		return nil, err
	}
	for _, out := range b.plan.Outputs {
		if out.HiddenKey != nil {
			return nil, out.HiddenKey // the table could not tell which row to replace
		}
	}
	srcs, err := openSources(b.plan, b.cat, once(j.onNotice))
	if err != nil {
		return nil, err
	}
	sink, descriptions, err := s.openSink(b, compared, out.Notice)
	if err != nil && !j.stored {
		err = placeAtColumn(err, b.Inserts)
	}
	if err != nil {
		return nil, closeAfter(srcs, err)
	}
	refused := func(err error) error {
		if made, ok := sink.(sinks.Maker); ok {
			err = joinErrors(err, made.Unmake(ctx))
		}
		return closeAfter(srcs, joinErrors(err, sink.Close()))
	}
	if compared.unborn {
		if err := s.beginAnew(ctx, b, sink, compared, out); err != nil {
			return nil, refused(err)
		}
	}
	cfg := s.config(b.Name, b.plan, b.settings)
	cfg.DropPlan = compared.unborn
	if cfg.BadRecords, err = badPolicies(b.plan, b.cat, b.settings); err != nil {
		return nil, refused(err)
	}
	j.keepsBad = slices.Contains(cfg.BadRecords, exec.BadToTable)
	cfg.Sources, cfg.Sink, cfg.Dir, cfg.Owner = srcs, sink, j.row.Checkpoint, s.store.Claim(j.row)
	cfg.SinkDescriptions = descriptions
	cfg.Definition = b.canonical()
	cfg.Print = compared.print
	cfg.OnBatch, cfg.OnNotice = j.onBatch, j.onNotice
	q, err := exec.Open(ctx, cfg)
	if err != nil {
		return nil, refused(err)
	}
	if err := s.noteWritten(ctx, b, q, out); err != nil {
		return nil, joinErrors(err, q.Close())
	}
	s.noteMeanings(b.plan.Meanings, out)
	noteOpened(b, q, compared, out)
	if err := q.AcceptDefinition(); err != nil {
		return nil, joinErrors(err, q.Close())
	}
	return q, nil
}

// beginAnew lets a query that has stored nothing begin with another definition. A place that
// has a batch although the database has none, as after a crash between the two, is in the way.
func (s *Session) beginAnew(ctx context.Context, b *bound, sink sinks.Sink, compared *compatibility, out Output) error {
	if places, ok := sink.(sinks.Spread); ok {
		stored, err := places.Holds(ctx, compared.queryID, 0)
		if err != nil {
			return err
		}
		if stored {
			compared.unborn = false
			return compared.refusal(b)
		}
	}
	out.Notice(fmt.Sprintf("query %q has stored nothing yet: it begins anew with the new definition", b.Name))
	return nil
}

// noteOpened says what is to be known about a query that was opened: what its plan warns
// of, and what has changed since it stopped.
func noteOpened(b *bound, q *exec.Query, compared *compatibility, out Output) {
	for _, notice := range b.plan.Notices {
		out.Notice(notice)
	}
	for _, result := range b.plan.Outputs {
		for _, notice := range result.SinkNotices {
			out.Notice(notice)
		}
	}
	if compared.pinned != "" {
		out.Notice(compared.pinned)
	}
	if compared.verdict == nil || compared.unborn || len(compared.verdict.Notices) == 0 {
		return
	}
	for _, change := range compared.verdict.Notices {
		out.Notice(fmt.Sprintf("query %q, from batch %d on: %s", b.Name, q.Resumed().DefinedFrom, change))
	}
	// Whoever meant another query into the same table learns it here: elsewhere each INSERT
	// is one.
	out.Notice(fmt.Sprintf("query %q goes on where it stopped and reads no row again; a query of its own is CREATE QUERY name AS INSERT INTO ...", b.Name))
}
