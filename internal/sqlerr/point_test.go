package sqlerr

import (
	"strings"
	"testing"
)

// TestPoint checks where errors about names point: ^ stands behind the place in the statement.
func TestPoint(t *testing.T) {
	for _, c := range []struct{ message, statement, within, want string }{
		{`stream "s" has no watermark`, "ALTER STREAM s DROP WATERMARK", "ALTER STREAM s DROP WATERMARK", "s DROP"},
		{`there is no column "stie"`, "INSERT INTO t (dev, stie)", "INSERT INTO t (dev, stie)", "stie"},
		{`there is no column "T"`, "SELECT t2, t FROM x", "SELECT t2, t FROM x", "t FROM"},                          // no part of a word
		{`the watermark of "s" is on "nope"`, "CREATE STREAM s (WATERMARK FOR nope)", "WATERMARK FOR nope", "nope"}, // s is outside
		{`connector "files" has no metadata "path"`, "files METADATA FROM 'path'", "files METADATA FROM 'path'", "'path'"},
		{`batch 0 of query "t": value "x" of "a" is bad`, "INSERT INTO t SELECT a", "INSERT INTO t SELECT a", "a"},
		{`batch 0 of query "t": the sum is too large`, "INSERT INTO t SELECT a", "INSERT INTO t SELECT a", "t SELECT"},
		{`there is no "ä\"b"`, `SELECT 'ß', ä"b`, `SELECT 'ß', ä"b`, `ä"b`},
		{`"a" is no "b"`, "SELECT b, a", "b, a", "b, a"}, // begins with one of the names
		{`nothing is "here"`, "SELECT 1", "SELECT 1", "SELECT 1"},
	} {
		start := strings.Index(c.statement, c.within)
		e := At(Span{start, start + len(c.within)}, "X", "%s", c.message)
		if at, _ := e.Point(c.statement, e.Span); !strings.HasPrefix(c.statement[at.Start:], c.want) {
			t.Errorf("%s: points at %q, want %q", c.message, c.statement[at.Start:], c.want)
		}
		if name := e.Elsewhere(c.statement); name != "" {
			t.Errorf("%s: does not point at %q", c.message, name)
		}
	}
	e := At(Span{7, 8}, "X", `there is no column "k"`)
	if name := e.Elsewhere("SELECT 1 FROM k"); name != "k" {
		t.Errorf("an error beside its name is found to be about %q", name)
	}
	if name := New("X", `there is no column "k"`).Elsewhere("SELECT 1 FROM k"); name != "k" {
		t.Errorf("an error without a place is found to be about %q", name)
	}
}
