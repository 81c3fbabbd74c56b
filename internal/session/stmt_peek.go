package session

import (
	"context"
	"fmt"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// peekRows is how many rows PEEK shows without LIMIT.
const peekRows = 10

// peek is PEEK stream [LIMIT n]: its first rows, or those of the files of a path. Nothing is kept, and no query is
// disturbed.
func (s *Session) peek(ctx context.Context, st *sql.Peek, r *Request, out Output) error {
	if st.Latest {
		return sqlerr.At(st.Span, "UNSUPPORTED_STATEMENT", "PEEK ... FROM LATEST is not supported: a stream is read from its beginning").
			WithHint("PEEK %s LIMIT n", identText(st.Name.Name))
	}
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	cat.filesBelow = r.Dir
	if name := (sql.Name{st.Name}); !cat.isStream(name) && !cat.isPath(name) {
		return noSuchStream(cat.rows, st.Name)
	}
	limit := st.Limit
	if limit == 0 {
		limit = peekRows
	}
	query, err := sql.ParseQueryText(fmt.Sprintf("SELECT * FROM %s LIMIT %d", types.QuoteIdent(st.Name.Name), limit))
	if err != nil {
		return err
	}
	return s.selectStream(ctx, &sql.SelectStatement{Node: st.Node, Query: query}, r, out)
}
