package session_test

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
)

const duckdbColumns = "ts TIMESTAMP, k VARCHAR, i INTEGER, l BIGINT, d DOUBLE, e DOUBLE, dec DECIMAL(10,2), s VARCHAR, b BOOLEAN, dt DATE, li INTEGER[], st STRUCT(a INTEGER, b VARCHAR), j VARCHAR"

// besideTable opens a session with n rows in a stream ev and, with their numbers, in a table
// tab.
func besideTable(t *testing.T, n int) *world {
	w := open(t, t.TempDir())
	w.must("CREATE STREAM ev (" + duckdbColumns + ", WATERMARK FOR ts AS ts - INTERVAL '0' SECOND) WITH (connector = 'memory')")
	w.must("CREATE TABLE tab (n INTEGER, " + duckdbColumns + ")")
	rows := aggregateRows(n)
	for from := 0; from < len(rows); from += 100 {
		w.must("INSERT INTO ev VALUES " + strings.Join(rows[from:min(from+100, n)], ", "))
	}
	for n, row := range rows {
		rows[n] = fmt.Sprintf("(%d, %s", n, row[1:])
	}
	w.must("INSERT INTO tab VALUES " + strings.Join(rows, ", "))
	return w
}

// TestAggregatesOfDuckDB compares calls that DuckDB folds when a window closes with DuckDB's own
// answers over the same rows in a table. The stream is read in batches of a few rows.
func TestAggregatesOfDuckDB(t *testing.T) {
	w := besideTable(t, 400)
	w.must("CREATE MACRO wavg(x, y) AS sum(x * y) / sum(y)")
	w.must("CREATE MACRO spread(x) AS max(x) - min(x)")
	w.must("CREATE MACRO twice_spread(x) AS 2 * spread(x)")
	w.must("SET max_rows_per_batch = 37")

	text, err := os.ReadFile("testdata/duckdb_aggregates.txt")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, call := range strings.Split(string(text), "\n") {
		if call == "" || call[0] == '#' {
			continue
		}
		calls++
		stream := w.rows("SELECT window_start, k, " + call + " AS x FROM TUMBLE(ev, ts, INTERVAL '1' MINUTE) GROUP BY window_start, k")
		table := w.rows("SELECT time_bucket(INTERVAL '1 minute', ts) AS w, k, " + call + " AS x FROM (SELECT * FROM tab ORDER BY n) GROUP BY w, k")
		if stream != table {
			t.Errorf("%s\nstream:\n%s\ntable:\n%s", call, stream, table)
		}
	}
	if calls < 40 {
		t.Errorf("%d calls are compared, expected at least 40", calls)
	}
}

// aggregateRows are tuples in the order of their event time, with NULLs, equal values and
// doubles whose sum depends on the order.
func aggregateRows(n int) []string {
	r := rand.New(rand.NewSource(7))
	or := func(text string) string {
		if r.Intn(7) == 0 {
			return "NULL"
		}
		return text
	}
	pick := func(items ...string) string { return items[r.Intn(len(items))] }
	rows := make([]string, n)
	for at := range rows {
		cells := []string{
			fmt.Sprintf("TIMESTAMP '2026-01-01 00:00:00' + INTERVAL %d SECOND", at/2),
			or(pick("'a'", "'b'", "'c'")),
			or(fmt.Sprint(r.Intn(100) - 50)), or(fmt.Sprint(r.Int63n(1e12))),
			or(fmt.Sprint(r.NormFloat64() * 1e3)), or(pick("1.5", "-0.25", "1e10", "3.3", "0.1")),
			or(fmt.Sprintf("%d.%02d", r.Intn(1000), r.Intn(100))), or(pick("''", "'x'", "'yy'", "'héllo'", "'it''s'")),
			or(pick("true", "false")), or(fmt.Sprintf("DATE '2026-01-%02d'", 1+r.Intn(28))),
			or(pick("[]", "[1, NULL]", "[2, 3]")), or(pick("{'a': 1, 'b': 'x'}", "{'a': NULL, 'b': 'y'}")),
			or(pick(`'{"a": 1, "b": [1, "x"]}'`, `'[1, 2]'`, `'{"z": null}'`)),
		}
		rows[at] = "(" + strings.Join(cells, ", ") + ")"
	}
	return rows
}

// must runs statements that have to succeed.
func (w *world) must(text string) {
	w.t.Helper()
	if _, err := w.run(text, true); err != nil {
		w.t.Fatalf("%.80s: %v", text, err)
	}
}

// rows runs a query and returns its rows, sorted.
func (w *world) rows(text string) string {
	w.t.Helper()
	if _, err := w.run(text, true); err != nil {
		w.t.Errorf("%s: %v", text, err)
	}
	var rows []string
	for _, line := range w.lines {
		if !strings.HasPrefix(line, "NOTE: ") {
			rows = append(rows, line)
		}
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}
