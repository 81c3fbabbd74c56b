package session

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sql"
	"ssql/sql/types"
)

// peekRows is how many rows PEEK shows without LIMIT.
const peekRows = 10

// peek is PEEK stream [FROM LATEST] [LIMIT n]: its first rows, or those of the files of a
// path, or the last ones that there are now. Nothing is kept, and no query is disturbed.
func (s *Session) peek(ctx context.Context, st *sql.Peek, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	cat.FilesBelow = r.Dir
	if name := (sql.Name{st.Name}); !cat.IsStream(name) && !cat.IsPath(name) {
		return noSuchStream(cat.Rows, st.Name)
	}
	limit := st.Limit
	if limit == 0 {
		limit = peekRows
	}
	text := fmt.Sprintf("SELECT * FROM %s LIMIT %d", types.QuoteIdent(st.Name.Name), limit)
	if st.Latest {
		text = "SELECT * FROM " + types.QuoteIdent(st.Name.Name)
		out = &latestRows{Output: out, rowsMax: limit}
	}
	query, err := sql.ParseQueryText(text)
	if err != nil {
		return err
	}
	names := []string{st.Name.Name}
	if row := cat.View(st.Name.Name); row != nil {
		names = row.Reads
	}
	for _, name := range names {
		if err := cat.Preview(name, limit); err != nil {
			return err
		}
	}
	return s.selectFrom(ctx, &sql.SelectStatement{Node: st.Node, Query: query}, cat, r, out)
}

// latestRows is an output that shows the last rows of a table only.
type latestRows struct {
	Output
	rowsMax int64
	table   TableWriter
	kept    []arrow.Record
	rows    int64 // in kept
}

// Table implements Output.
func (l *latestRows) Table(schema *arrow.Schema) (table TableWriter, err error) {
	l.table, err = l.Output.Table(schema)
	return l, err
}

// Write implements TableWriter: it keeps what may be among the last rows.
func (l *latestRows) Write(rec arrow.Record) error {
	rec.Retain()
	l.kept, l.rows = append(l.kept, rec), l.rows+rec.NumRows()
	for l.rows-l.kept[0].NumRows() >= l.rowsMax {
		l.rows -= l.kept[0].NumRows()
		l.kept[0].Release()
		l.kept = l.kept[1:]
	}
	return nil
}

// Close implements TableWriter: it shows what was kept.
func (l *latestRows) Close() error {
	skip := max(0, l.rows-l.rowsMax)
	var err error
	for _, rec := range l.kept {
		part := rec.NewSlice(min(skip, rec.NumRows()), rec.NumRows())
		skip -= rec.NumRows() - part.NumRows()
		if part.NumRows() > 0 {
			err = joinErrors(err, l.table.Write(part))
		}
		part.Release()
		rec.Release()
	}
	return joinErrors(err, l.table.Close())
}
