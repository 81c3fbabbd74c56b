package duckdb

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// TestEachStatementOfATransactionFails: whichever statement of a batch fails, in the open or in
// silence, nothing of the batch is in any table, Write says so, and the batch can be stored
// afterwards, once. DuckDB says after a failure that the COMMIT is done, and keeps nothing.
func TestEachStatementOfATransactionFails(t *testing.T) {
	for _, how := range []duck.Sabotage{duck.FailIt, duck.FailInSilence} {
		for _, mode := range []types.Mode{types.Append, types.Update, types.Complete} {
			t.Run(fmt.Sprintf("%d/%d", how, mode), func(t *testing.T) { sabotageBatches(t, how, mode) })
		}
	}
}

// saboteur makes one statement of a transaction fail.
type saboteur struct {
	how  duck.Sabotage
	at   int // number of the statement, from 1; 0: none
	on   bool
	seen []string // statements of the transaction
}

func (s *saboteur) what(statement string) duck.Sabotage {
	if statement == "BEGIN TRANSACTION" {
		s.on, s.seen = true, nil
	}
	if !s.on {
		return duck.RunIt
	}
	s.seen = append(s.seen, statement)
	s.on = statement != "COMMIT"
	if len(s.seen) == s.at {
		return s.how
	}
	return duck.RunIt
}

// sabotageBatches stores batches, each after a try in which another of its statements failed.
func sabotageBatches(t *testing.T, how duck.Sabotage, mode types.Mode) {
	saboteur := &saboteur{how: how}
	db, err := duck.Open(filepath.Join(t.TempDir(), "lab.duckdb"), duck.Options{IdleAfter: -1, Sabotage: saboteur.what})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := &place{db: db}
	o := sinktest.Context("t", mode)
	if mode == types.Update {
		o.Keys = []int{1}
	}
	s := sinktest.MustOpen(t, p, o)
	head := sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1}))
	sinktest.MustWrite(t, s, head)
	from := 1
	if how == duck.FailInSilence {
		from = 2 // without a BEGIN that has failed there is no transaction
	}
	statements := from
	for at := from; at <= statements; at++ {
		before := p.all(t)
		b := sinktest.Batch(o, 1, head.Batch+1, sinktest.Record(sinktest.Row{K: "a", N: 2}, sinktest.Row{K: "b", N: int64(at)}))
		b.Side = []sinks.SideRows{{Table: "late_rows", Record: lateRecord(t)}, {Table: "bad_rows", Record: badRecord(t)}}
		saboteur.at = at
		err := s.Write(context.Background(), b)
		failed := saboteur.seen[len(saboteur.seen)-1]
		saboteur.at, saboteur.on = 0, false
		if err == nil {
			t.Fatalf("statement %d failed, and Write says that all is well: %q", at, saboteur.seen)
		}
		if got := p.all(t); got != before {
			t.Errorf("%q failed; stored:\n%s\nbefore:\n%s", failed, got, before)
		}
		if m, ok, err := s.Head(context.Background(), b.QueryID); err != nil || !ok || m != head.Marker {
			t.Errorf("%q failed: marker %+v, %v, %v", failed, m, ok, err)
		}
		sinktest.MustWrite(t, s, b)
		head, statements = b, len(saboteur.seen)
	}
	if statements < 6 { // BEGIN, marker, rows, late rows, bad rows, COMMIT
		t.Errorf("a batch has %d statements: %q", statements, saboteur.seen)
	}
	rows := map[types.Mode]int{types.Append: 1 + 2*int(head.Batch), types.Update: 2, types.Complete: 2}[mode]
	for table, want := range map[string]int{"t": rows, "ssql.commits": int(head.Batch) + 1, "ssql.late_rows": 2 * int(head.Batch), "ssql.bad_rows": int(head.Batch)} {
		if got := p.Rows(t, table); len(got) != want {
			t.Errorf("%s has %d rows, want %d: %q", table, len(got), want, got)
		}
	}
}

// all is what is stored.
func (p *place) all(t *testing.T) string {
	t.Helper()
	var out []string
	for _, table := range []string{"t", "ssql.commits", "ssql.late_rows", "ssql.bad_rows"} {
		out = append(out, p.query(t, "SELECT * FROM "+table)...)
	}
	return strings.Join(out, "\n")
}
