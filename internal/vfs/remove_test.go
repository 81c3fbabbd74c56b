package vfs

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"testing"
)

// TestRemoveDirAtEachCrash: whatever the moment of a crash, and whatever it leaves, the folder
// is whole or gone, and a later removal takes away what was left.
func TestRemoveDirAtEachCrash(t *testing.T) {
	for at := 1; ; at++ {
		disk := NewMem()
		if err := MakeDir(disk, "/db/q/deep"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"/db/q/a", "/db/q/b", "/db/q/deep/c"} {
			if err := WriteFile(disk, name, []byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		in := NewInjector(disk, Fault{At: at, Err: ErrCrashed})
		err := RemoveDir(in, "/db/q")
		for _, mode := range CrashModes() {
			after := disk.CrashClone(rand.New(rand.NewPCG(1, uint64(at))), mode)
			_, gone := after.Stat("/db/q")
			if gone == nil {
				for _, name := range []string{"/db/q/a", "/db/q/b", "/db/q/deep/c"} {
					if data, err := ReadFile(after, name); err != nil || string(data) != name {
						t.Errorf("crash at %d, %v: %s: %q, %v", at, mode, name, data, err)
					}
				}
			}
			if err == nil && gone == nil {
				t.Errorf("%v: the folder is back after its removal was acknowledged", mode)
			}
			if err := SweepRemoved(after, "/db"); err != nil {
				t.Errorf("crash at %d, %v: sweeping: %v", at, mode, err)
			}
			if err := RemoveDir(after, "/db/q"); err != nil {
				t.Errorf("crash at %d, %v: again: %v", at, mode, err)
			}
			if names, err := after.List("/db"); err != nil || len(names) > 0 {
				t.Errorf("crash at %d, %v: left: %q, %v", at, mode, names, err)
			}
		}
		if err == nil {
			break
		}
		if !errors.Is(err, ErrCrashed) {
			t.Fatalf("crash at %d: %v", at, err)
		}
	}
	if err := RemoveDir(NewMem(), "/nothing"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
