package sql

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goldenDir holds the scripts recorded from Spark.
const goldenDir = "../testdata/goldens"

// goldenQueries returns the text of every query and view of a stream script.
func goldenQueries(script string) []string {
	var out []string
	for _, block := range strings.Split(script, "\n\n") {
		lines := strings.Split(block, "\n")
		for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
			lines = lines[1:]
		}
		if len(lines) == 0 || !strings.HasPrefix(lines[0], "query ") && !strings.HasPrefix(lines[0], "view ") {
			continue
		}
		var text []string
		for _, l := range lines[1:] {
			if l == "----" {
				break
			}
			text = append(text, l)
		}
		out = append(out, strings.Join(text, "\n"))
	}
	return out
}

// refusedGoldens are the queries of the goldens that must not parse.
var refusedGoldens = map[string]string{
	"SELEC k FROM s": codeSyntax,
	"SELECT k FROM s TABLESAMPLE (50 PERCENT)": codeUnsupported,
}

func TestGoldenQueriesParse(t *testing.T) {
	files, err := filepath.Glob(goldenDir + "/*/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens in %s: %v", goldenDir, err)
	}
	queries := 0
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range goldenQueries(string(script)) {
			queries++
			checkGolden(t, file, text)
		}
	}
	if queries < 400 {
		t.Errorf("only %d queries in %d files", queries, len(files))
	}
}

func checkGolden(t *testing.T, file, text string) {
	t.Helper()
	q, err := ParseQueryText(text)
	if code, ok := refusedGoldens[text]; ok {
		if errorCode(err) != code {
			t.Errorf("%s: %q is not refused with %s: %v", file, text, code, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s:\n%s", file, rendered(err, text))
		return
	}
	checkReprint(t, text, QueryText(q))
}

// checkReprint parses a canonical text and wants it back.
func checkReprint(t *testing.T, from, text string) {
	t.Helper()
	again, err := ParseQueryText(text)
	if err != nil {
		t.Errorf("canonical text of %q does not parse:\n%s", from, rendered(err, text))
		return
	}
	if got := QueryText(again); got != text {
		t.Errorf("canonical text of %q is not stable:\n%s\n%s", from, text, got)
	}
}
