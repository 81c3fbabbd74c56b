package session

import (
	"context"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// explain is EXPLAIN of a query on a stream, before it is started or by its name.
// EXPLAIN of anything else is DuckDB's.
func (s *Session) explain(ctx context.Context, st *sql.Explain, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if st.Name != nil {
		return s.explainStored(ctx, st, cat, out)
	}
	target := st.Target
	if u, ok := target.(*sql.Undecided); ok {
		if !cat.Concerns(u, r.Dir) {
			return explainMissing(cat, u, s.explainTables(ctx, st, r.Dir, out))
		}
		cat.FilesBelow = r.Dir
		if readsOnce(u.Text) {
			return s.explainUnread(ctx, st, u, cat, nil, r, out)
		}
		if target, err = u.Parse(s.settings.Limits()); err != nil {
			return s.explainUnread(ctx, st, u, cat, err, r, out)
		}
		s.noteAliases(target, out)
	}
	switch t := target.(type) {
	case *sql.SelectStatement:
		cat.FilesBelow = r.Dir
		p, fold, err := s.planSelect(ctx, t.Query, cat)
		if err != nil {
			return err
		}
		if fold != nil {
			if _, err := s.foldColumns(ctx, fold, cat, t.Node, r.Dir); err != nil {
				return err
			}
			return s.explainFold(st, fold, out)
		}
		return s.explainPlan(st, p, howRun{s.settings, []string{"the screen"}}, out)
	case *sql.Insert:
		if cat.IsStream(t.Target) {
			return sqlerr.At(st.Target.Pos(), "UNSUPPORTED_STATEMENT", "INSERT INTO a stream adds its rows as they are, without a plan").
				WithHint("EXPLAIN a query that reads the stream")
		}
		if t.Query == nil {
			return s.explainTables(ctx, st, r.Dir, out)
		}
		return s.explainDefinition(ctx, st, &catalog.Definition{
			Name: t.Target[len(t.Target)-1].Name, Text: t.Text, Dir: r.Dir, Inserts: []*sql.Insert{t}, Options: settings.Values{},
		}, cat, out)
	case *sql.CreateQuery:
		d, err := s.queryDefinition(t, r.Dir, cat)
		if err != nil {
			return err
		}
		return s.explainDefinition(ctx, st, d, cat, out)
	case *sql.StatementSet:
		d, err := s.setDefinition(ctx, t, r)
		if err != nil {
			return err
		}
		return s.explainDefinition(ctx, st, d, cat, out)
	case *sql.CreateView:
		return s.explainView(ctx, st, t, r, cat, out)
	}
	return sqlerr.At(st.Target.Pos(), "UNSUPPORTED_STATEMENT", "this statement runs no query, so there is no plan").
		WithHint("EXPLAIN SELECT, INSERT, CREATE QUERY, CREATE [MATERIALIZED] VIEW, a statement set, or EXPLAIN QUERY name")
}

// explainUnread is EXPLAIN of a query or statement in syntax that only DuckDB has. unread is
// why ssql cannot read it.
func (s *Session) explainUnread(ctx context.Context, st *sql.Explain, u *sql.Undecided, cat *catalog.Snapshot, unread error, r *Request, out Output) error {
	reads, err := u.Reads(s.settings.Limits())
	if word := catalog.FirstWord(u.Text); err != nil || unread != nil && (word == "INSERT" || word == "CREATE") {
		return first(unread, err)
	}
	fold, err := plan.FoldStatement(u.Text, u.Span.Start, reads.Queries, reads.Tables, cat, planOptions(ctx, s.settings, true))
	if err != nil {
		return err
	}
	if unread != nil {
		if _, err := s.foldColumns(ctx, fold, cat, u.Node, r.Dir); sqlerr.Code(err) == "DUCKDB_PARSER" {
			return unread
		}
	}
	return s.explainFold(st, fold, out)
}

// explainFold shows what ssql runs of a statement and what DuckDB runs over its rows.
func (s *Session) explainFold(st *sql.Explain, f *plan.Fold, out Output) error {
	if st.Format == "JSON" && st.Kind != "COMPATIBILITY" {
		text, err := plan.ExplainFoldJSON(f)
		if err == nil {
			out.Message(string(text))
		}
		return err
	}
	if st.Kind != "COMPATIBILITY" {
		out.Message("DuckDB runs, over what ssql reads to its end:\n  " + strings.ReplaceAll(strings.TrimSpace(f.Text), "\n", "\n  "))
	}
	for _, part := range f.Parts {
		if st.Kind != "COMPATIBILITY" {
			out.Message("\n" + part.Table + ":")
		}
		if err := s.explainPlan(st, part.Plan, howRun{s.settings, []string{"temporary table " + part.Table}}, out); err != nil {
			return err
		}
	}
	return nil
}

// explainTables gives EXPLAIN of a statement on tables alone to DuckDB, which has no kinds
// of it.
func (s *Session) explainTables(ctx context.Context, st *sql.Explain, dir string, out Output) error {
	if st.Kind != "" && st.Kind != "ANALYZE" {
		return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "EXPLAIN %s is of a query on a stream, and this statement reads none", st.Kind).
			WithHint("EXPLAIN and EXPLAIN ANALYZE of statements on tables are DuckDB's")
	}
	return s.passthrough(ctx, st.Node, "EXPLAIN", dir, out)
}

