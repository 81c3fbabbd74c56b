package checkpoint_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

// oldCheckpoint is a closed checkpoint with batches 0 to 8 committed, 9 planned,
// snapshots of 5 and 8, and several segments.
func oldCheckpoint(t testing.TB, id byte) *vfs.Mem {
	t.Helper()
	m := newDisk()
	o := testOptions()
	o.NewID = fixedID(id)
	var r run
	_, err := r.open(m, o)
	must(t, err)
	must(t, r.batches(8))
	must(t, r.log.Close())
	return m
}

func edit(t testing.TB, fsys vfs.FS, name string, change func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := vfs.ReadFile(fsys, path)
	must(t, err)
	must(t, vfs.WriteFile(fsys, path, change(data)))
}

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 0x10
		return b
	}
}

func cut(size int) func([]byte) []byte { return func(b []byte) []byte { return b[:size] } }

// content is everything in a directory, to see that a refused Open changed nothing.
func content(t testing.TB, fsys vfs.FS) string {
	t.Helper()
	names, err := fsys.List(dir)
	must(t, err)
	var b strings.Builder
	for _, name := range names {
		data, err := vfs.ReadFile(fsys, filepath.Join(dir, name))
		must(t, err)
		fmt.Fprintf(&b, "%s %x\n", name, data)
	}
	return b.String()
}

func segments(t testing.TB, m *vfs.Mem) []string {
	names, err := m.List(dir)
	must(t, err)
	var found []string
	for _, name := range names {
		if strings.HasPrefix(name, "log-") {
			found = append(found, name)
		}
	}
	if len(found) < 2 {
		t.Fatalf("the test wants two segments, there are %q", names)
	}
	return found
}

const (
	snapshot5 = "snapshot-00000000000000000005"
	snapshot8 = "snapshot-00000000000000000008"
)

