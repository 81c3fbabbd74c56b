package session_test

import (
	"testing"

	"ssql/internal/sqlerr"
)

// TestOwnTablesAreLeftAlone shows which statements on the schema ssql are refused, and that what
// has side rows can be emptied.
func TestOwnTablesAreLeftAlone(t *testing.T) {
	w := open(t, t.TempDir())
	for _, text := range []string{
		"DROP TABLE IF EXISTS ssql.progress", `DROP TABLE "ssql"."commits"`, "DROP TABLE lab.ssql.commits", "DROP SCHEMA ssql CASCADE", "DROP SCHEMA IF EXISTS lab.ssql CASCADE",
		"ALTER TABLE ssql.queries ADD COLUMN x INT", "ALTER TABLE IF EXISTS ssql.queries RENAME TO q", "UPDATE ssql.queries SET name = 'x'", "DELETE FROM ssql.commits",
		"TRUNCATE ssql.commits", "TRUNCATE TABLE ssql.commits", "INSERT INTO ssql.errors (query) VALUES ('q')", "INSERT OR REPLACE INTO ssql.errors (query) VALUES ('q')",
		"CREATE TABLE ssql.mine (a INT)", "CREATE OR REPLACE TABLE ssql.progress (a INT)", "CREATE VIEW ssql.v AS SELECT 1", "COPY ssql.commits FROM 'commits.csv'",
	} {
		if _, err := w.run(text, false); sqlerr.Code(err) != "UNSUPPORTED_FEATURE" {
			t.Errorf("%s: got %v", text, err)
		}
	}
	for _, text := range []string{
		"DELETE FROM ssql.late_rows", "TRUNCATE ssql.bad_rows", "DELETE FROM lab.ssql.errors WHERE query = 'q'", "CREATE TABLE ssql (a INT)", "INSERT INTO ssql VALUES (1)", "DROP TABLE ssql",
		"CREATE SCHEMA other", "CREATE TABLE other.ssql (a INT)", "DROP SCHEMA other CASCADE",
	} {
		if _, err := w.run(text, false); err != nil {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
