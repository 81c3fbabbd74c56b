package streamtest

import (
	"context"
	"fmt"
	"slices"

	"ssql/internal/vfs"
)

// Sweep is a script run again under other conditions, with the same expectations.
type Sweep struct {
	Name    string
	Options Options
}

// Sweeps returns the sweeps that compare every step: small chunks, several workers on
// small segments, and a restart after every run.
func Sweeps() []Sweep {
	return []Sweep{
		{"chunk=1", Options{ChunkRows: 1}},
		{"chunk=3", Options{ChunkRows: 3}},
		{"workers=1", Options{Workers: 1, SegmentRows: 2}},
		{"workers=2", Options{Workers: 2, SegmentRows: 2}},
		{"workers=4", Options{Workers: 4, SegmentRows: 1}},
		{"resume", Options{Reopen: true, SnapshotEvery: 2}},
	}
}

// CrashSweep crashes at the writes of a script, each time with another part of what was
// not synced, and goes on: the sinks must hold the same rows at the end. base is a plain
// run; at most pointsMax writes are tried, spread over the run, or all with 0.
func CrashSweep(ctx context.Context, base *Result, pointsMax int) error {
	stride := 1
	if pointsMax > 0 {
		stride = max(1, base.Writes/pointsMax)
	}
	modes := vfs.CrashModes()
	for k := 1; k <= base.Writes; k += stride {
		o := Options{
			SnapshotEvery: 2, OnlySinks: true,
			Fault: vfs.Fault{At: k, Err: vfs.ErrCrashed}, CrashMode: modes[k%len(modes)], Seed: uint64(k),
		}
		r := Run(ctx, base.Script, o)
		where := fmt.Sprintf("%s: crash at write %d, %s", base.Script.Name, k, o.CrashMode)
		if r.Crash != 1 {
			return fmt.Errorf("%s: the machine crashed %d times", where, r.Crash)
		}
		if len(r.Failures) > 0 {
			return fmt.Errorf("%s\n%s", where, r.Report(r.Failures[0]))
		}
		for name, want := range base.Sinks {
			if got := r.Sinks[name]; !slices.Equal(got, want) {
				return fmt.Errorf("%s: sink %q\n%s", where, name, Diff(want, got))
			}
		}
	}
	return nil
}

// CanCrash reports whether a script may be swept by crashes: it arms none itself.
func (s *Script) CanCrash() bool {
	if s.NoSweep != "" {
		return false
	}
	for _, st := range s.Steps {
		if st.Verb == "crash" {
			return false
		}
	}
	return true
}
