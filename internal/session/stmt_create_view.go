package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// createView is CREATE VIEW over a stream, which is kept in ssql.streams and planned
// wherever it is read, or CREATE MATERIALIZED VIEW. A view that reads no stream is
// DuckDB's.
func (s *Session) createView(ctx context.Context, st *sql.CreateView, r *Request, out Output) error {
	if len(st.Name) != 1 {
		return sqlerr.At(st.Name[0].Span, "UNSUPPORTED_STATEMENT", "a view over a stream has no schema, found %q", st.Name.SQL()).
			WithHint("name it %s", st.Name[len(st.Name)-1].Name)
	}
	if st.Materialized {
		return s.createMaterialized(ctx, st, r, out)
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if st.Query.Emit != nil {
		return sqlerr.At(st.Query.Emit.Span, "UNSUPPORTED_STATEMENT", "EMIT has no meaning in a view: a view keeps nothing").
			WithHint("write EMIT in the query that reads the view")
	}
	row := &catalog.StreamRow{Name: st.Name[0].Name, View: true, Definition: st.Text, BaseDir: r.Dir}
	done, err := s.existingView(ctx, st, cat, out)
	if done || err != nil {
		return err
	}
	query, err := catalog.ViewQuery(row)
	if err != nil {
		return err
	}
	// Whether its rows can be grouped or joined depends on the query that reads the view;
	// names, types and functions are checked now.
	if err := s.checkView(ctx, st.Query, cat, st.Node); err != nil {
		return err
	}
	row.Reads, err = cat.ReadsOf(func() error { return s.checkView(ctx, query, cat, st.Node) })
	if err != nil {
		return catalog.PlaceOver(err, st.Name[0].Span) // the list of columns does not fit
	}
	return s.store.SaveStream(ctx, row)
}

// checkView checks that some query can read the query of a view: one that stays, or one that
// is read to its end.
func (s *Session) checkView(ctx context.Context, q *sql.Query, cat *catalog.Snapshot, given sql.Node) error {
	if _, err := plan.Bind(q, cat, planOptions(ctx, s.settings.OfViews(), true)); err == nil {
		return nil
	}
	_, fold, err := plan.Snapshot(q, cat, planOptions(ctx, s.settings.OfViews(), true))
	if err != nil || fold == nil {
		return err
	}
	_, err = s.foldColumns(ctx, fold, cat, given, "")
	return err
}

// existingView decides what an existing relation of the name means; done says that there
// is nothing left to do.
func (s *Session) existingView(ctx context.Context, st *sql.CreateView, cat *catalog.Snapshot, out Output) (done bool, err error) {
	name := st.Name[0]
	old := cat.Rows[strings.ToLower(name.Name)]
	switch {
	case old == nil:
		return false, refuseTable(cat, name, "view")
	case !old.View:
		return false, sqlerr.At(name.Span, "STREAM_ALREADY_EXISTS", "%q is a stream", old.Name).WithHint("choose another name for the view")
	case catalog.SameDefinition(old.Definition, st.Text):
		out.Notice(fmt.Sprintf("view %q exists already with this definition", old.Name))
		return true, nil
	case st.IfNotExists:
		out.Notice(fmt.Sprintf("view %q exists already, with another definition, and stays as it is", old.Name))
		return true, nil
	case st.OrReplace:
		for _, ref := range catalog.RefsOf(st.Query.Text) {
			if strings.EqualFold(ref, old.Name) {
				return false, sqlerr.At(name.Span, "RECURSIVE_VIEW", "view %q would read itself", old.Name).WithHint("choose another name for the new view")
			}
		}
		return false, s.refuseInUse(ctx, old.Name, name.Span, "replaced")
	}
	return false, sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "view %q exists with another definition", old.Name).
		WithDetail("%s", catalog.DefinitionDiff(old.Definition, st.Text, "", "")).
		WithHint("CREATE OR REPLACE VIEW %s replaces it", name.Name)
}

// createMaterialized is CREATE MATERIALIZED VIEW: a table of that name and the query that
// keeps it. Without EMIT its rows are always those of now: update mode, or append where
// rows never change.
func (s *Session) createMaterialized(ctx context.Context, st *sql.CreateView, r *Request, out Output) error {
	options, err := settings.OfQuery(st.Options)
	if err != nil {
		return err
	}
	d, err := catalog.MaterializedDefinition(st, r.Dir, options)
	if err != nil {
		return err
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if old := cat.Rows[strings.ToLower(d.Name)]; old != nil {
		return sqlerr.At(st.Name[0].Span, "STREAM_ALREADY_EXISTS", "%q is a stream or a view over one", old.Name).
			WithHint("choose another name for the materialized view")
	}
	if old, err := s.store.Query(ctx, d.Name); err != nil {
		return err
	} else if old == nil {
		if err := refuseTable(cat, st.Name[0], "materialized view"); err != nil {
			return err
		}
	}
	if _, err := s.bind(d, cat); st.Columns != nil && sqlerr.Code(err) == "NUM_COLUMNS_MISMATCH" {
		return catalog.PlaceOver(err, st.Columns[0].Span) // elsewhere it would be a place in a text of ours
	}
	if err := s.chooseViewMode(d, st, cat, out); err != nil {
		return err
	}
	err = s.createDefined(ctx, d, creation{"MATERIALIZED VIEW", st.OrReplace, st.IfNotExists, st.Name[0]}, r, out)
	var unfit *sqlerr.Error
	if errors.As(err, &unfit) && unfit.Code == "E_CKPT_INCOMPATIBLE" {
		// Unlike the table of a query, a view holds nothing that cannot be computed again.
		anew := *unfit
		return anew.WithHint("DROP MATERIALIZED VIEW %s, then create it: its rows are computed again from the start of the streams", sql.IdentText(d.Name))
	}
	return err
}

// chooseViewMode gives a materialized view that does not say when its rows come out update
// mode, or append mode where only that has an answer. A streaming table appends rows when
// they are final, as in Databricks, and changes them only where they never are.
func (s *Session) chooseViewMode(d *catalog.Definition, st *sql.CreateView, cat *catalog.Snapshot, out Output) error {
	if !st.Streaming {
		return s.chooseMode(d, "update", "append", cat)
	}
	err := s.chooseMode(d, "append", "update", cat)
	if err == nil && d.Options["output_mode"] == "update" && st.Query.Emit == nil {
		out.Notice(fmt.Sprintf("rows of streaming table %q change: no watermark says when they are final, so they cannot only be appended", d.Name))
	}
	return err
}

// chooseMode sets the output mode of a query that does not say one: the first, or the other
// where only that has an answer. The error is that of the first.
func (s *Session) chooseMode(d *catalog.Definition, first, other string, cat *catalog.Snapshot) error {
	emit := d.Inserts[0].Query.Emit
	if _, set := d.Options["output_mode"]; set || emit != nil && emit.Mode != "" {
		return nil
	}
	d.Options["output_mode"] = first
	_, err := s.bind(d, cat)
	if err == nil {
		return nil
	}
	d.Options["output_mode"] = other
	if _, unfit := s.bind(d, cat); unfit != nil {
		return err
	}
	return nil
}

// refuseTable refuses a name that a table or view of the database has.
func refuseTable(cat *catalog.Snapshot, name sql.Ident, what string) error {
	table, err := cat.Table(sql.Name{name})
	if err != nil || table == nil {
		return err
	}
	return sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "%q is a table or view of the database", name.Name).
		WithHint("choose another name for the %s", what)
}
