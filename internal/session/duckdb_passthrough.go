package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// passthrough gives a statement to DuckDB as it was written, but for relative paths, which
// start at dir, and returns its rows.
func (s *Session) passthrough(ctx context.Context, node sql.Node, first, dir string, out Output) error {
	s.stored = s.stored || !onlyReads(first)
	if err := s.refuseOwnTables(node); err != nil {
		return err
	}
	if first == "CREATE" {
		if err := s.refuseHidden(ctx, node); err != nil {
			return err
		}
	}
	c, release, err := s.userConn(ctx, first, node.Text)
	if err != nil {
		return err
	}
	defer release()
	if err := s.refuseExpansion(ctx, c, node); err != nil {
		return err
	}
	if inZone(node.Text) {
		if m, ok := plan.MeaningOf("at time zone"); ok {
			m.Write = "ts AT TIME ZONE 'UTC' AT TIME ZONE zone where every engine is to take ts as UTC" // the wall time as well
			s.noteMeanings([]plan.Meaning{m}, out)
		}
	}
	if first == "COMMIT" || first == "END" {
		if err := c.CanCommit(ctx); err != nil {
			return s.rolledBack(ctx, c, err)
		}
	}
	placed := placeFiles(node, dir)
	if first == "ATTACH" {
		return placed.failed(c.Attach(ctx, placed.text))
	}
	reader, err := c.QueryArrow(ctx, placed.text)
	if err != nil {
		return placed.failed(err)
	}
	defer reader.Release()
	switch schema := reader.Schema(); {
	case answersNothing(schema, first):
		return nil
	case first == "EXPLAIN" && schema.HasField("explain_value"):
		return sendPlan(reader, out)
	case mayHaveName(schema) && first != "SHOW" && first != "DESCRIBE":
		named, err := nameTypes(ctx, c, placed.text, schema)
		if err != nil {
			return err
		}
		return sendReader(reader, named, out)
	}
	return sendReader(reader, reader.Schema(), out)
}

// onlyReads reports whether a statement with a first word cannot change what is stored. WITH and
// EXPLAIN can stand before others.
func onlyReads(first string) bool {
	switch first {
	case "(", "DESCRIBE", "FROM", "PIVOT", "RESET", "SELECT", "SET", "SHOW", "SUMMARIZE", "TABLE", "UNPIVOT", "VALUES":
		return true
	}
	return false
}

// inZone reports whether a statement has an AT TIME ZONE that other engines may read the
// other way round: not of now(), and not the second of two.
func inZone(text string) bool {
	words, _ := sql.Words(text)
	at := func(i int, texts ...string) bool {
		for k, t := range texts {
			if i+k < 0 || i+k >= len(words) || !strings.EqualFold(words[i+k].Text, t) {
				return false
			}
		}
		return true
	}
	for i := range words {
		if at(i, "AT", "TIME", "ZONE") && !at(i-3, "NOW", "(", ")") && !at(i-4, "AT", "TIME", "ZONE") && !at(i+4, "AT", "TIME", "ZONE") {
			return true
		}
	}
	return false
}

// rolledBack ends a transaction of the user in which a statement has failed: DuckDB would say
// that its COMMIT is done, and keep nothing.
func (s *Session) rolledBack(ctx context.Context, c *duck.Conn, failed error) error {
	if _, err := c.Exec(ctx, "ROLLBACK"); err != nil {
		return joinErrors(failed, err)
	}
	var known *sqlerr.Error
	if errors.As(failed, &known) {
		ended := *known
		return ended.WithHint("it is rolled back; run its statements again, from BEGIN on")
	}
	return failed
}

// refuseHidden refuses to create a table or view that a stream of the same name would
// hide.
func (s *Session) refuseHidden(ctx context.Context, node sql.Node) error {
	words, _ := sql.Words(node.Text)
	for i, w := range words {
		switch strings.ToUpper(w.Text) {
		case "CREATE", "OR", "REPLACE", "TEMP", "TEMPORARY", "TABLE", "VIEW", "IF", "NOT", "EXISTS":
		default:
			before := ""
			if i > 0 {
				before = strings.ToUpper(words[i-1].Text)
			}
			schema := i+1 < len(words) && words[i+1].Text == "."
			if before != "TABLE" && before != "VIEW" && before != "EXISTS" || schema {
				return nil
			}
			return s.refuseStreamName(ctx, w, node.Span.Start)
		}
	}
	return nil
}

// refuseStreamName refuses a name, which stands in a text that begins at base, if a stream
// or a view over one has it.
func (s *Session) refuseStreamName(ctx context.Context, w sql.Word, base int) error {
	rows, err := s.store.Streams(ctx)
	if err != nil {
		return err
	}
	name := strings.Trim(w.Text, "\"`")
	if rows[strings.ToLower(name)] == nil {
		return nil
	}
	at := sql.Span{Start: base + w.Span.Start, End: base + w.Span.End}
	return sqlerr.At(at, "STREAM_ALREADY_EXISTS", "%q is a stream or a view over one", name).
		WithHint("choose another name: the stream would hide it")
}

