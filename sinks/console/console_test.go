package console

import (
	"context"
	"errors"
	"slices"
	"testing"

	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

func TestPrintsEveryBatch(t *testing.T) {
	o := sinktest.Context("", types.Append)
	var got []string
	s, err := Spec(func(b *sinks.Batch) error {
		got = append(got, sinktest.Texts(b.Outputs[0].Records...)...)
		return nil
	}).Open(o)
	if err != nil {
		t.Fatal(err)
	}
	b := sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{Minute: 0, K: "a", N: 1}))
	sinktest.MustWrite(t, s, b)
	sinktest.MustWrite(t, s, b)
	want := []string{"1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | a | 1"}
	if !slices.Equal(got, want) {
		t.Errorf("printed %q, want %q", got, want)
	}
	if s.Transactional() {
		t.Error("a console is not transactional")
	}
	sinktest.WantHead(t, s, o.QueryID, sinks.Marker{}, false)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestErrorOfThePrinterStopsTheQuery(t *testing.T) {
	enough := errors.New("enough")
	s := New(func(*sinks.Batch) error { return enough })
	o := sinktest.Context("", types.Append)
	if err := s.Write(context.Background(), sinktest.Batch(o, 1, 0)); !errors.Is(err, enough) {
		t.Errorf("got %v, want %v", err, enough)
	}
}
