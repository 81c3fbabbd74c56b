package catalog

import (
	"context"
	"testing"
	"time"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sources"
)

func testStore(t *testing.T) *Store {
	t.Helper()
	db, err := duck.Open(":memory:", duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := NewStore(db, []sources.Spec{}, func(func(*sinks.Batch) error) []sinks.Spec { return nil }, time.Now)
	if err := s.withConn(t.Context(), func(c *duck.Conn) error { return duck.EnsureCatalog(t.Context(), c) }); err != nil {
		t.Fatal(err)
	}
	return s
}

// A statement reads the catalog once, and again what it has written itself.
func TestAStatementReadsTheCatalogOnce(t *testing.T) {
	s := testStore(t)
	names := func() int {
		t.Helper()
		cat, err := s.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Queries(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sinks(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(cat.Rows)
	}
	names()
	names()
	if s.kept.reads != 3 {
		t.Errorf("%d reads of streams, queries and sinks, want one of each", s.kept.reads)
	}
	if err := s.SaveStream(t.Context(), &StreamRow{Name: "s", Definition: "CREATE STREAM s (id INT) WITH (connector = 'memory')"}); err != nil {
		t.Fatal(err)
	}
	if n := names(); n != 1 || s.kept.reads != 6 {
		t.Errorf("%d streams, %d reads after a write", n, s.kept.reads)
	}
	// The rows are the caller's.
	rows, _ := s.Streams(t.Context())
	rows["s"].Definition = ""
	delete(rows, "s")
	if again, _ := s.Streams(t.Context()); again["s"] == nil || again["s"].Definition == "" {
		t.Error("a caller has changed what the next one sees")
	}
}

// Rows that were read before a write and come behind it are not kept.
func TestAWriteOvertakesARead(t *testing.T) {
	s := testStore(t)
	_, err := keep(t.Context(), &s.kept, func() *[]*QueryRow { return &s.kept.queries }, func(l []*QueryRow) bool { return l != nil }, func(ctx context.Context) ([]*QueryRow, error) {
		rows, err := s.readQueries(ctx)
		if err == nil {
			err = s.SaveQuery(ctx, &QueryRow{Name: "q", Definition: "INSERT INTO t SELECT 1", State: Created})
		}
		return rows, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := s.Queries(t.Context()); err != nil || len(rows) != 1 {
		t.Errorf("%d queries, %v", len(rows), err)
	}
}
