package checkpoint

import (
	"strings"
	"testing"

	"ssql/internal/owner"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
)

func TestRemove(t *testing.T) {
	disk := vfs.NewMem()
	if err := Remove(disk, "/db/q", nil); err != nil {
		t.Fatalf("of nothing: %v", err)
	}
	claim := func(path string, inode uint64) *owner.Claim {
		return &owner.Claim{
			Database: owner.Database{ID: "1", Path: path, File: vfs.FileID{Device: 1, Inode: inode}},
			What:     "checkpoint", Code: "E_CKPT_ELSEWHERE", Corrupt: CodeCorrupt, Hint: func(string, bool) string { return "" },
		}
	}
	l, _, err := Open(disk, "/db/q", Options{Owner: claim("/db", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(disk, "/db/q", claim("/db", 1)); sqlerr.Code(err) != CodeLocked {
		t.Errorf("while it is open: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(disk, "/db/q", claim("/copy", 2)); sqlerr.Code(err) != "E_CKPT_ELSEWHERE" {
		t.Errorf("by a copy: %v", err)
	}
	if _, _, err := Open(disk, "/db/q", Options{Owner: claim("/copy", 2)}); sqlerr.Code(err) != "E_CKPT_ELSEWHERE" {
		t.Errorf("opened by a copy: %v", err)
	}
	if err := Remove(disk, "/db/q", claim("/db", 1)); err != nil {
		t.Error(err)
	}
	if names, err := disk.List("/db"); err != nil || len(names) > 0 {
		t.Errorf("left: %q, %v", names, err)
	}
}

// TestLostLock: once the lock is not the one that was taken, nothing is written any more: by
// then another process may have the checkpoint.
func TestLostLock(t *testing.T) {
	away := func(disk vfs.FS) error { return disk.Rename("/db/q", "/db/elsewhere") }
	gone := func(disk vfs.FS) error { return disk.Remove("/db/q/LOCK") }
	replaced := func(disk vfs.FS) error {
		if err := disk.Remove("/db/q/LOCK"); err != nil {
			return err
		}
		f, err := disk.Create("/db/q/LOCK")
		if err != nil {
			return err
		}
		return f.Close()
	}
	for name, lose := range map[string]func(vfs.FS) error{"folder moved": away, "removed": gone, "replaced": replaced} {
		for _, c := range []struct {
			name  string
			write func(l *Log) error
		}{
			{"plan", func(l *Log) error { _, err := l.AppendPlan(&Plan{Batch: 1}); return err }},
			{"print", func(l *Log) error { return l.SetPrint([]byte("x")) }},
			{"snapshot", func(l *Log) error { return l.WriteSnapshot(0, []byte("x")) }},
			{"asked", (*Log).StillHeld},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				disk := vfs.NewMem()
				in := vfs.NewInjector(disk, vfs.Fault{})
				l, _, err := Open(in, "/db/q", Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				if _, err := l.AppendPlan(&Plan{}); err != nil {
					t.Fatal(err)
				}
				if _, err := l.AppendCommit(&Commit{}, nil, nil); err != nil {
					t.Fatal(err)
				}
				if err := l.StillHeld(); err != nil {
					t.Fatal(err)
				}
				if err := lose(disk); err != nil {
					t.Fatal(err)
				}
				before := in.Ops()
				if err := c.write(l); sqlerr.Code(err) != CodeLockLost || !strings.Contains(err.Error(), "no longer locked") {
					t.Errorf("got %v", err)
				}
				if in.Ops() != before {
					t.Errorf("written: %q", in.Trace()[before:])
				}
			})
		}
	}
}
