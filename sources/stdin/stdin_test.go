package stdin

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sources/sourcetest"
	"ssql/sql/types"
)

func open(t *testing.T, spec sources.Spec, given ...sources.Given) sources.Source {
	t.Helper()
	set, err := sources.CheckOptions(`connector "stdin"`, spec.Options, given)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Open(sources.OpenContext{Stream: "s", Options: sources.Values{Set: set}, Fields: []types.Field{{Name: "a", Type: types.Of(types.BigInt)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// all reads what there is until the end of the input.
func all(t *testing.T, s sources.Source, position []byte) (rows []string, end []byte) {
	t.Helper()
	if err := s.Restore(position); err != nil {
		t.Fatal(err)
	}
	if err := s.(sources.Freezer).Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		r, err := s.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			break
		}
		rows = append(rows, sourcetest.Rows(t, s, r, 10)...)
		if again := sourcetest.Rows(t, s, r, 3); len(again) == 0 {
			t.Error("a range cannot be read again")
		}
		if err := s.Advance(r); err != nil {
			t.Fatal(err)
		}
	}
	end, err := s.Position()
	if err != nil {
		t.Fatal(err)
	}
	return rows, end
}

// TestEndOfInput reads a pipe until it is closed, the last line without its end.
func TestEndOfInput(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in, out := io.Pipe()
	s := open(t, Spec(in))
	go func() {
		for _, part := range []string{"{\"a\":1}\n{\"a\"", ":2}\n", `{"a":3}`} {
			if _, err := io.WriteString(out, part); err != nil {
				t.Error(err)
			}
		}
		out.Close()
	}()
	if rows, _ := all(t, s, nil); !slices.Equal(rows, []string{"1", "2", "3"}) {
		t.Errorf("got %v", rows)
	}
	if s.Description() != "stdin" {
		t.Errorf("description %q", s.Description())
	}
}

// TestSpoolIsReplayed shows that the next process reads what the one before left, and
// its own input behind it.
func TestSpoolIsReplayed(t *testing.T) {
	spool := sources.Given{Name: "spool", Text: t.TempDir()}
	csv := sources.Given{Name: "format", Text: "csv"}
	rows, position := all(t, open(t, Spec(strings.NewReader("a\n1\n2\n")), spool, csv), nil)
	more, _ := all(t, open(t, Spec(strings.NewReader("a\n3\n")), spool, csv), position)
	again, _ := all(t, open(t, Spec(strings.NewReader("")), spool, csv), nil)
	if !slices.Equal(rows, []string{"1", "2"}) || !slices.Equal(more, []string{"3"}) || !slices.Equal(again, []string{"1", "2", "3"}) {
		t.Errorf("got %v, then %v, and from the start %v", rows, more, again)
	}
}

func TestRefused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	spec := Spec(strings.NewReader(""))
	if err := spec.Check(sources.Values{Set: map[string]any{"format": "parquet"}}); sqlerr.Code(err) != "INVALID_OPTION" {
		t.Errorf("parquet: %v", err)
	}
	open(t, spec, sources.Given{Name: "spool", Text: t.TempDir()})
	if _, err := spec.Open(sources.OpenContext{Options: sources.Values{Set: map[string]any{"spool": t.TempDir()}}}); sqlerr.Code(err) != "INVALID_OPTION" {
		t.Errorf("another spool: %v", err)
	}
	in, _ := io.Pipe()
	s := open(t, Spec(in))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.(sources.Freezer).Freeze(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting was not ended: %v", err)
	}
}