// explainView is EXPLAIN CREATE [MATERIALIZED] VIEW. What a view keeps depends on the query
// that reads it; shown is what a SELECT of it would be.
func (s *Session) explainView(ctx context.Context, st *sql.Explain, view *sql.CreateView, r *Request, cat *catalog.Snapshot, out Output) error {
	if !view.Materialized {
		p, err := plan.Bind(view.Query, cat, planOptions(ctx, s.settings, true))
		if err == nil {
			return s.explainPlan(st, p, howRun{s.settings, []string{"nowhere: a view is planned where it is read"}}, out)
		}
		_, fold, snapshotErr := plan.Snapshot(view.Query, cat, planOptions(ctx, s.settings, true))
		if snapshotErr != nil || fold == nil {
			return err
		}
		return s.explainFold(st, fold, out)
	}
	options, err := settings.OfQuery(view.Options)
	if err != nil {
		return err
	}
	d, err := catalog.MaterializedDefinition(view, r.Dir, options)
	if err != nil {
		return err
	}
	if err := s.chooseViewMode(d, view, cat, out); err != nil {
		return err
	}
	return s.explainDefinition(ctx, st, d, cat, out)
}

// explainStored is EXPLAIN QUERY name.
func (s *Session) explainStored(ctx context.Context, st *sql.Explain, cat *catalog.Snapshot, out Output) error {
	row, err := s.queryNamed(ctx, *st.Name)
	if err != nil {
		return err
	}
	d, err := catalog.StoredDefinition(row)
	if err != nil {
		return err
	}
	if st.Kind == "ANALYZE" {
		return s.explainAnalyze(ctx, row, d, cat, out)
	}
	return s.explainDefinition(ctx, st, d, cat, out)
}

func (s *Session) explainDefinition(ctx context.Context, st *sql.Explain, d *catalog.Definition, cat *catalog.Snapshot, out Output) error {
	b, err := s.bind(d, cat)
	if err != nil {
		return err
	}
	if st.Kind != "COMPATIBILITY" {
		return s.explainPlan(st, b.plan, howOf(b), out)
	}
	old, err := s.store.Query(ctx, d.Name)
	if err != nil {
		return err
	}
	row, err := s.rowOf(b, old, out)
	if err != nil {
		return err
	}
	return s.explainCompatibility(b, row, out)
}

// explainPlan shows a plan.
func (s *Session) explainPlan(st *sql.Explain, p *plan.Plan, how howRun, out Output) error {
	if st.Kind == "ANALYZE" {
		return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "EXPLAIN ANALYZE of a query on a stream would have to run it").
			WithHint("EXPLAIN PHYSICAL shows its steps; of a query that has run EXPLAIN ANALYZE QUERY name shows what they did")
	}
	if st.Format == "JSON" && st.Kind != "COMPATIBILITY" {
		var sinks []string
		if st.Kind == "PHYSICAL" {
			sinks = how.sinks
		}
		text, err := plan.ExplainJSON(p, sinks)
		if err == nil {
			out.Message(string(text))
		}
		return err
	}
	kind := plan.ExplainFull
	switch st.Kind {
	case "LOGICAL":
		kind = plan.ExplainLogical
	case "STATE":
		kind = plan.ExplainState
	case "COMPATIBILITY":
		return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "a SELECT keeps no checkpoint to compare with").
			WithHint("EXPLAIN COMPATIBILITY INSERT INTO table SELECT ...")
	}
	text := ""
	if st.Kind == "PHYSICAL" {
		text = plan.ExplainPhysical(p, how.sinks, how.lines(p))
	} else {
		text = plan.Explain(p, kind)
	}
	out.Message(strings.TrimRight(text, "\n"))
	return nil
}

// howRun is what EXPLAIN PHYSICAL shows besides the plan.
type howRun struct {
	settings settings.Values
	sinks    []string // by output
}

// howOf returns how a query is run.
func howOf(b *bound) howRun {
	how := howRun{settings: b.settings}
	for _, result := range b.plan.Outputs {
		how.sinks = append(how.sinks, result.Target+", exactly once")
	}
	return how
}

// lines say by how many a batch is run, and when.
func (h howRun) lines(p *plan.Plan) [][2]string {
	workers := h.settings.Get("workers")
	if workers == "0" {
		workers = "one per core"
	}
	return [][2]string{
		{"workers", workers + ", each reads a part of the input through its steps; parts are put together in their order"},
		{"chunks", h.settings.Get("chunk_rows") + " rows"},
		{"trigger", h.trigger(p)},
	}
}

// trigger says when batches run.
func (h howRun) trigger(p *plan.Plan) string {
	text := h.settings.Get("trigger")
	if text != "auto" {
		return text
	}
	if every := p.EveryMicros(); every > 0 {
		return "every " + sql.IntervalText(types.Interval{Micros: every}) + " at the prompt, what is there in a script"
	}
	return "auto: as data comes at the prompt, what is there in a script"
}
