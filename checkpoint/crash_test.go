package checkpoint_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// life is two runs of one query: a new one up to batch 7, a restart, on to batch 11.
func life(fsys vfs.FS) (run, error) {
	r := run{planned: -1, committed: -1}
	for _, last := range []int64{7, 11} {
		if _, err := r.open(fsys, testOptions()); err != nil {
			return r, err
		}
		if err := r.log.SetPrint([]byte("print")); err != nil {
			return r, err
		}
		if err := r.batches(last); err != nil {
			return r, err
		}
		if err := r.log.Close(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// checkAfterCrash opens what a crash left and compares it with what had been
// acknowledged before it.
func checkAfterCrash(fsys vfs.FS, told run) error {
	found := run{}
	rec, err := found.open(fsys, testOptions())
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer found.log.Close()
	if err := verify(rec); err != nil {
		return err
	}
	switch {
	case len(rec.Notices) > 0:
		return fmt.Errorf("notices %q", rec.Notices)
	case found.generation <= told.generation:
		return fmt.Errorf("generation %d again", found.generation)
	case found.committed < told.committed || found.committed > told.committed+1:
		return fmt.Errorf("committed %d, acknowledged %d", found.committed, told.committed)
	case found.planned < told.planned:
		return fmt.Errorf("planned %d, acknowledged %d", found.planned, told.planned)
	case found.planned > found.committed+1:
		return fmt.Errorf("planned %d, committed %d", found.planned, found.committed)
	}
	// What is written behind the place where the crash cut the log must be found again.
	if err := found.batches(found.committed + 3); err != nil {
		return err
	}
	if err := found.log.Close(); err != nil {
		return err
	}
	var again run
	if rec, err = again.open(fsys, testOptions()); err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	defer again.log.Close()
	if again.committed != found.committed {
		return fmt.Errorf("committed %d after the crash, and %d is found", found.committed, again.committed)
	}
	return verify(rec)
}

// TestCrashAnywhere stops the machine at every operation of a life, with everything
// that may be left of it, and again at every operation of the recovery from some.
func TestCrashAnywhere(t *testing.T) {
	points, again := 0, 0
	for k := 1; ; k++ {
		m := newDisk()
		told, err := life(vfs.NewInjector(m, vfs.Fault{At: k, Err: vfs.ErrCrashed}))
		for _, mode := range vfs.CrashModes() {
			for seed := range seeds(mode) {
				points++
				if err := checkAfterCrash(m.CrashClone(rng(seed), mode), told); err != nil {
					t.Fatalf("crash at operation %d, %s, seed %d: %v", k, mode, seed, err)
				}
			}
			if k%8 == 0 {
				again += crashInRecovery(t, m.CrashClone(rng(1), mode), told, fmt.Sprintf("crash at operation %d, %s", k, mode))
			}
		}
		if err == nil {
			t.Logf("%d operations, %d crashes, %d double crashes", k, points, again)
			return
		}
		if !errors.Is(err, vfs.ErrCrashed) {
			t.Fatalf("crash at operation %d: %v", k, err)
		}
	}
}

// seeds is how many random outcomes of a mode are tried.
func seeds(mode vfs.CrashMode) uint64 {
	switch mode {
	case vfs.KeepSome:
		return 6
	case vfs.TearLast:
		return 3
	}
	return 1
}

// crashInRecovery crashes at every operation of the Open after a crash.
func crashInRecovery(t *testing.T, m *vfs.Mem, told run, what string) (points int) {
	for k := 1; ; k++ {
		disk := m.CrashClone(rng(1), vfs.KeepAll) // a copy; nothing is synced by it
		var second run
		_, err := second.open(vfs.NewInjector(disk, vfs.Fault{At: k, Err: vfs.ErrCrashed}), testOptions())
		if err == nil {
			told.generation = second.generation
		}
		for _, mode := range vfs.CrashModes() {
			points++
			if err := checkAfterCrash(disk.CrashClone(rng(uint64(k)), mode), told); err != nil {
				t.Fatalf("%s, then at operation %d of the recovery, %s: %v", what, k, mode, err)
			}
		}
		if err == nil {
			return points
		}
	}
}

// TestFaultAnywhere fails every operation of a life, once and for ever. The error must
// be named, the log must take nothing more, and without the fault the checkpoint must
// be as after the death of the process.
func TestFaultAnywhere(t *testing.T) {
	codes := map[error]string{syscall.EIO: checkpoint.CodeIO, syscall.ENOSPC: checkpoint.CodeFull, syscall.EROFS: checkpoint.CodeReadOnly}
	for cause, code := range codes {
		for _, sticky := range []bool{false, true} {
			for k := 1; ; k++ {
				m := newDisk()
				told, err := life(vfs.NewInjector(m, vfs.Fault{At: k, Err: cause, Sticky: sticky}))
				what := fmt.Sprintf("%v at operation %d, sticky %v", cause, k, sticky)
				if err != nil && (sqlerr.Code(err) != code || !errors.Is(err, cause)) {
					t.Fatalf("%s: %v", what, err)
				}
				if err != nil && told.log != nil {
					checkEnded(t, what, told)
					must(t, told.log.Close())
				}
				if err := checkAfterCrash(m, told); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if err == nil {
					break
				}
			}
		}
	}
}

// checkEnded makes sure that a log that failed stays failed. A snapshot that failed
// leaves the log as it was.
func checkEnded(t *testing.T, what string, r run) {
	t.Helper()
	first := r.log.SetPrint([]byte("again"))
	_, plan := r.log.AppendPlan(planOf(r.committed+1, r.generation))
	if first != nil && plan != first {
		t.Errorf("%s: the log failed with %v and then gave %v", what, first, plan)
	}
}

// TestFailedSyncIsFinal is the rule of fsync: the next one may report success for data
// that is gone, so nothing is written after a failure.
func TestFailedSyncIsFinal(t *testing.T) {
	in := vfs.NewInjector(newDisk(), vfs.Fault{})
	var r run
	_, err := r.open(in, testOptions())
	must(t, err)
	in.Arm(vfs.Fault{At: 2, Err: syscall.EIO})
	_, err = r.log.AppendPlan(planOf(0, 1))
	want := `E_STORAGE_IO: syncing "/ckpt/q/log-00000001" failed: input/output error`
	if err == nil || err.Error() != want {
		t.Errorf("failed sync: %v", err)
	}
	before := in.Ops()
	for _, call := range []func() error{
		func() error { _, err := r.log.AppendPlan(planOf(0, 1)); return err },
		func() error { return r.log.SetPrint(nil) },
	} {
		if again := call(); again == nil || again.Error() != want {
			t.Errorf("after the failure: %v", again)
		}
	}
	if in.Ops() != before {
		t.Errorf("written after the failure: %q", in.Trace()[before:])
	}
}

// TestRecoveredIsDurable kills the process at every operation, recovers, and then cuts
// the power: what the recovery was told it had must still be there, because the sink
// and the sources go on from it.
func TestRecoveredIsDurable(t *testing.T) {
	for k := 1; ; k++ {
		m := newDisk()
		_, err := life(vfs.NewInjector(m, vfs.Fault{At: k, Err: vfs.ErrCrashed}))
		if err == nil {
			return
		}
		disk := m.CrashClone(rng(1), vfs.KeepAll)
		var told run
		_, err = told.open(disk, testOptions())
		must(t, err)
		if err := checkAfterCrash(disk.CrashClone(rng(1), vfs.LoseAll), told); err != nil {
			t.Fatalf("killed at operation %d, recovered, power cut: %v", k, err)
		}
	}
}

// TestTornTailIsCut leaves a long torn write behind, overwrites its beginning by a
// short one, and begins a new segment: the rest of the torn one must be gone.
func TestTornTailIsCut(t *testing.T) {
	m := newDisk()
	in := vfs.NewInjector(m, vfs.Fault{})
	l, _, err := checkpoint.Open(in, dir, testOptions())
	must(t, err)
	_, err = l.AppendPlan(planOf(0, 1))
	must(t, err)
	in.Arm(vfs.Fault{At: 1, Err: syscall.ENOSPC})
	if _, err = l.AppendCommit(commitOf(0), make([]byte, 1400), nil); sqlerr.Code(err) != checkpoint.CodeFull {
		t.Fatal(err)
	}
	must(t, l.Close())
	l, rec, err := checkpoint.Open(m, dir, testOptions())
	must(t, err)
	if rec.NextBatch() != 0 || rec.Pending == nil {
		t.Fatalf("recovered %+v", rec)
	}
	_, err = l.AppendCommit(commitOf(0), nil, planOf(1, 2))
	must(t, err)
	_, err = l.AppendCommit(commitOf(1), make([]byte, 1900), nil)
	must(t, err)
	must(t, l.Close())
	report, err := checkpoint.Inspect(m, dir)
	must(t, err)
	if len(report.Problems) > 0 || len(report.Segments) != 2 || len(report.Batches) != 2 {
		t.Errorf("report %+v", report)
	}
}

// TestRemovalsUndone loses some of the removals behind a snapshot: the gap they
// leave in the old segments is no damage.
func TestRemovalsUndone(t *testing.T) {
	m := newDisk()
	var r run
	_, err := r.open(m, testOptions())
	must(t, err)
	must(t, r.batches(11))
	for seed := range uint64(20) {
		clone := m.CrashClone(rng(seed), vfs.KeepSome)
		if report, err := checkpoint.Inspect(clone, dir); err != nil || len(report.Problems) > 0 {
			t.Errorf("seed %d: %v, %+v", seed, err, report)
		}
		if err := checkAfterCrash(clone, r); err != nil {
			names, _ := clone.List(dir)
			t.Errorf("seed %d: %v; files %q", seed, err, names)
		}
	}
	names, err := m.List(dir)
	must(t, err)
	snapshots := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, "snapshot") })
	if len(snapshots) != 2 || slices.Contains(names, "log-00000001") {
		t.Errorf("not trimmed: %q", names)
	}
}

