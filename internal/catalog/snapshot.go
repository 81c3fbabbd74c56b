package catalog

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"ssql/internal/duck"
	"ssql/internal/library"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// Snapshot answers the planner's questions for one statement: streams first, then
// whatever DuckDB knows by the name.
type Snapshot struct {
	Ctx    context.Context
	Store  *Store
	Rows   map[string]*StreamRow // streams, and views over streams
	Opened map[string]*Stream    // by name in lower case
	// FilesBelow is where relative paths in FROM start, for a statement that can read files
	// by their path; else "".
	FilesBelow string
	// Declared is the stream that CREATE STREAM is about to store, for checking it.
	Declared *Stream
	// reads holds the streams and views that were asked for, by name in lower case.
	reads            map[string]bool
	*library.Catalog // DuckDB's functions
}

var _ plan.Catalog = (*Snapshot)(nil)

// Snapshot returns the relations as they are now.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	rows, err := s.Streams(ctx)
	if err != nil {
		return nil, err
	}
	return &Snapshot{Ctx: ctx, Store: s, Rows: rows, Opened: map[string]*Stream{}, Catalog: library.NewCatalog(ctx, s.withConn)}, nil
}

// IsStream reports whether a name is that of a stream or of a view over one.
func (r *Snapshot) IsStream(name sql.Name) bool {
	name = WithoutMain(name)
	return len(name) == 1 && r.Rows[strings.ToLower(name[0].Name)] != nil
}

// WithoutMain leaves the schema main out of a name: that is where streams are.
func WithoutMain(name sql.Name) sql.Name {
	if len(name) == 2 && strings.EqualFold(name[0].Name, "main") {
		return name[1:]
	}
	return name
}

// View returns the row of a view over streams, nil if there is none of the name.
func (r *Snapshot) View(name string) *StreamRow {
	if row := r.Rows[strings.ToLower(name)]; row != nil && row.View {
		return row
	}
	return nil
}

// Stream returns the stream of a name, nil if there is none.
func (r *Snapshot) Stream(name string) (*Stream, error) {
	key := strings.ToLower(name)
	if r.Declared != nil && strings.EqualFold(r.Declared.Row.Name, name) {
		return r.Declared, nil
	}
	if st := r.Opened[key]; st != nil {
		return st, nil
	}
	row := r.Rows[key]
	if row == nil || row.View {
		return nil, nil
	}
	st, err := r.Store.Declare(row)
	if err != nil {
		return nil, Unplaced(err, fmt.Sprintf("reading the definition of stream %q", row.Name))
	}
	r.Opened[key] = st
	return st, nil
}

// Relation implements plan.Catalog.
func (r *Snapshot) Relation(name sql.Name) (*plan.Relation, error) {
	if name := WithoutMain(name); len(name) == 1 {
		st, err := r.Stream(name[0].Name)
		if err != nil {
			return nil, err
		}
		if st != nil {
			r.found(st.Row.Name)
			return &plan.Relation{Name: st.Row.Name, Stream: st.Plan}, nil
		}
		if row := r.View(name[0].Name); row != nil {
			r.found(row.Name)
			query, err := ViewQuery(row)
			return &plan.Relation{Name: row.Name, View: query}, err
		}
	}
	if r.IsPath(name) {
		return r.files(name)
	}
	return r.Table(name)
}

// Table returns a table or view of DuckDB, nil if there is none. Columns of a type
// that streams do not have are read as the nearest one that they have.
func (r *Snapshot) Table(name sql.Name) (*plan.Relation, error) {
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
	err = r.Store.withConn(r.Ctx, func(c *duck.Conn) error {
		return c.Query(r.Ctx, "DESCRIBE "+quoted, nil, func(row []any) error {
			column, as := duck.Text(row[0]), types.QuoteIdent(duck.Text(row[0]))
			typ, exact := library.TypeOf(duck.Text(row[1]))
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
func (r *Snapshot) Similar(name string) string {
	var known []string
	for _, row := range r.Rows {
		known = append(known, row.Name)
	}
	// A name that cannot be read is no suggestion; the error that asks for one is
	// what matters.
	_ = r.Store.withConn(r.Ctx, func(c *duck.Conn) error {
		return c.Query(r.Ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema <> 'ssql'", nil, func(row []any) error {
			known = append(known, duck.Text(row[0]))
			return nil
		})
	})
	slices.Sort(known) // of names that are equally near the same one is told each time
	return sqlerr.Nearest(name, known)
}

var _ plan.Describer = (*Snapshot)(nil)

// Describe implements plan.Describer.
func (r *Snapshot) Describe(query string) ([]types.Field, error) {
	return library.Describe(r.Ctx, r.Store.withConn, query)
}

// Concerns reports whether a statement is about a stream, or files that only ssql reads. Relative
// paths start at dir.
func (r *Snapshot) Concerns(st *sql.Undecided, dir string) bool {
	if st.Stream || r.IsStream(st.Target) || slices.ContainsFunc(st.Files, func(path string) bool { return DuckCannot(path, dir) }) {
		return true
	}
	for _, name := range st.Refs {
		if r.IsStream(name) {
			return true
		}
	}
	return false
}

// StreamNames returns the names of streams and views over streams.
func (r *Snapshot) StreamNames() []string {
	out := make([]string, 0, len(r.Rows))
	for _, row := range r.Rows {
		out = append(out, row.Name)
	}
	sort.Strings(out)
	return out
}

// StreamIn returns a stream that a query reads, "" if it reads none.
func (r *Snapshot) StreamIn(query string) string {
	for _, name := range RefsOf(query) {
		if row := r.Rows[strings.ToLower(name)]; row != nil {
			return row.Name
		}
	}
	return ""
}

// Preview lets a stream whose rows come from the start of a query on have rows now.
func (r *Snapshot) Preview(name string, rowsMax int64) error {
	st, err := r.Stream(name)
	if err != nil || st == nil || st.Spec.Preview == nil {
		return err
	}
	parsed, err := ParseStored(st.Row.Definition)
	if err != nil {
		return err
	}
	definition := parsed.(*sql.CreateStream)
	for key, value := range st.Spec.Preview(st.Options, rowsMax, time.Now()) {
		definition.Options = append(definition.Options, sql.Option{Key: sql.Ident{Name: key}, Value: value})
	}
	if st, err = r.Store.DeclareStatement(st.Row, definition); err == nil {
		r.Opened[strings.ToLower(name)] = st
	}
	return err
}
