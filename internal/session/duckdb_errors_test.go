package session

import (
	"errors"
	"testing"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// DuckDB's caret is moved from the excerpt that it shows to the statement.
func TestDuckErrorsPointIntoTheStatement(t *testing.T) {
	for _, c := range []struct{ statement, message, at, text string }{
		{"select 1,\n  foo,\n 3", "Referenced column \"foo\" not found in FROM clause!\nLINE 2:   foo,\n          ^", "foo,\n 3", `Referenced column "foo" not found in FROM clause!`},
		{"select 'ä' + nope", "x\n\nLINE 1: select 'ä' + nope\n                     ^", "nope", "x"},
		{"select aaaa, bbbb, cccc, dddd", "x\nLINE 1: ...aaa, bbbb, cccc...\n                ^", "bbbb, cccc, dddd", "x"},
		{"create tabel t (a int)", "syntax error at or near \"tabel\"", "tabel t (a int)", `syntax error at or near "tabel"`},
		{"a a", "syntax error at or near \"a\"", "a a", `syntax error at or near "a"`},
	} {
		node := sql.Node{Span: sql.Span{Start: 100, End: 100 + len(c.statement)}, Text: c.statement}
		err := duckError(&duck.SQLError{Kind: "Binder", Text: c.message}, node)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Text != c.text || e.Code != "DUCKDB_BINDER" {
			t.Fatalf("%q: got %v", c.message, err)
		}
		if got := c.statement[e.Span.Start-100:]; got != c.at {
			t.Errorf("%q: points at %q, want %q", c.message, got, c.at)
		}
	}
}
