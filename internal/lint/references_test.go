package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	documentName   = regexp.MustCompile(`[A-Za-z_./-]+\.md\b(, [A-Z][a-z]+( [a-z]+)*)?`)
	differenceName = regexp.MustCompile(`\bD[1-9][0-9]?\b`)
	differenceRow  = regexp.MustCompile(`(?m)^\| (D[0-9]+) \|`)
	heading        = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestCommentsNameWhatIsHere holds that a reason given by reference can be looked up in a
// clone: documents and their headings exist, numbered differences stand in
// docs/SEMANTICS.md, and no comment cites a section of a paper.
func TestCommentsNameWhatIsHere(t *testing.T) {
	differences := listedDifferences(t)
	references := 0
	goFiles(t, func(name string) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			text := unwrapped(group)
			if strings.Contains(text, "§") {
				t.Errorf("%s: a comment cites a section by number; name the document here that holds it: %s", name, text)
			}
			for _, reference := range documentName.FindAllString(text, -1) {
				references++
				checkReference(t, name, reference)
			}
			for _, d := range differenceName.FindAllString(text, -1) {
				if !differences[d] {
					t.Errorf("%s: a comment names %s, which docs/SEMANTICS.md does not list", name, d)
				}
			}
		}
	})
	if references < 30 {
		t.Errorf("%d references found", references)
	}
}

// unwrapped is a comment as one line, so that a reference over two lines is whole.
func unwrapped(group *ast.CommentGroup) string {
	return strings.Join(strings.Fields(group.Text()), " ")
}

// checkReference looks a name such as "docs/SEMANTICS.md, Late rows" up: below the root of
// the module, beside the file that names it, or in docs.
func checkReference(t *testing.T, file, reference string) {
	t.Helper()
	document, title, _ := strings.Cut(reference, ", ")
	for _, dir := range []string{"", path.Dir(file), "docs"} {
		text, err := os.ReadFile(filepath.Join(root, dir, document))
		if err != nil {
			continue
		}
		for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
			// The words behind a name may go on after the heading.
			if strings.HasPrefix(title, m[1]) {
				return
			}
		}
		if title != "" {
			t.Errorf("%s: a comment names %q, and %s has no such heading", file, reference, document)
		}
		return
	}
	t.Errorf("%s: a comment names %s, which is not in the repository", file, document)
}

func listedDifferences(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/SEMANTICS.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range differenceRow.FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = true
	}
	return out
}

// TestNothingReachesOutOfTheRepository holds that tests run in any clone: what needs data
// beside it is behind the build tag real, which .ci/run runs.
func TestNothingReachesOutOfTheRepository(t *testing.T) {
	outside := regexp.MustCompile(`"[^"\n]*(\.\./shared/|/work/|/home/)`)
	goFiles(t, func(name string) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "//go:build real\n") || name == "internal/lint/references_test.go" {
			return
		}
		if m := outside.Find(text); m != nil {
			t.Errorf("%s names %s, which is not in a clone: use the build tag real", name, m)
		}
	})
}
