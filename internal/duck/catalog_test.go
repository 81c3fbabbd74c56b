package duck

import (
	"fmt"
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
		"bad_rows\ncatalog_version\ncommits\nerrors\nlate_rows\nprogress\nqueries\nstreams\ntargets")
	wantText(t, queryText(t, db, "SELECT * FROM ssql.catalog_version"), "2")
}

// TestCatalogOfVersionOne: a database of before gets the column that came with version 2.
func TestCatalogOfVersionOne(t *testing.T) {
	db := mustOpen(t, filepath.Join(t.TempDir(), "lab.duckdb"), Options{})
	exec1(t, db, `CREATE SCHEMA ssql; CREATE TABLE ssql.catalog_version AS SELECT 1 AS version;
CREATE TABLE ssql.commits AS SELECT 'q' AS query, 3::BIGINT AS batch, now()::TIMESTAMP AS committed_at`)
	for range 2 {
		with(t, db, func(c *Conn) {
			if err := EnsureCatalog(ctx, c); err != nil {
				t.Fatal(err)
			}
		})
	}
	wantText(t, queryText(t, db, "SELECT version FROM ssql.catalog_version"), "2")
	wantText(t, queryText(t, db, "SELECT batch, rows_deleted FROM ssql.commits"), "3 0")
}

func TestCatalogOfOthersIsRefused(t *testing.T) {
	cases := []struct{ name, ddl, text string }{
		{"newer", "CREATE SCHEMA ssql; CREATE TABLE ssql.catalog_version AS SELECT 3 AS version",
			`the schema ssql of the database "%s" has version 3, this program knows 2`},
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
