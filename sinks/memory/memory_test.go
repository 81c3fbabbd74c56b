package memory

import (
	"testing"

	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

type place struct{ store *Store }

func (p place) Open(_ *testing.T, o sinks.OpenContext) (sinks.Sink, error) { return p.store.Open(o) }

func (p place) Rows(_ *testing.T, target string) []string {
	return sinktest.Texts(p.store.Rows(target)...)
}

func TestConformance(t *testing.T) {
	sinktest.Run(t, func(*testing.T) sinktest.Place { return place{&Store{}} })
}

func TestFailureDrill(t *testing.T) {
	store := &Store{}
	sinktest.Drill(t, func(t *testing.T, f sinks.Faults) sinktest.Place {
		if f.BeforeCommit != nil || f.AfterCommit != nil {
			store = &Store{} // the run that fails is the first one of a drill
		}
		store.Faults = f
		return place{store}
	})
}

func TestSideRowsAreKept(t *testing.T) {
	store := &Store{}
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, place{store}, o)
	b := sinktest.Batch(o, 1, 0)
	late := sinktest.Record(sinktest.Row{Minute: 1, K: "a", N: 1})
	b.Side = []sinks.SideRows{{Table: "late_rows", Record: late}}
	sinktest.MustWrite(t, s, b)
	if got := sinktest.Texts(store.Side("late_rows")...); len(got) != 1 || got[0] != "1970-01-01 00:01:00 | a | 1" {
		t.Errorf("side rows %q", got)
	}
}
