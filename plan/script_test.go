package plan

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

var update = flag.Bool("update", false, "rewrite the expected blocks of testdata")

// TestScripts runs the scripts of testdata: each declares streams, tables and views and
// binds queries; the expected block of a query is its EXPLAIN, or the error with its
// caret.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got := runScript(t, string(data))
			if got == string(data) {
				return
			}
			if *update {
				if err := os.WriteFile(f, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s differs (-update rewrites it):\n%s", f, firstDifference(string(data), got))
		})
	}
}

// runScript returns the text of a script with the blocks that its steps give now.
func runScript(t *testing.T, text string) string {
	lines := strings.SplitAfter(text, "\n")
	cat := testCatalog{}
	var out strings.Builder
	next := 0
	for _, s := range parseSteps(text) {
		for ; next < s.line-1; next++ {
			out.WriteString(lines[next])
		}
		next = s.lastLine
		out.WriteString(s.raw + "\n")
		for _, line := range s.input {
			out.WriteString(line + "\n")
		}
		if ok, err := cat.declare(t, s); ok {
			if err != nil {
				t.Fatalf("line %d: %v", s.line, err)
			}
			continue
		}
		out.WriteString("----\n" + answer(cat, s))
	}
	for ; next < len(lines); next++ {
		out.WriteString(lines[next])
	}
	return out.String()
}

// answer is what a plan step prints.
func answer(cat testCatalog, s step) string {
	text := strings.Join(s.input, "\n")
	p, err := bindText(cat, text, optionsOf(s))
	if err != nil {
		return strings.ReplaceAll(sqlerr.Render(err, &sqlerr.Source{Text: text}), "\n\n", "\n") + "\n"
	}
	kinds := map[string]ExplainKind{"": ExplainFull, "logical": ExplainLogical, "state": ExplainState}
	out := Explain(p, kinds[s.options["kind"]])
	for _, n := range p.Notices {
		out += "notice: " + n + "\n"
	}
	if p.Outputs[0].HiddenKey != nil {
		out += "hidden key: " + p.Outputs[0].HiddenKey.Error() + "\n"
	}
	return out
}

// firstDifference shows the first lines that differ, with what is around them.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < max(len(w), len(g)); i++ {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			end := func(l []string) string { return strings.Join(l[min(max(i-3, 0), len(l)):min(i+12, len(l))], "\n") }
			return "want\n" + end(w) + "\ngot\n" + end(g)
		}
	}
	return ""
}
