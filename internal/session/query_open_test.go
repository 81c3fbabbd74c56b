package session

import (
	"testing"

	"ssql/internal/catalog"
)

func TestFolderNames(t *testing.T) {
	for name, want := range map[string]string{"Counts": "counts", "../x": "%2E%2E%2Fx", ".hidden": "%2Ehidden", "a b": "a%20b"} {
		if got := catalog.FolderName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
