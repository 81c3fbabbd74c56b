package duck

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ssql/sql/types"
)

// TestTornLogIsCut: a process that dies while it writes the log leaves a part of a transaction at
// its end. Whatever the part, the next one begins with what was committed before, and the one
// after that has what the next one committed: DuckDB by itself appends behind the part.
func TestTornLogIsCut(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.duckdb")
	sizes := deadWriter(t, whole, "CREATE TABLE t (a INTEGER, b VARCHAR)", "INSERT INTO t VALUES (1, 'one')", "INSERT INTO t VALUES (2, 'two')")
	for size := range sizes[2] + 1 {
		if size%7 != 0 && !nearFrame(size, sizes) {
			continue
		}
		db := mustOpen(t, deadAt(t, whole, size), Options{})
		exec1(t, db, "CREATE TABLE IF NOT EXISTS t (a INTEGER, b VARCHAR)")
		exec1(t, db, "INSERT INTO t VALUES (3, 'three')")
		want := "3"
		switch {
		case size == sizes[2]:
			want = "1\n2\n3"
		case size >= sizes[1]:
			want = "1\n3"
		}
		// The next death: the files as they are, while the database is open.
		next := mustOpen(t, deadAt(t, db.Path(), -1), Options{})
		if got := queryText(t, next, "SELECT a FROM t ORDER BY a"); got != want {
			t.Errorf("log of %d bytes (transactions end at %v): got\n%s\nwant\n%s", size, sizes, got, want)
		}
		for _, db := range []*DB{db, next} {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestTornLogOfAnAttachedDatabaseIsCut does the same with a database that a user attaches, and
// leaves one alone that is attached for reading.
func TestTornLogOfAnAttachedDatabaseIsCut(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.duckdb")
	sizes := deadWriter(t, whole, "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")
	for mode, want := range map[string]int64{"": sizes[0], " (READ_ONLY)": sizes[1] - 3} {
		torn := deadAt(t, whole, sizes[1]-3)
		db := mustOpen(t, ":memory:", Options{})
		with(t, db, func(c *Conn) {
			if err := c.Attach(ctx, "ATTACH "+types.QuoteText(torn)+" AS other"+mode); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(torn + ".wal")
			if err != nil || info.Size() != want {
				t.Errorf("attached%s: log is %v, %v, want %d bytes", mode, info, err, want)
			}
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// nearFrame picks lengths at the edges of frames: the flush is the last 21 bytes of a transaction.
func nearFrame(size int64, sizes []int64) bool {
	for _, end := range sizes {
		if d := end - size; d == 0 || d == 1 || d == 5 || d == 20 || d == 21 || d == 22 {
			return true
		}
	}
	return false
}

// deadWriter makes a database whose writer died after the statements, and returns how long the
// log was after each.
func deadWriter(t *testing.T, path string, statements ...string) (sizes []int64) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	alive := path + ".alive"
	for _, text := range append([]string{"ATTACH " + types.QuoteText(alive) + " AS d", "USE d"}, statements...) {
		if _, err := db.ExecContext(context.Background(), text); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(alive + ".wal"); err == nil {
			sizes = append(sizes, info.Size())
		}
	}
	copyDead(t, alive, path, -1)
	return sizes
}

// deadAt copies a database with the first bytes of its log (-1: all) into a folder of its own.
func deadAt(t *testing.T, path string, logBytes int64) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), fmt.Sprintf("dead%d.duckdb", logBytes))
	copyDead(t, path, to, logBytes)
	return to
}

func copyDead(t *testing.T, from, to string, logBytes int64) {
	t.Helper()
	for _, end := range []string{"", ".wal"} {
		data, err := os.ReadFile(from + end)
		if err != nil {
			t.Fatal(err)
		}
		if end != "" && logBytes >= 0 {
			data = data[:logBytes]
		}
		if err := os.WriteFile(to+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
