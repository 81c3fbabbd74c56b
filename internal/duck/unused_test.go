package duck

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestRemoveUnused shows which files go: those that this process made and that hold nothing.
func TestRemoveUnused(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, statement string
		written, given  bool // given free in between, for other processes
		stays           bool
	}{
		{name: "read"},
		{name: "given free", given: true},
		{name: "made and dropped", statement: "CREATE TABLE t (a INTEGER); DROP TABLE t", written: true},
		{name: "table", statement: "CREATE TABLE t (a INTEGER)", written: true, stays: true},
		{name: "macro", statement: "CREATE MACRO m(a) AS a", written: true, stays: true},
		{name: "type", statement: "CREATE TYPE m AS ENUM ('a')", written: true, stays: true},
		{name: "written by another", statement: "CREATE TABLE t (a INTEGER)", given: true, stays: true},
		{name: "error of a query", statement: `INSERT INTO ssql.errors (query) VALUES ('q')`, written: true, stays: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "db.duckdb")
			db := unusedDB(t, path)
			if c.statement != "" {
				exec1(t, db, c.statement)
			}
			if c.given {
				must(t, db.Release())
			}
			must(t, db.RemoveUnused(ctx, c.written))
			must(t, db.Close())
			left, err := filepath.Glob(path + "*")
			must(t, err)
			if stays := len(left) == 1; stays != c.stays || len(left) > 1 {
				t.Errorf("left are %q", left)
			}
		})
	}
}

// TestRemovedFileIsMadeAgain shows that another session on a file that was removed as unused
// goes on, as the same database.
func TestRemovedFileIsMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db.duckdb")
	db := unusedDB(t, path)
	defer db.Close()
	id := idOf(t, db)
	must(t, db.Release())
	must(t, os.Remove(path))
	if again := idOf(t, db); again != id || id == "" {
		t.Errorf("the id was %q and is %q", id, again)
	}
}

func unusedDB(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(path, Options{IdleAfter: -1})
	must(t, err)
	c, release, err := db.Conn(context.Background())
	must(t, err)
	defer release()
	must(t, EnsureCatalog(context.Background(), c))
	return db
}

func idOf(t *testing.T, db *DB) string {
	t.Helper()
	c, release, err := db.Conn(context.Background())
	must(t, err)
	defer release()
	id, err := DatabaseID(context.Background(), c)
	must(t, err)
	return id
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
