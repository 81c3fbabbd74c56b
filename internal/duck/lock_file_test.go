package duck

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLockThatIsNone: a link or a folder of the lock's name is said by its name.
func TestLockThatIsNone(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink("elsewhere", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(t.TempDir(), "lab.duckdb")
		if err := make(path + ".lock"); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, Options{})
		if wantCode(t, err, "E_SINK_IO"); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}
