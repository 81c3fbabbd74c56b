package duckdb

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// place is a database file.
type place struct {
	db   *duck.DB
	opts Options
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return openPlace(t, filepath.Join(t.TempDir(), "ssql.duckdb"))
}

func openPlace(t *testing.T, path string) *place {
	t.Helper()
	db, err := duck.Open(path, duck.Options{IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &place{db: db}
}

func (p *place) Open(_ *testing.T, o sinks.OpenContext) (sinks.Sink, error) {
	return Open(p.db, []sinks.OpenContext{o}, p.opts)
}

func (p *place) Rows(t *testing.T, target string) []string {
	t.Helper()
	return p.query(t, "SELECT * FROM "+target)
}

func (p *place) query(t *testing.T, text string) []string {
	t.Helper()
	c, release, err := p.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	reader, err := c.QueryArrow(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	var records []arrow.Record
	for reader.Next() {
		reader.Record().Retain()
		records = append(records, reader.Record())
	}
	return sinktest.Texts(records...)
}

func (p *place) exec(t *testing.T, text string) {
	t.Helper()
	c, release, err := p.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := c.Exec(context.Background(), text); err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Place { return newPlace(t) })
}

func TestConformanceInMemory(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Place { return openPlace(t, ":memory:") })
}

// lateRecord and badRecord are side rows as the engine makes them; columns that
// the sink knows itself may be there.
func lateRecord(t *testing.T) arrow.Record {
	return fromJSON(t, []types.Field{
		{Name: "query", Type: types.Of(types.Varchar)},
		{Name: "operator", Type: types.Of(types.Varchar)},
		{Name: "watermark", Type: types.Of(types.Timestamp)},
		{Name: "event_time", Type: types.Of(types.Timestamp)},
		{Name: "row", Type: types.Of(types.Varchar)},
	}, `[{"query":"q","operator":"stateStoreSave","watermark":"1970-01-02 01:00:00","event_time":"1970-01-01 00:01:00","row":"{\"k\":\"a\"}"},
{"query":"q","operator":"dedupe","row":"{\"k\":\"b\"}"}]`)
}

func badRecord(t *testing.T) arrow.Record {
	varchar := types.Of(types.Varchar)
	return fromJSON(t, []types.Field{
		{Name: "stream", Type: varchar}, {Name: "file", Type: varchar}, {Name: "line", Type: types.Of(types.BigInt)},
		{Name: "column", Type: varchar}, {Name: "reason", Type: varchar}, {Name: "raw", Type: varchar},
	}, `[{"stream":"events","file":"in/a.json","line":3,"column":"n","reason":"not a number: \"x\"","raw":"{\"n\":\"x\"}"}]`)
}

func fromJSON(t *testing.T, fields []types.Field, text string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, types.ArrowSchema(fields), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}
