package exec_test

import (
	"strings"
	"testing"
	"time"
)

// Rows from further ahead than max_future are bad rows: they neither move the watermark
// nor reach a window. The clock that counts is that of the PLAN, so a replay a year
// later refuses the same rows.
func TestMaxFuture(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.streams["a"].MaxFutureMicros = time.Hour.Microseconds()
	w.feed("a", "x 1 11:58:00", "x 2 13:00:00", "x 3 13:00:00.000001", "x 4 2999-01-01 00:00:00", "x 5 NULL")
	w.failSink(0, false)
	if err := w.run(); err == nil {
		t.Fatal("the sink did not fail")
	}
	w.clock.now = w.clock.now.AddDate(1, 0, 0)
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{
		"0 in=5 out=0 wm=1970-01-01 00:00:00 bad=3 replay",
		"1 in=0 out=1 wm=13:00:00",
	})
	equal(t, "rows", w.table("q"), []string{"11:55:00 | 1"})
	clock := "ahead of the batch's clock, 2026-09-10 12:00:00, by more than max_future = '1 hour'"
	equal(t, "bad rows", w.table("bad_rows"), []string{
		`q | 0 | a | NULL | NULL | event_time | event time 2026-09-10 13:00:00.000001 is ` + clock + ` | {"event_time":"2026-09-10 13:00:00.000001"}`,
		`q | 0 | a | NULL | NULL | event_time | event time 2999-01-01 00:00:00 is ` + clock + ` | {"event_time":"2999-01-01 00:00:00"}`,
		`q | 0 | a | NULL | NULL | event_time | event time is null | {"event_time":null}`,
	})
	if got := w.progress[0].EventTime["max"]; got != "2026-09-10T13:00:00.000Z" {
		t.Errorf("eventTime.max is %s", got)
	}
}

// Every stream has its own bound.
func TestMaxFuturePerStream(t *testing.T) {
	w := newWorld(t, union5, "a", "b")
	w.streams["b"].MaxFutureMicros = time.Minute.Microseconds()
	w.feed("a", "x 1 12:30:00")
	w.feed("b", "y 1 12:30:00", "y 1 12:00:30")
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"0 in=3 out=0 wm=1970-01-01 00:00:00 bad=1", "1 in=0 out=0 wm=12:00:30"})
	if bad := w.table("bad_rows"); len(bad) != 1 || !strings.Contains(bad[0], "max_future = '1 minute'") {
		t.Errorf("bad rows: %q", bad)
	}
}
