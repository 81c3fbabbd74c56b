package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"ssql/exec"
	"ssql/internal/sqlerr"
)

// State beyond its limits is a named error that says which option and what to do, for
// every operator that keeps state. The batch stays planned and runs when the limit is
// raised.
func TestStateLimits(t *testing.T) {
	for _, c := range []struct{ query, what string }{
		{`SELECT id, window_start, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end`, "aggregation holds 3 groups"},
		{`SELECT DISTINCT id, event_time FROM a`, "deduplication holds 3 keys"},
		{`SELECT a.id AS id FROM a JOIN b ON a.id = b.id AND b.event_time BETWEEN a.event_time AND a.event_time + INTERVAL '10' MINUTE`, "join holds 3 rows"},
		{`SELECT id, v FROM (SELECT id, v, ROW_NUMBER() OVER (PARTITION BY id ORDER BY event_time) AS rn FROM a) x WHERE rn = 1`, "ranking holds 3 rows"},
		{`SELECT id, count(*) AS n FROM SESSION(a, event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end`, "aggregation holds 3 groups"},
	} {
		w := newWorld(t, c.query, "a", "b")
		w.feed("a", "x 1 12:01:00", "y 1 12:02:00", "z 1 12:03:00")
		w.change = func(cfg *exec.Config) { cfg.StateRowsMax = 2 }
		checkLimit(t, w.run(), c.what+", more than state_rows_max = 2", "or raise state_rows_max")
		w.change = func(cfg *exec.Config) { cfg.StateBytesMax = 10 }
		checkLimit(t, w.run(), "bytes, more than state_bytes_max = 10", "or raise state_bytes_max")
		w.change = nil
		w.mustRun()
		if got := w.takeBatches()[0]; !strings.HasPrefix(got, "0 in=3") || !strings.HasSuffix(got, "replay") {
			t.Errorf("batch after the limit is raised: %s", got)
		}
	}
}

func checkLimit(t *testing.T, err error, text, hint string) {
	t.Helper()
	shown := sqlerr.Render(err, nil)
	for _, part := range []string{`ERROR E_LIMIT: batch 0 of query "q": the `, text, hint, "The next start runs it again on the same rows"} {
		if !strings.Contains(shown, part) {
			t.Errorf("error without %q:\n%s", part, shown)
		}
	}
}

// The result of a batch is in memory until it is written, so it is bounded by the same
// option.
func TestResultLimit(t *testing.T) {
	w := newWorld(t, `SELECT id FROM a`, "a")
	w.feed("a", "x 1 12:01:00", "y 1 12:02:00")
	w.change = func(c *exec.Config) { c.StateBytesMax = 1 }
	checkLimit(t, w.run(), "result of the batch has more than state_bytes_max = 1 bytes", "raise state_bytes_max")
}

// The pairs of a batch count too: few rows of one key make many.
func TestJoinOutputLimit(t *testing.T) {
	w := newWorld(t, `SELECT a.id AS id FROM a JOIN b ON a.id = b.id AND b.event_time BETWEEN a.event_time AND a.event_time + INTERVAL '10' MINUTE`, "a", "b")
	rows := make([]string, 500)
	for i := range rows {
		rows[i] = "x 1 12:01:00"
	}
	w.feed("a", rows...)
	w.feed("b", rows...)
	w.change = func(c *exec.Config) { c.StateBytesMax = 1 << 20 }
	checkLimit(t, w.run(), "bytes, more than state_bytes_max = 1048576", "or raise state_bytes_max")
}

// Of many bad rows the first are kept, in order and the same for any number of workers;
// all are counted.
func TestBadRowsMax(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.change = func(c *exec.Config) { c.BadRowsMax, c.ChunkRows, c.Workers = 2, 1, 3 }
	w.feed("a", "x 1 NULL", "x 2 12:01:00", "x 3 NULL", "x 4 NULL")
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"0 in=4 out=0 wm=1970-01-01 00:00:00 bad=3", "1 in=0 out=0 wm=12:01:00"})
	if bad := w.table("bad_rows"); len(bad) != 2 {
		t.Errorf("bad rows kept: %q", bad)
	}
	equal(t, "notices", w.takeNotices(), []string{"batch 0 had 3 bad rows, of which the first 2 are kept in ssql.bad_rows (bad_rows_max)"})

	w = newWorld(t, tumble5, "a")
	w.change = func(c *exec.Config) { c.BadRowsMax = -1 }
	w.feed("a", "x 1 NULL")
	w.mustRun()
	if bad := w.table("bad_rows"); len(bad) != 0 {
		t.Errorf("bad rows kept: %q", bad)
	}
	equal(t, "notices", w.takeNotices(), []string{"batch 0 had 1 bad rows, of which the first 0 are kept in ssql.bad_rows (bad_rows_max)"})
}

// The same for late rows.
func TestLateRowsMax(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.change = func(c *exec.Config) { c.LateRowsMax = 3 }
	w.feed("a", "x 1 12:30:00")
	w.mustRun()
	w.takeBatches()
	for i := range 3 {
		w.feed("a", fmt.Sprintf("x %d 12:01:00", i), fmt.Sprintf("x %d 12:02:00", i))
	}
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"2 in=6 out=0 wm=12:30:00 late=6"})
	if late := w.table("late_rows"); len(late) != 3 {
		t.Errorf("late rows kept: %q", late)
	}
	equal(t, "notices", w.takeNotices(), []string{"batch 2 had 6 late rows, of which the first 3 are kept in ssql.late_rows (late_rows_max)"})
}

// late_rows and bad_records = fail stop the query at the row; the batch is run again
// under the next setting.
func TestFailOnLateAndBadRows(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.feed("a", "x 1 12:30:00")
	w.mustRun()
	w.takeBatches()
	w.feed("a", "x 1 12:01:00", "x 2 NULL")
	w.change = func(c *exec.Config) { c.LateRows, c.BadRowsMax = exec.LateFail, 5 }
	if err := w.run(); sqlerr.Code(err) != "E_LATE_ROWS" {
		t.Errorf("late_rows = fail: %v", err)
	}
	w.change = func(c *exec.Config) { c.BadRecords = []exec.BadPolicy{exec.BadFail} }
	err := w.run()
	if want := `E_DECODE: batch 2 of query "q": a row of the input is bad, column "event_time": event time is null`; err == nil || err.Error() != want {
		t.Errorf("bad_records = fail:\n got %v\nwant %s", err, want)
	}
	w.change = func(c *exec.Config) { c.LateRows = exec.LateDrop }
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"2 in=2 out=0 wm=12:30:00 late=1 bad=1 replay"})
	if late := w.table("late_rows"); len(late) != 0 {
		t.Errorf("late rows kept: %q", late)
	}
}

// A derived row without event time is in ssql.bad_rows too, though it is no row of a
// source.
func TestBadRowsAboveAnOperator(t *testing.T) {
	w := newWorld(t, `SELECT window(t, '5 minutes').start AS s, count(*) AS n FROM
		(SELECT DISTINCT id, nullif(event_time, TIMESTAMP '2026-09-10 12:01:00') AS t FROM a) WATERMARK t DELAY OF INTERVAL '1' SECOND AS d
		GROUP BY window(t, '5 minutes')`, "a")
	w.streams["a"].Watermarks = nil
	w.feed("a", "x 1 12:01:00", "y 1 12:02:00")
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if bad := w.table("bad_rows"); len(bad) != 1 || !strings.Contains(bad[0], "event time is null") {
		t.Errorf("bad rows: %q", bad)
	}
}
