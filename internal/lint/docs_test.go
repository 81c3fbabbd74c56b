package lint

import (
	"go/ast"
	"go/token"
	"os"
	"path"
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
		script := m[1]
		if !strings.HasPrefix(script, "testdata/") && !strings.HasPrefix(script, "examples/") {
			script = "testdata/goldens/" + script
		}
		mustExist(t, script)
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

// TestArchitectureDrawsEveryPackage keeps the map whole.
func TestArchitectureDrawsEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	parseAll(t, func(name string, _ *token.FileSet, _ *ast.File, _ []byte) { folders[path.Dir(name)] = true })
	if len(folders) < 40 {
		t.Fatalf("found %d packages", len(folders))
	}
	for folder := range folders {
		if !regexp.MustCompile(`(?m)(^|[\s,])` + regexp.QuoteMeta(folder) + `($|[\s,])`).Match(text) {
			t.Errorf("docs/ARCHITECTURE.md does not draw %s", folder)
		}
	}
}

func mustExist(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, file)); err != nil {
		t.Errorf("a document names %s, which does not exist", file)
	}
}
