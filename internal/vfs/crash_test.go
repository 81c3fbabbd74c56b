package vfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ssql/internal/vfs"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestCrashModes says what each mode leaves of a disk with one synced file that was
// then overwritten, and one new file.
func TestCrashModes(t *testing.T) {
	m := vfs.NewMem()
	must(t, m.MkdirAll("/d"))
	must(t, m.SyncDir("/"))
	f := create(t, m, "/d/old", "aaaa")
	must(t, f.Sync())
	must(t, m.SyncDir("/d"))
	_, err := f.WriteAt([]byte("bbbbbbbb"), 2)
	must(t, err)
	g := create(t, m, "/d/new", "nnnn")
	must(t, g.Sync())
	create(t, m, "/d/empty", "eeee")

	look := func(m *vfs.Mem) string {
		return fmt.Sprintf("%s %s %s", content(t, m, "/d/old"), content(t, m, "/d/new"), content(t, m, "/d/empty"))
	}
	want := map[vfs.CrashMode]string{
		vfs.LoseAll:  "aaaa <none> <none>",
		vfs.KeepAll:  "aabbbbbbbb nnnn eeee",
		vfs.LoseData: "aaaa nnnn ",
	}
	for mode, want := range want {
		if got := look(m.CrashClone(rng(1), mode)); got != want {
			t.Errorf("%s leaves %q, want %q", mode, got, want)
		}
	}
	if got := look(m.CrashClone(rng(1), vfs.KeepAll).CrashClone(rng(1), vfs.LoseAll)); got != want[vfs.LoseAll] {
		t.Errorf("a power cut after the death of the process leaves %q, want %q", got, want[vfs.LoseAll])
	}

	seen := map[string]bool{}
	for seed := range uint64(64) {
		torn := content(t, m.CrashClone(rng(seed), vfs.TearLast), "/d/old")
		if !strings.HasPrefix("aabbbbbbbb", torn) && torn != "aaaa" && torn != "aaba" {
			t.Errorf("tear-last leaves %q", torn)
		}
		some := look(m.CrashClone(rng(seed), vfs.KeepSome))
		seen[some] = true
		if again := look(m.CrashClone(rng(seed), vfs.KeepSome)); again != some {
			t.Errorf("seed %d gives %q and %q", seed, some, again)
		}
	}
	for _, some := range []string{"aabbbbbbbb nnnn <none>", "aaaa <none> eeee", "aaaa nnnn ", "aabbbbbbbb <none> <none>"} {
		if !seen[some] {
			t.Errorf("64 seeds of keep-some never left %q", some)
		}
	}
	if got := look(m); got != "aabbbbbbbb nnnn eeee" {
		t.Errorf("CrashClone changed the original: %q", got)
	}
}

// TestCrashKeepSomeTearsSectors shows that a write of many sectors survives in parts.
func TestCrashKeepSomeTearsSectors(t *testing.T) {
	m := vfs.NewMem()
	f := create(t, m, "/a", strings.Repeat("\x00", 4096))
	must(t, f.Sync())
	must(t, m.SyncDir("/"))
	_, err := f.WriteAt([]byte(strings.Repeat("x", 4096)), 0)
	must(t, err)
	got := content(t, m.CrashClone(rng(3), vfs.KeepSome), "/a")
	kept := 0
	for at := 0; at < len(got); at += 512 {
		sector := got[at : at+512]
		if strings.Trim(sector, sector[:1]) != "" {
			t.Errorf("the sector at %d is torn", at)
		}
		if sector[0] == 'x' {
			kept++
		}
	}
	if kept == 0 || kept == 8 {
		t.Errorf("%d of 8 sectors kept", kept)
	}
}

// TestCrashRename shows that a rename inside one directory is all or nothing.
func TestCrashRename(t *testing.T) {
	m := vfs.NewMem()
	for _, name := range []string{"/a", "/b"} {
		must(t, create(t, m, name, name).Sync())
	}
	must(t, m.SyncDir("/"))
	must(t, m.Rename("/a", "/b"))
	for seed := range uint64(16) {
		c := m.CrashClone(rng(seed), vfs.KeepSome)
		got := content(t, c, "/a") + " " + content(t, c, "/b")
		if got != "/a /b" && got != "<none> /a" {
			t.Errorf("seed %d leaves %q", seed, got)
		}
	}
}

