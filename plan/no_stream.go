package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// noStream refuses a query that stays and reads tables only. Rows that come into a table are
// not seen one by one, so the hint is a stream of the same columns.
func (b *binder) noStream(span Span) error {
	t := b.tableRead
	if t == nil {
		return sqlerr.At(span, codeNoStream, "the query reads no stream").
			WithHint("queries on tables alone are DuckDB's; name a stream in FROM")
	}
	return sqlerr.At(span, codeNoStream, "the query reads no stream: %q is a table", t.Name).
		WithHint("a view keeps a query on tables; to have rows one after the other insert them into a stream, and read that: %s", streamLike(t.Name, t.Table.Fields))
}

// streamLike writes a stream that has the columns of a table.
func streamLike(table string, fields []types.Field) string {
	cols := make([]string, len(fields))
	for i, f := range fields {
		cols[i] = types.QuoteIdent(f.Name) + " " + f.Type.String()
	}
	return "CREATE STREAM " + types.QuoteIdent(table+"_stream") + " (" + strings.Join(cols, ", ") + ") WITH (connector = 'memory')"
}
