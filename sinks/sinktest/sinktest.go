// Package sinktest is the conformance test of sinks: what every sink that claims to be
// transactional must do, whatever it writes to.
package sinktest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// Place is somewhere a sink can write to.
type Place interface {
	// Open opens a sink, also a second time on what the first one wrote.
	Open(t *testing.T, o sinks.OpenContext) (sinks.Sink, error)
	// Rows returns the rows of a target in the canonical text of their values, in any
	// order.
	Rows(t *testing.T, target string) []string
}

// Run runs all tests, each in a place of its own.
func Run(t *testing.T, place func(t *testing.T) Place) {
	tests := []struct {
		name string
		run  func(t *testing.T, p Place)
	}{
		{"append", testAppend},
		{"same batch twice", testTwice},
		{"reopen", testReopen},
		{"older run", testGeneration},
		{"update", testUpdate},
		{"update with NULL keys", testNullKeys},
		{"update with a NULL window", testNullWindow},
		{"update without keys", testUpdateNoKeys},
		{"update of one row", testUpdateOneRow},
		{"update of several rows of a key", testUpdateRowsOfKey},
		{"delete", testDelete},
		{"delete twice", testDeleteTwice},
		{"delete the one row", testDeleteOneRow},
		{"complete", testComplete},
		{"empty batch", testEmpty},
		{"types", testTypes},
		{"sliced and dictionary chunks", testChunks},
		{"names", testNames},
		{"two queries", testTwoQueries},
		{"close twice", testClose},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, place(t)) })
	}
}

// Complete runs the test of complete mode alone, for places that have no other.
func Complete(t *testing.T, p Place) { testComplete(t, p) }

// Fields are the columns of the tests that need no special ones.
var Fields = []types.Field{
	{Name: "w", Type: types.Of(types.Timestamp)},
	{Name: "k", Type: types.Of(types.Varchar)},
	{Name: "n", Type: types.Of(types.BigInt)},
}

// Context returns an OpenContext for Fields.
func Context(target string, mode types.Mode, keys ...int) sinks.OpenContext {
	return sinks.OpenContext{Query: "q", QueryID: "id-of-q", Target: target, Mode: mode, Fields: Fields, Keys: keys}
}

// Row is a row of Fields; a K of "NULL" is NULL.
type Row struct {
	Minute int64
	K      string
	N      int64
}

// Record returns rows of Fields.
func Record(rows ...Row) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(Fields))
	defer b.Release()
	for _, r := range rows {
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(r.Minute * 60e6))
		if r.K == "NULL" {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(r.K)
		}
		b.Field(2).(*array.Int64Builder).Append(r.N)
	}
	return b.NewRecord()
}

// Batch returns a batch of a run with the records, in the mode and with the keys of o.
func Batch(o sinks.OpenContext, generation, batch int64, records ...arrow.Record) *sinks.Batch {
	out := sinks.Output{Mode: o.Mode, Keys: o.Keys, WindowColumn: -1, Schema: types.ArrowSchema(o.Fields), Records: records}
	if len(o.Keys) > 0 && o.Keys[0] == 0 {
		out.WindowColumn = 0
	}
	for _, r := range records {
		out.Rows += r.NumRows()
	}
	return &sinks.Batch{
		Marker: sinks.Marker{QueryID: o.QueryID, Generation: generation, Batch: batch, Digest: 1<<63 + uint64(batch)},
		Query:  o.Query, Outputs: []sinks.Output{out},
	}
}

// MustOpen opens a sink or ends the test.
func MustOpen(t *testing.T, p Place, o sinks.OpenContext) sinks.Sink {
	t.Helper()
	s, err := p.Open(t, o)
	if err != nil {
		t.Fatalf("opening the sink: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// MustWrite writes a batch or ends the test.
func MustWrite(t *testing.T, s sinks.Sink, b *sinks.Batch) {
	t.Helper()
	if err := s.Write(context.Background(), b); err != nil {
		t.Fatalf("writing batch %d: %v", b.Batch, err)
	}
}

// WantRows compares the rows of a target, in any order.
func WantRows(t *testing.T, p Place, target string, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(p.Rows(t, target)))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("rows of %s:\n%s\nwant:\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// WantCode compares the code of an error.
func WantCode(t *testing.T, err error, code string) {
	t.Helper()
	if got := sqlerr.Code(err); got != code {
		t.Errorf("code %q, want %q: %v", got, code, err)
	}
}

// WantHead compares the newest marker.
func WantHead(t *testing.T, s sinks.Sink, queryID string, want sinks.Marker, wantOK bool) {
	t.Helper()
	got, ok, err := s.Head(context.Background(), queryID)
	if err != nil {
		t.Fatalf("reading the head: %v", err)
	}
	if ok != wantOK || ok && got != want {
		t.Errorf("head %+v %v, want %+v %v", got, ok, want, wantOK)
	}
}

// Texts returns the rows of records in the canonical text of their values.
func Texts(records ...arrow.Record) []string {
	var rows []string
	for _, rec := range records {
		for i := range int(rec.NumRows()) {
			cells := make([]string, rec.NumCols())
			for j, a := range rec.Columns() {
				cells[j] = types.Text(a, i)
			}
			rows = append(rows, strings.Join(cells, " | "))
		}
	}
	return rows
}
