package checkpoint

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ssql/internal/vfs"
)

func TestHeld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "q")
	held := func(want bool) {
		t.Helper()
		if got, err := Held(vfs.OS{}, dir); got != want || err != nil {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	held(false)
	log, _, err := Open(vfs.OS{}, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	held(true)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	held(false)

	// DIAGNOSE asks for queries of a database on a disk that cannot be written.
	if got, err := Held(refusing{vfs.OS{}, syscall.EROFS}, dir); got || err != nil {
		t.Errorf("on a disk that cannot be written: got %v, %v", got, err)
	}
	if _, err := Held(refusing{vfs.OS{}, syscall.EACCES}, dir); err == nil {
		t.Error("nobody can know who has a lock without the right to look")
	}
}

// refusing gives no locks.
type refusing struct {
	vfs.FS
	why error
}

func (r refusing) Lock(name string, _ []byte) (vfs.Lock, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: r.why}
}

// TestStorageErrorsSayWhatToDo shows that what is no fault of the disk is not laid on it.
func TestStorageErrorsSayWhatToDo(t *testing.T) {
	for cause, want := range map[error]string{
		syscall.ENAMETOOLONG: "E_STORAGE_IO give it a shorter one", syscall.EMFILE: "E_LIMIT ulimit -n 1024", syscall.ENOSPC: "E_STORAGE_FULL free some space", syscall.EIO: "E_STORAGE_IO check the disk",
	} {
		code, hint, _ := strings.Cut(want, " ")
		if e := storage("reading", "q", &fs.PathError{Op: "open", Path: "q", Err: cause}); e.Code != code || !strings.Contains(e.Hint, hint) {
			t.Errorf("%v: got %s: %s", cause, e.Code, e.Hint)
		}
	}
}
