package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// assertShown is how many rows of each kind a failed ASSERT VALUES shows.
const assertShown = 5

// assertRows is ASSERT VALUES table (..), (..): an error unless the table has these rows and
// no others, within the time if one is given.
func (s *Session) assertRows(ctx context.Context, st *sql.AssertRows, _ *Request, _ Output) error {
	difference, err := s.rowsQuery(ctx, st)
	if err != nil {
		return err
	}
	return s.until(ctx, st.WithinMicros, func(ctx context.Context) (bool, error) {
		var lines []string
		err := s.withConn(ctx, func(c *duck.Conn) error {
			return c.Query(ctx, difference, nil, func(row []any) error {
				lines = append(lines, duck.Text(row[0])+": "+duck.Text(row[1]))
				return nil
			})
		})
		if err != nil {
			return false, duckError(withoutCaret(err), sql.Node{Span: st.RowsAt, Text: st.Rows})
		}
		if len(lines) == 0 {
			return true, nil
		}
		return false, sqlerr.At(st.RowsAt, "ASSERTION_FAILED", "table %s has other rows", st.Table.SQL()).
			WithDetail("%s", strings.Join(lines, "\n"))
	})
}

// rowsQuery returns the statement that gives what is missing in the table and what is too
// many. The values are cast to the types of the columns.
func (s *Session) rowsQuery(ctx context.Context, st *sql.AssertRows) (string, error) {
	fields, err := s.tableColumns(ctx, st)
	if err != nil {
		return "", err
	}
	have, want, names := make([]string, len(fields)), make([]string, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		have[i] = types.QuoteIdent(f.name)
		names[i] = fmt.Sprintf("c%d", i)
		want[i] = fmt.Sprintf("CAST(c%d AS %s) AS %s", i, f.kind, have[i])
	}
	given := 0
	err = s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, "DESCRIBE (VALUES "+st.Rows+")", nil, func([]any) error { given++; return nil })
	})
	if err != nil {
		return "", duckError(withoutCaret(err), sql.Node{Span: st.RowsAt, Text: st.Rows})
	}
	if given != len(fields) {
		return "", sqlerr.At(st.RowsAt, "INSERT_COLUMN_ARITY_MISMATCH", "a row has %s for %s: %s", sqlerr.CountOf(int64(given), "value"), sqlerr.CountOf(int64(len(fields)), "column"), strings.Join(have, ", "))
	}
	return fmt.Sprintf(`WITH have AS MATERIALIZED (SELECT %s FROM %s), want AS MATERIALIZED (SELECT %s FROM (VALUES %s) AS v(%s))
(SELECT 'missing', CAST(m AS VARCHAR) FROM (FROM want EXCEPT ALL FROM have) AS m ORDER BY 2 LIMIT %[6]d) UNION ALL
(SELECT 'too many', CAST(m AS VARCHAR) FROM (FROM have EXCEPT ALL FROM want) AS m ORDER BY 2 LIMIT %[6]d)`,
		strings.Join(have, ", "), st.Table.SQL(), strings.Join(want, ", "), st.Rows, strings.Join(names, ", "), assertShown), nil
}

// tableColumn is a column as DuckDB describes it.
type tableColumn struct{ name, kind string }

// tableColumns returns the columns of the table that the rows have values for.
func (s *Session) tableColumns(ctx context.Context, st *sql.AssertRows) ([]tableColumn, error) {
	var all []tableColumn
	err := s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, "DESCRIBE "+st.Table.SQL(), nil, func(row []any) error {
			all = append(all, tableColumn{duck.Text(row[0]), duck.Text(row[1])})
			return nil
		})
	})
	last := st.Table[len(st.Table)-1]
	if duck.Missing(err) {
		return nil, sqlerr.At(last.Span, "TABLE_OR_VIEW_NOT_FOUND", "there is no table %q", last.Name).WithHint("SHOW TABLES lists them")
	}
	if err != nil || st.Columns == nil {
		return all, err
	}
	var out []tableColumn
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	for _, want := range st.Columns {
		at := catalog.IndexOf(names, want.Name)
		if at < 0 {
			return nil, sqlerr.At(want.Span, "UNRESOLVED_COLUMN", "table %s has no column %q", st.Table.SQL(), want.Name).
				WithNearest(want.Name, names, "it has: %s", strings.Join(names, ", "))
		}
		out = append(out, all[at])
	}
	return out, nil
}
