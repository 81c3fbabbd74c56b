package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/memory"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// besidePlace is a database beside rows in memory.
type besidePlace struct {
	*place
	store memory.Store
}

func newBeside(t *testing.T) *besidePlace {
	p := &besidePlace{place: openPlace(t, filepath.Join(t.TempDir(), "ssql.duckdb"))}
	c, release, err := p.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := duck.EnsureCatalog(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *besidePlace) Open(_ *testing.T, o sinks.OpenContext) (sinks.Sink, error) {
	var err error
	if o.Rows, err = p.store.Open(o); err != nil {
		return nil, err
	}
	return Open(p.db, []sinks.OpenContext{o}, Options{})
}

func (p *besidePlace) Rows(_ *testing.T, target string) []string {
	return sinktest.Texts(p.store.Rows(target)...)
}

// ledger is a sink of the database alone, without a table.
func (p *besidePlace) ledger() *Sink {
	return &Sink{db: p.db, query: "q", opts: Options{Now: time.Now}}
}

func TestBesideConformance(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Place { return newBeside(t) })
}

// TestBesideCrashBetween has a run end between the two places, in both orders: the next
// run plays the batch again, and each place takes it once.
func TestBesideCrashBetween(t *testing.T) {
	o := sinktest.Context("t", types.Append)
	batch := func(generation int64) *sinks.Batch {
		b := sinktest.Batch(o, generation, 0, sinktest.Record(sinktest.Row{K: "a", N: 1}))
		b.Side = []sinks.SideRows{{Table: "late_rows", Record: lateRecord(t)}}
		return b
	}
	check := func(t *testing.T, p *besidePlace) {
		t.Helper()
		s := sinktest.MustOpen(t, p, o)
		if head, ok, err := s.Head(context.Background(), o.QueryID); err != nil || ok {
			t.Fatalf("the head of a batch that one place lacks: %v %v %v", head, ok, err)
		}
		for n, want := range map[int64]bool{0: true, 1: false} {
			if held, err := s.(sinks.Spread).Holds(context.Background(), o.QueryID, n); err != nil || held != want {
				t.Fatalf("a place holds batch %d: %v %v, want %v", n, held, err, want)
			}
		}
		sinktest.MustWrite(t, s, batch(2))
		sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1")
		want := fmt.Sprint(lateRecord(t).NumRows())
		if got := p.query(t, "SELECT count(*) FROM ssql.late_rows"); got[0] != want {
			t.Errorf("%s late rows, want %s", got[0], want)
		}
		if got := p.query(t, "SELECT count(*) FROM ssql.commits"); got[0] != "1" {
			t.Errorf("%s commits, want 1", got[0])
		}
		sinktest.WantCode(t, s.Write(context.Background(), batch(2)), "E_FENCED")
	}
	t.Run("rows only", func(t *testing.T) {
		p := newBeside(t)
		crash := errors.New("crash")
		p.store.Faults.AfterCommit = func(*sinks.Batch) error { return crash }
		s := sinktest.MustOpen(t, p, o)
		if err := s.Write(context.Background(), batch(1)); !errors.Is(err, crash) {
			t.Fatalf("the first run ended with %v, want a crash", err)
		}
		p.store.Faults = sinks.Faults{}
		check(t, p)
	})
	t.Run("database only", func(t *testing.T) {
		p := newBeside(t)
		sinktest.MustWrite(t, p.ledger(), batch(1))
		check(t, p)
	})
	t.Run("another plan", func(t *testing.T) {
		p := newBeside(t)
		other := batch(1)
		other.Digest++
		sinktest.MustWrite(t, p.ledger(), other)
		s := sinktest.MustOpen(t, p, o)
		sinktest.WantCode(t, s.Write(context.Background(), batch(2)), "E_REPLAY_MISMATCH")
	})
}

// readable gives the memory sink a SELECT.
type readable struct {
	sinks.Sink
	text string
}

// Select returns the text of the test.
func (r *readable) Select() string { return r.text }

// TestBesideView has a view that follows what the sink of the rows says.
func TestBesideView(t *testing.T) {
	p := newBeside(t)
	o := sinktest.Context(`"my view"`, types.Append)
	rows, err := p.store.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	inner := &readable{rows, "SELECT 1 AS n WHERE false"}
	o.Rows = inner
	s, err := Open(p.db, []sinks.OpenContext{o}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.query(t, `SELECT * FROM "my view"`); len(got) != 0 {
		t.Errorf("rows before the first batch: %q", got)
	}
	inner.text = "SELECT 2 AS n"
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0))
	if got := p.query(t, `SELECT * FROM "my view"`); len(got) != 1 || got[0] != "2" {
		t.Errorf("rows after the first batch: %q", got)
	}
}

var _ sinks.Readable = (*readable)(nil)

// TestTablesOfOneBatch has two tables and a place elsewhere change together, each in its
// own mode, under one marker; a crash between the places is mended by the next run.
func TestTablesOfOneBatch(t *testing.T) {
	p := newBeside(t)
	outputs := []sinks.OpenContext{sinktest.Context("a", types.Append), sinktest.Context("b", types.Update, 1), sinktest.Context("c", types.Append)}
	open := func() *Sink {
		t.Helper()
		var err error
		if outputs[2].Rows, err = p.store.Open(outputs[2]); err != nil {
			t.Fatal(err)
		}
		s, err := Open(p.db, outputs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	batch := func(generation, number int64) *sinks.Batch {
		var all *sinks.Batch
		for i, o := range outputs {
			one := sinktest.Batch(o, generation, number, sinktest.Record(sinktest.Row{K: "x", N: number}))
			if i == 0 {
				all = one
				continue
			}
			all.Outputs = append(all.Outputs, one.Outputs[0])
		}
		return all
	}
	want := func(last int) {
		t.Helper()
		var rows []string
		for n := range last + 1 {
			rows = append(rows, fmt.Sprintf("1970-01-01 00:00:00 | x | %d", n))
		}
		sinktest.WantRows(t, p.place, "a", rows...)
		sinktest.WantRows(t, p.place, "b", rows[last])
		sinktest.WantRows(t, p, "c", rows...)
		if got := p.query(t, "SELECT count(*), max(batch) FROM ssql.commits"); got[0] != fmt.Sprintf("%d | %d", last+1, last) {
			t.Errorf("markers %q, want one for each of %d batches", got, last+1)
		}
	}
	s := open()
	sinktest.MustWrite(t, s, batch(1, 0))
	sinktest.MustWrite(t, s, batch(1, 1))
	want(1)
	crash := errors.New("crash")
	p.store.Faults.AfterCommit = func(*sinks.Batch) error { return crash }
	if err := s.Write(context.Background(), batch(1, 2)); !errors.Is(err, crash) {
		t.Fatalf("the first run ended with %v, want a crash", err)
	}
	p.store.Faults = sinks.Faults{}
	s = open()
	sinktest.WantHead(t, s, "id-of-q", batch(1, 1).Marker, true)
	sinktest.MustWrite(t, s, batch(2, 2))
	want(2)
	sinktest.WantCode(t, open().Write(context.Background(), batch(3, 2)), "E_FENCED")
	want(2)
}
