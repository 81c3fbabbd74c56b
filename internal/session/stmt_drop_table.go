package session

import (
	"context"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// dropTable is DROP TABLE. Whoever has made a stream, a sink or a materialized view by
// CREATE TABLE drops it so; all else is a table of the database.
func (s *Session) dropTable(ctx context.Context, st *sql.DropTable, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	sinks, err := s.store.Sinks(ctx)
	if err != nil {
		return err
	}
	query, err := s.store.Query(ctx, st.Name.Name)
	if err != nil {
		return err
	}
	view := &sql.DropView{Node: st.Node, IfExists: st.IfExists, Name: sql.Name{st.Name}}
	key := strings.ToLower(st.Name.Name)
	switch row := cat.Rows[key]; {
	case row != nil && row.View:
		return s.dropView(ctx, view, r, out)
	case row != nil:
		return s.dropStream(ctx, &sql.DropStream{Node: st.Node, IfExists: st.IfExists, Name: st.Name}, r, out)
	case sinks[key] != nil:
		return s.dropSink(ctx, &sql.DropSink{Node: st.Node, IfExists: st.IfExists, Name: st.Name}, r, out)
	case query != nil && catalog.IsMaterialized(query.Definition):
		view.Materialized = true
		return s.dropView(ctx, view, r, out)
	}
	for _, j := range s.jobs() {
		if j.row.WritesTo(key) {
			return sqlerr.At(st.Name.Span, "TABLE_IN_USE", "table %q cannot be dropped: query %q writes to it now", st.Name.Name, j.row.Name).
				WithHint("DROP QUERY %s first", sql.IdentText(j.row.Name))
		}
	}
	return s.passthrough(ctx, st.Node, "DROP", r.Dir, out)
}