// TestRefused damages one file after the other.
func TestRefused(t *testing.T) {
	log := segments(t, oldCheckpoint(t, 1))
	last, first := log[len(log)-1], log[0]
	copyFrom := func(name string) func(*testing.T, *vfs.Mem) {
		return func(t *testing.T, m *vfs.Mem) {
			data, err := vfs.ReadFile(oldCheckpoint(t, 2), filepath.Join(dir, name))
			must(t, err)
			edit(t, m, name, func([]byte) []byte { return data })
		}
	}
	change := func(name string, f func([]byte) []byte) func(*testing.T, *vfs.Mem) {
		return func(t *testing.T, m *vfs.Mem) { edit(t, m, name, f) }
	}
	remove := func(names ...string) func(*testing.T, *vfs.Mem) {
		return func(t *testing.T, m *vfs.Mem) {
			for _, name := range names {
				must(t, m.Remove(filepath.Join(dir, name)))
			}
		}
	}
	version := func(b []byte) []byte { b[12] = 9; return b }
	for _, c := range []struct {
		name   string
		damage func(*testing.T, *vfs.Mem)
		want   string // the error
	}{
		{"metadata: magic", change("metadata", flip(0)), `E_CKPT_CORRUPT: file "/ckpt/q/metadata" is damaged at byte 0: expected "SSQLCKPT", found "CSQLCKPT"`},
		{"metadata: identity", change("metadata", flip(20)), `E_CKPT_CORRUPT: file "/ckpt/q/metadata" is damaged at byte 60: the header has checksum`},
		{"metadata: content", change("metadata", flip(-5)), `E_CKPT_CORRUPT: file "/ckpt/q/metadata" is damaged at byte 68: the content has checksum`},
		{"metadata: empty", change("metadata", cut(0)), `E_CKPT_CORRUPT: file "/ckpt/q/metadata" is damaged: expected a header of 64 bytes, found 0 bytes in all`},
		{"metadata: cut", change("metadata", cut(66)), `E_CKPT_CORRUPT: file "/ckpt/q/metadata" is damaged: expected 4 bytes of content behind the header, found -2`},
		{"metadata: longer", change("metadata", func(b []byte) []byte { return append(b, 0) }), `E_CKPT_CORRUPT: file "/ckpt/q/metadata" is damaged: expected 4 bytes of content behind the header, found 5`},
		{"metadata: version", change("metadata", version), `E_CKPT_VERSION: file "/ckpt/q/metadata" has checkpoint format 9, this ssql reads format 1`},
		{"metadata: gone (D8)", remove("metadata"), `E_CKPT_MISSING: file "/ckpt/q/metadata" is missing: it holds the identity of the query, and "` + first + `" is there`},
		{"metadata: of another query", copyFrom("metadata"), `E_CKPT_CORRUPT: file "/ckpt/q/generation" is damaged: it belongs to query 01000000-0000-0000-0000-0000000000ff, this checkpoint is of query 02000000-0000-0000-0000-0000000000ff`},
		{"generation: flip", change("generation", flip(40)), `E_CKPT_CORRUPT: file "/ckpt/q/generation" is damaged at byte 60`},
		{"generation: gone", remove("generation"), `E_CKPT_MISSING: file "/ckpt/q/generation" is missing`},
		{"generation: of another query", copyFrom("generation"), `E_CKPT_CORRUPT: file "/ckpt/q/generation" is damaged: it belongs to query 02`},
		{"generation: another file under its name", func(t *testing.T, m *vfs.Mem) {
			must(t, m.Rename(dir+"/print", dir+"/generation"))
		}, `E_CKPT_CORRUPT: file "/ckpt/q/generation" is damaged at byte 8: expected a file of kind GENR, found one of kind PRNT`},
		{"print: flip", change("print", flip(-1)), `E_CKPT_CORRUPT: file "/ckpt/q/print" is damaged at byte 64`},
		{"print: gone", remove("print"), `E_CKPT_MISSING: file "/ckpt/q/print" is missing`},
		{"log: gone", remove(log...), `E_CKPT_MISSING: file "/ckpt/q/log-00000001" is missing: the checkpoint has no log`},
		{"log: header", change(last, flip(40)), `E_CKPT_CORRUPT: file "/ckpt/q/` + last + `" is damaged at byte 60`},
		{"log: version", change(last, version), `E_CKPT_VERSION: file "/ckpt/q/` + last + `" has checkpoint format 9`},
		{"log: cut in the header", change(last, cut(10)), `E_CKPT_CORRUPT: file "/ckpt/q/` + last + `" is damaged: expected a header of 64 bytes, found 10 bytes in all`},
		{"log: of another query", copyFrom(last), `E_CKPT_CORRUPT: file "/ckpt/q/` + last + `" is damaged: it belongs to query 02`},
		{"log: last segment gone", remove(last), `E_CKPT_CORRUPT: file "/ckpt/q/` + log[len(log)-2] + `" is damaged`},
		{"log: swapped", func(t *testing.T, m *vfs.Mem) {
			must(t, m.Rename(filepath.Join(dir, last), filepath.Join(dir, log[0])))
		}, `E_CKPT_CORRUPT: file "/ckpt/q/`},
		{"log and both snapshots damaged", func(t *testing.T, m *vfs.Mem) {
			edit(t, m, snapshot5, flip(-1))
			edit(t, m, snapshot8, flip(70))
		}, `E_CKPT_CORRUPT: file "/ckpt/q/` + snapshot8 + `" is damaged at byte 664: the content has checksum`},
		{"snapshots gone", remove(snapshot5, snapshot8), `E_CKPT_MISSING: file "/ckpt/q/`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := oldCheckpoint(t, 1)
			c.damage(t, m)
			before := content(t, m)
			_, _, err := checkpoint.Open(m, dir, testOptions())
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v\nwant  %s", err, c.want)
			}
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("no hint in %v", err)
			}
			if content(t, m) != before {
				t.Error("the refused Open changed the directory")
			}
			if _, _, again := checkpoint.Open(m, dir, testOptions()); sqlerr.Code(again) != sqlerr.Code(err) {
				t.Errorf("the second Open says %v", again)
			}
			report, inspectErr := checkpoint.Inspect(m, dir)
			must(t, inspectErr)
			if len(report.Problems) == 0 {
				t.Error("Inspect finds nothing")
			}
		})
	}
}

