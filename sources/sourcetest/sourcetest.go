// Package sourcetest is what every connector of sources must pass: the contract of
// sources.Source as a test.
package sourcetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sources"
	"ssql/sql/types"
)

// Subject is the connector under test, on a stream of its own.
type Subject struct {
	// Open returns another source of the stream, as for another query or after a
	// restart; it was not restored yet.
	Open func(t *testing.T) sources.Source
	// Feed gives the stream more input and returns its rows, in order, as Rows would
	// render them. Every call adds at least two rows.
	Feed func(t *testing.T) []string
	// NoFiles says that a feed is nothing like a file: a limit of files bounds nothing.
	NoFiles bool
}

// Run checks the contract. subject makes a fresh, empty stream.
func Run(t *testing.T, subject func(t *testing.T) Subject) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s Subject)
	}{
		{"nothing to read", testEmpty},
		{"a range is the same rows each time", testRepeatable},
		{"next does not move", testNextStays},
		{"every row once across batches", testBatches},
		{"limits", testLimits},
		{"a planned batch made smaller", testCut},
		{"a frozen end", testFreeze},
		{"restart from a position", testRestart},
		{"replay of the log", testReplay},
		{"a planned batch in a new process", testPlanned},
		{"chunk sizes", testChunks},
		{"commit and close twice", testTwice},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, subject(t)) })
	}
}

// Rows reads a range, its segments concurrently, and renders the rows in order.
func Rows(t *testing.T, s sources.Source, r sources.Range, chunkRows int) []string {
	t.Helper()
	rows, bad := Read(t, s, r, chunkRows)
	if len(bad) > 0 {
		t.Errorf("bad rows: %v", bad)
	}
	return rows
}

