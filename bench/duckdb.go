package main

import (
	"database/sql"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/marcboeker/go-duckdb" // the DuckDB that ssql links, as the other side
)

// DuckDB runs in processes of its own: this program again, with one of these as its first
// argument. A process starts with the memory of the one that makes it as its peak, so
// the measuring one must stay small.
const (
	oneShotCommand = "duckdb-oneshot"
	compareCommand = "duckdb-compare"
)

// child does what a child process is for; ok is false if this is none.
func child(args []string) (ok bool, err error) {
	if len(args) != 3 {
		return false, nil
	}
	switch args[0] {
	case oneShotCommand:
		return true, oneShot(args[1], args[2])
	case compareCommand:
		n, err := compare(args[1], args[2])
		fmt.Print(n)
		return true, err
	}
	return false, nil
}

// oneShot runs a file of statements in a DuckDB database.
func oneShot(database, script string) error {
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	db, err := sql.Open("duckdb", database+"?threads=2")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(string(text))
	return err
}

// makeData writes the input of a workload once.
func makeData(p place, statements string) error {
	done := filepath.Join(p.data, ".done")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := os.MkdirAll(p.data, 0o755); err != nil {
		return err
	}
	script := filepath.Join(p.data, "data.sql")
	if err := os.WriteFile(script, []byte(p.scriptOf(statements)), 0o600); err != nil {
		return err
	}
	if err := runQuietly("/proc/self/exe", oneShotCommand, "", script); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o600)
}

// digest is a short name for a text.
func digest(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}

// scriptOf fills the statements of a side; those that speak of a part are repeated for
// every part.
func (p place) scriptOf(statements string) string {
	if !strings.Contains(statements, "{part}") {
		return p.fill(statements, 0)
	}
	var b strings.Builder
	for part := range p.parts {
		b.WriteString(p.fill(statements, part))
	}
	return b.String()
}

// compare demands that the table or view "result" holds the same rows in two
// databases, and returns how many.
func compare(a, b string) (int, error) {
	// The second is the main database: a view of it finds its tables only there.
	db, err := sql.Open("duckdb", b+"?access_mode=read_only")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if _, err := db.Exec(fmt.Sprintf("ATTACH '%s' AS a (READ_ONLY)", a)); err != nil {
		return 0, err
	}
	var rows, extra, missing int
	err = db.QueryRow(`
SELECT (SELECT count(*) FROM result),
       (SELECT count(*) FROM (SELECT * FROM a.result EXCEPT ALL SELECT * FROM result)),
       (SELECT count(*) FROM (SELECT * FROM result EXCEPT ALL SELECT * FROM a.result))`).Scan(&rows, &extra, &missing)
	if err != nil {
		return 0, err
	}
	if extra+missing > 0 || rows == 0 {
		return 0, fmt.Errorf("results differ: %d rows were expected, %d are too many, %d are missing", rows, extra, missing)
	}
	return rows, nil
}
