package stdin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	s := open(t, New(in).Spec())
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
	rows, position := all(t, open(t, New(strings.NewReader("a\n1\n2\n")).Spec(), spool, csv), nil)
	more, _ := all(t, open(t, New(strings.NewReader("a\n3\n")).Spec(), spool, csv), position)
	again, _ := all(t, open(t, New(strings.NewReader("")).Spec(), spool, csv), nil)
	if !slices.Equal(rows, []string{"1", "2"}) || !slices.Equal(more, []string{"3"}) || !slices.Equal(again, []string{"1", "2", "3"}) {
		t.Errorf("got %v, then %v, and from the start %v", rows, more, again)
	}
}

func TestRefused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	spec := New(strings.NewReader("")).Spec()
	if _, err := sources.CheckOptions("stdin", spec.Options, []sources.Given{{Name: "format", Text: "parquet"}}); sqlerr.Code(err) != "INVALID_OPTION" {
		t.Errorf("parquet: %v", err)
	}
	open(t, spec, sources.Given{Name: "spool", Text: t.TempDir()})
	if _, err := spec.Open(sources.OpenContext{Options: sources.Values{Set: map[string]any{"spool": t.TempDir()}}}); sqlerr.Code(err) != "INVALID_OPTION" {
		t.Errorf("another spool: %v", err)
	}
	in, _ := io.Pipe()
	s := open(t, New(in).Spec())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.(sources.Freezer).Freeze(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting was not ended: %v", err)
	}
}

// TestTemporarySpool shows that the copy goes at the end of the process, and that the next
// one removes what a killed one left, but not what a living one uses.
func TestTemporarySpool(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	killed := filepath.Join(temp, folderPrefix+"killed")
	if err := os.MkdirAll(killed, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(killed, prefix+"1"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	folders := func() int {
		names, err := filepath.Glob(filepath.Join(temp, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	living, ending := New(strings.NewReader("{\"a\":1}\n")), New(strings.NewReader("{\"a\":2}\n"))
	first := open(t, living.Spec())
	if n := folders(); n != 1 {
		t.Errorf("%d folders with one process, want 1", n)
	}
	open(t, ending.Spec())
	if n := folders(); n != 2 {
		t.Errorf("%d folders with two processes, want 2", n)
	}
	if rows, _ := all(t, first, nil); !slices.Equal(rows, []string{"1"}) {
		t.Errorf("got %v", rows)
	}
	for _, in := range []*Input{ending, living} {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := folders(); n != 0 {
		t.Errorf("%d folders are left, want none", n)
	}
}

// TestSniff shows what is told of input without a name, also while it goes on.
func TestSniff(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		in, options, columns string
	}{
		{"{\"a\": 1}\n", "map[format:json]", "[{a BIGINT true}]"},
		{" [\n{\"a\": \"x\"}]", "map[format:json]", "[{a VARCHAR true}]"},
		{"a;b\n1;x\n", "map[delimiter:; format:csv]", "[{a BIGINT true} {b VARCHAR true}]"},
		{"a\tb\n1\t2.5\n", "map[delimiter:\\t format:csv]", "[{a BIGINT true} {b DOUBLE true}]"},
		{"a,b;c\n1,2\n", "map[format:csv]", "[{a BIGINT true} {b;c BIGINT true}]"},
	} {
		in, out := io.Pipe()
		input := New(in)
		spec := input.Spec()
		go func() {
			if _, err := io.WriteString(out, c.in); err != nil {
				t.Error(err)
			}
			if c.in[0] != ' ' { // a line is there: the end need not be
				return
			}
			out.Close()
		}()
		values := func(given map[string]string) sources.Values {
			var list []sources.Given
			for name, text := range given {
				list = append(list, sources.Given{Name: name, Text: text})
			}
			set, err := sources.CheckOptions("stdin", spec.Options, list)
			if err != nil {
				t.Fatal(err)
			}
			return sources.Values{Set: set}
		}
		told, err := spec.Sniff(t.Context(), values(nil))
		if err != nil || fmt.Sprint(told) != c.options {
			t.Errorf("%q: options %v, %v, want %s", c.in, told, err, c.options)
		}
		fields, err := spec.Infer(t.Context(), values(told), func(string) {})
		if err != nil || fmt.Sprint(fields) != c.columns {
			t.Errorf("%q: columns %v, %v, want %s", c.in, fields, err, c.columns)
		}
		if err := input.Close(); err != nil {
			t.Error(err)
		}
	}
}

// More gives what a pipe has while it is open, but no line that is not finished; and its
// end.
func TestMore(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in, out := io.Pipe()
	s := open(t, New(in).Spec()).(sources.Pipe)
	src := s.(sources.Source)
	if err := src.Restore(nil); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct{ text, want string }{
		{"{\"a\":1}\n{\"a\"", "1"},
		{":2}\n{\"a\":", "2"},
		{"3}", "3"},
	} {
		if _, err := io.WriteString(out, part.text); err != nil {
			t.Fatal(err)
		}
		if ended, err := s.More(t.Context()); ended || err != nil {
			t.Fatal(ended, err)
		}
		r, err := src.Next(t.Context(), sources.Limits{})
		if err != nil || r == nil {
			t.Fatal(r, err)
		}
		if got := strings.Join(sourcetest.Rows(t, src, r, 10), " "); got != part.want {
			t.Errorf("behind %q: %s, want %s", part.text, got, part.want)
		}
		if err := src.Advance(r); err != nil {
			t.Fatal(err)
		}
	}
	out.Close()
	if ended, err := s.More(t.Context()); !ended || err != nil {
		t.Error(ended, err)
	}
}

// A pipe that is faster than its batches is held back, unless its end is waited for.
func TestPipeIsHeldBack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	line := []byte("{\"a\":1,\"b\":\"" + strings.Repeat("x", 1<<20) + "\"}\n")
	in, out := io.Pipe()
	input := New(in)
	input.spool.aheadMax = 8 << 20
	s := open(t, input.Spec()).(sources.Pipe)
	src := s.(sources.Source)
	if err := src.Restore(nil); err != nil {
		t.Fatal(err)
	}
	const lines = 40
	go func() {
		defer out.Close()
		for range lines {
			if _, err := out.Write(line); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	rows := 0
	for ended := false; ; {
		r, err := src.Next(t.Context(), sources.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			if ended {
				break
			}
			if ended, err = s.More(t.Context()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		input.spool.mu.Lock()
		ahead := input.spool.size - input.spool.read
		input.spool.mu.Unlock()
		if ahead > 10<<20 {
			t.Fatalf("%d bytes are copied ahead", ahead)
		}
		rows += len(sourcetest.Rows(t, src, r, 10))
		if err := src.Advance(r); err != nil {
			t.Fatal(err)
		}
	}
	if rows != lines {
		t.Errorf("%d rows, want %d", rows, lines)
	}
}
