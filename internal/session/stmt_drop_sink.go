package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// dropSink is DROP SINK. Its files stay, its view goes.
func (s *Session) dropSink(ctx context.Context, st *sql.DropSink, _ *Request, out Output) error {
	all, err := s.store.Sinks(ctx)
	if err != nil {
		return err
	}
	n := all[strings.ToLower(st.Name.Name)]
	if n == nil {
		if st.IfExists {
			out.Notice(fmt.Sprintf("sink %q does not exist", st.Name.Name))
			return nil
		}
		return noSuchSink(all, st.Name)
	}
	if err := s.refuseSinkInUse(ctx, n.Name, st.Name.Span, "dropped"); err != nil {
		return err
	}
	if err := s.store.Exec(ctx, "DROP VIEW IF EXISTS "+types.QuoteIdent(n.Name)); err != nil {
		return err
	}
	return s.store.DeleteStream(ctx, n.Name)
}

// refuseSinkInUse refuses a change of a sink that a query writes to.
func (s *Session) refuseSinkInUse(ctx context.Context, sink string, at sql.Span, verb string) error {
	queries, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if q.WritesTo(strings.ToLower(sink)) {
			return sqlerr.At(at, "SINK_IN_USE", "sink %q cannot be %s: query %q writes to it", sink, verb, q.Name).
				WithHint("DROP QUERY %s first", sql.IdentText(q.Name))
		}
	}
	return nil
}
