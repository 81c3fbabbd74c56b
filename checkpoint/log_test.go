package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

const dir = "/ckpt/q"

// testOptions make segments so small that every few batches begin a new one.
func testOptions() checkpoint.Options {
	return checkpoint.Options{SegmentBytes: 2048, CreatedBy: "test", Holder: []byte("pid 1"), NewID: fixedID(1)}
}

func fixedID(n byte) func() [16]byte {
	return func() [16]byte { return [16]byte{0: n, 15: 0xff} }
}

func newDisk() *vfs.Mem {
	m := vfs.NewMem()
	m.Preallocates = true
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// What batch n holds depends on n alone, so that any log can be checked.

func planOf(n, generation int64) *checkpoint.Plan {
	return &checkpoint.Plan{
		Batch: n, Generation: generation, NowMicros: 1000 + n, WatermarkMicros: n, LateMicros: n - 1, Seed: 42,
		Ranges: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"file":"<a&b>","end":%d}`, n)), nil}, Definition: "d",
	}
}

func commitOf(n int64) *checkpoint.Commit {
	return &checkpoint.Commit{Batch: n, WatermarkMicros: n + 1, NodeMicros: []*int64{&n, nil}, RowsIn: n, RowsOut: 2 * n}
}

// stateOf is empty for some batches, larger than a segment for others.
func stateOf(n int64) []byte {
	return bytes.Repeat([]byte{byte(n), 0xA5}, int(n*n%7)*170)
}

func snapshotOf(n int64) []byte { return []byte(strings.Repeat(fmt.Sprintf("<%d>", n), 200)) }

// run is a query that only writes its log, and what it was told.
type run struct {
	log        *checkpoint.Log
	generation int64
	planned    int64 // last batch whose plan was acknowledged
	committed  int64 // last batch whose commit was acknowledged
	inherited  int64 // batch of an earlier run's plan that gets another one, -1 for none
}

// batches runs batches from the one due up to last: every second one plans the next
// in the same write, every third writes a snapshot.
func (r *run) batches(last int64) error {
	for n := r.committed + 1; n <= last; n++ {
		if r.inherited == n {
			if _, err := r.log.ReplacePlan(planOf(n, r.generation)); err != nil {
				return err
			}
			r.inherited = -1
		}
		if r.planned < n {
			if _, err := r.log.AppendPlan(planOf(n, r.generation)); err != nil {
				return err
			}
			r.planned = n
		}
		var next *checkpoint.Plan
		if n%2 == 0 {
			next = planOf(n+1, r.generation)
		}
		if _, err := r.log.AppendCommit(commitOf(n), stateOf(n), next); err != nil {
			return err
		}
		r.committed = n
		if next != nil {
			r.planned = n + 1
		}
		if n%3 == 2 {
			if err := r.log.WriteSnapshot(n, snapshotOf(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens the checkpoint and goes on from what it finds.
func (r *run) open(fsys vfs.FS, o checkpoint.Options) (*checkpoint.Recovered, error) {
	l, rec, err := checkpoint.Open(fsys, dir, o)
	if err != nil {
		return nil, err
	}
	r.log, r.generation = l, rec.Generation
	r.committed = rec.NextBatch() - 1
	r.planned, r.inherited = r.committed, -1
	if rec.Pending != nil {
		r.planned = rec.Pending.Batch
		if rec.Pending.Batch%4 != 3 {
			r.inherited = r.planned
		}
	}
	return rec, nil
}

// verify compares everything recovered with what its batches must hold.
func verify(rec *checkpoint.Recovered) error {
	if rec.SnapshotBatch >= 0 && !bytes.Equal(rec.Snapshot, snapshotOf(rec.SnapshotBatch)) {
		return fmt.Errorf("the snapshot is not that of batch %d", rec.SnapshotBatch)
	}
	for i, b := range rec.Batches {
		n := rec.SnapshotBatch + 1 + int64(i)
		if b.Plan == nil || !reflect.DeepEqual(b.Plan, planOf(n, b.Plan.Generation)) {
			return fmt.Errorf("plan of batch %d: %+v", n, b.Plan)
		}
		if !reflect.DeepEqual(b.Commit, commitOf(n)) || !bytes.Equal(b.State, stateOf(n)) {
			return fmt.Errorf("batch %d: commit %+v and %d bytes of state", n, b.Commit, len(b.State))
		}
	}
	if p := rec.Pending; p != nil && !reflect.DeepEqual(p, planOf(rec.NextBatch(), p.Generation)) {
		return fmt.Errorf("pending plan: %+v", p)
	}
	return nil
}

func TestAppendAndReopen(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"mem": newDisk(), "os": vfs.OS{}} {
		t.Run(name, func(t *testing.T) {
			at := dir
			if name == "os" {
				at = t.TempDir() + "/a/b"
			}
			o := testOptions()
			l, rec, err := checkpoint.Open(fsys, at, o)
			must(t, err)
			want := &checkpoint.Recovered{QueryID: "01000000-0000-0000-0000-0000000000ff", Generation: 1, New: true, SnapshotBatch: -1}
			if !reflect.DeepEqual(rec, want) {
				t.Errorf("new: %+v", rec)
			}
			must(t, l.SetPrint([]byte(`{"plan":1}`)))
			digest, err := l.AppendPlan(planOf(0, 1))
			must(t, err)
			next, err := l.AppendCommit(commitOf(0), []byte("state"), planOf(1, 1))
			must(t, err)
			must(t, l.Close())

			l, rec, err = checkpoint.Open(fsys, at, o)
			must(t, err)
			want = &checkpoint.Recovered{
				QueryID: want.QueryID, Generation: 2, Print: []byte(`{"plan":1}`), SnapshotBatch: -1,
				Batches: []checkpoint.Batch{{Plan: planOf(0, 1), State: []byte("state"), Commit: commitOf(0)}},
				Pending: planOf(1, 1), PendingDigest: next,
			}
			if !reflect.DeepEqual(rec, want) {
				t.Errorf("reopened: %+v", rec)
			}
			if digest == next {
				t.Error("two plans have one digest")
			}
			_, err = l.AppendCommit(commitOf(1), nil, nil)
			must(t, err)
			must(t, l.WriteSnapshot(1, []byte("snap")))
			if got := l.BytesSinceSnapshot(); got != 0 {
				t.Errorf("%d bytes since the snapshot", got)
			}
			must(t, l.Close())
			_, rec, err = checkpoint.Open(fsys, at, o)
			must(t, err)
			if rec.Generation != 3 || string(rec.Snapshot) != "snap" || rec.SnapshotBatch != 1 || rec.Batches != nil || rec.Pending != nil {
				t.Errorf("after the snapshot: %+v", rec)
			}
		})
	}
}

// TestLargeState writes more than is copied together, on the real file system.
func TestLargeState(t *testing.T) {
	at := t.TempDir()
	state := bytes.Repeat([]byte("0123456789abcde"), 400_000) // 6 MB, larger than a segment
	l, _, err := checkpoint.Open(vfs.OS{}, at, checkpoint.Options{})
	must(t, err)
	for n := range int64(3) {
		if n == 0 {
			_, err = l.AppendPlan(planOf(0, 1))
			must(t, err)
		}
		_, err = l.AppendCommit(commitOf(n), state[n:], planOf(n+1, 1))
		must(t, err)
	}
	must(t, l.Close())
	l, rec, err := checkpoint.Open(vfs.OS{}, at, checkpoint.Options{})
	must(t, err)
	defer l.Close()
	if len(rec.Batches) != 3 || rec.Pending == nil {
		t.Fatalf("%d batches, pending %v", len(rec.Batches), rec.Pending)
	}
	for n, b := range rec.Batches {
		if !bytes.Equal(b.State, state[n:]) {
			t.Errorf("state of batch %d differs", n)
		}
	}
}

func TestLocked(t *testing.T) {
	m := newDisk()
	l, _, err := checkpoint.Open(m, dir, checkpoint.Options{Holder: []byte("pid 4711 on lab since noon")})
	must(t, err)
	_, _, err = checkpoint.Open(m, dir, testOptions())
	want := `E_LOCKED: checkpoint "/ckpt/q" is in use by pid 4711 on lab since noon`
	if err == nil || err.Error() != want {
		t.Errorf("second process: %v", err)
	}
	must(t, l.Close())
	if err := l.SetPrint(nil); err == nil {
		t.Error("a closed log took a write")
	}
	l, rec, err := checkpoint.Open(m, dir, testOptions())
	must(t, err)
	if rec.Generation != 2 {
		t.Errorf("generation %d: the refused process must not count", rec.Generation)
	}
	must(t, l.Close())
}

func TestMisuse(t *testing.T) {
	var r run
	_, err := r.open(newDisk(), testOptions())
	must(t, err)
	_, err = r.log.AppendCommit(commitOf(0), nil, nil)
	check := func(what string, err error) {
		t.Helper()
		if sqlerr.Code(err) != sqlerr.Internal {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("commit without plan", err)
	_, err = r.log.AppendPlan(planOf(1, 1))
	check("plan of the wrong batch", err)
	_, err = r.log.AppendPlan(planOf(0, 1))
	must(t, err)
	_, err = r.log.AppendPlan(planOf(0, 1))
	check("second plan", err)
	_, err = r.log.AppendCommit(commitOf(0), nil, planOf(2, 1))
	check("gap between commit and plan", err)
	check("snapshot of what is not committed", r.log.WriteSnapshot(0, nil))
	_, err = r.log.AppendCommit(commitOf(0), nil, nil)
	must(t, err)
	must(t, r.log.WriteSnapshot(0, nil))
	check("second snapshot of a batch", r.log.WriteSnapshot(0, nil))
}

// TestSyncOrder is the order of writes and syncs of the first batches, as golden: a
// referrer is written only after everything it refers to is durable.
func TestSyncOrder(t *testing.T) {
	in := vfs.NewInjector(newDisk(), vfs.Fault{})
	var r run
	_, err := r.open(in, testOptions())
	must(t, err)
	must(t, r.batches(2))
	must(t, r.log.Close())
	_, err = r.open(in, testOptions())
	must(t, err)
	got := strings.Join(in.Trace(), "\n")
	want := strings.TrimSpace(`
mkdir q
syncdir ckpt
syncdir /
create generation.tmp
write generation.tmp: 64
write generation.tmp: 4
sync generation.tmp
rename generation.tmp generation
syncdir q
create print.tmp
write print.tmp: 64
write print.tmp: 4
sync print.tmp
rename print.tmp print
syncdir q
create log-00000001.tmp
write log-00000001.tmp: 64
sync log-00000001.tmp
rename log-00000001.tmp log-00000001
syncdir q
preallocate log-00000001 2048
create metadata.tmp
write metadata.tmp: 64
write metadata.tmp: 4
write metadata.tmp: 4
sync metadata.tmp
link metadata.tmp metadata
remove metadata.tmp
syncdir q
write log-00000001 at 64: 184
sync log-00000001
write log-00000001 at 248: 360
sync log-00000001
write log-00000001 at 608: 528
sync log-00000001
write log-00000001 at 1136: 176
sync log-00000001
create log-00000002.tmp
write log-00000002.tmp: 64
sync log-00000002.tmp
link log-00000002.tmp log-00000002
remove log-00000002.tmp
syncdir q
preallocate log-00000002 2048
write log-00000002 at 64: 1720
sync log-00000002
create snapshot-00000000000000000002.tmp
write snapshot-00000000000000000002.tmp: 64
write snapshot-00000000000000000002.tmp: 600
write snapshot-00000000000000000002.tmp: 4
sync snapshot-00000000000000000002.tmp
rename snapshot-00000000000000000002.tmp snapshot-00000000000000000002
syncdir q
preallocate log-00000002 2048
sync log-00000002
create generation.tmp
write generation.tmp: 64
write generation.tmp: 4
sync generation.tmp
rename generation.tmp generation
syncdir q`)
	if got != want {
		t.Errorf("trace\n%s", got)
	}
}

// A batch that an earlier run has planned may get another plan, which is the one that is
// found; within a run, or where nothing is planned, it may not.
func TestReplacePlan(t *testing.T) {
	fsys := newDisk()
	l, _, err := checkpoint.Open(fsys, dir, testOptions())
	must(t, err)
	refused := func(n int64) {
		t.Helper()
		if _, err := l.ReplacePlan(planOf(n, 1)); sqlerr.Code(err) != sqlerr.Internal {
			t.Errorf("another plan of batch %d: %v", n, err)
		}
	}
	refused(0)
	_, err = l.AppendPlan(planOf(0, 1))
	must(t, err)
	refused(0)
	for run := int64(2); run < 5; run++ {
		must(t, l.Close())
		var rec *checkpoint.Recovered
		l, rec, err = checkpoint.Open(fsys, dir, testOptions())
		must(t, err)
		if rec.Pending.Generation != run-1 {
			t.Errorf("run %d finds the plan of run %d", run, rec.Pending.Generation)
		}
		refused(1)
		digest, err := l.ReplacePlan(planOf(0, run))
		must(t, err)
		if digest == rec.PendingDigest {
			t.Errorf("another plan has the same digest")
		}
		refused(0)
	}
	_, err = l.AppendCommit(commitOf(0), stateOf(0), planOf(1, 4))
	must(t, err)
	refused(1)
	must(t, l.Close())
	_, rec, err := checkpoint.Open(fsys, dir, testOptions())
	must(t, err)
	if len(rec.Batches) != 1 || rec.Batches[0].Plan.Generation != 4 || rec.Pending == nil {
		t.Errorf("found %+v", rec)
	}
	if report, err := checkpoint.Inspect(fsys, dir); err != nil || len(report.Problems) > 0 {
		t.Errorf("Inspect: %v %v", report, err)
	}
}
