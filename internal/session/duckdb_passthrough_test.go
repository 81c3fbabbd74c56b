package session

import (
	"testing"

	"ssql/internal/catalog"
)

func TestStatementsThatKeepState(t *testing.T) {
	for text, want := range map[string]bool{
		"CREATE TEMP TABLE t (a INT)": true, "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1": true,
		"CREATE TABLE temp (a INT)": false, "SET threads = 1": true, "BEGIN": true, "SELECT 1": false, "ATTACH 'x.db'": true,
	} {
		if got := keepsState(catalog.FirstWord(text), text); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}
