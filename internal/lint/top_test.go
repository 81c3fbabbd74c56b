package lint

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// topLevel is what the project has at its top; what .gitignore leaves out there may be beside it.
var (
	topLevel = []string{".ci", ".git", ".gitignore", "CHANGELOG.md", "README.md", "bench", "checkpoint", "cmd", "docs", "examples", "exec", "go.mod", "go.sum",
		"internal", "plan", "sinks", "sources", "sql", "state", "testdata"}
	ignored = []string{"ssql", "*.duckdb", "*.duckdb.wal", "*.duckdb.ssql", "*.duckdb.lock", "*.test", "*.test.bin"}
)

// TestTopLevel keeps files of a try out of the repository: a database and a script are quickly committed
// with all else.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		named := slices.ContainsFunc(ignored, func(pattern string) bool { ok, err := filepath.Match(pattern, e.Name()); return ok && err == nil })
		if !named && !slices.Contains(topLevel, e.Name()) {
			t.Errorf("%s is nothing of the project's top level: try things in a folder of their own, or add it here", e.Name())
		}
	}
}
