package session

import (
	"testing"
)

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "x", true}, {"ev%", "Events", true}, {"%ts", "events", true}, {"e_ents", "events", true},
		{"e_ents", "eents", false}, {"%", "", true}, {"events", "event", false}, {"é_", "éx", true},
	} {
		if got := likeMatches(c.pattern, c.s); got != c.want {
			t.Errorf("%q LIKE %q: got %v", c.s, c.pattern, got)
		}
	}
}
