package sinktest

import (
	"context"
	"errors"
	"testing"

	"ssql/sinks"
	"ssql/sql/types"
)

// Drill is the failure drill: a batch of two rows fails before or after the commit
// of the sink, and a restart plays it again, with the guard of the sink on or off. Only
// without the guard, and after the commit, do its rows come twice.
//
// open returns the place of a drill with these faults. It is called twice per drill,
// first with a fault around the commit, then, on the same data, without.
func Drill(t *testing.T, open func(t *testing.T, f sinks.Faults) Place) {
	crash := errors.New("crash")
	fail := func(*sinks.Batch) error { return crash }
	drills := []struct {
		name   string
		faults sinks.Faults
		rows   int
	}{
		{"guard off, fails before the commit", sinks.Faults{Unguarded: true, BeforeCommit: fail}, 2},
		{"guard off, fails after the commit", sinks.Faults{Unguarded: true, AfterCommit: fail}, 4},
		{"guard on, fails before the commit", sinks.Faults{BeforeCommit: fail}, 2},
		{"guard on, fails after the commit", sinks.Faults{AfterCommit: fail}, 2},
	}
	for _, d := range drills {
		t.Run(d.name, func(t *testing.T) {
			o := Context("t", types.Append)
			p := open(t, d.faults)
			if err := run(t, p, o, 1); !errors.Is(err, crash) {
				t.Fatalf("the first run ended with %v, want a crash", err)
			}
			p = open(t, sinks.Faults{Unguarded: d.faults.Unguarded})
			if err := run(t, p, o, 2); err != nil {
				t.Fatalf("the second run failed: %v", err)
			}
			if got := len(p.Rows(t, "t")); got != d.rows {
				t.Errorf("%d rows, want %d", got, d.rows)
			}
		})
	}
}

// run does what the engine does at a start: it asks for the head and writes the
// batch that was planned, unless it is there.
func run(t *testing.T, p Place, o sinks.OpenContext, generation int64) error {
	s := MustOpen(t, p, o)
	b := Batch(o, generation, 0, Record(Row{0, "a", 1}, Row{0, "b", 2}))
	head, ok, err := s.Head(context.Background(), o.QueryID)
	if err != nil {
		return err
	}
	if ok && head.Batch == b.Batch && head.Digest == b.Digest {
		return nil
	}
	return errors.Join(s.Write(context.Background(), b), s.Close())
}
