package session_test

import (
	"fmt"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// What is nested, or joined by operators, beyond all sense ends in a named refusal, over streams
// and over tables, and never in the stack or in minutes of DuckDB's.
func TestDeepStatements(t *testing.T) {
	w := open(t, t.TempDir())
	for _, setup := range []string{"CREATE STREAM s (c BIGINT) WITH (connector = 'memory')", "CREATE TABLE t AS SELECT 1 AS c"} {
		if _, err := w.run(setup, true); err != nil {
			t.Fatal(err)
		}
	}
	around := func(open, shut string) func(n int) string {
		return func(n int) string { return strings.Repeat(open, n) + "c" + strings.Repeat(shut, n) }
	}
	joined := func(with, each string) func(n int) string {
		return func(n int) string { return each + strings.Repeat(with+each, n) }
	}
	for name, form := range map[string]func(n int) string{
		"parentheses": around("(", ")"), "CASE": around("CASE WHEN c = 1 THEN ", " END"), "CAST": around("CAST(", " AS BIGINT)"),
		"calls": around("abs(", ")"), "lists": around("[", "]"), "structs": around("{'a': ", "}"), "sub-queries": around("(SELECT ", ")"),
		"NOT": around("NOT ", ""), "minus": around("- ", ""), "::": around("", "::BIGINT"),
		"types": func(n int) string {
			return "CAST(NULL AS " + strings.Repeat("STRUCT(a ", n) + "INT" + strings.Repeat(")", n) + ")"
		},
		"AND": joined(" AND ", "c = 1"), "OR": joined(" OR ", "c = 1"), "plus": joined(" + ", "c"),
	} {
		for _, from := range []string{"s", "t"} {
			_, err := w.run(fmt.Sprintf("SELECT %s AS x FROM %s", form(11_000), from), true)
			if code := sqlerr.Code(err); code != "E_LIMIT" && code != "DUCKDB_PARSER" {
				t.Errorf("%s over %s: %.200v", name, from, err)
			}
		}
	}
}

// A statement of many conditions that DuckDB can still take is taken.
func TestManyConditions(t *testing.T) {
	w := open(t, t.TempDir())
	conditions := "c = 1" + strings.Repeat(" OR c = 1 AND 'OR' = 'AND'", 1000)
	if _, err := w.run("CREATE TABLE t AS SELECT 1 AS c", true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run("SELECT "+conditions+" FROM t", true); err != nil {
		t.Errorf("2,000 conditions: %.200v", err)
	}
	if _, err := w.run("SET plan_nodes_max = 1999", true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run("SELECT "+conditions+" FROM t", true); sqlerr.Code(err) != "E_LIMIT" || !strings.Contains(err.Error(), "more than plan_nodes_max = 1999 AND and OR") {
		t.Errorf("more than plan_nodes_max: %.200v", err)
	}
}
