package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql"
	"ssql/sql/types"
)

// describe is DESCRIBE name: a stream, a query, or whatever DuckDB knows by the name; or
// DESCRIBE of a query, whose columns are listed without running it.
func (s *Session) describe(ctx context.Context, st *sql.Describe, r *Request, out Output) error {
	if st.Query != nil {
		return s.describeSelect(ctx, st, r, out)
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if name := catalog.WithoutMain(st.Name); len(name) == 1 {
		stream, err := cat.Stream(name[0].Name)
		if err != nil {
			return err
		}
		if stream != nil {
			columnTypes, err := typesOf(cat, name[0])
			if err != nil {
				return err
			}
			return s.describeStream(ctx, stream, columnTypes, st.Extended, out)
		}
		if view := cat.View(name[0].Name); view != nil {
			return s.describeView(cat, view, st.Extended, out)
		}
		row, err := s.store.Query(ctx, name[0].Name)
		if err != nil {
			return err
		}
		// A query is usually named like its table, which is what DESCRIBE means then.
		if row != nil && !strings.EqualFold(row.Target, row.Name) || row != nil && st.Extended {
			return s.describeQuery(ctx, row, out)
		}
	}
	err = s.passthrough(ctx, st.Node, "DESCRIBE", "", out)
	if sqlerr.Code(err) != "DUCKDB_CATALOG" || len(st.Name) != 1 {
		return err
	}
	// The view over a sink is made with its first rows.
	all, sinksErr := s.store.Sinks(ctx)
	if n := all[strings.ToLower(st.Name[0].Name)]; sinksErr == nil && n != nil {
		out.Message(fmt.Sprintf("sink %q holds nothing yet: its columns will be those of the first query that writes into it", st.Name[0].Name))
		return nil
	}
	return missing(cat, st.Name[0])
}

// describeSelect lists the columns of a SELECT that reads a stream; others are DuckDB's.
func (s *Session) describeSelect(ctx context.Context, st *sql.Describe, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	query, ok := st.Query.(*sql.Undecided)
	if !ok || !cat.Concerns(query, r.Dir) {
		err := s.passthrough(ctx, st.Node, "DESCRIBE", r.Dir, out)
		if ok {
			return explainMissing(cat, query, err)
		}
		return err
	}
	cat.FilesBelow = r.Dir
	parsed, err := query.Parse(s.settings.Limits())
	if err != nil {
		return s.describeUnread(ctx, query, cat, err, r, out)
	}
	s.noteAliases(parsed, out)
	target, ok := parsed.(*sql.SelectStatement)
	if !ok {
		return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "DESCRIBE lists the columns of a name or of a SELECT")
	}
	p, fold, err := s.planSelect(ctx, target.Query, cat)
	if err != nil {
		return err
	}
	if fold != nil {
		columns, err := s.foldColumns(ctx, fold, cat, target.Node, r.Dir)
		if err != nil {
			return err
		}
		return columns.send(out)
	}
	return planColumns(p.Outputs[0].Columns).send(out)
}

// describeUnread lists the columns of a query in syntax that only DuckDB has. unread is why
// ssql cannot read it.
func (s *Session) describeUnread(ctx context.Context, query *sql.Undecided, cat *catalog.Snapshot, unread error, r *Request, out Output) error {
	reads, err := query.Reads(s.settings.Limits())
	if err != nil {
		return unread
	}
	fold, err := plan.FoldStatement(query.Text, query.Span.Start, reads.Queries, reads.Tables, cat, planOptions(ctx, s.settings, true))
	if err != nil {
		return err
	}
	columns, err := s.foldColumns(ctx, fold, cat, query.Node, r.Dir)
	if sqlerr.Code(err) == "DUCKDB_PARSER" {
		return unread
	}
	if err != nil {
		return err
	}
	return columns.send(out)
}

// typesOf returns the types of a stream's columns, by name: those of computed ones are what
// their expressions give.
func typesOf(cat *catalog.Snapshot, name sql.Ident) (map[string]string, error) {
	p, err := bindStream(cat, name)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, c := range p.Outputs[0].Columns {
		all[c.Name] = c.Type.String()
	}
	return all, nil
}

