package exec_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ssql/exec"
	"ssql/internal/vfs"
)

// story is a query whose windows close by event times, by an idle input, by a timeout
// and by the end of the input, with rows that are bad and late.
func story(t *testing.T) (w *world, steps []func()) {
	w = newWorld(t, union5+" EMIT ON WINDOW CLOSE TIMEOUT INTERVAL '1' HOUR", "a", "b")
	w.streams["a"].MaxFutureMicros = (10 * time.Hour).Microseconds()
	flush := false
	w.change = func(c *exec.Config) {
		c.IdleTimeout, c.FlushAtEnd, c.SnapshotEvery = 10*time.Minute, flush, 2
	}
	return w, []func(){
		func() { w.feed("a", "x 1 12:01:00", "x 1 12:30:00", "x 1 2999-01-01 00:00:00") },
		func() { w.feed("b", "y 1 12:02:00") },
		func() { w.clock.now = w.clock.now.Add(11 * time.Minute); w.feed("a", "x 1 12:31:00") },
		func() { w.clock.now = w.clock.now.Add(time.Minute); w.feed("b", "y 1 12:20:00", "y 1 12:32:00") },
		func() { w.clock.now = w.clock.now.Add(2 * time.Hour) },
		func() { w.feed("a", "x 1 12:50:00"); w.feed("b", "y 1 12:51:00", "y 1 12:01:00") },
		func() { flush = true },
	}
}

// play runs the steps, each in an engine of its own. A run whose disk stops is followed
// by another on what is left of it.
func play(t *testing.T, w *world, steps []func(), mode vfs.CrashMode, rng *rand.Rand) {
	t.Helper()
	for i, step := range steps {
		step()
		err := w.run()
		if errors.Is(err, vfs.ErrCrashed) {
			disk := w.disk.(*crashDisk)
			disk.Mem = disk.Mem.CrashClone(rng, mode)
			disk.Injector = vfs.NewInjector(disk.Mem, vfs.Fault{})
			err = w.run()
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

// crashDisk is a disk in memory behind a fault.
type crashDisk struct {
	*vfs.Injector
	Mem *vfs.Mem
}

func newCrashDisk(fault vfs.Fault) *crashDisk {
	m := vfs.NewMem()
	return &crashDisk{vfs.NewInjector(m, fault), m}
}

// A crash at any write of the story changes nothing: the same batches with the same
// watermarks, idle inputs and reasons, the same rows.
func TestStoryWithACrashAtEveryWrite(t *testing.T) {
	whole, steps := story(t)
	disk := newCrashDisk(vfs.Fault{})
	whole.disk = disk
	play(t, whole, steps, vfs.KeepAll, nil)
	equal(t, "batches", whole.batches, []string{
		"0 in=3 out=0 wm=1970-01-01 00:00:00 bad=1",
		"1 in=1 out=0 wm=1970-01-01 00:00:00",
		"2 in=0 out=0 wm=12:02:00",
		"3 in=1 out=1 wm=12:30:00 idle=b.event_time",
		"4 in=0 out=0 wm=12:31:00 idle=b.event_time",
		"5 in=2 out=0 wm=12:31:00 late=1",
		"6 in=0 out=0 wm=12:32:00 idle=a.event_time idle=b.event_time",
		"7 in=0 out=1 wm=12:35:00 idle=a.event_time idle=b.event_time forced=timeout",
		"8 in=3 out=0 wm=12:35:00 late=1",
		"9 in=0 out=0 wm=12:50:00",
		"10 in=0 out=1 wm=12:55:00 forced=end of input",
	})
	writes := disk.Ops()
	if writes < 30 {
		t.Fatalf("only %d writes", writes)
	}
	modes := vfs.CrashModes()
	for at := 1; at <= writes; at++ {
		w, steps := story(t)
		w.disk = newCrashDisk(vfs.Fault{At: at, Err: vfs.ErrCrashed, Sticky: true})
		mode := modes[at%len(modes)]
		if mode == vfs.LoseData {
			mode = vfs.KeepSome // nothing that was synced may be lost
		}
		play(t, w, steps, mode, rand.New(rand.NewPCG(uint64(at), 7)))
		what := fmt.Sprintf("after a crash at write %d (%s)", at, mode)
		checkSeen(t, what, w.batches, whole.batches)
		equal(t, "rows "+what, w.table("q"), whole.table("q"))
		equal(t, "late rows "+what, w.table("late_rows"), whole.table("late_rows"))
		equal(t, "bad rows "+what, w.table("bad_rows"), whole.table("bad_rows"))
	}
}

// checkSeen compares the batches that a run with a crash has told of with those of a run
// without: one may be missing, whose commit the crash followed too closely.
func checkSeen(t *testing.T, what string, got, want []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, b := range got {
		b = strings.TrimSuffix(b, " replay")
		if !slices.Contains(want, b) {
			t.Errorf("%s: batch %s", what, b)
		}
		seen[b] = true
	}
	if len(seen) < len(want)-1 {
		t.Errorf("%s: batches %q", what, got)
	}
}
