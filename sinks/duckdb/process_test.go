package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// runChild runs this test binary as another process and returns what it prints.
func runChild(t *testing.T, step, path string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), "DUCKDB_CHILD="+step, "DUCKDB_PATH="+path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the child failed: %v\n%s", err, out)
	}
	text, _, _ := strings.Cut(string(out), "PASS")
	return strings.TrimSpace(text)
}

// TestChild is the other process.
func TestChild(t *testing.T) {
	path := os.Getenv("DUCKDB_PATH")
	switch os.Getenv("DUCKDB_CHILD") {
	case "":
		t.Skip("only runs as a child of other tests")
	case "read":
		readAsOthers(t, path)
	case "limit":
		failCommit(t, path)
	}
}

// readAsOthers reads a table with DuckDB alone.
func readAsOthers(t *testing.T, path string) {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT k, n FROM t ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var k string
		var n int64
		if err := rows.Scan(&k, &n); err != nil {
			t.Fatal(err)
		}
		fmt.Println(k, n)
	}
}

// TestIntermittentReader opens the file in another process when a query has ended, and
// between two batches of one that waits.
func TestIntermittentReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.duckdb")
	db, err := duck.Open(path, duck.Options{IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{db: db}
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1})))
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	if got := runChild(t, "read", path); got != "a 1" {
		t.Errorf("between two batches the reader sees %q", got)
	}
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{K: "b", N: 2})))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := runChild(t, "read", path); got != "a 1\nb 2" {
		t.Errorf("after the end the reader sees %q", got)
	}
}

// TestCommitThatFailsStoresNothing lets the log of the database run into a limit of
// the system in the middle of a commit, then lifts the limit.
func TestCommitThatFailsStoresNothing(t *testing.T) {
	got := runChild(t, "limit", filepath.Join(t.TempDir(), "lab.duckdb"))
	want := "batch 1: E_SINK_IO\nrows 1, head 0\nbatch 1 again: <nil>\nrows 50001, head 1"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// failCommit runs in a process of its own: DuckDB may abort on an I/O error,
// and the limit is the process's.
func failCommit(t *testing.T, path string) {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := duck.Open(path, duck.Options{IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := &place{db: db}
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1})))
	state := func() {
		m, _, err := s.Head(context.Background(), o.QueryID)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("rows %s, head %d\n", p.query(t, "SELECT count(*) FROM t")[0], m.Batch)
	}
	b := sinktest.Batch(o, 1, 1, manyRows(50_000, 0)...)
	withFileLimit(t, 1<<18, func() {
		fmt.Println("batch 1:", sqlerr.Code(s.Write(context.Background(), b)))
	})
	state()
	fmt.Println("batch 1 again:", s.Write(context.Background(), b))
	state()
}

// withFileLimit bounds the size of every file that f writes.
func withFileLimit(t *testing.T, bytes uint64, f func()) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	f()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
}
