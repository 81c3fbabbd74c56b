package session_test

import (
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// A query writes to the database file: a temporary table or an attached database as its target
// is refused by name, and no other table is made.
func TestTargetsElsewhereAreRefused(t *testing.T) {
	w := open(t, t.TempDir())
	w.want(`CREATE STREAM s (a INT) WITH (connector = 'memory'); INSERT INTO s VALUES (1);
		CREATE TEMP TABLE tt (a INT); ATTACH ':memory:' AS d1; CREATE TABLE d1.t (a INT)`, `1 row inserted into stream "s"`)
	for text, at := range map[string]string{
		"INSERT INTO tt SELECT a FROM s":                     "tt",
		"INSERT INTO temp.tt SELECT a FROM s":                "tt",
		"INSERT INTO d1.t SELECT a FROM s":                   "d1",
		"INSERT INTO d1.main.t SELECT a FROM s":              "d1",
		"CREATE QUERY q AS INSERT INTO d1.t SELECT a FROM s": "d1",
		"EXECUTE STATEMENT SET BEGIN INSERT INTO tt SELECT a FROM s; INSERT INTO y SELECT a FROM s; END": "tt",
	} {
		_, err := w.run(text, false)
		e, ok := err.(*sqlerr.Error)
		if !ok || e.Code != "UNSUPPORTED_INSERT" || text[e.Span.Start:e.Span.End] != at {
			t.Errorf("%s: got %v", text, err)
		}
	}
	w.want(`SELECT (SELECT count(*) FROM duckdb_tables() WHERE NOT "temporary" AND schema_name = 'main' AND database_name = 'lab'), (SELECT count(*) FROM tt)`, "0 | 0")
}

// A name whose database is unknown is a name that is not found.
func TestUnknownDatabaseInFrom(t *testing.T) {
	w := open(t, t.TempDir())
	w.want(`CREATE STREAM s (a INT) WITH (connector = 'memory')`, "")
	for _, text := range []string{"SELECT s.a FROM s JOIN d1.public.t1 AS t ON s.a = t.a", "SELECT s.a FROM s JOIN nowhere.t1 AS t ON s.a = t.a"} {
		if _, err := w.run(text, false); sqlerr.Code(err) != "TABLE_OR_VIEW_NOT_FOUND" || !strings.Contains(err.Error(), "t1") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// Errors about a name point at that name.
func TestPlacesOfNamesInTargets(t *testing.T) {
	w := open(t, t.TempDir())
	w.want(`CREATE STREAM s (a INT, b INT) WITH (connector = 'memory'); CREATE TABLE t (dev INT, site INT)`, "")
	for text, at := range map[string]string{
		"\n\nINSERT INTO t (dev, stie) SELECT a, b FROM s":                       "stie",
		"\n\nCREATE QUERY q AS INSERT INTO t (\"Dve\", site) SELECT a, b FROM s": `"Dve"`,
		"\n\nCREATE MATERIALIZED VIEW m(one, two, three) AS SELECT a, b FROM s":  "one",
		"\n\nCREATE VIEW v(x, y, z) AS SELECT a, b FROM s":                       "v",
	} {
		_, err := w.run(text, false)
		e, ok := err.(*sqlerr.Error)
		if !ok || text[e.Span.Start:e.Span.End] != at {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
