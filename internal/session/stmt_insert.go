package session

import (
	"context"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// insertIntoStream is INSERT INTO a stream whose connector takes rows. DuckDB computes
// the rows, from constants or from its tables, and gives them the types of the stream.
func (s *Session) insertIntoStream(ctx context.Context, st *sql.Insert, cat *catalog.Snapshot, r *Request, out Output) error {
	target := catalog.WithoutMain(st.Target)[0]
	stream, err := cat.Stream(target.Name)
	if err != nil {
		return err
	}
	if stream == nil {
		return sqlerr.At(target.Span, "UNSUPPORTED_INSERT", "rows cannot be inserted into view %q", target.Name).
			WithHint("INSERT INTO the stream that it reads")
	}
	if stream.Spec.Feed == nil {
		return sqlerr.At(target.Span, "UNSUPPORTED_INSERT", "rows cannot be inserted into stream %q: connector %q only reads", stream.Row.Name, stream.Spec.Name).
			WithHint("a stream WITH (connector = 'memory') takes rows")
	}
	if st.Query != nil {
		if name := cat.StreamIn(st.Query.Text); name != "" {
			return sqlerr.At(st.Query.Span, "UNSUPPORTED_INSERT", "a query on stream %q cannot write into stream %q", name, stream.Row.Name).
				WithHint("INSERT INTO a table; a later query can read the table")
		}
	}
	text, err := feedQuery(st, stream)
	if err != nil {
		return err
	}
	rows := int64(0)
	err = s.withConn(ctx, func(c *duck.Conn) error {
		reader, err := c.QueryArrow(ctx, text)
		if err != nil {
			// Its positions are in our text, not in the user's.
			return duckError(withoutCaret(err), st.Node)
		}
		defer reader.Release()
		for reader.Next() {
			rows += reader.Record().NumRows()
			if err := stream.Spec.Feed(stream.Row.Name, reader.Record()); err != nil {
				return err
			}
		}
		return reader.Err()
	})
	if err != nil {
		return err
	}
	out.Message(fmt.Sprintf("%s inserted into stream %q", sqlerr.CountOf(rows, "row"), stream.Row.Name))
	if r.Wait {
		return s.catchUp(ctx, stream.Row.Name, out)
	}
	return nil
}

// feedQuery returns the SELECT that DuckDB runs: the rows of the INSERT as columns of
// the stream, in its order and types. Columns that are not given are NULL.
func feedQuery(st *sql.Insert, stream *catalog.Stream) (string, error) {
	fields := stream.DataColumns()
	given := st.Columns
	if given == nil {
		for _, f := range fields {
			given = append(given, sql.Ident{Name: f.Name})
		}
	}
	at := map[string]int{} // column of the source, by stored name in lower case
	for i, c := range given {
		if indexOfField(fields, c.Name) < 0 {
			return "", sqlerr.At(c.Span, "UNRESOLVED_COLUMN", "stream %q has no column %q that rows can give", stream.Row.Name, c.Name).
				WithHint("it has: %s", catalog.ColumnList(fields))
		}
		at[strings.ToLower(c.Name)] = i
	}
	for i, row := range st.Values {
		if len(row) != len(given) {
			return "", sqlerr.At(st.Values[i][0].Pos(), "INSERT_COLUMN_ARITY_MISMATCH", "row %d has %s, expected %d", i+1, sqlerr.CountOf(int64(len(row)), "value"), len(given))
		}
	}
	source := valuesSource(st, given, fields)
	if st.Query != nil {
		source = st.Query.Text
	}
	items := make([]string, len(fields))
	for i, f := range fields {
		value := "NULL"
		if st.ByName {
			value = types.QuoteIdent(f.Name)
		} else if k, ok := at[strings.ToLower(f.Name)]; ok {
			value = fmt.Sprintf("c%d", k)
		}
		items[i] = fmt.Sprintf("CAST(%s AS %s) AS %s", value, f.Type, types.QuoteIdent(f.Name))
	}
	alias := "AS t"
	if !st.ByName {
		names := make([]string, len(given))
		for i := range given {
			names[i] = fmt.Sprintf("c%d", i)
		}
		alias += "(" + strings.Join(names, ", ") + ")"
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (" + source + ") " + alias, nil
}

// valuesSource returns the VALUES of an INSERT, each with the type of its column: DuckDB
// would look for one type for all values of a column first.
func valuesSource(st *sql.Insert, given []sql.Ident, fields []types.Field) string {
	rows := make([]string, len(st.Values))
	for i, row := range st.Values {
		cells := make([]string, len(row))
		for k, e := range row {
			at := e.Pos()
			f := fields[indexOfField(fields, given[k].Name)]
			cells[k] = fmt.Sprintf("CAST(%s AS %s)", st.Text[at.Start-st.Span.Start:at.End-st.Span.Start], f.Type)
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	return "VALUES " + strings.Join(rows, ", ")
}

func indexOfField(fields []types.Field, name string) int {
	for i, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return i
		}
	}
	return -1
}

// refuseTableIntoSink refuses an INSERT into a sink that reads no stream: DuckDB would say
// that the sink's view takes no rows.
func (s *Session) refuseTableIntoSink(ctx context.Context, st *sql.Undecided) error {
	n, err := s.store.SinkNamed(ctx, st.Target)
	if err != nil || n == nil {
		return err
	}
	return sqlerr.At(st.Target[0].Span, "UNSUPPORTED_INSERT", "sink %q takes the rows of queries on streams, and this reads none", n.Name).
		WithHint("COPY (SELECT ...) TO 'file' writes rows of tables to a file")
}

// insert is INSERT INTO ... SELECT from a stream, which makes or resumes the query
// named like its table, or INSERT INTO a stream.
func (s *Session) insert(ctx context.Context, st *sql.Insert, r *Request, out Output) error {
	if err := s.refuseElsewhere(ctx, st.Target); err != nil {
		return err
	}
	if err := s.sinkByUse(ctx, st.Target); err != nil {
		return err
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if cat.IsStream(st.Target) {
		return s.insertIntoStream(ctx, st, cat, r, out)
	}
	named, err := s.store.SinkNamed(ctx, st.Target)
	if err != nil {
		return err
	}
	if named.IsConsole() {
		return s.insertIntoConsole(ctx, st, named, r, out)
	}
	target := st.Target[len(st.Target)-1]
	d := &catalog.Definition{Name: target.Name, Text: st.Text, Dir: r.Dir, Inserts: []*sql.Insert{st}, Options: settings.Values{}}
	return s.defineUnnamed(ctx, d, target.Span, r.Wait, out)
}
