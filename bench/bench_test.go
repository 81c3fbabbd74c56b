package main

import (
	"os"
	"strings"
	"testing"
)

// Every workload gives DuckDB's result. Time is not looked at: this runs anywhere.
func TestWorkloadsGiveDuckDBsResults(t *testing.T) {
	b := &bench{options: options{short: true, dir: t.TempDir()}}
	binary, err := b.build("..", "head")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloadTable {
		t.Run(w.name, func(t *testing.T) {
			if err := b.measure(&w, []program{ssqlProgram("ssql", binary), duckdbProgram()}); err != nil {
				t.Error(err)
			}
		})
	}
}

// A wrong row, a row too many and a row too few are all found.
func TestCompareFindsEveryDifference(t *testing.T) {
	dir := t.TempDir()
	for name, rows := range map[string]string{
		"right": "(1), (2), (2)", "wrong": "(1), (2), (3)", "more": "(1), (2), (2), (2)", "less": "(1), (2)",
		"same": "(2), (1), (2)",
	} {
		script := dir + "/" + name + ".sql"
		if err := os.WriteFile(script, []byte("CREATE TABLE result AS SELECT * FROM (VALUES "+rows+") t(a)"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := oneShot(dir+"/"+name, script); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"wrong": "3 rows were expected, 1 are too many, 1 are missing",
		"more":  "3 rows were expected, 1 are too many, 0 are missing",
		"less":  "3 rows were expected, 0 are too many, 1 are missing",
	} {
		if _, err := compare(dir+"/"+name, dir+"/right"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("comparing %s: %v, want %q", name, err, want)
		}
	}
	if n, err := compare(dir+"/same", dir+"/right"); n != 3 || err != nil {
		t.Errorf("comparing the same rows in another order: %d rows, %v", n, err)
	}
}

func TestMain(m *testing.M) {
	if ok, err := child(os.Args[1:]); ok {
		exitOn(err)
		return
	}
	os.Exit(m.Run())
}
