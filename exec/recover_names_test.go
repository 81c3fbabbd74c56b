package exec_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// named is the windowed count of some streams, each a source that has its own name.
func named(streams ...string) string {
	arms := make([]string, len(streams))
	for i, s := range streams {
		arms[i] = fmt.Sprintf("SELECT id, event_time FROM %[1]s IDENTIFIED BY src_%[1]s", s)
	}
	return "SELECT window_start, count(*) AS n, min(id) AS first, max(id) AS last FROM TUMBLE((" + strings.Join(arms, " UNION ALL ") +
		"), event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end"
}

// comeAndGo is a query whose sources come, go, change their order and come again.
func comeAndGo(t *testing.T) (w *world, steps []func()) {
	w = newWorld(t, named("a"), "a", "b", "c")
	flush := false
	w.change = func(c *exec.Config) { c.FlushAtEnd, c.SnapshotEvery = flush, 3 }
	return w, []func(){
		func() { w.feed("a", "a1 1 12:01:00", "a2 1 12:06:00") },
		func() { w.query = named("b", "a"); w.feed("b", "b1 1 12:07:00", "b2 1 12:08:00") },
		func() { w.feed("a", "a3 1 12:11:00"); w.feed("b", "b3 1 12:12:00") },
		func() { w.query = named("b"); w.feed("a", "a4 1 12:13:00"); w.feed("b", "b4 1 12:16:00") },
		func() { w.query = named("c", "b", "a"); w.feed("c", "c1 1 12:17:00") },
		func() { w.feed("a", "a5 1 12:31:00"); w.feed("b", "b5 1 12:32:00"); w.feed("c", "c2 1 12:33:00") },
		func() { flush = true },
	}
}

// What a source has delivered stays, one that is new begins at its start, one that is gone and
// comes again, too; and a crash at any write changes none of it.
func TestSourcesComeAndGo(t *testing.T) {
	whole, steps := comeAndGo(t)
	disk := newCrashDisk(vfs.Fault{})
	whole.disk = disk
	play(t, whole, steps, vfs.KeepAll, nil)
	equal(t, "rows", whole.table("q"), []string{
		"12:00:00 | 1 | a1 | a1",
		"12:05:00 | 3 | a2 | b2",
		"12:10:00 | 2 | a3 | b3",
		// a1 to a4 came a second time behind the windows that were closed: late, all but
		// those of the window that was open.
		"12:15:00 | 2 | b4 | c1",
		"12:30:00 | 3 | a5 | c2",
	})
	equal(t, "late", []string{fmt.Sprint(len(whole.table("late_rows")))}, []string{"4"})
	writes := disk.Ops()
	modes := vfs.CrashModes()
	for at := 1; at <= writes; at++ {
		w, steps := comeAndGo(t)
		w.disk = newCrashDisk(vfs.Fault{At: at, Err: vfs.ErrCrashed, Sticky: true})
		mode := modes[at%len(modes)]
		if mode == vfs.LoseData {
			mode = vfs.KeepSome
		}
		play(t, w, steps, mode, rand.New(rand.NewPCG(uint64(at), 11)))
		what := fmt.Sprintf("after a crash at write %d (%s)", at, mode)
		equal(t, "rows "+what, w.table("q"), whole.table("q"))
		equal(t, "late rows "+what, w.table("late_rows"), whole.table("late_rows"))
	}
}

// A batch that was planned with a source that is gone runs without its rows when the sink does
// not have it, and is not guessed at when it does.
func TestASourceGoesWithAPlannedBatch(t *testing.T) {
	for _, stored := range []bool{false, true} {
		w := newWorld(t, named("a", "b"), "a", "b")
		w.feed("a", "a1 1 12:01:00")
		w.feed("b", "b1 1 12:02:00")
		w.failSink(0, stored)
		if w.run() == nil {
			t.Fatal("the sink did not fail")
		}
		w.query = named("b")
		err := w.run()
		if !stored {
			if err != nil {
				t.Fatal(err)
			}
			w.feed("b", "b2 1 12:20:00")
			w.mustRun()
			equal(t, "rows", w.table("q"), []string{"12:00:00 | 1 | b1 | b1"})
			continue
		}
		if sqlerr.Code(err) != "E_CKPT_INCOMPATIBLE" || !strings.Contains(err.Error(), `source "src_a"`) {
			t.Fatalf("with the batch in the sink: %v", err)
		}
		w.query = named("a", "b")
		w.mustRun()
		w.query = named("b")
		w.feed("b", "b2 1 12:20:00")
		w.mustRun()
		equal(t, "rows", w.table("q"), []string{"12:00:00 | 2 | a1 | b1"})
	}
}

// Records without names and a query with names, or the other way round, are not put together.
func TestNamesOnOneSideOnly(t *testing.T) {
	plain := strings.ReplaceAll(strings.ReplaceAll(named("a", "b"), " IDENTIFIED BY src_a", ""), " IDENTIFIED BY src_b", "")
	for _, queries := range [][2]string{{plain, named("a", "b")}, {named("a", "b"), plain}} {
		w := newWorld(t, queries[0], "a", "b")
		w.feed("a", "a1 1 12:01:00")
		w.mustRun()
		w.query = queries[1]
		var refused *sqlerr.Error
		if err := w.run(); !errors.As(err, &refused) || refused.Code != "E_CKPT_INCOMPATIBLE" {
			t.Errorf("%s: %v", w.query, err)
		}
	}
}

// A new source is idle when it has delivered nothing for as long as others may, counted from
// when it came.
func TestANewSourceIsNotIdleAtOnce(t *testing.T) {
	w := newWorld(t, named("a"), "a", "b")
	w.change = func(c *exec.Config) { c.IdleTimeout = 600e9 }
	w.feed("a", "a1 1 12:01:00")
	w.mustRun()
	w.clock.now = w.clock.now.Add(3600e9)
	w.feed("a", "a2 1 12:11:00")
	w.mustRun()
	w.takeBatches()
	w.query = named("a", "b")
	w.feed("a", "a3 1 12:21:00")
	w.mustRun()
	if got := w.takeBatches(); slices.ContainsFunc(got, func(b string) bool { return strings.Contains(b, "idle=b") }) {
		t.Errorf("idle too early: %q", got)
	}
}
