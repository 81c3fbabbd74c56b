package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	duckdb "github.com/marcboeker/go-duckdb"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Stage is a view of a Conn over Arrow records, without copying them. The records
// can be changed between statements, while the view and everything prepared over it
// stay: a batch costs no parsing and no planning.
//
// The columns of a Stage have their plain types. Records may hold VARCHAR dictionary
// encoded; Set copies such columns.
//
// A statement can read a Stage once: a second scan would get what the first one
// left, and is refused. WITH x AS MATERIALIZED (SELECT * FROM view) reads once for many.
//
// The driver's own view must never be read directly: DuckDB tells it which columns a
// statement needs and which rows a WHERE keeps, it does not listen, and DuckDB then
// takes the first columns for the wanted ones and every row for a match. A Stage
// passes all columns through a struct, which costs nothing and lets DuckDB push nothing
// down.
type Stage struct {
	view   string // quoted name
	source string // quoted name of the driver's view
	schema *arrow.Schema
	reader stageReader
	free   func() // the C side of the driver's view
}

// Stage returns the stage of a name and the columns of a schema, making it at
// the first call; name is any text that tells the stages of the caller apart. Columns
// of a dictionary type become VARCHAR. It cannot be made inside a transaction that
// writes: it would be a write to a second database.
func (c *Conn) Stage(ctx context.Context, name string, schema *arrow.Schema) (*Stage, error) {
	schema = plainSchema(schema)
	if s := c.stages[name]; s != nil && s.schema.Equal(schema) {
		return s, nil
	}
	if schema.NumFields() == 0 {
		return nil, sqlerr.New(sqlerr.Internal, "a view over records without columns")
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	if s := c.stages[name]; s != nil {
		s.drop(c)
	}
	c.stageNext++
	view := fmt.Sprintf("stage_%d_%d", c.number, c.stageNext)
	s := &Stage{
		view: StageDatabase + ".main." + view, source: StageDatabase + ".main." + view + "_source",
		schema: schema, reader: stageReader{schema: numbered(schema)},
	}
	if err := c.register(ctx, s, view+"_source"); err != nil {
		return nil, mapError(err, "registering records")
	}
	if _, err := c.sql.ExecContext(ctx, s.viewSQL()); err != nil {
		return nil, mapError(err, "registering records")
	}
	c.stages[name] = s
	return s, nil
}

// viewSQL returns the statement that makes the view over the driver's view.
func (s *Stage) viewSQL() string {
	in, out := make([]string, s.schema.NumFields()), make([]string, s.schema.NumFields())
	for i, f := range s.schema.Fields() {
		in[i] = fmt.Sprintf("c%d := c%d", i, i)
		out[i] = fmt.Sprintf("s.c%d AS %s", i, types.QuoteIdent(f.Name))
	}
	return "CREATE VIEW " + s.view + " AS SELECT " + strings.Join(out, ", ") +
		" FROM (SELECT struct_pack(" + strings.Join(in, ", ") + ") AS s FROM " + s.source + ")"
}

// register makes the driver's view in the stage database, which must be the current one
// for that.
func (c *Conn) register(ctx context.Context, s *Stage, source string) (err error) {
	var path string
	if err := c.sql.QueryRowContext(ctx, "SELECT current_setting('search_path')").Scan(&path); err != nil {
		return err
	}
	if _, err := c.sql.ExecContext(ctx, "USE "+StageDatabase); err != nil {
		return err
	}
	err = c.raw(func(a *duckdb.Arrow) (err error) {
		s.free, err = a.RegisterView(&s.reader, source)
		return err
	})
	_, backErr := c.sql.ExecContext(ctx, "SET search_path = "+types.QuoteText(path))
	return also(err, backErr)
}

// View returns the quoted and qualified name to select from.
func (s *Stage) View() string { return s.view }

// Set makes the records the content of the view, until the next Set or Clear. They are
// retained. The columns must be those of the schema, in order.
func (s *Stage) Set(records []arrow.Record) error {
	s.Clear()
	for _, rec := range records {
		if err := checkPlain(rec, s.reader.schema); err != nil {
			s.Clear()
			return err
		}
		rec.Retain()
		s.reader.records = append(s.reader.records, rec)
	}
	return nil
}

// Clear empties the view and releases the records.
func (s *Stage) Clear() {
	for _, rec := range s.reader.records {
		rec.Release()
	}
	s.reader.records = s.reader.records[:0]
	s.reader.rewind()
}

// drop removes the view and then the memory that it points to.
func (s *Stage) drop(c *Conn) {
	s.Clear()
	text := "DROP VIEW IF EXISTS " + s.view + "; DROP VIEW IF EXISTS " + s.source
	if _, err := c.sql.ExecContext(context.Background(), text); err == nil && s.free != nil {
		s.free()
		s.free = nil
	}
}

// stageReader is what DuckDB pulls records from. DuckDB never says that a scan begins,
// and a LIMIT, an error or a join that finds nothing leaves one unfinished, so the Conn
// rewinds before every statement. DuckDB never releases the reader either, so counting
// references would say nothing.
type stageReader struct {
	schema  *arrow.Schema
	records []arrow.Record
	next    int          // the record that is given
	row     int64        // from here on
	current arrow.Record // what was given last
	err     error
	ends    int // scans that came to the end since the last rewind
}

func (r *stageReader) rewind() {
	r.give(nil)
	r.next, r.row, r.ends, r.err = 0, 0, 0, nil
}

func (r *stageReader) give(rec arrow.Record) {
	if r.current != nil {
		r.current.Release()
	}
	r.current = rec
}

// Retain and Release do nothing: the Stage owns the reader.
func (r *stageReader) Retain() {}

// Release does nothing.
func (r *stageReader) Release() {}

// Schema returns the columns of the view.
func (r *stageReader) Schema() *arrow.Schema { return r.schema }

// Next moves to the next record, or part of one: rows that share a long text have a copy each here, and
// only some at a time.
func (r *stageReader) Next() bool {
	r.give(nil)
	for r.next < len(r.records) && r.row == r.records[r.next].NumRows() {
		r.next, r.row = r.next+1, 0
	}
	if r.next == len(r.records) || r.err != nil {
		r.ends++
		return false
	}
	rec := r.records[r.next]
	end := plainRows(rec, r.row)
	part := rec.NewSlice(r.row, end)
	defer part.Release()
	plain, err := plainRecord(part, r.schema)
	if err != nil {
		r.err = err
		return false
	}
	r.row = end
	r.give(plain)
	return true
}

// Record returns the current record.
func (r *stageReader) Record() arrow.Record { return r.current }

// Err returns why a record could not be given.
func (r *stageReader) Err() error { return r.err }

var _ array.RecordReader = (*stageReader)(nil)

// numbered returns the schema with the columns named c0, c1, ..., so that names of
// users need no care between the two views.
func numbered(schema *arrow.Schema) *arrow.Schema {
	fields := schema.Fields()
	for i := range fields {
		fields[i].Name = fmt.Sprintf("c%d", i)
	}
	return arrow.NewSchema(fields, nil)
}

// plainSchema returns the schema with VARCHAR for dictionaries.
func plainSchema(schema *arrow.Schema) *arrow.Schema {
	fields := schema.Fields()
	for i, f := range fields {
		if f.Type.ID() == arrow.DICTIONARY {
			fields[i].Type = types.Of(types.Varchar).Arrow()
		}
	}
	return arrow.NewSchema(fields, nil)
}
