package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ssql/exec"
	"ssql/internal/vfs"
	"ssql/sinks"
	"ssql/sources"
)

// tooLarge is a query of which a batch is too large for the state that it may hold, and
// whose limits are lowered after that.
func tooLarge(t *testing.T) (w *world, steps []func()) {
	w = newWorld(t, `SELECT id, window_start, count(*) AS n FROM TUMBLE(a, event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end EMIT ON WINDOW CLOSE`, "a")
	var limits sources.Limits
	w.change = func(c *exec.Config) { c.StateRowsMax, c.Limits, c.SnapshotEvery = 3, limits, 2 }
	return w, []func(){
		func() { w.feed("a", "x 1 12:01:00", "NULL 1 NULL") },
		func() { w.feed("a", "y 1 12:06:00", "z 1 12:11:00", "y 1 12:16:00", "y 1 12:21:00", "x 1 12:02:00") },
		func() { limits.RowsMax = 1 },
	}
}

// tooLargeThenMore is tooLarge where the start that has the lower limits has another source, before
// the one that the batch was planned with.
func tooLargeThenMore(t *testing.T) (w *world, steps []func()) {
	query := func(arms string) string {
		return "SELECT id, window_start, count(*) AS n FROM TUMBLE((" + arms + "), event_time, INTERVAL '5' MINUTE) GROUP BY id, window_start, window_end EMIT ON WINDOW CLOSE"
	}
	a := "SELECT id, event_time FROM a IDENTIFIED BY first"
	w = newWorld(t, query(a), "a", "b")
	var limits sources.Limits
	w.change = func(c *exec.Config) { c.StateRowsMax, c.Limits, c.SnapshotEvery = 6, limits, 2 }
	return w, []func(){
		func() { w.feed("a", "x 1 12:01:00", "NULL 1 NULL") },
		func() {
			w.feed("a", "y 1 12:06:00", "z 1 12:11:00", "y 1 12:16:00", "y 1 12:21:00", "y 1 12:26:00", "y 1 12:31:00", "y 1 12:36:00", "x 1 12:02:00")
		},
		func() {
			limits.RowsMax = 1
			w.query = query("SELECT id, event_time FROM b IDENTIFIED BY second UNION ALL " + a)
			w.feed("b", "w 1 12:22:00")
		},
		func() { w.feed("a", "x 1 12:41:00"); w.feed("b", "x 1 12:42:00") },
	}
}

// The same together with a source that is new: the batch that is planned again has the names of
// the new definition, and a crash at any write of that changes nothing.
func TestPlannedAgainWithAnotherSource(t *testing.T) {
	whole, steps := tooLargeThenMore(t)
	disk := newCrashDisk(vfs.Fault{})
	whole.disk = disk
	playTooLarge(t, whole, steps, vfs.KeepAll, nil)
	equal(t, "rows", whole.table("q"), []string{"x | 12:00:00 | 1", "y | 12:05:00 | 1", "z | 12:10:00 | 1", "y | 12:15:00 | 1", "w | 12:20:00 | 1",
		"y | 12:20:00 | 1", "y | 12:25:00 | 1", "y | 12:30:00 | 1", "y | 12:35:00 | 1"})
	writes, modes := disk.Ops(), vfs.CrashModes()
	for at := 1; at <= writes; at++ {
		mode := modes[at%len(modes)]
		if mode == vfs.LoseData {
			continue // nothing that was synced may be lost
		}
		w, steps := tooLargeThenMore(t)
		w.disk = newCrashDisk(vfs.Fault{At: at, Err: vfs.ErrCrashed, Sticky: true})
		playTooLarge(t, w, steps, mode, rand.New(rand.NewPCG(uint64(at), 3)))
		what := fmt.Sprintf("after a crash at write %d of %d (%s)", at, writes, mode)
		equal(t, "rows "+what, w.table("q"), whole.table("q"))
		equal(t, "late rows "+what, w.table("late_rows"), whole.table("late_rows"))
	}
}

