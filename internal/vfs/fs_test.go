package vfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ssql/internal/vfs"
)

// eachFS runs a test on the real file system and on the disk in memory: what holds
// for one must hold for the other.
func eachFS(t *testing.T, test func(t *testing.T, fsys vfs.FS, dir string)) {
	t.Run("os", func(t *testing.T) { test(t, vfs.OS{}, t.TempDir()) })
	t.Run("mem", func(t *testing.T) {
		m := vfs.NewMem()
		if err := m.MkdirAll("/d/e"); err != nil {
			t.Fatal(err)
		}
		test(t, m, "/d/e")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, fsys vfs.FS, name, content string) vfs.File {
	t.Helper()
	f, err := fsys.Create(name)
	must(t, err)
	_, err = f.Write([]byte(content))
	must(t, err)
	return f
}

func content(t *testing.T, fsys vfs.FS, name string) string {
	t.Helper()
	data, err := vfs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "<none>"
	}
	must(t, err)
	return string(data)
}

func TestFiles(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "a")
		f := create(t, fsys, name, "hello ")
		_, err := f.Write([]byte("world"))
		must(t, err)
		_, err = f.WriteAt([]byte("J"), 0)
		must(t, err)
		_, err = f.WriteAt([]byte("!"), 13)
		must(t, err)
		must(t, f.Sync())
		must(t, f.Close())
		if got := content(t, fsys, name); got != "Jello world\x00\x00!" {
			t.Errorf("content %q", got)
		}

		w, err := fsys.OpenWrite(name)
		must(t, err)
		must(t, w.Truncate(4))
		must(t, w.Truncate(6))
		_, err = w.Write([]byte("j"))
		must(t, err)
		must(t, w.Close())
		if got := content(t, fsys, name); got != "jell\x00\x00" {
			t.Errorf("after truncate %q", got)
		}

		r, err := fsys.Open(name)
		must(t, err)
		if _, err := r.Write([]byte("x")); err == nil {
			t.Error("a file opened for reading took a write")
		}
		all, err := io.ReadAll(r)
		must(t, err)
		if len(all) != 6 {
			t.Errorf("ReadAll returned %d bytes", len(all))
		}
		must(t, r.Close())
		if f := create(t, fsys, name, ""); f.Close() != nil || content(t, fsys, name) != "" {
			t.Error("Create did not empty the old file")
		}
	})
}

func TestNames(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys vfs.FS, dir string) {
		at := func(name string) string { return filepath.Join(dir, name) }
		for _, name := range []string{"b", "a"} {
			must(t, create(t, fsys, at(name), name).Close())
		}
		if err := fsys.Link(at("a"), at("b")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Link onto a file: %v", err)
		}
		must(t, fsys.Link(at("a"), at("c")))
		must(t, fsys.Rename(at("a"), at("b")))
		must(t, fsys.MkdirAll(at("sub/deep")))
		must(t, fsys.SyncDir(dir))
		names, err := fsys.List(dir)
		must(t, err)
		if got := fmt.Sprint(names); got != "[b c sub]" {
			t.Errorf("List = %s", got)
		}
		if content(t, fsys, at("b")) != "a" || content(t, fsys, at("c")) != "a" {
			t.Error("rename or link lost the content")
		}
		info, err := fsys.Stat(at("sub"))
		must(t, err)
		if !info.Dir {
			t.Error("a directory is not one")
		}
		if err := fsys.Remove(at("sub")); err == nil {
			t.Error("removed a directory that is not empty")
		}
		must(t, fsys.Remove(at("c")))
		for _, err := range []error{
			fsys.Remove(at("c")), fsys.Rename(at("c"), at("d")), fsys.SyncDir(at("none")),
			second(fsys.Open(at("c"))), second(fsys.OpenWrite(at("c"))), second(fsys.List(at("c"))), second(fsys.Stat(at("c"))),
		} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v, want not exist", err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestLock(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "LOCK")
		first, err := fsys.Lock(name, []byte("pid 1"))
		must(t, err)
		_, err = fsys.Lock(name, []byte("pid 2"))
		var locked *vfs.LockedError
		if !errors.Is(err, vfs.ErrLocked) || !errors.As(err, &locked) || locked.Holder != "pid 1" {
			t.Fatalf("second lock: %v", err)
		}
		// Opening and closing the file must not drop the lock, as it would a POSIX lock.
		f, err := fsys.Open(name)
		must(t, err)
		must(t, f.Close())
		if _, err = fsys.Lock(name, nil); !errors.Is(err, vfs.ErrLocked) {
			t.Fatalf("lock after open and close: %v", err)
		}
		must(t, first.Close())
		again, err := fsys.Lock(name, []byte("x"))
		must(t, err)
		must(t, again.Close())
		if got := content(t, fsys, name); got != "x" {
			t.Errorf("content of the lock file %q", got)
		}
	})
}

// TestLockOtherProcess has a child process try a lock that this one holds.
func TestLockOtherProcess(t *testing.T) {
	if name := os.Getenv("VFS_TEST_LOCK"); name != "" {
		_, err := vfs.OS{}.Lock(name, nil)
		fmt.Println("child:", err)
		return
	}
	name := filepath.Join(t.TempDir(), "LOCK")
	lock, err := vfs.OS{}.Lock(name, vfs.Holder(time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)))
	must(t, err)
	defer lock.Close()
	child := exec.Command(os.Args[0], "-test.run=TestLockOtherProcess$")
	child.Env = append(os.Environ(), "VFS_TEST_LOCK="+name)
	out, err := child.Output()
	must(t, err)
	host, err := os.Hostname()
	must(t, err)
	want := fmt.Sprintf("child: locked by pid %d on %s since 2024-01-02T03:04:05Z\n", os.Getpid(), host)
	if got, _, _ := strings.Cut(string(out), "PASS"); got != want {
		t.Errorf("child printed %q, want %q", got, want)
	}
}

func TestPreallocate(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "a")
		f := create(t, fsys, name, "xy")
		defer f.Close()
		must(t, f.Preallocate(4096))
		must(t, f.Preallocate(16))
		if got := content(t, fsys, name); strings.TrimRight(got, "\x00") != "xy" || len(got) != 2 && len(got) != 4096 {
			t.Errorf("%d bytes after Preallocate: %q", len(got), got)
		}
	})
}

func TestMakeDir(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys vfs.FS, dir string) {
		in := vfs.NewInjector(fsys, vfs.Fault{})
		must(t, vfs.MakeDir(in, filepath.Join(dir, "x/y")))
		want := []string{"mkdir y", "syncdir x", "syncdir " + filepath.Base(dir)}
		if got := in.Trace(); len(got) < 3 || !slices.Equal(got[:3], want) {
			t.Errorf("trace %q, want %q", got, want)
		}
		must(t, create(t, fsys, filepath.Join(dir, "file"), "").Close())
		if err := vfs.MakeDir(fsys, filepath.Join(dir, "file")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a directory in the place of a file: %v", err)
		}
		if err := vfs.MakeDir(fsys, filepath.Join(dir, "file/z")); err == nil {
			t.Error("made a directory below a file")
		}
	})
}
