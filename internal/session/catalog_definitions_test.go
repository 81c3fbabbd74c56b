package session

import (
	"testing"

	"ssql/internal/catalog"
)

func TestDefinitionsAreComparedByMeaning(t *testing.T) {
	old := "CREATE STREAM s (a INT, b VARCHAR, c DATE, d DATE) WITH (path = 'x')"
	if !catalog.SameDefinition(old, "create or replace stream S(a int, -- first\n b varchar, c date, d date) with (path='x')") {
		t.Error("the same definition is taken for another")
	}
	got := catalog.DefinitionDiff(old, "CREATE STREAM s (a INT, b BIGINT, c DATE, d DATE) WITH (path = 'x')", "/a", "/a")
	want := "It is:   ... integer , b varchar , c date ...\nYours is: ... integer , b bigint , c date ..."
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