// playTooLarge is play where the second step fails, at the limit.
func playTooLarge(t *testing.T, w *world, steps []func(), mode vfs.CrashMode, rng *rand.Rand) {
	t.Helper()
	play(t, w, steps[:1], mode, rng)
	steps[1]()
	for {
		err := w.run()
		if err == nil {
			t.Fatal("the batch is not too large")
		}
		if !errors.Is(err, vfs.ErrCrashed) {
			if !strings.Contains(err.Error(), "more than state_rows_max = ") {
				t.Fatal(err)
			}
			break
		}
		disk := w.disk.(*crashDisk)
		disk.Mem = disk.Mem.CrashClone(rng, mode)
		disk.Injector = vfs.NewInjector(disk.Mem, vfs.Fault{})
	}
	play(t, w, steps[2:], mode, rng)
}

// A batch that was planned and is too large to run is planned again, smaller, when the
// limits of a batch are lowered; a crash at any write of that changes nothing: each row is
// in the result once.
func TestPlannedAgainSmaller(t *testing.T) {
	whole, steps := tooLarge(t)
	disk := newCrashDisk(vfs.Fault{})
	whole.disk = disk
	playTooLarge(t, whole, steps, vfs.KeepAll, nil)
	equal(t, "rows", whole.table("q"), []string{"x | 12:00:00 | 1", "y | 12:05:00 | 1", "z | 12:10:00 | 1", "y | 12:15:00 | 1"})
	if late := whole.table("late_rows"); len(late) != 1 {
		t.Errorf("late rows %q", late)
	}
	said := 0
	for _, n := range whole.notices {
		if strings.Contains(n, "batch 2 was planned and not stored; it is planned again, smaller") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("notices %q", whole.notices)
	}
	writes, modes := disk.Ops(), vfs.CrashModes()
	for at := 1; at <= writes; at++ {
		for i, mode := range modes {
			if mode == vfs.LoseData {
				continue // nothing that was synced may be lost
			}
			w, steps := tooLarge(t)
			w.disk = newCrashDisk(vfs.Fault{At: at, Err: vfs.ErrCrashed, Sticky: true})
			playTooLarge(t, w, steps, mode, rand.New(rand.NewPCG(uint64(at), uint64(i))))
			what := fmt.Sprintf("after a crash at write %d of %d (%s)", at, writes, mode)
			equal(t, "rows "+what, w.table("q"), whole.table("q"))
			equal(t, "late rows "+what, w.table("late_rows"), whole.table("late_rows"))
		}
	}
}

// spread is a sink of several places, of which one has batches that Head does not tell.
type spread struct {
	sinks.Sink
	holds int64
}

func (s *spread) Holds(_ context.Context, _ string, batch int64) (bool, error) {
	return batch <= s.holds, nil
}

// What any place of the sink may have is not planned anew: the batch comes as it was.
func TestPlannedAgainOnlyIfNobodyHasIt(t *testing.T) {
	rows := []string{"x 1 12:01:00", "y 1 12:02:00", "z 1 12:03:00"}
	for _, c := range []struct {
		name  string
		after bool  // the sink fails when it has stored the batch
		holds int64 // of a sink of several places
		want  string
	}{
		{"nobody has it", false, -1, "1 in=1 out=1 wm=12:00:00"},
		{"one place has the batch before", false, 0, "1 in=1 out=1 wm=12:00:00"},
		{"one place has it", false, 1, "1 in=3 out=3 wm=12:00:00 replay"},
		{"all have it", true, 1, "1 in=3 out=3 wm=12:00:00 replay"},
	} {
		w := newWorld(t, `SELECT id, v FROM a`, "a")
		w.feed("a", "w 1 12:00:00")
		w.mustRun()
		w.failSink(1, c.after)
		w.feed("a", rows...)
		if err := w.run(); err == nil {
			t.Fatal("the sink does not fail")
		}
		w.takeBatches()
		w.change = func(cfg *exec.Config) {
			cfg.Limits.RowsMax, cfg.Sink = 1, &spread{cfg.Sink, c.holds}
		}
		w.mustRun()
		equal(t, c.name, w.takeBatches()[:1], []string{c.want})
		equal(t, c.name, w.table("q"), []string{"w | 1", "x | 1", "y | 1", "z | 1"})
	}
}