// TestDamagedSnapshot shows the fallback to the older snapshot and the log, and that
// the next snapshots replace the damaged file.
func TestDamagedSnapshot(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, *vfs.Mem){
		"header":  func(t *testing.T, m *vfs.Mem) { edit(t, m, snapshot8, flip(33)) },
		"middle":  func(t *testing.T, m *vfs.Mem) { edit(t, m, snapshot8, flip(300)) },
		"end":     func(t *testing.T, m *vfs.Mem) { edit(t, m, snapshot8, flip(-1)) },
		"cut":     func(t *testing.T, m *vfs.Mem) { edit(t, m, snapshot8, cut(300)) },
		"empty":   func(t *testing.T, m *vfs.Mem) { edit(t, m, snapshot8, cut(0)) },
		"swapped": func(t *testing.T, m *vfs.Mem) { must(t, m.Rename(dir+"/"+snapshot5, dir+"/"+snapshot8)) },
		"gone":    func(t *testing.T, m *vfs.Mem) { must(t, m.Remove(dir+"/"+snapshot8)) },
	} {
		t.Run(name, func(t *testing.T) {
			m := oldCheckpoint(t, 1)
			damage(t, m)
			var r run
			rec, err := r.open(m, testOptions())
			if name == "swapped" {
				// The older one is gone and the newer one is it: nothing is left to begin from.
				if sqlerr.Code(err) != checkpoint.CodeCorrupt || !strings.Contains(err.Error(), snapshot8+`" is damaged: it is of batch 5`) {
					t.Errorf("error %v", err)
				}
				return
			}
			must(t, err)
			must(t, verify(rec))
			if rec.SnapshotBatch != 5 || rec.NextBatch() != 9 || rec.Pending == nil {
				t.Errorf("recovered snapshot %d, next %d, pending %v", rec.SnapshotBatch, rec.NextBatch(), rec.Pending)
			}
			if name != "gone" && (len(rec.Notices) != 1 || !strings.Contains(rec.Notices[0], snapshot8)) {
				t.Errorf("notices %q", rec.Notices)
			}
			must(t, r.batches(11))
			must(t, r.log.Close())
			report, err := checkpoint.Inspect(m, dir)
			must(t, err)
			if len(report.Problems)+len(report.Notices) > 0 || len(report.Snapshots) != 2 || report.Snapshots[1].Batch != 11 {
				t.Errorf("after the next snapshot: %+v", report)
			}
		})
	}
}

// TestNoSnapshotIntact goes back to the whole log while it is still there.
func TestNoSnapshotIntact(t *testing.T) {
	m := newDisk()
	var r run
	_, err := r.open(m, testOptions())
	must(t, err)
	must(t, r.batches(3)) // one snapshot, of batch 2: the log is not trimmed yet
	must(t, r.log.Close())
	edit(t, m, "snapshot-00000000000000000002", flip(100))
	rec, err := r.open(m, testOptions())
	must(t, err)
	must(t, verify(rec))
	if rec.SnapshotBatch != -1 || len(rec.Batches) != 4 {
		t.Errorf("snapshot %d, %d batches", rec.SnapshotBatch, len(rec.Batches))
	}
}

// TestFlipAnyByte flips each byte of the log in turn. Whatever Open returns must be
// what was written: an error, or a beginning of it.
func TestFlipAnyByte(t *testing.T) {
	m := newDisk()
	var r run
	_, err := r.open(m, testOptions())
	must(t, err)
	must(t, r.batches(1))
	must(t, r.log.Close())
	path := filepath.Join(dir, "log-00000001")
	data, err := vfs.ReadFile(m, path)
	must(t, err)
	used := len(bytes.TrimRight(data, "\x00"))
	refused, shorter := 0, 0
	for at := range used {
		disk := m.CrashClone(rng(1), vfs.KeepAll)
		edit(t, disk, "log-00000001", flip(at))
		var again run
		rec, err := again.open(disk, testOptions())
		switch {
		case sqlerr.Code(err) == checkpoint.CodeCorrupt || sqlerr.Code(err) == checkpoint.CodeVersion:
			refused++
		case err != nil:
			t.Fatalf("byte %d: %v", at, err)
		default:
			must(t, verify(rec))
			if rec.NextBatch() < 2 {
				shorter++
			}
		}
	}
	// Only the last write, of batch 1, can pass for one that a crash has torn.
	if refused == 0 || shorter == 0 || refused+shorter < used*9/10 {
		t.Errorf("of %d bytes %d are refused and %d cost the last batch", used, refused, shorter)
	}
}

