package duckdb

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/sinktest"
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
	return Open(p.db, o, p.opts)
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
