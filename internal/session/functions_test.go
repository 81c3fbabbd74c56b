package session_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var callOf = regexp.MustCompile(`([a-z_0-9]+)\(`)

// TestFunctionsOfDuckDB compares the scalar functions that DuckDB evaluates for a stream with
// DuckDB's own answers over the same rows in a table, and demands that none is left out.
func TestFunctionsOfDuckDB(t *testing.T) {
	w := besideTable(t, 60)
	text, err := os.ReadFile("testdata/duckdb_functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var without []string // names and patterns
	called := map[string]bool{}
	list := false
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "without "):
			list = true
			continue
		case list:
			without = append(without, strings.Fields(line)...)
			continue
		}
		for _, call := range callOf.FindAllStringSubmatch(line, -1) {
			called[call[1]] = true
		}
		stream, table := w.rows("SELECT ts, i, "+line+" AS x FROM ev"), w.rows("SELECT ts, i, "+line+" AS x FROM tab")
		if stream != table {
			t.Errorf("%s\nstream:\n%s\ntable:\n%s", line, stream, table)
		}
	}
	for _, row := range strings.Split(w.rows("SHOW FUNCTIONS"), "\n") {
		name, place, _ := strings.Cut(row, " | ")
		if place == "scalar | DuckDB" && !called[name] && !matches(without, name) {
			t.Errorf("%s runs in DuckDB, and testdata/duckdb_functions.txt does not compare it", name)
		}
	}
}

func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}
