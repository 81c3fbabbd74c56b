package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sinks"
	"ssql/sources"
)

// A batch that its rows break stays planned: every start runs exactly it and fails the
// same, naming group, column and row, until the definition changes. Then it runs on its
// old rows, and a notice says so.
func TestFailedBatchIsRunAgain(t *testing.T) {
	stays := "Nothing of batch 0 was written. The next start runs it again on the same rows, and it fails again until the query, an option or the input is changed."
	for _, c := range []struct{ name, query, changed, want string }{
		{"overflow", `SELECT id, window_start, sum(v) AS total FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end`,
			`SELECT id, window_start, sum(v) AS total FROM TUMBLE((SELECT * FROM a WHERE v < 100), event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end`,
			`batch 0 of query "q": column "sum(v)": `},
		{"cast", `SELECT CAST(id AS INTEGER) AS n FROM a`, `SELECT TRY_CAST(id AS INTEGER) AS n FROM a`, `batch 0 of query "q": `},
	} {
		w := newWorld(t, c.query, "a")
		w.feed("a", "x 9223372036854775807 12:01:00", "x 9223372036854775807 12:02:00")
		var first string
		for run := range 2 {
			err := w.run()
			if err == nil {
				t.Fatalf("%s: the batch did not fail", c.name)
			}
			shown := sqlerr.Render(err, nil)
			if !strings.Contains(shown, c.want) || !strings.Contains(shown, stays) {
				t.Errorf("%s: error\n%s", c.name, shown)
			}
			if run == 0 {
				first = shown
				w.feed("a", "y 1 12:03:00") // not part of the planned batch
			} else if shown != first {
				t.Errorf("%s: the second start says\n%s\nthe first\n%s", c.name, shown, first)
			}
		}
		if c.name == "overflow" && !strings.Contains(first, "in the group window_start = 2026-09-10 12:00:00, id = ") || c.name == "cast" && !strings.Contains(first, `The row is {`) {
			t.Errorf("%s: the error does not name the place:\n%s", c.name, first)
		}
		w.query = c.changed
		w.takeNotices()
		w.mustRun()
		equal(t, c.name+" notices", w.takeNotices(), []string{"batch 0 was planned by the old definition and is run by the new one, on the same rows"})
		if got := w.takeBatches(); !strings.HasPrefix(got[0], "0 in=2 ") || !strings.HasSuffix(got[0], "replay") || !strings.HasPrefix(got[1], "1 in=1 ") {
			t.Errorf("%s: batches %q", c.name, got)
		}
	}
}

// A definition that changes when the old one has already written the planned batch
// holds from the batch after it.
func TestRedefinitionBehindAWrittenBatch(t *testing.T) {
	w := newWorld(t, `SELECT id FROM a`, "a")
	w.feed("a", "x 1 12:01:00")
	w.failSink(0, true)
	if err := w.run(); err == nil {
		t.Fatal("the sink did not fail")
	}
	w.query = `SELECT id || '!' AS id FROM a`
	w.feed("a", "y 1 12:02:00")
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	if r := q.Resumed(); !r.InSink || r.DefinedFrom != 1 {
		t.Errorf("resumed %+v", r)
	}
	if err := errors.Join(q.Run(context.Background(), exec.Trigger{Kind: exec.AvailableNow}), q.Close()); err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", w.table("q"), []string{"x", "y!"})
	equal(t, "notices", w.takeNotices(), []string{
		"batch 0 was written by the old definition before the stop; the new one brings the state up to it and holds from batch 1 on",
	})
}

// While batch n is committed batch n+1 is executed already. When the commit fails what
// was executed ahead is thrown away with the engine: the next start finds every batch
// as it must be, at every place where a commit can fail.
func TestFailedCommitBehindAnExecutedBatch(t *testing.T) {
	feed := func(w *world) {
		w.change = func(c *exec.Config) { c.Limits = sources.Limits{RowsMax: 2} }
		for i := range 6 {
			w.feed("a", fmt.Sprintf("x 1 12:%02d:00", 5*i), fmt.Sprintf("y 1 12:%02d:30", 5*i+2))
		}
	}
	whole := newWorld(t, tumble5, "a")
	feed(whole)
	whole.mustRun()
	want := whole.takeBatches()
	if len(want) != 7 {
		t.Fatalf("batches %q", want)
	}
	for batch := range int64(len(want)) {
		for _, after := range []bool{false, true} {
			w := newWorld(t, tumble5, "a")
			feed(w)
			w.failSink(batch, after)
			err := w.run()
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("writing batch %d", batch)) {
				t.Fatalf("batch %d: error %v", batch, err)
			}
			if err := w.run(); err != nil {
				t.Fatalf("batch %d: restart: %v", batch, err)
			}
			got := w.takeBatches()
			for i := range got {
				got[i] = strings.TrimSuffix(got[i], " replay")
			}
			equal(t, fmt.Sprintf("batches after a failure at %d, after=%v", batch, after), got, want)
			equal(t, "rows", w.table("q"), whole.table("q"))
		}
	}
}

// After a failure the engine refuses to go on: its state is ahead of the checkpoint.
func TestBrokenQueryStaysBroken(t *testing.T) {
	w := newWorld(t, tumble5, "a")
	w.feed("a", "x 1 12:01:00")
	w.store.Faults = sinks.Faults{BeforeCommit: func(*sinks.Batch) error { return errors.New("the sink fails") }}
	q, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	first := q.Run(context.Background(), exec.Trigger{Kind: exec.AvailableNow})
	w.store.Faults = sinks.Faults{}
	if again := q.Run(context.Background(), exec.Trigger{Kind: exec.AvailableNow}); first == nil || again != first {
		t.Errorf("Run gives %v, then %v", first, again)
	}
	if again := q.Flush(context.Background()); again != first {
		t.Errorf("Flush gives %v", again)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// The policy of several watermarks is the plan's; the greatest may be taken too.
func TestWatermarkPolicy(t *testing.T) {
	for policy, want := range map[plan.Policy][]string{
		plan.MinPolicy: {"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=0 wm=12:01:00"},
		plan.MaxPolicy: {"0 in=2 out=0 wm=1970-01-01 00:00:00", "1 in=0 out=1 wm=12:30:00"},
	} {
		w := newWorld(t, union5, "a", "b")
		w.options.Policy = policy
		w.feed("a", "x 1 12:01:00")
		w.feed("b", "x 1 12:30:00")
		w.mustRun()
		equal(t, fmt.Sprint("policy ", policy), w.takeBatches(), want)
	}
}
