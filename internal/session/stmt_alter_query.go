package session

import (
	"context"
	"fmt"
	"path/filepath"

	"ssql/internal/catalog"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// alterQuery is ALTER QUERY: what CREATE OR REPLACE QUERY with the changed definition
// would do. A query that does not run stays so.
func (s *Session) alterQuery(ctx context.Context, st *sql.AlterQuery, r *Request, out Output) error {
	old, err := s.queryNamed(ctx, st.Name)
	if err != nil {
		return err
	}
	d, err := altered(old, st, r.Dir)
	if err != nil {
		return err
	}
	if err := s.applyAltered(ctx, d, old, r.Wait, out); err != nil {
		if st.Inserts == nil && st.Query == nil {
			return catalog.Unplaced(err, fmt.Sprintf("changing query %q", old.Name)) // its positions are in the stored text
		}
		return err
	}
	return nil
}

// applyAltered stores a changed definition, and goes on with it if the query runs.
func (s *Session) applyAltered(ctx context.Context, d *catalog.Definition, old *catalog.QueryRow, wait bool, out Output) error {
	if running := s.jobOf(old.Name); running != nil {
		if old.Options["checkpoint"] != d.Options["checkpoint"] {
			return sqlerr.New("QUERY_RUNNING", "query %q runs, and writes to its checkpoint", old.Name).WithHint("STOP QUERY %s first", sql.IdentText(old.Name))
		}
		delete(d.Options, "start")
		if err := s.stopToReplace(ctx, d, running); err != nil {
			return err
		}
		return s.define(ctx, d, old, d.Span(), wait, out)
	}
	row, err := s.storeQuery(ctx, d, old, out)
	if err == nil {
		out.Message(fmt.Sprintf("query %q is changed; START QUERY %s goes on with the new definition", row.Name, sql.IdentText(row.Name)))
	}
	return err
}

// fromFolder returns a path that was written where relative paths start at dir, for one where
// they start at base.
func fromFolder(base, dir, path string) string {
	if path == "" || catalog.IsAbsolute(path) || base == dir {
		return path
	}
	if rel, err := filepath.Rel(base, filepath.Join(dir, path)); err == nil {
		return rel
	}
	return filepath.Join(dir, path)
}

// altered returns the definition of a query after ALTER QUERY.
func altered(old *catalog.QueryRow, st *sql.AlterQuery, dir string) (*catalog.Definition, error) {
	d, err := catalog.StoredDefinition(old)
	if err != nil {
		return nil, err
	}
	d.Options = settings.Values{}.Over(old.Options)
	set, err := settings.OfQuery(st.Set)
	if err != nil {
		return nil, err
	}
	if folder, ok := set["checkpoint"]; ok {
		set["checkpoint"] = fromFolder(d.Dir, dir, folder)
	}
	d.Options = d.Options.Over(set)
	switch {
	case st.Inserts != nil:
		d.Inserts = st.Inserts
	case st.Query != nil && len(d.Inserts) > 1:
		return nil, sqlerr.At(st.Name.Span, "UNSUPPORTED_STATEMENT", "query %q has several outputs, and a SELECT does not say which of them it is", old.Name).
			WithHint("ALTER QUERY %s AS EXECUTE STATEMENT SET BEGIN ... END gives all of them", sql.IdentText(old.Name))
	case st.Query != nil:
		insert := *d.Inserts[0]
		insert.Query, insert.Node = st.Query, st.Node
		d.Inserts = []*sql.Insert{&insert}
	}
	if view, err := catalog.ParseView(old.Definition); err == nil && st.Inserts == nil {
		if st.Query != nil {
			view.Query, view.Columns = st.Query, nil
		}
		view.Options = catalog.WithOptions(view.Options, st.Set)
		view.OrReplace, view.IfNotExists = false, false
		d.Text = sql.StatementText(view)
		return d, nil
	}
	if catalog.IsUnnamed(old.Definition) && len(d.Options) == 0 {
		d.Text = sql.StatementText(&sql.StatementSet{Inserts: d.Inserts})
		if len(d.Inserts) == 1 {
			d.Text = sql.StatementText(d.Inserts[0])
		}
		return d, nil
	}
	create := &sql.CreateQuery{Name: sql.Ident{Name: old.Name}, Options: catalog.OptionsOf(d.Options), Inserts: d.Inserts}
	d.Text = sql.StatementText(create)
	return d, nil
}
