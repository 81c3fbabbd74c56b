package duckdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

func TestFailureDrill(t *testing.T) {
	path := ""
	var db *duck.DB
	sinktest.Drill(t, func(t *testing.T, f sinks.Faults) sinktest.Place {
		if f.BeforeCommit != nil || f.AfterCommit != nil {
			path = filepath.Join(t.TempDir(), "drill.duckdb")
		} else if err := db.Close(); err != nil { // the first run's process ends
			t.Fatal(err)
		}
		p := openPlace(t, path)
		p.opts.Faults, db = f, p.db
		return p
	})
}

func TestCommitsDescribeEveryBatch(t *testing.T) {
	p := newPlace(t)
	p.opts.Now = func() time.Time { return time.UnixMicro(5_000_000) }
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	b := sinktest.Batch(o, 3, 0, sinktest.Record(sinktest.Row{K: "a", N: 1}))
	b.Info = sinks.CommitInfo{BatchMicros: 1_000_000, WatermarkMicros: 2_000_000, RowsIn: 10, RowsOut: 1, RowsDeleted: 7, RowsLate: 2, RowsBad: 3, RowsFiltered: 4}
	sinktest.MustWrite(t, s, b)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 3, 1))
	sinktest.WantRows(t, p, "ssql.commits",
		"q | id-of-q | 3 | 0 | 9223372036854775808 | 1970-01-01 00:00:01 | 1970-01-01 00:00:02 | 10 | 1 | 2 | 3 | 4 | 1970-01-01 00:00:05 | 7",
		"q | id-of-q | 3 | 1 | 9223372036854775809 | 1970-01-01 00:00:00 | 1970-01-01 00:00:00 | 0 | 0 | 0 | 0 | 0 | 1970-01-01 00:00:05 | 0")
}

func TestOldCommitsArePruned(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	p.exec(t, "INSERT INTO ssql.commits (query, query_id, generation, batch, digest) SELECT 'q', 'id-of-q', 1, i, 0 FROM range(5119) r(i)")
	p.exec(t, "INSERT INTO ssql.commits (query, query_id, generation, batch) VALUES ('other', 'id-of-other', 1, 0)")
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 5119))
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 5120))
	got := strings.Join(p.query(t, "SELECT query, min(batch), max(batch), count(*) FROM ssql.commits GROUP BY query ORDER BY query"), "\n")
	if want := "other | 0 | 0 | 1\nq | 1025 | 5120 | 4096"; got != want {
		t.Errorf("commits:\n%s\nwant:\n%s", got, want)
	}
}

func TestMissingMarkersStopTheQuery(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	for n := range int64(2) {
		sinktest.MustWrite(t, s, sinktest.Batch(o, 1, n, sinktest.Record(sinktest.Row{K: "a", N: n})))
	}
	p.exec(t, "DELETE FROM ssql.commits WHERE batch = 1")
	err := s.Write(context.Background(), sinktest.Batch(o, 1, 2, sinktest.Record(sinktest.Row{K: "a", N: 2})))
	wantRefusal(t, err, "E_SINK_BEHIND_CKPT", `the newest marker of query "q" in ssql.commits is batch 0, but batch 1 was stored`,
		"the database was replaced or rows of ssql.commits were deleted while the query ran: restore the database, or drop the query and start it anew")
	sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 0", "1970-01-01 00:00:00 | a | 1")
}

func TestSideRowsComeWithTheBatch(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	crash := errors.New("crash")
	s.(*Sink).opts.Faults.BeforeCommit = func(*sinks.Batch) error { return crash }
	b := sinktest.Batch(o, 1, 4, sinktest.Record(sinktest.Row{K: "a", N: 1}))
	b.Info.BatchMicros = 7_000_000
	b.Side = []sinks.SideRows{{Table: "late_rows", Record: lateRecord(t)}, {Table: "bad_rows", Record: badRecord(t)}}
	if err := s.Write(context.Background(), b); !errors.Is(err, crash) {
		t.Fatalf("got %v, want a crash", err)
	}
	sinktest.WantRows(t, p, "ssql.late_rows")
	sinktest.WantRows(t, p, "ssql.bad_rows")
	s.(*Sink).opts.Faults.BeforeCommit = nil
	sinktest.MustWrite(t, s, b)
	got := strings.Join(p.query(t, `SELECT query, batch, operator, watermark, event_time, late_by::VARCHAR, "row"->>'k', batch_time FROM ssql.late_rows`), "\n")
	if want := "q | 4 | stateStoreSave | 1970-01-02 01:00:00 | 1970-01-01 00:01:00 | 1 day 00:59:00 | a | 1970-01-01 00:00:07\nq | 4 | dedupe | NULL | NULL | NULL | b | 1970-01-01 00:00:07"; got != want {
		t.Errorf("late rows:\n%s\nwant:\n%s", got, want)
	}
	sinktest.WantRows(t, p, "ssql.bad_rows", `q | 4 | events | in/a.json | 3 | n | "not a number: \"x\"" | "{\"n\":\"x\"}" | 1970-01-01 00:00:07`)
}

