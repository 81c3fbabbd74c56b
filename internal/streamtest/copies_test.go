//go:build real

package streamtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"ssql/internal/streamtest"
)

// shared holds the scripts as Spark's recorder wrote them, beside the repository.
const shared = "../../../shared/goldens"

// newMarks are those of the differences that were decided after the recordings were made, so
// that the recordings do not have them: where Spark 4.0.1 loses late rows of a join (D13),
// and where 4.3.0 keeps fewer rows (D15).
var newMarks = regexp.MustCompile(`(?m) differs=D1[35]$`)

// TestGoldensAreCopies compares the copies with the recorded ones: only blocks of ssql, and
// the marks of steps that have one, may have been added.
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
		if newMarks.ReplaceAllString(s.WithoutSSQL(), "") != string(want) {
			t.Errorf("%s is not a copy", name)
		}
	}
}