// describeStream lists the columns of a stream and, extended, its options.
// columnTypes are those of all columns, by name.
func (s *Session) describeStream(ctx context.Context, st *catalog.Stream, columnTypes map[string]string, extended bool, out Output) error {
	t := newTextTable("column_name", "column_type", "null", "extra")
	stored := map[string]int{}
	for i, f := range st.Plan.Stored {
		stored[f.Name] = i
	}
	for _, name := range st.Plan.Order {
		extra := ""
		for _, w := range st.Plan.Watermarks {
			if strings.EqualFold(w.Column, name) {
				extra = "WATERMARK " + watermarkText(st)
			}
		}
		if i, ok := stored[name]; ok {
			f := st.Plan.Stored[i]
			null := "NO"
			if f.Nullable {
				null = "YES"
			}
			t.add(name, f.Type.String(), null, extra)
			continue
		}
		t.add(name, columnTypes[name], "YES", strings.TrimSpace("computed "+extra))
	}
	if err := t.send(out); err != nil || !extended {
		return err
	}
	more := newTextTable("property", "value")
	more.add("connector", st.Spec.Name)
	for _, o := range catalog.OptionsOfStream(st.Spec) {
		if v, ok := st.Options.Set[o.Name]; ok {
			if micros, ok := v.(int64); ok && o.Type == sources.DurationOption {
				v = sql.IntervalText(types.Interval{Micros: micros})
			}
			more.add(o.Name, settings.OptionText(v))
		}
	}
	more.add("identity", st.Plan.ID)
	if err := s.readers(ctx, st.Row.Name, more); err != nil {
		return err
	}
	more.add("definition", st.Row.Definition)
	return more.send(out)
}

// describeView lists the columns of a view over streams and, extended, its definition.
func (s *Session) describeView(cat *catalog.Snapshot, view *catalog.StreamRow, extended bool, out Output) error {
	query, err := catalog.ViewQuery(view)
	if err != nil {
		return err
	}
	p, fold, err := plan.Snapshot(query, cat, planOptions(cat.Ctx, s.settings.OfViews(), true))
	if err != nil {
		return catalog.Unplaced(err, fmt.Sprintf("reading view %q", view.Name))
	}
	var columns *textTable
	if fold == nil {
		columns = planColumns(p.Outputs[0].Columns)
	} else if columns, err = s.foldColumns(cat.Ctx, fold, cat, sql.Node{}, ""); err != nil {
		return catalog.Unplaced(err, fmt.Sprintf("reading view %q", view.Name))
	}
	if err := columns.send(out); err != nil || !extended {
		return err
	}
	more := newTextTable("property", "value")
	more.add("definition", view.Definition)
	return more.send(out)
}

// planColumns lists columns of the result of a plan.
func planColumns(columns []plan.Column) *textTable {
	t := newTextTable("column_name", "column_type", "null", "extra")
	for _, c := range columns {
		null, extra := "NO", ""
		if c.Nullable {
			null = "YES"
		}
		if c.Mark != nil && c.Mark.Watermark != nil {
			extra = "WATERMARK of " + c.Mark.Watermark.Relation + "." + c.Mark.Watermark.Column
		}
		t.add(c.Name, c.Type.String(), null, extra)
	}
	return t
}

// describeQuery lists what is known about a query.
func (s *Session) describeQuery(ctx context.Context, q *catalog.QueryRow, out Output) error {
	t := newTextTable("property", "value")
	t.add("name", q.Name)
	t.add("state", string(q.State))
	t.add("target", q.Target)
	t.add("output_mode", q.Mode)
	t.add("checkpoint", q.Checkpoint)
	for i := range settings.Table {
		if v, ok := q.Options[settings.Table[i].Name]; ok {
			t.add("option "+settings.Table[i].Name, v)
		}
	}
	err := s.store.Each(ctx, `SELECT batches, watermark, "rows read", "rows late", "rows bad", "rows written" FROM (`+lifeOfQueries+`) WHERE query_id = ?`,
		[]any{q.ID}, func(row []any) error {
			for i, name := range []string{"batches", "watermark", "rows read", "rows late", "rows bad", "rows written"} {
				t.add(name, duck.Text(row[i]))
			}
			return nil
		})
	if err != nil {
		return err
	}
	t.add("definition", q.Definition)
	return t.send(out)
}
