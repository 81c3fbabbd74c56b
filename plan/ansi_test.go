package plan

import (
	"strings"
	"testing"

	"ssql/sql/types"
)

// TestANSIMayChange: the rule for a division by zero changes no text that the state
// depends on, and is told.
func TestANSIMayChange(t *testing.T) {
	cat := declared(t, compatDeclarations)
	const text = "SELECT k, sum(v / 2), sum(mod(v, 2)) FROM s GROUP BY k"
	prints := map[bool]*Print{}
	for _, ansi := range []bool{false, true} {
		prints[ansi] = printOf(t, cat, text, Options{Mode: types.Update, ANSI: ansi})
	}
	v := Compare(prints[false], prints[true])
	if got := strings.Join(v.Notices, "; "); !v.Compatible || got != "a division by zero is now an error, was infinity or NULL" {
		t.Errorf("compatible %v, notices %q", v.Compatible, got)
	}
	if v := Compare(prints[true], prints[true]); !v.Compatible || len(v.Notices) > 0 {
		t.Errorf("the same rule: %+v", v)
	}
}
