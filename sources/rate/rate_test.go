package rate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

func field(name string, k types.Kind) types.Field {
	return types.Field{Name: name, Type: types.Of(k)}
}

func values(t *testing.T, given ...sources.Given) sources.Values {
	t.Helper()
	set, err := sources.CheckOptions(`connector "rate"`, options(), given)
	if err != nil {
		t.Fatal(err)
	}
	return sources.Values{Set: set}
}

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Subject {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		now, made := start, int64(0)
		o := sources.OpenContext{
			Options: values(t, sources.Given{Name: "rows_per_second", Text: "2"}, sources.Given{Name: "start", Text: "2026-01-01"}),
			Fields:  []types.Field{field("value", types.BigInt), field("timestamp", types.Timestamp)},
		}
		return sourcetest.Subject{
			NoFiles: true,
			Open: func(t *testing.T) sources.Source {
				s, err := open(o, func() time.Time { return now })
				if err != nil {
					t.Fatal(err)
				}
				return s
			},
			Feed: func(t *testing.T) (rows []string) {
				now = now.Add(1500 * time.Millisecond)
				for range 3 {
					rows = append(rows, fmt.Sprintf("%d | %s", made, types.FormatTimestamp(start.UnixMicro()+made*500_000)))
					made++
				}
				return rows
			},
		}
	})
}

// TestStartIsPinned shows that a restart goes on by the clock of the first batch.
func TestStartIsPinned(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := sources.OpenContext{Options: values(t, sources.Given{Name: "number_of_rows", Text: "4"}), Fields: []types.Field{field("timestamp", types.Timestamp)}}
	read := func(snapshot []byte, later time.Duration) (rows []string, position []byte) {
		s, err := open(o, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Restore(snapshot); err != nil {
			t.Fatal(err)
		}
		now = now.Add(later)
		r, err := s.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if r != nil {
			rows = sourcetest.Rows(t, s, r, 10)
			if err := s.Advance(r); err != nil {
				t.Fatal(err)
			}
		}
		position, err = s.Position()
		if err != nil {
			t.Fatal(err)
		}
		return rows, position
	}
	first, position := read(nil, 2*time.Second)
	if want := []string{"2026-01-01 00:00:00", "2026-01-01 00:00:01"}; !slices.Equal(first, want) {
		t.Errorf("got %v, want %v", first, want)
	}
	now = now.Add(time.Hour)
	rest, position := read(position, 0)
	if want := []string{"2026-01-01 00:00:02", "2026-01-01 00:00:03"}; !slices.Equal(rest, want) {
		t.Errorf("after a restart %v, want %v", rest, want)
	}
	if more, _ := read(position, time.Hour); more != nil {
		t.Errorf("after the end %v", more)
	}
}

func TestMadeUpColumns(t *testing.T) {
	o := sources.OpenContext{
		Options: values(t, sources.Given{Name: "start", Text: "2026-01-01"}, sources.Given{Name: "keys", Text: "3"}, sources.Given{Name: "rows_per_second", Text: "1000"}, sources.Given{Name: "number_of_rows", Text: "3000"}),
		Fields:  []types.Field{field("k", types.Varchar), field("n", types.TinyInt), field("x", types.Double), field("b", types.Boolean)},
		Encode:  []bool{true, false, false, false},
	}
	s, err := open(o, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(nil); err != nil {
		t.Fatal(err)
	}
	r, err := s.Next(t.Context(), sources.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows := sourcetest.Rows(t, s, r, 1000)
	counts := map[string]int{}
	for _, row := range rows {
		counts[row[:2]]++
	}
	if len(rows) != 3000 || len(counts) != 3 || counts["k0"] < 800 || counts["k1"] < 800 || counts["k2"] < 800 {
		t.Errorf("%d rows with keys %v", len(rows), counts)
	}
	if again := sourcetest.Rows(t, s, r, 7); !slices.Equal(rows, again) {
		t.Error("the same range gave other rows")
	}
}

func TestRefused(t *testing.T) {
	for _, given := range []sources.Given{{Name: "rows_per_second", Text: "0"}, {Name: "keys", Text: "0"}, {Name: "start", Text: "soon"}} {
		if err := Spec().Check(values(t, given)); sqlerr.Code(err) != "INVALID_OPTION" {
			t.Errorf("%+v: %v", given, err)
		}
	}
	if _, err := open(sources.OpenContext{Options: values(t), Fields: []types.Field{field("d", types.Date)}}, time.Now); sqlerr.Code(err) != "DATATYPE_MISMATCH" {
		t.Errorf("a date: %v", err)
	}
}
