package session

import (
	"context"
	"strings"

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
		if cat, e := s.relations(ctx); e == nil {
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
		rows, err := s.streams(ctx)
		if err != nil {
			return "", err
		}
		if row := rows[strings.ToLower(name.Name)]; row != nil && (kind == "" || row.view == (kind == "VIEW")) {
			return row.createText()
		}
	}
	if kind == "" || kind == "SINK" {
		all, err := s.namedSinks(ctx)
		if err != nil {
			return "", err
		}
		if n := all[strings.ToLower(name.Name)]; n != nil {
			return n.createText(), nil
		}
	}
	if kind == "" || kind == "QUERY" || kind == "MATERIALIZED VIEW" {
		row, err := s.query(ctx, name.Name)
		if err != nil {
			return "", err
		}
		if row != nil && (kind != "MATERIALIZED VIEW" || isMaterialized(row.definition)) {
			return row.createText()
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

// createText returns the CREATE STREAM or CREATE VIEW of a row. Columns that were inferred
// are declared, and a relative path becomes an absolute one, so that the text means
// the same wherever it is run.
func (r *streamRow) createText() (string, error) {
	parsed, err := parseStored(r.definition)
	if err != nil {
		return r.definition, nil // as it is: whoever reads it sees what is wrong
	}
	switch st := parsed.(type) {
	case *sql.CreateStream:
		st.OrReplace, st.IfNotExists = false, false
		if st.Columns, err = columnsOf(r, st); err != nil {
			return "", err
		}
		for i, o := range st.Options {
			if path, ok := o.Value.(string); ok && strings.EqualFold(o.Key.Name, "path") {
				st.Options[i].Value = absolute(r.baseDir, path)
			}
		}
	case *sql.CreateView:
		st.OrReplace, st.IfNotExists = false, false
	}
	return sql.StatementText(parsed), nil
}

// createText returns the statement of a query: what makes and starts it.
func (q *queryRow) createText() (string, error) {
	parsed, err := parseStored(q.definition)
	if err != nil {
		return q.definition, nil
	}
	switch st := parsed.(type) {
	case *sql.CreateQuery:
		st.OrReplace, st.IfNotExists = false, false
	case *sql.CreateView:
		st.OrReplace, st.IfNotExists = false, false
	case *sql.Insert:
		if len(q.options) > 0 {
			parsed = &sql.CreateQuery{Name: sql.Ident{Name: q.name}, Options: optionsOf(q.options), Inserts: []*sql.Insert{st}}
		}
	}
	return sql.StatementText(parsed), nil
}

// duckCreateText asks DuckDB for the statement of a table or view.
func (s *Session) duckCreateText(ctx context.Context, name string) (found string, err error) {
	err = s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, `SELECT "sql" FROM duckdb_tables() WHERE lower(table_name) = lower(?) AND schema_name <> 'ssql' UNION ALL
			SELECT "sql" FROM duckdb_views() WHERE lower(view_name) = lower(?) AND NOT internal LIMIT 1`, []any{name, name}, func(row []any) error {
			found = text(row[0])
			return nil
		})
	})
	return found, err
}
