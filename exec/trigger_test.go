package exec_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ssql/exec"
	"ssql/sources"
)

// onBatch adds a call behind every committed batch.
func (w *world) onBatch(f func(p *exec.Progress)) {
	before := w.change
	w.change = func(c *exec.Config) {
		if before != nil {
			before(c)
		}
		tell := c.OnBatch
		c.OnBatch = func(p *exec.Progress, rows []exec.Rows) { tell(p, rows); f(p) }
	}
}

// The first trigger fires at once, the others at multiples of the interval, one batch
// each. A batch that overruns is followed at once by the next, and then the multiples
// hold again.
func TestProcessingTime(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.clock.now = w.clock.now.Add(2 * time.Second)
	w.feed("a", "x 1 12:01:00")
	var q *exec.Query
	w.onBatch(func(p *exec.Progress) {
		if p.BatchID == 2 {
			w.clock.now = w.clock.now.Add(12 * time.Second)
			w.feed("a", "x 1 12:03:00")
		}
	})
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	w.clock.onWait = func() {
		switch len(w.clock.waits) {
		case 2:
			w.feed("a", "x 1 12:02:00")
		case 5:
			q.Stop()
		}
	}
	if err := q.Run(context.Background(), exec.Trigger{Kind: exec.ProcessingTime, Interval: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, p := range w.progress {
		got = append(got, p.Timestamp[11:19]+" "+w.batches[i])
	}
	equal(t, "batches", got, []string{
		"12:00:02 0 in=1 out=0 wm=1970-01-01 00:00:00",
		"12:00:05 1 in=0 out=0 wm=12:01:00",
		"12:00:10 2 in=1 out=0 wm=12:01:00",
		"12:00:22 3 in=1 out=0 wm=12:02:00",
		"12:00:25 4 in=0 out=0 wm=12:03:00",
	})
	if want := "[3s 5s 3s 5s 5s]"; fmt.Sprint(w.clock.waits) != want {
		t.Errorf("waits %v, want %s", w.clock.waits, want)
	}
	equal(t, "notices", w.takeNotices(), []string{
		"falling behind: a batch took 12s, longer than the trigger's interval of 5s; the next one starts at once",
	})
}

// What comes while available_now runs waits for the next start, however long the
// backlog takes. A source that cannot be frozen is read until it is empty.
func TestAvailableNowHasAnEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		frozen bool
		want   []string
	}{
		{"frozen", true, []string{"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=1 out=0 wm=12:01:00", "2 in=0 out=0 wm=12:02:00"}},
		{"endless", false, []string{"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=1 out=0 wm=12:01:00", "2 in=1 out=0 wm=12:02:00", "3 in=0 out=0 wm=12:03:00"}},
	} {
		w := newWorld(t, tumble5, "a")
		w.change = func(cfg *exec.Config) {
			cfg.Limits = sources.Limits{RowsMax: 1}
			if !c.frozen {
				cfg.Sources[0] = endless{cfg.Sources[0]}
			}
		}
		w.onBatch(func(p *exec.Progress) {
			if p.BatchID == 0 {
				w.feed("a", "x 1 12:03:00")
			}
		})
		w.feed("a", "x 1 12:01:00", "x 1 12:02:00")
		w.mustRun()
		equal(t, c.name, w.takeBatches(), c.want)
		if c.frozen {
			w.mustRun()
			equal(t, "the next start", w.takeBatches(), []string{"3 in=1 out=0 wm=12:02:00", "4 in=0 out=0 wm=12:03:00"})
		}
	}
}

// Once is one batch with everything; what it would close waits for the next start. A
// batch that was planned before comes first, and is the one.
func TestOnce(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.change = func(c *exec.Config) { c.Limits = sources.Limits{RowsMax: 1} }
	once := exec.Trigger{Kind: exec.Once}
	run := func(what string, want ...string) {
		t.Helper()
		if err := w.runTrigger(once); err != nil {
			t.Fatal(err)
		}
		equal(t, what, w.takeBatches(), want)
	}
	w.feed("a", "x 1 12:01:00", "x 1 12:06:00")
	run("all rows", "0 in=2 out=0 wm=1970-01-01 00:00:00")
	equal(t, "notices", w.takeNotices(), []string{"trigger once reads all that is there in one batch: the limits of a batch do not hold"})
	run("what it closes", "1 in=0 out=1 wm=12:06:00")
	run("nothing")
	w.feed("a", "x 1 12:11:00")
	w.failSink(2, false)
	if err := w.runTrigger(once); err == nil {
		t.Fatal("the sink did not fail")
	}
	w.feed("a", "x 1 12:12:00")
	run("the planned batch", "2 in=1 out=0 wm=12:06:00 replay")
	run("new rows", "3 in=1 out=1 wm=12:11:00")
}

// Without no-data batches what is closed comes with the next rows.
func TestNoDataBatchesOff(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.change = func(c *exec.Config) { c.NoDataBatches = false }
	w.feed("a", "x 1 12:01:00", "x 1 12:06:00")
	w.mustRun()
	w.mustRun()
	w.feed("a", "x 1 12:07:00")
	w.mustRun()
	equal(t, "batches", w.takeBatches(), []string{"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=1 out=1 wm=12:06:00"})
}

// The limits of a batch hold for each source of the query.
func TestBatchLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits sources.Limits
		in     string
	}{
		{"none", sources.Limits{}, "[8 0]"},
		{"rows", sources.Limits{RowsMax: 1}, "[2 2 2 2 0]"},
		{"files", sources.Limits{FilesMax: 1}, "[4 4 0]"}, // a feed counts as a file
		{"bytes", sources.Limits{BytesMax: 1}, "[4 4 0]"}, // at least one
	} {
		w := newWorld(t, union5, "a", "b")
		w.change = func(cfg *exec.Config) { cfg.Limits = c.limits }
		for _, s := range []string{"a", "b"} {
			w.feed(s, "x 1 12:01:00", "x 1 12:02:00")
			w.feed(s, "x 1 12:03:00", "x 1 12:04:00")
		}
		w.mustRun()
		var in []int64
		for _, p := range w.progress {
			in = append(in, p.NumInputRows)
		}
		// Closing batches follow at the end only: a backlog has none in between.
		if got := fmt.Sprint(in); got != c.in {
			t.Errorf("%s: rows per batch %s, want %s", c.name, got, c.in)
		}
	}
}

// CaughtUp ends the pause between two looks, and is answered when nothing is due any
// more.
func TestCaughtUp(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.feed("a", "x 1 12:01:00")
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan (<-chan struct{}), 1)
	w.clock.onWait = func() {
		switch len(w.clock.waits) {
		case 1:
			w.feed("a", "x 1 12:02:00")
			asked <- q.CaughtUp()
		default:
			q.Stop()
		}
	}
	if err := q.Run(context.Background(), exec.Trigger{Kind: exec.ProcessingTime, Interval: time.Hour}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-<-asked:
	default:
		t.Error("nobody answered")
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "batches", w.takeBatches(), []string{"0 in=1 out=0 wm=1970-01-01 00:00:00", "1 in=1 out=0 wm=12:01:00", "2 in=0 out=0 wm=12:02:00"})
}
