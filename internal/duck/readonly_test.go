package duck

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReadOnly: a file that is open for reading has the schema ssql of this program, whatever it
// holds itself, and is not changed.
func TestReadOnly(t *testing.T) {
	for name, c := range map[string]struct{ ddl, ask, want string }{
		"plain": {"CREATE TABLE t AS SELECT 7 AS a", "SELECT a, (SELECT count(*) FROM ssql.queries), current_database() FROM t", "7 0 lab"},
		"older": {`CREATE SCHEMA ssql; CREATE TABLE ssql.catalog_version AS SELECT 1 AS version;
CREATE TABLE ssql.streams AS SELECT 's' AS name, 'stream' AS kind, '/x' AS base_dir`, "SELECT name, base_dir, identity FROM ssql.streams", "s /x <nil>"},
		"this one": {"", "SELECT count(*), (SELECT count(*) FROM ssql.streams) FROM ssql.database", "1 0"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lab.duckdb")
			db, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.ddl == "" {
				with(t, db, func(c *Conn) {
					if err := EnsureCatalog(ctx, c); err != nil {
						t.Fatal(err)
					}
				})
			} else {
				exec1(t, db, c.ddl)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			db = mustOpen(t, path, Options{ReadOnly: true})
			if !db.ReadOnly() {
				t.Error("it is not open for reading")
			}
			wantText(t, queryText(t, db, c.ask), c.want)
			with(t, db, func(c *Conn) {
				_, err := c.Exec(ctx, "CREATE TABLE x (a INTEGER)")
				wantCode(t, err, "E_STORAGE_READONLY")
			})
			if err := db.Release(); err != nil {
				t.Fatal(err)
			}
			wantText(t, queryText(t, db, c.ask), c.want) // opened again
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed: %v", err)
			}
			if _, err := os.Stat(path + ".lock"); err == nil {
				t.Error("a reader has left a lock")
			}
		})
	}
	_, err := Open(filepath.Join(t.TempDir(), "none.duckdb"), Options{ReadOnly: true})
	wantCode(t, err, "E_STORAGE_READONLY")
}
