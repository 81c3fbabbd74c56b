package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	scriptName = regexp.MustCompile("`([a-z_/A-Z0-9.]+\\.test)`")
	fileName   = regexp.MustCompile("`([a-z_/]+\\.go)`")
)

// TestSemanticsNamesScriptsThatExist keeps docs/SEMANTICS.md in step: a rule whose
// script is gone is no rule.
func TestSemanticsNamesScriptsThatExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/SEMANTICS.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, m := range scriptName.FindAllStringSubmatch(string(text), -1) {
		path := m[1]
		if !strings.HasPrefix(path, "testdata/") && !strings.HasPrefix(path, "examples/") {
			path = "testdata/goldens/" + path
		}
		mustExist(t, path)
		named++
	}
	for _, m := range fileName.FindAllStringSubmatch(string(text), -1) {
		mustExist(t, m[1])
	}
	if named < 40 {
		t.Errorf("docs/SEMANTICS.md names %d scripts; each rule has one", named)
	}
}

// TestDocumentsNameFilesThatExist does the same for the map of the house.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	for _, doc := range []string{"docs/ARCHITECTURE.md", "docs/HOWTO-add.md", "README.md"} {
		text, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fileName.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "/") {
				mustExist(t, m[1])
			}
		}
	}
}

func mustExist(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, path)); err != nil {
		t.Errorf("a document names %s, which does not exist", path)
	}
}