// TestTornInThePadding cuts the log inside the zeros behind its last record. The record is
// whole, and what is written next must begin where it is looked for: behind all of the
// zeros.
func TestTornInThePadding(t *testing.T) {
	cuts := 0
	for size := range 8 {
		for cutBytes := int64(1); cutBytes < 8; cutBytes++ {
			m := newDisk()
			l, _, err := checkpoint.Open(m, dir, testOptions())
			must(t, err)
			_, err = l.AppendPlan(planOf(0, 1))
			must(t, err)
			_, err = l.AppendCommit(commitOf(0), make([]byte, size), nil)
			must(t, err)
			must(t, l.Close())
			report, err := checkpoint.Inspect(m, dir)
			must(t, err)
			used := report.Segments[0].UsedBytes
			edit(t, m, report.Segments[0].Name, func(b []byte) []byte { return b[:used-cutBytes] })

			l, rec, err := checkpoint.Open(m, dir, testOptions())
			must(t, err)
			if rec.NextBatch() == 0 {
				must(t, l.Close())
				continue // the cut went into the record
			}
			cuts++
			_, err = l.AppendPlan(planOf(1, 2))
			must(t, err)
			must(t, l.Close())
			l, rec, err = checkpoint.Open(m, dir, testOptions())
			must(t, err)
			if rec.Pending == nil || rec.Pending.Batch != 1 {
				t.Fatalf("%d bytes cut off a log of %d: the plan that was written next is gone", cutBytes, used)
			}
			must(t, l.Close())
		}
	}
	if cuts == 0 {
		t.Error("no record has zeros behind it")
	}
}