// Read is Rows for ranges with bad rows.
func Read(t *testing.T, s sources.Source, r sources.Range, chunkRows int) (rows []string, bad []sources.BadRow) {
	t.Helper()
	segments, err := s.Segments(t.Context(), r)
	if err != nil {
		t.Fatalf("Segments(%s): %v", r, err)
	}
	parts := make([][]string, len(segments))
	bads := make([][]sources.BadRow, len(segments))
	errs := make([]error, len(segments))
	var wg sync.WaitGroup
	for i, segment := range segments {
		wg.Go(func() {
			errs[i] = segment.Read(t.Context(), &sources.ReadContext{
				ChunkRows: chunkRows,
				Bad:       func(b sources.BadRow) { bads[i] = append(bads[i], b) },
				Notice:    func(string) {},
			}, func(rec arrow.Record) error {
				if rec.NumRows() > int64(chunkRows) || rec.NumRows() == 0 {
					return fmt.Errorf("chunk of %d rows, want 1 to %d", rec.NumRows(), chunkRows)
				}
				parts[i] = append(parts[i], Render(rec)...)
				return nil
			})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("segment %d of %s: %v", i, r, err)
		}
	}
	return slices.Concat(parts...), slices.Concat(bads...)
}

// Render returns the rows of a chunk as text, cells parted by " | ".
func Render(rec arrow.Record) []string {
	out := make([]string, rec.NumRows())
	for i := range out {
		cells := make([]string, rec.NumCols())
		for c := range cells {
			cells[c] = types.Text(rec.Column(c), i)
		}
		// A copy: the chunk's memory is used again.
		out[i] = strings.Clone(strings.Join(cells, " | "))
	}
	return out
}

func open(t *testing.T, s Subject, position []byte) sources.Source {
	t.Helper()
	src := s.Open(t)
	if err := src.Restore(position); err != nil {
		t.Fatalf("Restore(%s): %v", position, err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return src
}

func next(t *testing.T, s sources.Source, l sources.Limits) sources.Range {
	t.Helper()
	r, err := s.Next(t.Context(), l)
	if err != nil {
		t.Fatalf("Next: %v", err)
	}
	return r
}

func mustNext(t *testing.T, s sources.Source) sources.Range {
	t.Helper()
	r := next(t, s, sources.Limits{})
	if r == nil {
		t.Fatal("Next gives nothing, but there is new input")
	}
	if !json.Valid(r) {
		t.Fatalf("range %q is not JSON", r)
	}
	return r
}

func advance(t *testing.T, s sources.Source, r sources.Range) {
	t.Helper()
	if err := s.Advance(r); err != nil {
		t.Fatalf("Advance(%s): %v", r, err)
	}
}

func position(t *testing.T, s sources.Source) []byte {
	t.Helper()
	p, err := s.Position()
	if err != nil {
		t.Fatalf("Position: %v", err)
	}
	return p
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %d rows\n  %s\nwant %d rows\n  %s", what, len(got), strings.Join(got, "\n  "), len(want), strings.Join(want, "\n  "))
	}
}

func testEmpty(t *testing.T, s Subject) {
	src := open(t, s, nil)
	if r := next(t, src, sources.Limits{}); r != nil {
		t.Errorf("Next of an empty stream is %s, want nothing", r)
	}
	again := open(t, s, position(t, src))
	if r := next(t, again, sources.Limits{}); r != nil {
		t.Errorf("Next behind the position of an empty stream is %s, want nothing", r)
	}
	if src.Description() == "" {
		t.Error("Description is empty")
	}
}

func testRepeatable(t *testing.T, s Subject) {
	want := s.Feed(t)
	src := open(t, s, nil)
	r := mustNext(t, src)
	same(t, "first reading", Rows(t, src, r, 100), want)
	same(t, "second reading", Rows(t, src, r, 100), want)
	advance(t, src, r)
	same(t, "reading behind Advance", Rows(t, src, r, 100), want)
}

func testNextStays(t *testing.T, s Subject) {
	want := s.Feed(t)
	src := open(t, s, nil)
	mustNext(t, src)
	r := mustNext(t, src)
	same(t, "second Next", Rows(t, src, r, 100), want)
}

func testBatches(t *testing.T, s Subject) {
	src := open(t, s, nil)
	for batch := range 4 {
		want := s.Feed(t)
		r := mustNext(t, src)
		same(t, fmt.Sprintf("batch %d", batch), Rows(t, src, r, 100), want)
		advance(t, src, r)
		if !json.Valid(src.Offset()) {
			t.Errorf("Offset %q is not JSON", src.Offset())
		}
		if r := next(t, src, sources.Limits{}); r != nil {
			t.Errorf("Next behind batch %d is %s, want nothing", batch, r)
		}
	}
}

func testLimits(t *testing.T, s Subject) {
	var want []string
	for range 3 {
		want = append(want, s.Feed(t)...)
	}
	for _, l := range []sources.Limits{{}, {FilesMax: 1}, {BytesMax: 1}, {RowsMax: 1}} {
		src := open(t, s, nil)
		var got []string
		batches := 0
		for {
			r := next(t, src, l)
			if r == nil {
				break
			}
			if batches++; batches > len(want) {
				t.Fatalf("limits %+v: more batches than rows", l)
			}
			got = append(got, Rows(t, src, r, 100)...)
			advance(t, src, r)
		}
		same(t, fmt.Sprintf("limits %+v", l), got, want)
		if l == (sources.Limits{}) && batches != 1 || l.FilesMax > 0 && batches != 3 && !s.NoFiles {
			t.Errorf("limits %+v: %d batches", l, batches)
		}
	}
}

// testCut is for a source that is a sources.Cutter: a range that is made smaller and what
// comes behind it have every row once.
func testCut(t *testing.T, s Subject) {
	first := s.Feed(t)
	src := open(t, s, nil)
	c, ok := src.(sources.Cutter)
	if !ok {
		t.Skip("the source is no Cutter")
	}
	advance(t, src, mustNext(t, src))
	before := position(t, src)
	var want []string
	for range 3 {
		want = append(want, s.Feed(t)...)
	}
	planned := mustNext(t, src)
	for _, l := range []sources.Limits{{}, {FilesMax: 1}, {FilesMax: 2}, {BytesMax: 1}, {RowsMax: 1}, {RowsMax: int64(len(want)) - 1}, {RowsMax: 1 << 40}} {
		again := open(t, s, before)
		cut, err := c.Cut(t.Context(), planned, l)
		if err != nil {
			t.Fatalf("Cut(%+v): %v", l, err)
		}
		twice, err := c.Cut(t.Context(), cut, l)
		if err != nil || string(twice) != string(cut) {
			t.Errorf("limits %+v: cut again it is %s, %v, want %s", l, twice, err, cut)
		}
		got := Rows(t, again, cut, 100)
		bounded := l.RowsMax > 0 && l.RowsMax < 1<<40 || (l.FilesMax > 0 || l.BytesMax > 0) && !s.NoFiles
		if bounded && len(got) == len(want) || l == (sources.Limits{}) && len(got) < len(want) || len(got) == 0 || l.RowsMax > 0 && int64(len(got)) > l.RowsMax && len(got) > len(first) {
			t.Errorf("limits %+v: %d of %d rows", l, len(got), len(want))
		}
		advance(t, again, cut)
		if r := next(t, again, sources.Limits{}); r != nil {
			got = append(got, Rows(t, again, r, 100)...)
		}
		same(t, fmt.Sprintf("limits %+v", l), got, want)
	}
}

// testFreeze is for a source that is a sources.Freezer.
func testFreeze(t *testing.T, s Subject) {
	src := open(t, s, nil)
	f, ok := src.(sources.Freezer)
	if !ok {
		t.Skip("the source is no Freezer")
	}
	first := s.Feed(t)
	if err := f.Freeze(t.Context()); err != nil {
		t.Fatalf("Freeze: %v", err)
	}
	later := s.Feed(t)
	for _, l := range []sources.Limits{{FilesMax: 1}, {}} {
		if r := next(t, src, l); r != nil {
			same(t, "rows before the frozen end", Rows(t, src, r, 100), first)
			advance(t, src, r)
		} else if l.FilesMax > 0 {
			t.Error("Next gives nothing before the frozen end")
		}
	}
	f.Thaw()
	if r := next(t, src, sources.Limits{}); r == nil {
		t.Error("Next gives nothing after Thaw")
	} else {
		same(t, "rows after Thaw", Rows(t, src, r, 100), later)
	}
}

func testRestart(t *testing.T, s Subject) {
	s.Feed(t)
	src := open(t, s, nil)
	advance(t, src, mustNext(t, src))
	again := open(t, s, position(t, src))
	if string(again.Offset()) != string(src.Offset()) {
		t.Errorf("Offset after the restart is %s, was %s", again.Offset(), src.Offset())
	}
	if r := next(t, again, sources.Limits{}); r != nil {
		t.Errorf("Next after the restart is %s, want nothing", r)
	}
	want := s.Feed(t)
	same(t, "batch after the restart", Rows(t, again, mustNext(t, again), 100), want)
}

func testReplay(t *testing.T, s Subject) {
	src := open(t, s, nil)
	var log []sources.Range
	for range 3 {
		s.Feed(t)
		r := mustNext(t, src)
		advance(t, src, r)
		log = append(log, r)
	}
	again := open(t, s, nil)
	for _, r := range log {
		advance(t, again, r)
	}
	if got, want := string(position(t, again)), string(position(t, src)); got != want {
		t.Errorf("position after replay is %s\nwant %s", got, want)
	}
	if string(again.Offset()) != string(src.Offset()) {
		t.Errorf("Offset after replay is %s, was %s", again.Offset(), src.Offset())
	}
}

func testPlanned(t *testing.T, s Subject) {
	s.Feed(t)
	src := open(t, s, nil)
	first := mustNext(t, src)
	advance(t, src, first)
	before := position(t, src)
	want := s.Feed(t)
	planned := mustNext(t, src)
	advance(t, src, planned)

	again := open(t, s, before)
	advance(t, again, planned)
	same(t, "the planned batch", Rows(t, again, planned, 100), want)
	if r := next(t, again, sources.Limits{}); r != nil {
		t.Errorf("Next behind the planned batch is %s, want nothing", r)
	}
}

func testChunks(t *testing.T, s Subject) {
	want := s.Feed(t)
	src := open(t, s, nil)
	r := mustNext(t, src)
	for _, n := range []int{1, 2, 3, 1000} {
		same(t, fmt.Sprintf("chunks of %d", n), Rows(t, src, r, n), want)
	}
}

func testTwice(t *testing.T, s Subject) {
	s.Feed(t)
	src := open(t, s, nil) // its cleanup closes once more
	r := mustNext(t, src)
	advance(t, src, r)
	for range 2 {
		if err := src.Commit(r); err != nil {
			t.Errorf("Commit: %v", err)
		}
	}
	if err := src.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