// TestUnknownOutcomeIsReadFromTheMarker calls what Write calls when COMMIT fails, once
// with the batch stored in spite of the error and once without.
func TestUnknownOutcomeIsReadFromTheMarker(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o).(*Sink)
	stored := sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1}))
	sinktest.MustWrite(t, s, stored)
	failed := errors.New("fsync failed")
	settle := func(b *sinks.Batch) error {
		c, release, err := p.db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		return s.settle(context.Background(), c, b, failed)
	}
	if err := settle(stored); err != nil {
		t.Errorf("the batch is stored, but settle says %v", err)
	}
	other := *stored
	other.Digest++
	if err := settle(&other); !errors.Is(err, failed) {
		t.Errorf("the batch of another history is taken for this one: %v", err)
	}
	if err := settle(sinktest.Batch(o, 1, 1)); !errors.Is(err, failed) {
		t.Errorf("the batch is not stored, but settle says %v", err)
	}
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{K: "b", N: 2})))
	sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | b | 2")
}

// TestReleasedBetweenBatches lets the file go after every batch, as in a slow stream.
func TestReleasedBetweenBatches(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Update, 0, 1)
	s := sinktest.MustOpen(t, p, o)
	for n := range int64(3) {
		sinktest.MustWrite(t, s, sinktest.Batch(o, 1, n, sinktest.Record(sinktest.Row{K: "a", N: n}, sinktest.Row{Minute: n, K: "b", N: n})))
		if err := p.db.Release(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(p.db.Path() + ".wal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the log is still there after a release: %v", err)
		}
	}
	sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 2", "1970-01-01 00:00:00 | b | 0", "1970-01-01 00:01:00 | b | 1", "1970-01-01 00:02:00 | b | 2")
}

// A table that is altered by somebody else while the file is released is noticed.
func TestAlteredWhileReleased(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1})))
	if err := p.db.Release(); err != nil {
		t.Fatal(err)
	}
	p.exec(t, "ALTER TABLE t DROP COLUMN n")
	if err := p.db.Release(); err != nil {
		t.Fatal(err)
	}
	err := s.Write(context.Background(), sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{K: "a", N: 1})))
	sinktest.WantCode(t, err, "E_SINK_SCHEMA")
}

// Deleted rows are kept by DuckDB until a checkpoint, and every batch reads them.
func TestReplacedRowsAreReclaimed(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Update, 0, 1)
	s := sinktest.MustOpen(t, p, o).(*Sink)
	logSize := func() int64 {
		info, err := os.Stat(p.db.Path() + ".wal")
		if errors.Is(err, os.ErrNotExist) {
			return 0
		}
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	for n := range int64(3) {
		sinktest.MustWrite(t, s, sinktest.Batch(o, 1, n, sinktest.Record(sinktest.Row{K: "a", N: n}, sinktest.Row{K: "b", N: n})))
	}
	if s.outlets[0].target.replaced != 4 || logSize() == 0 {
		t.Errorf("%d rows replaced, log of %d bytes", s.outlets[0].target.replaced, logSize())
	}
	s.outlets[0].target.replaced = replacedMax - 2
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 3, sinktest.Record(sinktest.Row{K: "a", N: 3}, sinktest.Row{K: "b", N: 3})))
	if s.outlets[0].target.replaced != 0 || logSize() != 0 {
		t.Errorf("%d rows replaced, log of %d bytes", s.outlets[0].target.replaced, logSize())
	}
	sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 3", "1970-01-01 00:00:00 | b | 3")
}
