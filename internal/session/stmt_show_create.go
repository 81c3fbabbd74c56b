package session

import (
	"context"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// showCreate is SHOW CREATE name: the statement that makes the thing again, in canonical
// spelling.
func (s *Session) showCreate(ctx context.Context, st *sql.Show, out Output) error {
	kind := strings.TrimPrefix(strings.TrimPrefix(st.What, "CREATE"), " ")
	name := *st.For
	text, err := s.createText(ctx, kind, name)
	if err != nil {
		return err
	}
	if text == "" {
		what := "stream, view, query or table"
		if kind != "" {
			what = strings.ToLower(kind)
		}
		err := sqlerr.At(name.Span, "TABLE_OR_VIEW_NOT_FOUND", "there is no %s %q", what, name.Name)
		if other, e := s.createText(ctx, "", name); e == nil && other != "" {
			return err.WithHint("SHOW CREATE %s shows what has that name", sql.IdentText(name.Name))
		}
		if cat, e := s.store.Snapshot(ctx); e == nil {
			if near := cat.Similar(name.Name); near != "" {
				return err.WithHint("did you mean %q?", near)
			}
		}
		return err.WithHint("SHOW STREAMS, SHOW VIEWS, SHOW QUERIES and SHOW TABLES list what there is")
	}
	out.Message(strings.TrimRight(text, "; \n") + ";")
	return nil
}

// createText returns the statement that makes the thing of a kind and a name, "" if there
// is none. Without a kind a stream or view comes before a query, a query before its
// table.
func (s *Session) createText(ctx context.Context, kind string, name sql.Ident) (string, error) {
	if kind == "" || kind == "STREAM" || kind == "VIEW" {
		rows, err := s.store.Streams(ctx)
		if err != nil {
			return "", err
		}
		if row := rows[strings.ToLower(name.Name)]; row != nil && (kind == "" || row.View == (kind == "VIEW")) {
			return row.CreateText()
		}
	}
	if kind == "" || kind == "SINK" {
		all, err := s.store.Sinks(ctx)
		if err != nil {
			return "", err
		}
		if n := all[strings.ToLower(name.Name)]; n != nil {
			return n.CreateText(), nil
		}
	}
	if kind == "" || kind == "QUERY" || kind == "MATERIALIZED VIEW" {
		row, err := s.store.Query(ctx, name.Name)
		if err != nil {
			return "", err
		}
		if row != nil && (kind != "MATERIALIZED VIEW" || catalog.IsMaterialized(row.Definition)) {
			return row.CreateText()
		}
	}
	if kind != "" && kind != "VIEW" && kind != "TABLE" {
		return "", nil
	}
	found, err := s.duckCreateText(ctx, name.Name)
	if err == nil && found == "" && kind == "TABLE" {
		return s.createText(ctx, "", name) // a stream or sink that CREATE TABLE has made
	}
	return found, err
}

// duckCreateText asks DuckDB for the statement of a table or view.
func (s *Session) duckCreateText(ctx context.Context, name string) (found string, err error) {
	err = s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, `SELECT "sql" FROM duckdb_tables() WHERE lower(table_name) = lower(?) AND schema_name <> 'ssql' UNION ALL
			SELECT "sql" FROM duckdb_views() WHERE lower(view_name) = lower(?) AND NOT internal LIMIT 1`, []any{name, name}, func(row []any) error {
			found = duck.Text(row[0])
			return nil
		})
	})
	return found, err
}