// sendPlan gives DuckDB's drawing of a plan as text: in a table its lines would be
// escaped.
func sendPlan(reader array.RecordReader, out Output) error {
	for reader.Next() {
		at := reader.Schema().FieldIndices("explain_value")[0]
		for i := range int(reader.Record().NumRows()) {
			out.Message(strings.TrimRight(reader.Record().Column(at).ValueStr(i), "\n"))
		}
	}
	return reader.Err()
}

// mayHaveName reports whether a column may be a HUGEINT, the type of every sum of
// integers, or JSON: DuckDB gives them to Arrow as DECIMAL(38,0) and as text.
func mayHaveName(schema *arrow.Schema) bool {
	for _, f := range schema.Fields() {
		if mayHaveNameWithin(f.Type) {
			return true
		}
	}
	return false
}

func mayHaveNameWithin(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.StringType:
		return true
	case *arrow.Decimal128Type:
		return t.Precision == 38 && t.Scale == 0
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return mayHaveNameWithin(f.Type) })
	}
	return false
}

// nameTypes returns the schema with the names of such types, for which it asks DuckDB. A
// statement that cannot be described keeps the names that Arrow gives.
func nameTypes(ctx context.Context, c *duck.Conn, text string, schema *arrow.Schema) (*arrow.Schema, error) {
	fields := schema.Fields()
	i := 0
	err := c.Query(ctx, "DESCRIBE "+text, nil, func(row []any) error {
		if name, _ := row[1].(string); i < len(fields) {
			fields[i] = namedField(fields[i], name)
		}
		i++
		return nil
	})
	var refused *duck.SQLError
	if errors.As(err, &refused) {
		return schema, nil
	}
	return arrow.NewSchema(fields, nil), err
}

// namedField returns a field with what the name of its type in DuckDB says beyond its type
// in Arrow: that it is a HUGEINT, or which of its texts are JSON.
func namedField(f arrow.Field, name string) arrow.Field {
	if name == "HUGEINT" {
		f.Metadata = types.NameMetadata(name)
		return f
	}
	t, err := sql.ParseType(name)
	if err != nil || !t.HasJSON() {
		return f
	}
	if named := t.Arrow(); arrow.TypeEqual(named, f.Type) {
		f.Type = named
	}
	if t.JSON {
		f.Metadata = types.NameMetadata(name)
	}
	return f
}

// retyped returns a record with the types of a schema where they differ from its own in
// their metadata; a record whose types are others is returned as it is.
func retyped(rec arrow.Record, schema *arrow.Schema) arrow.Record {
	for i, a := range rec.Columns() {
		if !arrow.TypeEqual(a.DataType(), schema.Field(i).Type) {
			rec.Retain()
			return rec
		}
	}
	columns := make([]arrow.Array, rec.NumCols())
	for i, a := range rec.Columns() {
		data := retypedData(a.Data(), schema.Field(i).Type)
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, rec.NumRows())
}

func retypedData(data arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	nested, ok := t.(arrow.NestedType)
	if !ok || arrow.TypeEqual(t, data.DataType(), arrow.CheckMetadata()) {
		data.Retain()
		return data
	}
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, c := range data.Children() {
		children[i] = retypedData(c, nested.Fields()[i].Type)
		defer children[i].Release()
	}
	return array.NewData(t, data.Len(), data.Buffers(), children, data.NullN(), data.Offset())
}

// answersNothing reports whether the rows of a result are DuckDB's way of saying
// that a statement without rows is done.
func answersNothing(schema *arrow.Schema, first string) bool {
	switch first {
	case "SELECT", "WITH", "FROM", "VALUES", "TABLE", "SHOW", "DESCRIBE", "SUMMARIZE", "EXPLAIN", "PIVOT", "UNPIVOT", "(":
		return false
	}
	if schema.NumFields() == 0 {
		return true
	}
	name := schema.Field(0).Name
	return schema.NumFields() == 1 && (name == "Count" || name == "Success")
}

// userConn returns the connection for a statement of the user. DuckDB keeps some
// state in the connection or the open file (settings, temporary tables,
// attached files, a transaction): from the first statement that makes such state on,
// one connection is kept, and with it the file stays open.
func (s *Session) userConn(ctx context.Context, first, text string) (c *duck.Conn, release func(), err error) {
	if s.pinned != nil {
		return s.pinned, func() {}, nil
	}
	c, release, err = s.db.Conn(ctx)
	if err != nil || !keepsState(first, text) {
		return c, release, err
	}
	c.Spoil()
	s.pinned, s.unpin = c, release
	return c, func() {}, nil
}

// keepsState reports whether a statement changes something that the connection or
// the open database remembers and the file does not.
func keepsState(first, text string) bool {
	switch first {
	case "ATTACH", "BEGIN", "DEALLOCATE", "DETACH", "EXECUTE", "LOAD", "PRAGMA", "PREPARE", "RESET", "SET", "START", "USE":
		return true
	case "CREATE":
		words, _ := sql.Words(text)
		for _, w := range words {
			switch strings.ToUpper(w.Text) {
			case "CREATE", "OR", "REPLACE", "PERSISTENT":
			case "TEMP", "TEMPORARY", "SECRET":
				return true
			default:
				return false
			}
		}
	}
	return false
}
