package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// createStreamingTable is Databricks' CREATE STREAMING TABLE without AS: the table that the
// queries of its flows write to. Without columns there is nothing to make yet, for the first
// query that writes to a table makes it.
func (s *Session) createStreamingTable(ctx context.Context, st *sql.CreateStreamingTable, r *Request, out Output) error {
	if err := s.refuseElsewhere(ctx, st.Name); err != nil {
		return err
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	name := st.Name[len(st.Name)-1]
	if cat.IsStream(st.Name) {
		return sqlerr.At(name.Span, "STREAM_ALREADY_EXISTS", "%q is a stream or a view over one", name.Name).WithHint("choose another name for the streaming table")
	}
	if sink, err := s.store.SinkNamed(ctx, st.Name); err != nil || sink != nil {
		if err != nil {
			return err
		}
		return sqlerr.At(name.Span, "SINK_ALREADY_EXISTS", "%q is a sink", name.Name).WithHint("choose another name for the streaming table")
	}
	table, err := cat.Table(st.Name)
	switch {
	case err != nil:
		return err
	case table != nil:
		var isView bool
		err := s.withConn(ctx, func(c *duck.Conn) (err error) {
			isView, err = exists(ctx, c, `SELECT 1 FROM duckdb_views() WHERE NOT internal AND lower(view_name) = lower(?)`, name.Name)
			return err
		})
		if err != nil {
			return err
		}
		if isView {
			return sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "%q is a view, to which no flow can write", name.Name).WithHint("choose another name for the streaming table")
		}
		return s.refreshStreamingTable(st, table, out)
	case st.Columns == nil:
		out.Notice(fmt.Sprintf("table %q will have the columns of the first query that inserts into it", name.Name))
		return nil
	}
	return s.withConn(ctx, func(c *duck.Conn) error {
		if _, err := c.Exec(ctx, st.Table()); err != nil {
			return duckError(withoutCaret(err), st.Node) // its positions are in our text
		}
		return nil
	})
}

// refreshStreamingTable is the statement over a table that is there. It stays as it is, with
// its rows, unless other columns are declared.
func (s *Session) refreshStreamingTable(st *sql.CreateStreamingTable, table *plan.Relation, out Output) error {
	name := st.Name[len(st.Name)-1]
	if !st.OrRefresh && !st.IfNotExists {
		return sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "%q is a table or view of the database", name.Name).
			WithHint("CREATE OR REFRESH STREAMING TABLE %s keeps it as it is", sql.IdentText(name.Name))
	}
	have, want := table.Table.Fields, st.Columns
	same := want == nil || len(have) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = strings.EqualFold(have[i].Name, want[i].Name.Name) && have[i].Type.String() == want[i].Type.String()
	}
	if same {
		return nil
	}
	if st.IfNotExists {
		out.Notice(fmt.Sprintf("table %q exists already, with other columns, and stays as it is", name.Name))
		return nil
	}
	return sqlerr.At(name.Span, "TABLE_OR_VIEW_ALREADY_EXISTS", "table %q has other columns: %s", name.Name, catalog.ColumnList(have)).
		WithHint("ALTER TABLE %s ADD COLUMN .. adds one; DROP TABLE %[1]s forgets its rows", sql.IdentText(name.Name))
}