func TestForeignDirectory(t *testing.T) {
	m := newDisk()
	must(t, vfs.MakeDir(m, dir))
	must(t, vfs.WriteFile(m, dir+"/thesis.txt", []byte("years of work")))
	before := content(t, m)
	_, _, err := checkpoint.Open(m, dir, testOptions())
	want := `E_CKPT_MISSING: "/ckpt/q" is not a checkpoint: it holds "thesis.txt" and no file "metadata"`
	if err == nil || err.Error() != want || content(t, m) != before {
		t.Errorf("error %v, files\n%s", err, content(t, m))
	}
	_, _, err = checkpoint.Open(m, dir+"/thesis.txt", testOptions())
	if err == nil || err.Error() != `E_CKPT_MISSING: "/ckpt/q/thesis.txt" is not a checkpoint: expected a directory, found a file` {
		t.Errorf("a file: %v", err)
	}
	// Beside a checkpoint other files do no harm.
	m = oldCheckpoint(t, 1)
	must(t, vfs.WriteFile(m, dir+"/notes.txt", nil))
	if _, _, err = checkpoint.Open(m, dir, testOptions()); err != nil {
		t.Error(err)
	}
}

func TestInspect(t *testing.T) {
	m := oldCheckpoint(t, 1)
	before := content(t, m)
	r, err := checkpoint.Inspect(m, dir)
	must(t, err)
	if content(t, m) != before {
		t.Error("Inspect changed the directory")
	}
	if len(r.Problems)+len(r.Notices) > 0 || r.Torn || r.QueryID != "01000000-0000-0000-0000-0000000000ff" || r.CreatedBy != "test" ||
		r.Generation != 1 || r.Holder != "pid 1" || r.Pending == nil || r.Pending.Batch != 9 {
		t.Errorf("report %+v", r)
	}
	newest := r.Batches[len(r.Batches)-1]
	if newest.Batch != 8 || newest.Commit.RowsOut != 16 || newest.StateBytes != int64(len(stateOf(8))) || newest.Plan == nil {
		t.Errorf("newest batch %+v", newest)
	}
	if len(r.Snapshots) != 2 || r.Snapshots[1].Bytes != int64(len(snapshotOf(8))) {
		t.Errorf("snapshots %+v", r.Snapshots)
	}

	// Several faults are all reported.
	edit(t, m, "print", flip(-1))
	edit(t, m, snapshot5, flip(-1))
	must(t, m.Remove(dir+"/generation"))
	r, err = checkpoint.Inspect(m, dir)
	must(t, err)
	if len(r.Problems) != 2 || len(r.Notices) != 1 || len(r.Batches) == 0 {
		t.Errorf("problems %q, notices %q, %d batches", r.Problems, r.Notices, len(r.Batches))
	}

	for path, want := range map[string]string{
		"/none":                     `E_CKPT_MISSING: file "/none/metadata" is missing: the directory "/none" does not exist`,
		"/ckpt":                     `E_CKPT_MISSING: "/ckpt" is not a checkpoint: it holds "q" and no file "metadata"`,
		filepath.Join(dir, "print"): `E_CKPT_MISSING: "/ckpt/q/print" is not a checkpoint: expected a directory, found a file`,
	} {
		if _, err := checkpoint.Inspect(m, path); err == nil || err.Error() != want {
			t.Errorf("Inspect(%s): %v", path, err)
		}
	}
	if _, err := m.Stat("/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("Inspect made a directory")
	}
}

// Whose a checkpoint is stands in two files; what else is damaged is told by the start, and damage
// of the two does not hide it.
func TestReadIdentity(t *testing.T) {
	const id = "01000000-0000-0000-0000-0000000000ff"
	m := oldCheckpoint(t, 1)
	r, err := checkpoint.Inspect(m, dir)
	must(t, err)
	identity := func(what string, print []byte) {
		t.Helper()
		got, err := checkpoint.ReadIdentity(m, dir)
		if err != nil || got.QueryID != id || !bytes.Equal(got.Print, print) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	identity("whole", r.Print)
	edit(t, m, snapshot5, flip(-1))
	must(t, m.Remove(dir+"/generation"))
	identity("without the rest", r.Print)
	edit(t, m, "metadata", flip(-1))
	identity("with damaged metadata", r.Print)
	if _, err := checkpoint.ReadIdentity(m, "/ckpt"); err == nil || err.Error() != `E_CKPT_MISSING: "/ckpt" is not a checkpoint: it holds "q" and no file "metadata"` {
		t.Error(err)
	}
}
