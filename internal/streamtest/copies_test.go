//go:build real

package streamtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"ssql/internal/streamtest"
)

// shared holds the scripts as Spark's recorder wrote them, beside the repository.
const shared = "../../../shared/goldens"

// TestGoldensAreCopies compares the copies with the recorded ones: only blocks of ssql may
// have been added.
func TestGoldensAreCopies(t *testing.T) {
	ours, err := streamtest.Files(goldens)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := streamtest.Files(shared)
	if err != nil || len(theirs) == 0 {
		t.Fatalf("no recorded scripts in %s: %v", shared, err)
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d copies of %d scripts", len(ours), len(theirs))
	}
	for _, path := range theirs {
		name, err := filepath.Rel(shared, path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := streamtest.Load(filepath.Join(goldens, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if s.WithoutSSQL() != string(want) {
			t.Errorf("%s is not a copy", name)
		}
	}
}
