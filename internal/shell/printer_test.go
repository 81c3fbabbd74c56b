package shell

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/session"
	"ssql/internal/sqlerr"
)

// onTerminal returns a shell that takes two buffers for a terminal of 100 columns.
func onTerminal(t *testing.T) (s *Shell, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	s, err := New(Config{Stdout: out, Stderr: errs, Terminal: true, Mode: "box", Width: func() int { return 100 }})
	if err != nil {
		t.Fatal(err)
	}
	return s, out, errs
}

// numbers is a record of the numbers from 1 to n.
func numbers(n int) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i + 1))
	}
	return b.NewRecord()
}

func TestLastShowsEveryRow(t *testing.T) {
	s, out, errs := onTerminal(t)
	run := func(line string) string {
		out.Reset()
		errs.Reset()
		src := &sqlerr.Source{Text: line}
		if err := s.runDot(t.Context(), src, "", 0); err != nil {
			return errs.String()
		}
		return out.String()
	}
	if got := run(".last"); !strings.Contains(got, "there is no table to show again") {
		t.Errorf("before the first: %s", got)
	}
	rec := numbers(100)
	p := &printer{shell: s}
	w, err := p.Table(rec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	rec.Release()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "50") {
		t.Errorf("the terminal got more than %d rows", s.rowsMax)
	}
	if got := run(".last"); strings.Count(got, "\n") != 100+4 || !strings.Contains(got, " 50 ") {
		t.Errorf(".last: %s", got)
	}
	run(".mode csv")
	if got := run(".last"); strings.Count(got, "\n") != 101 {
		t.Errorf(".last in csv: %s", got)
	}
	s.last.keep(numbers(lastRowsMax))
	if got := run(".last"); !strings.Contains(got, "too large") {
		t.Errorf("too many rows: %s", got)
	}
}

// The footer of a SELECT that runs appears after a moment and is gone before the table.
func TestFooter(t *testing.T) {
	s, _, errs := onTerminal(t)
	p := &printer{shell: s, footer: footer{started: time.Now()}}
	batch := session.BatchInfo{Batch: 3, RowsRead: 1200, RowsLate: 2, RowsPerSecond: 4321.4, HasWatermark: true, WatermarkMicros: 1_800_000_000_000_000, Open: 8}
	p.Batch(batch)
	if errs.Len() > 0 {
		t.Errorf("at once: %q", errs)
	}
	p.footer.started = time.Now().Add(-time.Minute)
	p.Batch(batch)
	p.Batch(batch) // too soon after the one before
	want := clearLine + "batch 3 | 2,400 rows read | 4321 rows/s | watermark 2027-01-15 08:00:00 | open 8 | late 4 | bad 0"
	if errs.String() != want {
		t.Errorf("got  %q\nwant %q", errs, want)
	}
	errs.Reset()
	p.Notice("x")
	if errs.String() != clearLine+"NOTE: x\n" {
		t.Errorf("before a notice: %q", errs)
	}
	s.mode.Name = "csv"
	p.footer.drawn = time.Time{}
	errs.Reset()
	p.Batch(batch)
	if errs.Len() > 0 {
		t.Errorf("between the rows of csv: %q", errs)
	}
}
