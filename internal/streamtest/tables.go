package streamtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/exec"
	"ssql/internal/duck"
	"ssql/plan"
	"ssql/sql/types"
)

// tables are the static relations of a script. A whole table is given to a join as it
// is; a query over tables is run by DuckDB, which is opened when the first one comes.
type tables struct {
	records map[string]arrow.Record // by quoted name
	db      *duck.DB
	loaded  map[string]bool // tables that DuckDB has
}

var _ exec.Tables = (*tables)(nil)

func newTables() *tables {
	return &tables{records: map[string]arrow.Record{}, loaded: map[string]bool{}}
}

func (t *tables) add(name string, fields []types.Field, rec arrow.Record) *plan.Table {
	text := types.QuoteIdent(name)
	t.records[text] = rec
	return &plan.Table{Text: text, Fields: fields}
}

func (t *tables) close() {
	if t.db != nil {
		_ = t.db.Close()
	}
}

// Snapshot implements exec.Tables.
func (t *tables) Snapshot(ctx context.Context, text string, fields []types.Field) ([]arrow.Record, error) {
	rec := t.records[text]
	if rec == nil {
		return t.query(ctx, text, fields)
	}
	columns := make([]arrow.Array, len(fields))
	for i, f := range fields {
		at := rec.Schema().FieldIndices(f.Name)
		if len(at) != 1 {
			return nil, fmt.Errorf("table %s has no column %q", text, f.Name)
		}
		columns[i] = rec.Column(at[0])
	}
	return []arrow.Record{array.NewRecord(types.ArrowSchema(fields), columns, rec.NumRows())}, nil
}

// lend gives f a connection to DuckDB, which is opened the first time.
func (t *tables) lend(ctx context.Context, f func(conn *duck.Conn) error) error {
	if t.db == nil {
		db, err := duck.Open(":memory:", duck.Options{Threads: 1})
		if err != nil {
			return err
		}
		t.db = db
	}
	conn, release, err := t.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer release()
	return f(conn)
}

func (t *tables) query(ctx context.Context, text string, fields []types.Field) (out []arrow.Record, err error) {
	err = t.lend(ctx, func(conn *duck.Conn) error {
		out, err = t.queryOn(ctx, conn, text, fields)
		return err
	})
	return out, err
}

func (t *tables) queryOn(ctx context.Context, conn *duck.Conn, text string, fields []types.Field) (out []arrow.Record, err error) {
	if err := t.load(ctx, conn); err != nil {
		return nil, err
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = types.QuoteIdent(f.Name)
	}
	reader, err := conn.QueryArrow(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+text)
	if err != nil {
		return nil, err
	}
	defer reader.Release()
	schema := types.ArrowSchema(fields)
	for reader.Next() {
		rec := reader.Record()
		for _, c := range rec.Columns() {
			c.Retain()
		}
		out = append(out, array.NewRecord(schema, rec.Columns(), rec.NumRows()))
	}
	return out, reader.Err()
}

// load copies the tables of the script into DuckDB.
func (t *tables) load(ctx context.Context, conn *duck.Conn) error {
	for text, rec := range t.records {
		if t.loaded[text] {
			continue
		}
		stage, err := conn.Stage(ctx, "table "+text, rec.Schema())
		if err != nil {
			return err
		}
		if err := stage.Set([]arrow.Record{rec}); err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "CREATE TABLE "+text+" AS SELECT * FROM "+stage.View())
		stage.Clear()
		if err != nil {
			return err
		}
		t.loaded[text] = true
	}
	return nil
}
