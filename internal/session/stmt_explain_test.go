package session_test

import (
	"slices"
	"strings"
	"testing"
)

// TestExplainAnalyze checks what the batches of a query are said to have done; how long it
// took is left out.
func TestExplainAnalyze(t *testing.T) {
	w := open(t, t.TempDir())
	if _, err := w.run(`CREATE STREAM s (ts TIMESTAMP, k VARCHAR, WATERMARK FOR ts AS ts) WITH (connector = 'memory');
INSERT INTO s VALUES ('2026-01-01 00:00:01', 'a'), ('2026-01-01 00:00:02', 'b'), ('2026-01-01 00:01:10', 'a');
INSERT INTO t SELECT window_start, k, count(*) AS n FROM TUMBLE(s, ts, INTERVAL '1' MINUTE) GROUP BY window_start, window_end, k;
CREATE QUERY q WITH (start = false) AS INSERT INTO u SELECT k FROM s`, true); err != nil {
		t.Fatal(err)
	}
	parts := func(query string) []string {
		if _, err := w.run("EXPLAIN ANALYZE QUERY "+query, true); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(w.lines[0], "step 1       read s (memory): ts, k") && !strings.Contains(w.lines[0], "step 1       read s (memory): k") {
			t.Errorf("query %s: no steps:\n%s", query, w.lines[0])
		}
		var out []string
		for _, line := range w.lines[1:] {
			cells := strings.Split(line, " | ")
			out = append(out, strings.Join(cells[:5], " | "))
		}
		return out
	}
	want := []string{
		"read | memory | 3 | 0 | NULL",
		"keep | stateStoreSave | 3 | 0 | 1",
		"write | duckdb[t] | 2 | 2 | NULL",
		"time | latestOffset | NULL | NULL | NULL",
		"time | walCommit | NULL | NULL | NULL",
		"time | getBatch | NULL | NULL | NULL",
		"time | addBatch | NULL | NULL | NULL",
		"time | commitOffsets | NULL | NULL | NULL",
		"time | triggerExecution | NULL | NULL | NULL",
	}
	if got := parts("t"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := parts("q"); got != nil {
		t.Errorf("a query that never ran did %v", got)
	}
}
