package session

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/library"
	"ssql/plan/expr"
	"ssql/sql"
)

// The SHOW statements of this file list what there is to use: tables, views, sinks,
// formats and functions.

// showTables lists what FROM can name: the tables and views of the user's current database
// (those of an open transaction and temporary ones as well), the streams and the views over
// them. What is in ssql's own schema is left out.
func (s *Session) showTables(ctx context.Context, st *sql.Show, out Output) error {
	streams, err := s.store.Streams(ctx)
	if err != nil {
		return err
	}
	t := newTextTable("name", "schema", "kind")
	for _, r := range streams {
		if likeMatches(st.Like, r.Name) {
			t.add(r.Name, "main", map[bool]string{true: "view", false: "stream"}[r.View])
		}
	}
	c, release, err := s.userConn(ctx, "SHOW", st.Text)
	if err != nil {
		return err
	}
	defer release()
	err = c.Query(ctx, `SELECT table_name, table_schema, CASE table_type WHEN 'VIEW' THEN 'view' ELSE 'table' END
		FROM information_schema.tables WHERE table_schema <> 'ssql' AND table_catalog IN (current_database(), 'temp')`, nil,
		func(row []any) error {
			if likeMatches(st.Like, duck.Text(row[0])) {
				t.add(duck.Text(row[0]), duck.Text(row[1]), duck.Text(row[2]))
			}
			return nil
		})
	if err != nil {
		return err
	}
	slices.SortFunc(t.rows, func(a, b []string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a[0]), strings.ToLower(b[0])), slices.Compare(a, b))
	})
	return t.send(out)
}

// showAllTables is DuckDB's SHOW ALL TABLES without what belongs to ssql itself.
func (s *Session) showAllTables(ctx context.Context, st *sql.Show, out Output) error {
	return s.sendLike(ctx, st, `SELECT * FROM (SHOW ALL TABLES) WHERE "schema" <> 'ssql' AND "database" <> '`+duck.StageDatabase+`'`, out)
}

// showViews lists the views over streams, the materialized ones and DuckDB's.
func (s *Session) showViews(ctx context.Context, st *sql.Show, out Output) error {
	return s.sendLike(ctx, st, `SELECT * FROM (
		SELECT name, 'stream' AS reads, definition FROM ssql.streams WHERE kind = 'view' UNION ALL
		SELECT name, 'stream, materialized', definition FROM ssql.queries WHERE regexp_matches(definition, '^\s*create\s+(or\s+\w+\s+)?(materialized|streaming|table)\s', 'i') UNION ALL
		SELECT view_name, 'table', "sql" FROM duckdb_views() WHERE NOT internal AND database_name = current_database()) WHERE true`, out)
}

// sendLike runs a query of ours with a column name and a WHERE clause, for the names that
// the statement asks for.
func (s *Session) sendLike(ctx context.Context, st *sql.Show, text string, out Output) error {
	if st.Like == "" {
		return s.send(ctx, "SELECT * FROM ("+text+") ORDER BY lower(name)", nil, out)
	}
	return s.send(ctx, "SELECT * FROM ("+text+") WHERE name ILIKE ? ORDER BY lower(name)", []any{st.Like}, out)
}

// showFormats lists the values of the option format of each connector.
func (s *Session) showFormats(_ context.Context, st *sql.Show, out Output) error {
	t := newTextTable("name", "connector")
	for _, spec := range s.cfg.Sources {
		for _, o := range spec.Options {
			if o.Name != "format" {
				continue
			}
			for _, format := range o.Values {
				if likeMatches(st.Like, format) {
					t.add(format, spec.Name)
				}
			}
		}
	}
	return t.send(out)
}

// showFunctions lists the functions and aggregates that a query on a stream can use, and
// where they run: in ssql, or in DuckDB, which folds a group when its window closes.
func (s *Session) showFunctions(ctx context.Context, st *sql.Show, out Output) error {
	type place struct{ kind, runs string }
	places := map[string]place{}
	foreign, err := library.NewCatalog(ctx, s.withConn).Names()
	if err != nil {
		return err
	}
	for name, aggregate := range foreign {
		switch {
		case aggregate:
			places[name] = place{"aggregate", "DuckDB, when a window closes"}
		case expr.IsFunction(name) || expr.IsLambdaFunction(name):
			places[name] = place{"scalar", "ssql"} // by another name
		default:
			places[name] = place{"scalar", "DuckDB"}
		}
	}
	for _, name := range expr.FunctionNames() {
		places[strings.ToLower(name)] = place{"scalar", "ssql"}
	}
	for _, name := range expr.AggregateNames() {
		places[strings.ToLower(name)] = place{"aggregate", "ssql"}
	}
	names := make([]string, 0, len(places))
	for name := range places {
		if likeMatches(st.Like, name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	t := newTextTable("name", "kind", "runs in")
	for _, name := range names {
		t.add(name, places[name].kind, places[name].runs)
	}
	return t.send(out)
}

// showSinks lists the sinks with what fills them.
func (s *Session) showSinks(ctx context.Context, st *sql.Show, out Output) error {
	all, err := s.store.Sinks(ctx)
	if err != nil {
		return err
	}
	queries, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	t := newTextTable("name", "connector", "path", "query")
	for _, key := range sortedNames(all) {
		n := all[key]
		if !likeMatches(st.Like, n.Name) {
			continue
		}
		var writers []string
		for _, q := range queries {
			if q.WritesTo(key) {
				writers = append(writers, q.Name)
			}
		}
		if n.Broken != nil {
			t.add(n.Name, "", brokenText(n.Broken), strings.Join(writers, ", "))
			continue
		}
		t.add(n.Name, n.Spec.Name, n.Path, strings.Join(writers, ", "))
	}
	return t.send(out)
}

func sortedNames(all map[string]*catalog.Sink) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
