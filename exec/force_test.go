package exec_test

import (
	"context"
	"testing"
	"time"

	"ssql/exec"
	"ssql/sql/types"
)

const timeout10 = tumble5 + " EMIT ON WINDOW CLOSE TIMEOUT INTERVAL '10' MINUTE"

// EMIT ... TIMEOUT closes the last windows when nothing has come for so long, up to
// the end of the newest one and no further. Every run is a new process.
func TestEmitTimeout(t *testing.T) {
	w := newWorld(t, timeout10, "a")
	w.feed("a", "x 1 12:01:00", "x 1 12:07:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(9*time.Minute + 59*time.Second)
	w.mustRun()
	equal(t, "open", w.takeBatches(), []string{"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=1 wm=12:07:00"})
	w.clock.now = w.clock.now.Add(time.Second)
	w.mustRun()
	equal(t, "closed", w.takeBatches(), []string{"2 in=0 out=1 wm=12:10:00 forced=timeout"})
	equal(t, "notices", w.takeNotices(), []string{
		"nothing arrived for 10 minutes (EMIT ... TIMEOUT): batch 2 closed what was open and wrote 1 row; " +
			"the watermark went from 2026-09-10 12:07:00 to 2026-09-10 12:10:00, and rows up to there that come later are late",
	})
	w.clock.now = w.clock.now.Add(time.Hour)
	w.mustRun()
	equal(t, "nothing is open", w.takeBatches(), nil)

	w.feed("a", "x 1 12:09:59", "x 1 12:10:00", "x 1 12:11:00")
	w.mustRun()
	equal(t, "later rows", w.takeBatches(), []string{"3 in=3 out=0 wm=12:10:00 late=1", "4 in=0 out=0 wm=12:11:00"})
	equal(t, "rows", w.table("q"), []string{"12:00:00 | 1", "12:05:00 | 1"})
}

// A forced batch that was interrupted is the same batch afterwards, also when its rows
// have new company by then.
func TestForcedBatchIsReplayed(t *testing.T) {
	for _, after := range []bool{false, true} {
		w := newWorld(t, timeout10, "a")
		w.feed("a", "x 1 12:01:00")
		w.mustRun()
		w.clock.now = w.clock.now.Add(time.Hour)
		w.failSink(2, after)
		if err := w.run(); err == nil {
			t.Fatal("the sink did not fail")
		}
		w.feed("a", "x 1 12:04:00", "x 1 12:06:00")
		w.mustRun()
		equal(t, "batches", w.takeBatches(), []string{
			"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00",
			"2 in=0 out=1 wm=12:05:00 forced=timeout replay",
			"3 in=2 out=0 wm=12:05:00 late=1", "4 in=0 out=0 wm=12:06:00",
		})
		equal(t, "rows", w.table("q"), []string{"12:00:00 | 1"})
	}
}

// While a query runs the timeout counts from the batch that read something last.
func TestEmitTimeoutWhileRunning(t *testing.T) {
	w := newWorld(t, timeout10, "a")
	w.feed("a", "x 1 12:01:00")
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	w.clock.onWait = func() {
		switch len(w.clock.waits) {
		case 5:
			w.feed("a", "x 1 12:02:00")
		case 30:
			q.Stop()
		}
	}
	if err := q.Run(context.Background(), exec.Trigger{Kind: exec.ProcessingTime, Interval: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "batches", w.takeBatches(), []string{
		"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00", "2 in=1 out=0 wm=12:01:00", "3 in=0 out=0 wm=12:02:00",
		"4 in=0 out=1 wm=12:05:00 forced=timeout",
	})
	if at := w.progress[4].Timestamp; at != "2026-09-10T12:15:00.000Z" {
		t.Errorf("closed at %s", at)
	}
}

// end_of_input = 'flush' closes what is open when available_now has nothing left, in a
// batch of the log: later rows of later windows still count.
func TestFlushAtEnd(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.change = func(c *exec.Config) { c.FlushAtEnd = true }
	w.feed("a", "x 1 12:01:00", "x 1 12:07:00")
	w.mustRun()
	equal(t, "first run", w.takeBatches(), []string{
		"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=1 wm=12:07:00", "2 in=0 out=1 wm=12:10:00 forced=end of input",
	})
	equal(t, "notices", w.takeNotices(), []string{
		"the input has ended (end_of_input = 'flush'): batch 2 closed what was open and wrote 1 row; " +
			"the watermark went from 2026-09-10 12:07:00 to 2026-09-10 12:10:00, and rows up to there that come later are late",
	})
	w.mustRun()
	equal(t, "nothing new", w.takeBatches(), nil)
	w.feed("a", "x 1 12:08:00", "x 1 12:12:00")
	w.mustRun()
	equal(t, "second run", w.takeBatches(), []string{
		"3 in=2 out=0 wm=12:10:00 late=1", "4 in=0 out=0 wm=12:12:00", "5 in=0 out=1 wm=12:15:00 forced=end of input",
	})
	equal(t, "rows", w.table("q"), []string{"12:00:00 | 1", "12:05:00 | 1", "12:10:00 | 1"})
}

// Without the option the windows are held, and a query that is stopped does not flush.
func TestHoldAtEnd(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.feed("a", "x 1 12:01:00")
	w.mustRun()
	equal(t, "held", w.takeBatches(), []string{"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00"})

	w = newWorld(t, tumble5, "a")
	w.feed("a", "x 1 12:01:00")
	var q *exec.Query
	w.change = func(c *exec.Config) {
		c.FlushAtEnd = true
		tell := c.OnBatch
		c.OnBatch = func(p *exec.Progress, rows []exec.Rows) { tell(p, rows); q.Stop() }
	}
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Run(context.Background(), exec.Trigger{Kind: exec.AvailableNow}); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range w.progress {
		if b.Forced != "" {
			t.Errorf("batch %d is forced although the query was stopped", b.BatchID)
		}
	}
}

// flushed runs a query to the end of its input and returns what came out.
func flushed(t *testing.T, query string, feed func(w *world)) (batches, rows []string) {
	t.Helper()
	w := newWorld(t, query, "a", "b")
	w.change = func(c *exec.Config) { c.FlushAtEnd = true }
	feed(w)
	w.mustRun()
	return w.takeBatches(), w.table("q")
}

// What one operator lets go opens a window of the next: each gets its batch.
func TestFlushOfAChain(t *testing.T) {
	batches, rows := flushed(t, `SELECT window(t, '1 hour').start AS s, sum(n) AS n FROM
		(SELECT window_time AS t, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end, window_time) x
		GROUP BY window(t, '1 hour')`, func(w *world) {
		w.feed("a", "x 1 12:01:00", "x 1 12:02:00", "x 1 12:07:00", "x 1 13:58:00")
	})
	equal(t, "batches", batches, []string{
		"0 in=4 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=1 wm=13:58:00", "2 in=0 out=1 wm=14:00:00 forced=end of input",
	})
	equal(t, "rows", rows, []string{"12:00:00 | 3", "13:00:00 | 1"})
	batches, rows = flushed(t, `SELECT window(t, '1 hour').start AS s, sum(n) AS n FROM
		(SELECT window_time AS t, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end, window_time) x
		GROUP BY window(t, '1 hour')`, func(w *world) { w.feed("a", "x 1 12:01:00") })
	equal(t, "batches", batches, []string{
		"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00",
		"2 in=0 out=0 wm=12:05:00 forced=end of input", "3 in=0 out=1 wm=13:00:00 forced=end of input",
	})
	equal(t, "rows", rows, []string{"12:00:00 | 1"})
}

// Overlapping windows close up to the newest that has a row; cumulating ones too.
func TestFlushOfOverlappingWindows(t *testing.T) {
	for query, want := range map[string][]string{
		`SELECT window_start, window_end, count(*) AS n FROM HOP(a, event_time, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) GROUP BY window_start, window_end`: {
			"11:55:00 | 12:05:00 | 1", "12:00:00 | 12:10:00 | 1"},
		`SELECT window_start, window_end, count(*) AS n FROM CUMULATE(a, event_time, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) GROUP BY window_start, window_end`: {
			"12:00:00 | 12:05:00 | 1", "12:00:00 | 12:10:00 | 1"},
		`SELECT window_start, window_end, count(DISTINCT id) AS n FROM HOP(a, event_time, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) GROUP BY window_start, window_end`: {
			"11:55:00 | 12:05:00 | 1", "12:00:00 | 12:10:00 | 1"},
	} {
		batches, rows := flushed(t, query, func(w *world) { w.feed("a", "x 1 12:01:00") })
		equal(t, "batches of "+query, batches, []string{
			"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00", "2 in=0 out=2 wm=12:10:00 forced=end of input",
		})
		equal(t, "rows of "+query, rows, want)
	}
}

// Sessions end where nothing more can touch them, also those read back at a start.
func TestFlushOfSessions(t *testing.T) {
	w := newWorld(t, `SELECT id, window_start, window_end, count(*) AS n FROM SESSION(a, event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end`, "a")
	w.feed("a", "x 1 12:01:00", "x 1 12:03:00")
	w.mustRun()
	w.change = func(c *exec.Config) { c.FlushAtEnd = true }
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{
		"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:03:00", "2 in=0 out=1 wm=12:08:00 forced=end of input",
	})
	equal(t, "rows", w.table("q"), []string{"x | 12:01:00 | 12:08:00 | 2"})
}

// First rows are final when the watermark has passed them. It moves in whole
// milliseconds, so a part of one counts as the next.
func TestFlushOfFirstRows(t *testing.T) {
	batches, rows := flushed(t, `SELECT id, v FROM (SELECT id, v, ROW_NUMBER() OVER (PARTITION BY id ORDER BY event_time) AS rn FROM a) x WHERE rn = 1`,
		func(w *world) { w.feed("a", "x 1 12:01:00", "x 2 12:00:30", "y 3 12:02:00.0005") })
	equal(t, "batches", batches, []string{
		"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=1 wm=12:02:00", "2 in=0 out=1 wm=12:02:00.001 forced=end of input",
	})
	equal(t, "rows", rows, []string{"x | 2", "y | 3"})
}

// An outer join lets its unmatched rows go; a window above it waits for what the join
// holds back.
func TestFlushOfAnOuterJoin(t *testing.T) {
	join := `SELECT a.id AS id, b.id AS other FROM a LEFT JOIN b ON a.id = b.id AND b.event_time BETWEEN a.event_time AND a.event_time + INTERVAL '10' MINUTE`
	feed := func(w *world) {
		w.feed("a", "x 1 12:01:00", "y 1 12:02:00")
		w.feed("b", "x 1 12:03:00")
	}
	batches, rows := flushed(t, join, feed)
	equal(t, "batches", batches, []string{
		"0 in=3 out=1 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:02:00", "2 in=0 out=1 wm=12:12:00.001 forced=end of input",
	})
	equal(t, "rows", rows, []string{"x | x", "y | NULL"})

	batches, rows = flushed(t, `SELECT window_start, count(*) AS n FROM
		TUMBLE((SELECT a.event_time AS t FROM a JOIN b ON a.id = b.id AND b.event_time BETWEEN a.event_time AND a.event_time + INTERVAL '10' MINUTE) j, t, INTERVAL '5' MINUTE)
		GROUP BY window_start, window_end`, feed)
	equal(t, "batches of a window above", batches, []string{
		"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:02:00", "2 in=0 out=1 wm=12:15:00.001 forced=end of input",
	})
	equal(t, "rows of a window above", rows, []string{"12:00:00 | 1"})
}

// In update mode everything is out already.
func TestNothingToForceInUpdateMode(t *testing.T) {
	w := newWorld(t, tumble5+" EMIT ON UPDATE TIMEOUT INTERVAL '10' MINUTE", "a")
	w.options.Mode = types.Update
	w.change = func(c *exec.Config) { c.FlushAtEnd = true }
	w.feed("a", "x 1 12:01:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(time.Hour)
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"0 in=1 out=1 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00"})
}
