package session

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// withOptions returns options with others added or in place of those of the same name.
func withOptions(options, more []sql.Option) []sql.Option {
	out := append([]sql.Option(nil), options...)
	for _, o := range more {
		at := -1
		for i := range out {
			if strings.EqualFold(out[i].Key.Name, o.Key.Name) {
				at = i
			}
		}
		if at < 0 {
			out = append(out, o)
			continue
		}
		out[at] = o
	}
	return out
}

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
			return unplaced(err, fmt.Sprintf("changing query %q", old.name)) // its positions are in the stored text
		}
		return err
	}
	return nil
}

// applyAltered stores a changed definition, and goes on with it if the query runs.
func (s *Session) applyAltered(ctx context.Context, d *definition, old *queryRow, wait bool, out Output) error {
	if running := s.jobOf(old.name); running != nil {
		if old.options["checkpoint"] != d.options["checkpoint"] {
			return sqlerr.New("QUERY_RUNNING", "query %q runs, and writes to its checkpoint", old.name).WithHint("STOP QUERY %s first", sql.IdentText(old.name))
		}
		delete(d.options, "start")
		if err := s.stopToReplace(ctx, d, running); err != nil {
			return err
		}
		return s.define(ctx, d, old, d.span(), wait, out)
	}
	row, err := s.storeQuery(ctx, d, old, out)
	if err == nil {
		out.Message(fmt.Sprintf("query %q is changed; START QUERY %s goes on with the new definition", row.name, sql.IdentText(row.name)))
	}
	return err
}

// fromFolder returns a path that was written where relative paths start at dir, for one where
// they start at base.
func fromFolder(base, dir, path string) string {
	if path == "" || isAbsolute(path) || base == dir {
		return path
	}
	if rel, err := filepath.Rel(base, filepath.Join(dir, path)); err == nil {
		return rel
	}
	return filepath.Join(dir, path)
}

// altered returns the definition of a query after ALTER QUERY.
func altered(old *queryRow, st *sql.AlterQuery, dir string) (*definition, error) {
	d, err := storedDefinition(old)
	if err != nil {
		return nil, err
	}
	d.options = settings.Values{}.Over(old.options)
	set, err := settings.OfQuery(st.Set)
	if err != nil {
		return nil, err
	}
	if folder, ok := set["checkpoint"]; ok {
		set["checkpoint"] = fromFolder(d.dir, dir, folder)
	}
	d.options = d.options.Over(set)
	switch {
	case st.Inserts != nil:
		d.inserts = st.Inserts
	case st.Query != nil && len(d.inserts) > 1:
		return nil, sqlerr.At(st.Name.Span, "UNSUPPORTED_STATEMENT", "query %q has several outputs, and a SELECT does not say which of them it is", old.name).
			WithHint("ALTER QUERY %s AS EXECUTE STATEMENT SET BEGIN ... END gives all of them", sql.IdentText(old.name))
	case st.Query != nil:
		insert := *d.inserts[0]
		insert.Query, insert.Node = st.Query, st.Node
		d.inserts = []*sql.Insert{&insert}
	}
	if view, err := parseView(old.definition); err == nil && st.Inserts == nil {
		if st.Query != nil {
			view.Query, view.Columns = st.Query, nil
		}
		view.Options = withOptions(view.Options, st.Set)
		view.OrReplace, view.IfNotExists = false, false
		d.text = sql.StatementText(view)
		return d, nil
	}
	if isUnnamed(old.definition) && len(d.options) == 0 {
		d.text = sql.StatementText(&sql.StatementSet{Inserts: d.inserts})
		if len(d.inserts) == 1 {
			d.text = sql.StatementText(d.inserts[0])
		}
		return d, nil
	}
	create := &sql.CreateQuery{Name: sql.Ident{Name: old.name}, Options: optionsOf(d.options), Inserts: d.inserts}
	d.text = sql.StatementText(create)
	return d, nil
}

// optionsOf returns settings as the options of a WITH clause, sorted by name.
func optionsOf(v settings.Values) []sql.Option {
	var out []sql.Option
	for name, text := range v {
		out = append(out, sql.Option{Key: sql.Ident{Name: name}, Value: text})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key.Name < out[j].Key.Name })
	return out
}
