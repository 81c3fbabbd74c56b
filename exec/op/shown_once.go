package op

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/invariant"
)

// shownOnce checks invariant I6 where invariants are checked: a group of append mode comes out
// once in the life of an operator. The zero value is ready.
type shownOnce struct{ groups map[string]bool }

// check takes rows that are emitted, whose first columns are what a group is known by.
func (s *shownOnce) check(rec arrow.Record, keyColumns int) {
	if s.groups == nil {
		s.groups = map[string]bool{}
	}
	for row := range int(rec.NumRows()) {
		var key strings.Builder
		for c := range keyColumns {
			text := rec.Column(c).ValueStr(row)
			if rec.Column(c).IsNull(row) {
				text = ""
			}
			key.WriteString(text + "\x00" + map[bool]string{true: "null", false: ""}[rec.Column(c).IsNull(row)] + "\x00")
		}
		invariant.Holds(!s.groups[key.String()], "I6", "append mode emits the group %q again", key.String())
		s.groups[key.String()] = true
	}
}
