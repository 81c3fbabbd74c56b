package plan

import (
	"errors"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// TestHintsOfModesEnd types what the hints of refused output modes say: a mode is only
// proposed where the query has an answer in it.
func TestHintsOfModesEnd(t *testing.T) {
	cat := declared(t, compatDeclarations)
	emits := []string{"EMIT ON WINDOW CLOSE", "EMIT ON UPDATE", "EMIT COMPLETE"}
	for _, c := range []struct{ text, hint string }{
		{"SELECT a.k, b.v FROM s a LEFT JOIN s b ON a.k = b.k",
			"add a range of the event times to ON: AND a.ts BETWEEN b.ts - INTERVAL '30' MINUTE AND b.ts + INTERVAL '30' MINUTE"},
		{"SELECT a.k, b.v FROM s a LEFT JOIN s b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '30' MINUTE AND b.ts + INTERVAL '30' MINUTE",
			"use EMIT ON WINDOW CLOSE (SET output_mode = 'append'); or write the join to a table of its own and aggregate that"},
		{"SELECT a.k, count(*) AS n FROM s a LEFT JOIN s b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '30' MINUTE AND b.ts GROUP BY a.k",
			"use EMIT ON WINDOW CLOSE, and group by a window too: GROUP BY window(ts, '5 minutes'), ...; or write the join to a table of its own and aggregate that"},
		{"SELECT k, count(*) AS n FROM (SELECT k, v, count(*) AS n FROM s GROUP BY k, v) GROUP BY k",
			"use EMIT ON WINDOW CLOSE, and group by a window too: GROUP BY window(ts, '5 minutes'), ...; or write the inner query to a table and query that; or SET retraction = 'on', which takes the old rows back"},
	} {
		for _, emit := range emits {
			_, err := bindText(cat, c.text+" "+emit, Options{})
			var e *sqlerr.Error
			if err == nil || !errors.As(err, &e) {
				continue
			}
			if emit == "EMIT ON UPDATE" && e.Hint != c.hint {
				t.Errorf("%s %s: %s\n got %q\nwant %q", c.text, emit, e.Code, e.Hint, c.hint)
			}
			for _, way := range strings.Split(e.Hint, "; or ") {
				checkProposed(t, cat, c.text, emit, way)
			}
		}
	}
}

// checkProposed types a query in the mode that a way out proposes, if it is one.
func checkProposed(t *testing.T, cat Catalog, text, emit, way string) {
	t.Helper()
	m, ok := proposedMode(way)
	for _, w := range modeWords {
		if !ok || w.mode != m {
			continue
		}
		if _, err := bindText(cat, text+" "+w.words, Options{}); err != nil {
			t.Errorf("%s %s proposes %s, which says %v", text, emit, w.words, err)
		}
	}
}
