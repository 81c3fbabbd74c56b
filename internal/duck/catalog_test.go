package duck

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ssql/internal/sqlerr"
)

func TestCatalogIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ssql.duckdb") // the name of the schema, on purpose
	db := mustOpen(t, path, Options{})
	for range 2 {
		with(t, db, func(c *Conn) {
			if err := EnsureCatalog(ctx, c); err != nil {
				t.Fatal(err)
			}
		})
	}
	wantText(t, queryText(t, db, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'ssql' ORDER BY 1"),
		"bad_rows\ncatalog_version\ncommits\ndatabase\nerrors\nlate_rows\nprogress\nqueries\nstreams\ntargets")
	wantText(t, queryText(t, db, "SELECT * FROM ssql.catalog_version"), "4")
}

// TestCatalogsOfBefore: a database of an older version gets what came since, and its folders
// move with it from then on. The first column of old is the version.
func TestCatalogsOfBefore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "now", "lab.duckdb")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db := mustOpen(t, path, Options{})
	exec1(t, db, `CREATE SCHEMA ssql; CREATE TABLE ssql.catalog_version AS SELECT 1 AS version;
CREATE TABLE ssql.commits AS SELECT 'q' AS query, 3::BIGINT AS batch, now()::TIMESTAMP AS committed_at;
CREATE TABLE ssql.streams (name VARCHAR, kind VARCHAR, definition VARCHAR, columns VARCHAR, base_dir VARCHAR, created_at TIMESTAMP);
CREATE TABLE ssql.queries (name VARCHAR, query_id VARCHAR, base_dir VARCHAR, checkpoint VARCHAR, options JSON)`)
	before := filepath.Join(dir, "before") // where the database was when this was stored
	for _, row := range [][]any{{"s", before}, {"far", "/elsewhere/in"}, {"none", nil}} {
		exec1(t, db, "INSERT INTO ssql.streams (name, kind, base_dir) VALUES (?, 'stream', ?)", row...)
	}
	for _, row := range [][]any{
		{"beside", before, filepath.Join(before, "lab.duckdb.ssql", "beside"), "{}"},
		{"own", filepath.Join(before, "sql"), filepath.Join(before, "sql", "ck"), `{"checkpoint":"ck"}`},
		{"set", before, "/volume/ck/set", "{}"},
	} {
		exec1(t, db, "INSERT INTO ssql.queries VALUES (?, 'id', ?, ?, ?)", row...)
	}
	for range 2 {
		with(t, db, func(c *Conn) {
			if err := EnsureCatalog(ctx, c); err != nil {
				t.Fatal(err)
			}
		})
	}
	wantText(t, queryText(t, db, "SELECT version FROM ssql.catalog_version"), "4")
	wantText(t, queryText(t, db, "SELECT batch, rows_deleted FROM ssql.commits"), "3 0")
	wantText(t, queryText(t, db, "SELECT name, base_dir FROM ssql.streams ORDER BY 1"), "far /elsewhere/in\nnone \ns .")
	wantText(t, queryText(t, db, "SELECT name, base_dir, checkpoint FROM ssql.queries ORDER BY 1"), "beside . <nil>\nown sql <nil>\nset . /volume/ck/set")
	wantText(t, queryText(t, db, "SELECT (SELECT count(reads) FROM ssql.streams), (SELECT count(reads) FROM ssql.queries)"), "0 0")
	wantText(t, queryText(t, db, "SELECT count(*), count(DISTINCT id), min(length(id)) FROM ssql.database"), "1 1 36")
}

// TestKeptPlaces: folders are kept relative to that of the database, where there is more
// than the root in common.
func TestKeptPlaces(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.MkdirAll(filepath.Join(real, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	db := mustOpen(t, filepath.Join(dir, "link", "lab.duckdb"), Options{})
	for folder, want := range map[string]string{
		real: ".", filepath.Join(real, "in"): "in", filepath.Join(dir, "link", "in"): "in",
		filepath.Join(dir, "sql"): "../sql", "/nowhere/else": "/nowhere/else", "": "",
	} {
		kept := db.Kept(folder)
		wantText(t, kept, want)
		if back := db.Place(kept); folder != "" && back != resolvedFolder(folder) {
			t.Errorf("%q came back as %q", folder, back)
		}
	}
	memory := mustOpen(t, ":memory:", Options{})
	wantText(t, memory.Place(memory.Kept(real)), real)
}

func TestCatalogOfOthersIsRefused(t *testing.T) {
	cases := []struct{ name, ddl, text string }{
		{"newer", "CREATE SCHEMA ssql; CREATE TABLE ssql.catalog_version AS SELECT 5 AS version",
			`the schema ssql of the database "%s" has version 5, this program knows 4`},
		{"foreign", "CREATE SCHEMA ssql; CREATE TABLE ssql.commits (a INTEGER)",
			`the schema ssql of the database "%s" holds something else`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			db := mustOpen(t, filepath.Join(t.TempDir(), "lab.duckdb"), Options{})
			exec1(t, db, c.ddl)
			with(t, db, func(conn *Conn) {
				err := EnsureCatalog(ctx, conn)
				wantCode(t, err, "E_SINK_SCHEMA")
				e, ok := err.(*sqlerr.Error)
				if !ok {
					t.Fatalf("got %T", err)
				}
				wantText(t, e.Text, fmt.Sprintf(c.text, db.Path()))
			})
			// Nothing of ours is left behind.
			wantText(t, queryText(t, db, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'streams'"), "0")
		})
	}
}

func TestCatalogName(t *testing.T) {
	for path, want := range map[string]string{
		"": "db", "/x/lab.duckdb": "lab", "/x/lab": "lab", "/x/ssql.duckdb": "ssql_db", "/x/MAIN.db": "MAIN_db",
		"/x/.hidden": "_db", "/x/a b.c.d": "a b", "/x/memory.db": "memory_db",
	} {
		if got := catalogName(path); got != want {
			t.Errorf("%q is called %q, want %q", path, got, want)
		}
	}
}
