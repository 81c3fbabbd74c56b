package session

import (
	"context"
	"fmt"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// dropView is DROP VIEW and DROP MATERIALIZED VIEW.
func (s *Session) dropView(ctx context.Context, st *sql.DropView, _ *Request, out Output) error {
	if st.Materialized {
		return s.dropMaterialized(ctx, st, out)
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if len(st.Name) == 1 {
		if row := cat.View(st.Name[0].Name); row != nil {
			if err := s.refuseInUse(ctx, row.Name, st.Name[0].Span, "dropped"); err != nil {
				return err
			}
			return s.store.DeleteStream(ctx, row.Name)
		}
	}
	return s.passthrough(ctx, st.Node, "DROP", "", out)
}

// dropMaterialized drops the query of a materialized view, and its table.
func (s *Session) dropMaterialized(ctx context.Context, st *sql.DropView, out Output) error {
	name := st.Name[len(st.Name)-1]
	row, err := s.store.Query(ctx, name.Name)
	if err != nil {
		return err
	}
	if row == nil || !catalog.IsMaterialized(row.Definition) {
		if st.IfExists {
			out.Notice(fmt.Sprintf("materialized view %q does not exist", name.Name))
			return nil
		}
		err := sqlerr.At(name.Span, "TABLE_OR_VIEW_NOT_FOUND", "there is no materialized view %q", name.Name)
		if row != nil {
			return err.WithHint("it is a query: DROP QUERY %s, and DROP TABLE %s for its rows", sql.IdentText(row.Name), row.Target)
		}
		return err.WithHint("SHOW QUERIES lists the queries, those of materialized views among them")
	}
	if _, err := s.forgetQuery(ctx, row, out); err != nil {
		return err
	}
	err = s.withConn(ctx, func(c *duck.Conn) error {
		_, err := c.Exec(ctx, "DROP TABLE IF EXISTS "+row.Target)
		return err
	})
	if err == nil {
		out.Message(fmt.Sprintf("materialized view %q is dropped with its rows", row.Name))
	}
	return err
}
