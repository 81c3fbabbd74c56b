package exec_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ssql/exec"
	"ssql/sinks"
	"ssql/sql/types"
)

// random() and uuid() follow from the PLAN of a batch: no two rows get the same, and a
// replay in other chunks with other workers gets them again.
func TestRandomNumbersOfAReplay(t *testing.T) {
	w := newWorld(t, `SELECT v, random() AS r, uuid() AS u FROM a WHERE v % 3 > 0 AND random() >= 0 UNION ALL SELECT v, random(), uuid() FROM b`, "a", "b")
	for at := 0; at < 60; at += 20 {
		for _, stream := range []string{"a", "b"} {
			var rows []string
			for v := at; v < at+20; v++ {
				rows = append(rows, fmt.Sprintf("x %d 12:00:00", v))
			}
			w.feed(stream, rows...)
		}
	}
	var seen [][]string
	w.store.Faults.BeforeCommit = func(b *sinks.Batch) error {
		var rows []string
		for _, rec := range b.Outputs[0].Records {
			for i := range int(rec.NumRows()) {
				rows = append(rows, types.Text(rec.Column(0), i)+" "+types.Text(rec.Column(1), i)+" "+types.Text(rec.Column(2), i))
			}
		}
		seen = append(seen, rows)
		return errors.New("not yet")
	}
	for _, c := range []struct{ chunk, workers int }{{1000, 1}, {7, 1}, {1, 3}, {13, 4}} {
		w.change = func(cfg *exec.Config) { cfg.ChunkRows, cfg.Workers = c.chunk, c.workers }
		if err := w.run(); err == nil {
			t.Fatal("the sink did not fail")
		}
		if got, want := seen[len(seen)-1], seen[0]; !slices.Equal(got, want) {
			t.Errorf("chunks of %d, %d workers: rows are\n%q\nfirst they were\n%q", c.chunk, c.workers, got, want)
		}
	}
	numbers := map[string]bool{}
	for _, row := range seen[0] {
		_, random, _ := strings.Cut(row, " ")
		numbers[random] = true
	}
	if len(seen[0]) != 100 || len(numbers) != 100 {
		t.Errorf("%d rows, %d of them different, want 100", len(seen[0]), len(numbers))
	}
}