// TestWriteFileCrash crashes at every operation of WriteFile and WriteNewFile: the
// name must show old or new content, and the new one once the call has returned.
func TestWriteFileCrash(t *testing.T) {
	writers := map[string]func(vfs.FS, string, ...[]byte) error{"replace": vfs.WriteFile, "new": vfs.WriteNewFile}
	for kind, write := range writers {
		for k := 1; ; k++ {
			m := vfs.NewMem()
			old := "<none>"
			if kind == "replace" {
				must(t, vfs.WriteFile(m, "/f", []byte("old")))
				old = "old"
			}
			in := vfs.NewInjector(m, vfs.Fault{At: k, Err: vfs.ErrCrashed})
			err := write(in, "/f", []byte("new "), []byte(strings.Repeat("x", 2000)))
			for _, mode := range vfs.CrashModes() {
				for seed := range uint64(8) {
					got := content(t, m.CrashClone(rng(seed), mode), "/f")
					isNew := len(got) == 2004 && strings.HasPrefix(got, "new ")
					if !isNew && (err == nil || got != old) {
						t.Fatalf("%s, crash at %d, %s: %.10q... after error %v", kind, k, mode, got, err)
					}
				}
			}
			if err == nil {
				if err := vfs.WriteNewFile(m, "/f", nil); !errors.Is(err, fs.ErrExist) {
					t.Errorf("WriteNewFile onto a file: %v", err)
				}
				if names, _ := m.List("/"); !slices.Equal(names, []string{"f"}) {
					t.Errorf("left behind: %q", names)
				}
				break
			}
		}
	}
}

func TestInjector(t *testing.T) {
	m := vfs.NewMem()
	in := vfs.NewInjector(m, vfs.Fault{At: 3, Err: syscall.ENOSPC})
	f := create(t, in, "/a", "1234")
	if n, err := f.Write([]byte("5678")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("failing write: %d, %v", n, err)
	}
	must(t, f.Sync())
	if got := content(t, in, "/a"); got != "123456" {
		t.Errorf("content after a full disk %q", got)
	}
	in.Arm(vfs.Fault{At: 1, Err: syscall.EIO, Sticky: true})
	for range 2 {
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Errorf("sticky fault: %v", err)
		}
	}
	in.Arm(vfs.Fault{At: 2, Err: vfs.ErrCrashed})
	must(t, in.Rename("/a", "/b"))
	if err := in.Remove("/b"); !errors.Is(err, vfs.ErrCrashed) || !in.Crashed() {
		t.Errorf("crash: %v", err)
	}
	for _, err := range []error{second(in.Open("/b")), second(in.Stat("/b")), second(in.List("/")), second(in.Lock("/l", nil)), f.Sync(), in.SyncDir("/")} {
		if !errors.Is(err, vfs.ErrCrashed) {
			t.Errorf("after the crash: %v", err)
		}
	}
	want := []string{
		"create a", "write a: 4", "write a: 4 -> no space left on device", "sync a",
		"sync a -> input/output error", "sync a -> input/output error",
		"rename a b", "remove b -> the machine has crashed",
	}
	if got := in.Trace(); !slices.Equal(got, want) {
		t.Errorf("trace\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if in.Ops() != len(want) {
		t.Errorf("%d operations, want %d", in.Ops(), len(want))
	}
}

func TestNoSync(t *testing.T) {
	m := vfs.NewMem()
	must(t, vfs.WriteFile(vfs.NoSync{FS: m}, "/a", []byte("x")))
	if got := content(t, m, "/a"); got != "x" {
		t.Errorf("content %q", got)
	}
	if got := content(t, m.CrashClone(rng(1), vfs.LoseAll), "/a"); got != "<none>" {
		t.Errorf("after a power cut %q", got)
	}
}
