package checkpoint

import (
	"path/filepath"
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
}
