// Package formattest shows what a decoder makes of text: it is how the formats are tested.
package formattest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/column"
)

// Result is everything that a decoder said about an input, as text.
type Result struct{ Rows, Bad, Notices []string }

// String returns a line for each row, bad record and notice, in this order.
func (r Result) String() string {
	var b strings.Builder
	for _, part := range []struct {
		name  string
		lines []string
	}{{"row", r.Rows}, {"bad", r.Bad}, {"notice", r.Notices}} {
		for _, l := range part.lines {
			fmt.Fprintf(&b, "%s %s\n", part.name, l)
		}
	}
	return b.String()
}

// Decode has a decoder read the blocks of an input and renders the rows with cell. The
// shape of the decoder should scribble over chunks after their release, so that a row which
// is rendered late shows it.
func Decode(t testing.TB, d format.Decoder, in format.Input, cell func(a arrow.Array, row int) string, chunkRows int, blocks ...string) Result {
	t.Helper()
	var r Result
	d.Begin(in, chunkRows, format.Output{
		Emit: func(rec arrow.Record) error {
			if rec.NumRows() > int64(chunkRows) || rec.NumRows() == 0 {
				t.Errorf("chunk of %d rows, want 1 to %d", rec.NumRows(), chunkRows)
			}
			for i := range int(rec.NumRows()) {
				cells := make([]string, rec.NumCols())
				for c := range cells {
					cells[c] = cell(rec.Column(c), i)
				}
				r.Rows = append(r.Rows, strings.Clone(strings.Join(cells, " | ")))
			}
			return nil
		},
		Bad: func(b format.Bad) error {
			r.Bad = append(r.Bad, fmt.Sprintf("%d %q: %s: %s", b.Line, b.Column, b.Reason, b.Raw))
			return nil
		},
		Notice: func(text string) { r.Notices = append(r.Notices, text) },
	})
	for _, b := range blocks {
		if err := d.Decode(append(make([]byte, 0, len(b)+column.Slack), b...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(false); err != nil {
		t.Fatal(err)
	}
	return r
}
