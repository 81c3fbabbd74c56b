package exec_test

import (
	"context"
	"testing"
	"time"

	"ssql/exec"
	"ssql/plan"
)

const union5 = `SELECT window_start, count(*) AS n FROM TUMBLE((SELECT id, event_time FROM a UNION ALL SELECT id, event_time FROM b) u, event_time, INTERVAL '5' MINUTE)
	GROUP BY window_start, window_end`

// twoStreams has a query on two streams whose second falls silent.
func twoStreams(t *testing.T) *world {
	w := newWorld(t, union5, "a", "b")
	w.change = func(c *exec.Config) { c.IdleTimeout = 10 * time.Minute }
	return w
}

// A quiet input is left out of the watermark after idle_timeout, by a batch without
// rows of its own if something closes, and counts again when it delivers. Every run
// here is a new process.
func TestIdleInput(t *testing.T) {
	w := twoStreams(t)
	w.feed("a", "x 1 12:01:00", "x 1 12:30:00")
	w.feed("b", "y 1 12:02:00")
	w.mustRun()
	equal(t, "both deliver", w.takeBatches(), []string{"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:02:00"})

	w.clock.now = w.clock.now.Add(9 * time.Minute)
	w.feed("a", "x 1 12:31:00")
	w.mustRun()
	equal(t, "not idle yet", w.takeBatches(), []string{"2 in=1 out=0 wm=12:02:00"})

	w.clock.now = w.clock.now.Add(time.Minute)
	w.mustRun()
	equal(t, "idle", w.takeBatches(), []string{"3 in=0 out=1 wm=12:31:00 idle=b.event_time"})
	equal(t, "notices", w.takeNotices(), []string{
		`stream "b" has delivered nothing for 10 minutes and is idle: the watermark no longer waits for it (idle_timeout)`,
	})

	w.clock.now = w.clock.now.Add(time.Minute)
	w.feed("a", "x 1 12:40:00")
	w.mustRun()
	equal(t, "still idle", w.takeBatches(), []string{"4 in=1 out=0 wm=12:31:00 idle=b.event_time", "5 in=0 out=1 wm=12:40:00 idle=b.event_time"})
	equal(t, "notices", w.takeNotices(), nil)

	w.clock.now = w.clock.now.Add(time.Minute)
	w.feed("b", "y 1 12:03:00", "y 1 12:41:00")
	w.mustRun()
	equal(t, "back", w.takeBatches(), []string{"6 in=2 out=0 wm=12:40:00 late=1"})
	equal(t, "notices", w.takeNotices(), []string{`stream "b" delivers again: the watermark waits for it as before`})

	w.feed("a", "x 1 13:00:00")
	w.mustRun()
	equal(t, "waits again", w.takeBatches(), []string{"7 in=1 out=0 wm=12:40:00", "8 in=0 out=0 wm=12:41:00"})
	equal(t, "rows", w.table("q"), []string{"12:00:00 | 2", "12:30:00 | 2"})
}

// An idle input that never delivered is left out too.
func TestIdleInputThatNeverDelivered(t *testing.T) {
	w := twoStreams(t)
	w.feed("a", "x 1 12:01:00", "x 1 12:30:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(9 * time.Minute)
	w.feed("a", "x 1 12:31:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(time.Minute)
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{
		"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=1 out=0 wm=1970-01-01 00:00:00", "2 in=0 out=1 wm=12:31:00 idle=b.event_time",
	})
	marks := w.progress[2].Watermarks
	want := []exec.WatermarkProgress{{Column: "a.event_time", Watermark: "2026-09-10T12:31:00.000Z"}, {Column: "b.event_time", Idle: true}}
	if len(marks) != 2 || marks[0] != want[0] || marks[1] != want[1] {
		t.Errorf("watermarks %+v, want %+v", marks, want)
	}
}

// When all inputs fall silent at once the result is that of one after the other.
func TestAllInputsIdle(t *testing.T) {
	w := twoStreams(t)
	w.feed("a", "x 1 12:01:00", "x 1 12:30:00")
	w.feed("b", "y 1 12:02:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(time.Hour)
	w.mustRun()
	w.takeNotices()
	equal(t, "batches", w.takeBatches(), []string{
		"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:02:00",
		"2 in=0 out=1 wm=12:30:00 idle=a.event_time idle=b.event_time",
	})
}

// The option of a stream comes before that of the query; without either nothing is
// ever idle.
func TestIdleTimeoutOfAStream(t *testing.T) {
	for _, c := range []struct {
		name          string
		query, stream time.Duration
		idle          bool
	}{{"none", 0, 0, false}, {"query", time.Minute, 0, true}, {"stream", 0, time.Minute, true}, {"stream over query", time.Minute, time.Hour, false}} {
		w := twoStreams(t)
		w.change = func(cfg *exec.Config) { cfg.IdleTimeout = c.query }
		w.streams["b"].IdleMicros = c.stream.Microseconds()
		w.feed("a", "x 1 12:30:00")
		w.mustRun()
		w.clock.now = w.clock.now.Add(30 * time.Minute)
		w.feed("a", "x 1 12:31:00")
		w.mustRun()
		if got := w.progress[1].Watermarks[1].Idle; got != c.idle {
			t.Errorf("%s: idle is %v", c.name, got)
		}
	}
}

// What was decided for a batch is in its PLAN: a replay at another time decides the
// same, also behind a snapshot.
func TestIdleIsReplayed(t *testing.T) {
	for _, after := range []bool{false, true} {
		w := twoStreams(t)
		w.feed("a", "x 1 12:01:00", "x 1 12:30:00")
		w.feed("b", "y 1 12:02:00")
		w.mustRun()
		w.clock.now = w.clock.now.Add(20 * time.Minute)
		w.feed("a", "x 1 12:31:00")
		w.failSink(2, after)
		if err := w.run(); err == nil {
			t.Fatal("the sink did not fail")
		}
		w.clock.now = w.clock.now.Add(time.Minute)
		w.feed("b", "y 1 12:29:00")
		w.mustRun()
		equal(t, "batches", w.takeBatches(), []string{
			"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:02:00",
			"2 in=1 out=1 wm=12:30:00 idle=b.event_time replay",
			"3 in=1 out=0 wm=12:31:00 late=1",
		})
		equal(t, "rows", w.table("q"), []string{"12:00:00 | 2"})
	}
}

// While a query runs, an input that becomes idle closes windows without any new row.
func TestIdleWhileRunning(t *testing.T) {
	w := twoStreams(t)
	w.feed("a", "x 1 12:01:00", "x 1 12:30:00")
	w.feed("b", "y 1 12:02:00")
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	w.clock.onWait = func() {
		w.clock.now = w.clock.now.Add(time.Minute)
		if len(w.clock.waits) == 20 {
			q.Stop()
		}
	}
	if err := q.Run(context.Background(), exec.Trigger{Kind: exec.ProcessingTime}); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "batches", w.takeBatches(), []string{
		"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:02:00",
		"2 in=0 out=1 wm=12:30:00 idle=a.event_time idle=b.event_time",
	})
}

// Under the policy max an idle input holds nothing back and nothing is said.
func TestIdleUnderMaxPolicy(t *testing.T) {
	w := twoStreams(t)
	w.options.Policy = plan.MaxPolicy
	w.feed("a", "x 1 12:01:00", "x 1 12:30:00")
	w.feed("b", "y 1 12:02:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(time.Hour)
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"0 in=3 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=1 wm=12:30:00"})
	equal(t, "notices", w.takeNotices(), nil)
}
