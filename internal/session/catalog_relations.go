package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/library"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// relations answers the planner's questions for one statement: streams first, then
// whatever DuckDB knows by the name.
type relations struct {
	ctx     context.Context
	session *Session
	rows    map[string]*streamRow // streams, and views over streams
	opened  map[string]*stream    // by name in lower case
	// filesBelow is where relative paths in FROM start, for a statement that can read files
	// by their path; else "".
	filesBelow string
	// declared is the stream that CREATE STREAM is about to store, for checking it.
	declared *stream
	// reads holds the streams and views that were asked for, by name in lower case.
	reads            map[string]bool
	*library.Catalog // DuckDB's functions
}

var _ plan.Catalog = (*relations)(nil)

func (s *Session) relations(ctx context.Context) (*relations, error) {
	rows, err := s.streams(ctx)
	if err != nil {
		return nil, err
	}
	return &relations{ctx: ctx, session: s, rows: rows, opened: map[string]*stream{}, Catalog: library.NewCatalog(ctx, s.withConn)}, nil
}

// isStream reports whether a name is that of a stream or of a view over one.
func (r *relations) isStream(name sql.Name) bool {
	name = withoutMain(name)
	return len(name) == 1 && r.rows[strings.ToLower(name[0].Name)] != nil
}

// withoutMain leaves the schema main out of a name: that is where streams are.
func withoutMain(name sql.Name) sql.Name {
	if len(name) == 2 && strings.EqualFold(name[0].Name, "main") {
		return name[1:]
	}
	return name
}

// view returns the row of a view over streams, nil if there is none of the name.
func (r *relations) view(name string) *streamRow {
	if row := r.rows[strings.ToLower(name)]; row != nil && row.view {
		return row
	}
	return nil
}

// stream returns the stream of a name, nil if there is none.
func (r *relations) stream(name string) (*stream, error) {
	key := strings.ToLower(name)
	if r.declared != nil && strings.EqualFold(r.declared.row.name, name) {
		return r.declared, nil
	}
	if st := r.opened[key]; st != nil {
		return st, nil
	}
	row := r.rows[key]
	if row == nil || row.view {
		return nil, nil
	}
	st, err := r.session.declare(row)
	if err != nil {
		return nil, unplaced(err, fmt.Sprintf("reading the definition of stream %q", row.name))
	}
	r.opened[key] = st
	return st, nil
}

// Relation implements plan.Catalog.
func (r *relations) Relation(name sql.Name) (*plan.Relation, error) {
	if name := withoutMain(name); len(name) == 1 {
		st, err := r.stream(name[0].Name)
		if err != nil {
			return nil, err
		}
		if st != nil {
			r.found(st.row.name)
			return &plan.Relation{Name: st.row.name, Stream: st.plan}, nil
		}
		if row := r.view(name[0].Name); row != nil {
			r.found(row.name)
			query, err := viewQuery(row)
			return &plan.Relation{Name: row.name, View: query}, err
		}
	}
	if r.isPath(name) {
		return r.files(name)
	}
	return r.table(name)
}

// table returns a table or view of DuckDB, nil if there is none. Columns of a type
// that streams do not have are read as the nearest one that they have.
func (r *relations) table(name sql.Name) (*plan.Relation, error) {
	parts := make([]string, len(name))
	for i, p := range name {
		if p.Name == "" {
			return nil, nil // FROM '' names nothing
		}
		parts[i] = p.Name
	}
	quoted, err := duck.QuoteName(parts...)
	if err != nil {
		return nil, err
	}
	t := &plan.Table{Text: quoted}
	var list []string
	changed := false
	err = r.session.withConn(r.ctx, func(c *duck.Conn) error {
		return c.Query(r.ctx, "DESCRIBE "+quoted, nil, func(row []any) error {
			column, as := text(row[0]), types.QuoteIdent(text(row[0]))
			typ, exact := library.TypeOf(text(row[1]))
			if !exact {
				as = "CAST(" + as + " AS " + typ.String() + ") AS " + as
				changed = true
			}
			list = append(list, as)
			t.Fields = append(t.Fields, types.Field{Name: column, Type: typ, Nullable: true})
			return nil
		})
	})
	if duck.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if changed {
		t.Text = "(SELECT " + strings.Join(list, ", ") + " FROM " + quoted + ")"
	}
	return &plan.Relation{Name: parts[len(parts)-1], Table: t}, nil
}

// Similar implements plan.Catalog.
func (r *relations) Similar(name string) string {
	var known []string
	for _, row := range r.rows {
		known = append(known, row.name)
	}
	// A name that cannot be read is no suggestion; the error that asks for one is
	// what matters.
	_ = r.session.withConn(r.ctx, func(c *duck.Conn) error {
		return c.Query(r.ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema <> 'ssql'", nil, func(row []any) error {
			known = append(known, text(row[0]))
			return nil
		})
	})
	slices.Sort(known) // of names that are equally near the same one is told each time
	return sqlerr.Nearest(name, known)
}

var _ plan.Describer = (*relations)(nil)

// Describe implements plan.Describer.
func (r *relations) Describe(query string) ([]types.Field, error) {
	return library.Describe(r.ctx, r.session.withConn, query)
}
