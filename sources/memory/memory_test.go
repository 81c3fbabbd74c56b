package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	arrowmemory "github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

var fields = []types.Field{{Name: "n", Type: types.Of(types.BigInt)}, {Name: "word", Type: types.Of(types.Varchar)}}

// record makes rows from up to but without to.
func record(from, to int) arrow.Record {
	b := array.NewRecordBuilder(arrowmemory.DefaultAllocator, types.ArrowSchema(fields))
	defer b.Release()
	for n := from; n < to; n++ {
		b.Field(0).(*array.Int64Builder).Append(int64(n))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("word ", n))
	}
	return b.NewRecord()
}

func feedRecord(t *testing.T, spec sources.Spec, stream string, from, to int) {
	t.Helper()
	rec := record(from, to)
	defer rec.Release()
	if err := spec.Feed(stream, rec); err != nil {
		t.Fatal(err)
	}
}

func openStream(t *testing.T, spec sources.Spec, f []types.Field, position []byte) sources.Source {
	t.Helper()
	s, err := spec.Open(sources.OpenContext{Stream: "s", Fields: f})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(position); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Subject {
		spec, n := Spec(), 0
		return sourcetest.Subject{
			Open: func(t *testing.T) sources.Source {
				s, err := spec.Open(sources.OpenContext{Stream: "s", Fields: fields})
				if err != nil {
					t.Fatal(err)
				}
				return s
			},
			Feed: func(t *testing.T) []string {
				feedRecord(t, spec, "s", n, n+3)
				n += 3
				rows := []string(nil)
				for k := n - 3; k < n; k++ {
					rows = append(rows, fmt.Sprintf("%d | word %d", k, k))
				}
				return rows
			},
		}
	})
}

// TestNewProcess shows what outlives a process: planned batches with their rows,
// and the number of the last range. A new process's rows are read from the start.
func TestNewProcess(t *testing.T) {
	old := Spec()
	feedRecord(t, old, "s", 0, 2)
	s := openStream(t, old, fields, nil)
	first, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Advance(first); err != nil {
		t.Fatal(err)
	}
	snapshot, err := s.Position()
	if err != nil {
		t.Fatal(err)
	}
	feedRecord(t, old, "s", 2, 4)
	planned, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	feedRecord(t, old, "s", 4, 6) // never planned: gone

	fresh := Spec()
	feedRecord(t, fresh, "s", 100, 101)
	again := openStream(t, fresh, fields, snapshot)
	if err := again.Advance(planned); err != nil {
		t.Fatal(err)
	}
	var got []string
	got = append(got, sourcetest.Rows(t, again, planned, 10)...)
	next, err := again.Next(t.Context(), sources.Limits{})
	if err != nil || next == nil {
		t.Fatal(next, err)
	}
	got = append(got, sourcetest.Rows(t, again, next, 10)...)
	if want := "2 | word 2, 3 | word 3, 100 | word 100"; strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
	if err := again.Advance(next); err != nil {
		t.Fatal(err)
	}
	if got := string(again.Offset()); got != "2" {
		t.Errorf("Offset is %s, want 2: the third range", got)
	}
}

func TestProjection(t *testing.T) {
	spec := Spec()
	feedRecord(t, spec, "s", 0, 2)
	s := openStream(t, spec, []types.Field{fields[1]}, nil)
	r, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(sourcetest.Rows(t, s, r, 10), ", "); got != "word 0, word 1" {
		t.Errorf("got %s", got)
	}
	none := openStream(t, spec, nil, nil)
	r, err = none.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(sourcetest.Rows(t, none, r, 10)); got != 2 {
		t.Errorf("%d rows without columns, want 2", got)
	}
}

func TestDrop(t *testing.T) {
	spec := Spec()
	feedRecord(t, spec, "s", 0, 2)
	spec.Drop("s")
	r, err := openStream(t, spec, fields, nil).Next(t.Context(), sources.Limits{})
	if err != nil || r != nil {
		t.Errorf("a dropped stream still gives %s, %v", r, err)
	}
}

func TestBytesMax(t *testing.T) {
	spec := Spec()
	b := array.NewRecordBuilder(arrowmemory.DefaultAllocator, types.ArrowSchema(fields[1:]))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(strings.Repeat("x", bytesMax/2+1))
	rec := b.NewRecord()
	defer rec.Release()
	if err := spec.Feed("s", rec); err != nil {
		t.Fatal(err)
	}
	if err := spec.Feed("s", rec); sqlerr.Code(err) != "E_LIMIT" {
		t.Errorf("got %v, want E_LIMIT", err)
	}
}
