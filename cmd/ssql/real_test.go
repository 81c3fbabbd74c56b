//go:build real

package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb" // reads the answers

	"ssql/internal/session"
	"ssql/internal/shell"
	"ssql/sources/stdin"
)

// realData is the folder of public data sets, which is not part of the project.
const realData = "../../../shared/data"

// realScripts are the scripts that ask questions of the sets, and where they look for
// them from.
const realScripts = "../../testdata/real"

// TestRealData runs the scripts of testdata/real: all rows in one batch, and what
// depends on late rows twice: with all files there, one per batch (backlog), and with the
// files coming one at a time, so that every file ends with an empty batch (idle). The
// answers are those of expected/, which DuckDB and Spark gave.
func TestRealData(t *testing.T) {
	for _, set := range []string{"weblog", "quakes", "lora", "balloons", "storms"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			database := filepath.Join(t.TempDir(), "r.duckdb")
			runReal(t, database, filepath.Join(realScripts, set+".sql"), func(run func()) { run() })
			compareReal(t, database, "")
		})
		t.Run(set+" backlog", func(t *testing.T) {
			t.Parallel()
			database := filepath.Join(t.TempDir(), "r.duckdb")
			runReal(t, database, filepath.Join(realScripts, set+"-late.sql"), func(run func()) { run() })
			compareReal(t, database, ".backlog")
		})
		t.Run(set+" idle", func(t *testing.T) {
			if testing.Short() && set != "storms" {
				t.Skip("each file of the set starts its queries anew")
			}
			t.Parallel()
			script, data := idleFolder(t, set)
			database := filepath.Join(t.TempDir(), "r.duckdb")
			runReal(t, database, script, func(run func()) { feedReal(t, set, data, run) })
			compareReal(t, database, ".idle")
		})
	}
}

// runReal opens a session and lets drive run the script in it any number of times.
func runReal(t *testing.T, database, script string, drive func(run func())) {
	t.Helper()
	ctx := context.Background()
	s, err := session.Open(ctx, session.Config{
		Database: database, Program: "test", Sources: sourceConnectors(stdin.New(os.Stdin)), Sinks: sinkConnectors, Notify: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	sh, err := shell.New(shell.Config{
		Session: s, Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said, Mode: "box", Width: func() int { return 100 },
	})
	if err != nil {
		t.Fatal(err)
	}
	drive(func() {
		if err := sh.RunFile(ctx, script); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, said.String())
		}
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// idleFolder lays a copy of the script for late rows and an empty folder for the data
// of the set out as the originals lie.
func idleFolder(t *testing.T, set string) (script, data string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realScripts, set+"-late.sql"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	script = filepath.Join(root, "main", "testdata", "real", set+".sql")
	data = filepath.Join(root, "shared", "data", set)
	if set == "balloons" {
		data = filepath.Join(data, "sensors")
	}
	for _, dir := range []string{filepath.Dir(script), data} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(script, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return script, data
}

// feedReal puts the files of a set into a folder one by one and runs the script after
// each.
func feedReal(t *testing.T, set, data string, run func()) {
	t.Helper()
	from := filepath.Join(realData, set)
	if set == "balloons" {
		from = filepath.Join(from, "sensors")
	}
	files, err := filepath.Glob(filepath.Join(from, "part-*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", from, err)
	}
	slices.Sort(files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, filepath.Base(file)), content, 0o644); err != nil {
			t.Fatal(err)
		}
		run()
	}
}

// compareReal compares each table that has an answer of the variant with it. Every
// answer of the variant whose script was run must have a table.
func compareReal(t *testing.T, database, variant string) {
	t.Helper()
	db, err := sql.Open("duckdb", database+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	compared := 0
	for _, table := range textRows(t, db, "SELECT table_name FROM duckdb_tables() WHERE contains(table_name, '-q')") {
		name := table[0]
		answer, err := os.ReadFile(filepath.Join(realData, "expected", name+variant+".csv"))
		if err != nil {
			t.Errorf("table %s: %v", name, err)
			continue
		}
		want, err := csv.NewReader(bytes.NewReader(answer)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		got := textRows(t, db, fmt.Sprintf(`SELECT COLUMNS(*)::VARCHAR FROM "%s"`, name))
		compareRows(t, name+variant, got, want[1:])
		compared++
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// textRows returns the rows of a query whose columns are text; NULL is "".
func textRows(t *testing.T, db *sql.DB, query string) (out [][]string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// compareRows compares rows in any order and shows some of those that differ.
func compareRows(t *testing.T, name string, got, want [][]string) {
	t.Helper()
	counts := map[string]int{}
	for _, row := range got {
		counts[plain(row)]++
	}
	for _, row := range want {
		counts[plain(row)]--
	}
	var differences []string
	for row, n := range counts {
		if n != 0 {
			differences = append(differences, fmt.Sprintf("%+d  %s", n, row))
		}
	}
	if len(differences) > 0 {
		slices.Sort(differences)
		t.Errorf("%s: %d rows, want %d; with the wrong number (+ is too many):\n%s", name, len(got), len(want),
			strings.Join(differences[:min(len(differences), 12)], "\n"))
	}
}

// plain renders a row with numbers as short as the answers spell them.
func plain(row []string) string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = strings.TrimSuffix(cell, ".0")
	}
	return strings.Join(out, " | ")
}
