package sql

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// eventFields are words that are reserved somewhere, in TiDB's grammar above all,
// and that people call their columns, tables and aliases.
var eventFields = strings.Fields(`
	key keys index rank row rows group groups window range read write option release usage values match call change
	check database describe explain desc interval partition lead lag first_value last_value row_number dense_rank
	percent_rank cume_dist ntile nth_value over of to trigger unique use rename limit fetch kill lines load lock out
	outer procedure require array lateral except intersect recursive stored virtual generated
	timestamp date time value status user type event name offset source sink stream watermark topic level host method
	language emit full session semi anti asof left right end start filter qualify settings within delay first last
	order by table create insert update delete replace default primary foreign natural inner cross join
	tumble hop cumulate dedup struct map year month day hour minute second case_id in_ count sum min max
	state batch progress query metadata format encode count json text string`)

// notBare are the words of eventFields that need quotes in the given place: they go
// on with what stands before.
var notBare = map[string][]string{
	"alias":       {"desc", "join", "lateral", "limit", "qualify", "settings", "to"},
	"table":       {"desc", "intersect", "join", "lateral", "limit", "qualify", "settings", "to"},
	"table alias": {"desc", "intersect", "join", "lateral", "limit", "qualify", "settings", "to"},
}

// TestWordsAsNames uses every such word without quotes as a column, in a path, as
// an alias with and without AS and as a table.
func TestWordsAsNames(t *testing.T) {
	for _, w := range eventFields {
		id := IdentText(w)
		for _, c := range []struct{ place, text, want string }{
			{"column", "SELECT %s FROM t", "SELECT %s FROM t"},
			{"column", "SELECT a, %s FROM t WHERE %s > 1 AND 2 < %s GROUP BY a, %s ORDER BY %s DESC",
				"SELECT a, %s FROM t WHERE (%s > 1) AND (2 < %s) GROUP BY a, %s ORDER BY %s DESC"},
			{"column", "SELECT f(%s), -%s, (%s), CASE WHEN a THEN t.%s END FROM t", "SELECT f(%s), -%s, %s, CASE WHEN a THEN t.%s END FROM t"},
			{"path", "SELECT t.%s, t.%s.b.%s FROM t", "SELECT t.%s, t.%s.b.%s FROM t"},
			{"path", "SELECT %s.b FROM t", "SELECT %s.b FROM t"},
			{"AS", "SELECT a AS %s FROM t AS %s", "SELECT a AS %s FROM t AS %s"},
		} {
			checkNames(t, c.place, w, id, c.text, c.want)
		}
		if w != "except" && w != "intersect" { // SELECT a EXCEPT FROM t is a set operation
			checkBare(t, "alias", w, id, "SELECT a %s FROM t", "SELECT a AS %s FROM t")
		}
		checkBare(t, "table", w, id, "SELECT a FROM %s", "SELECT a FROM %s")
		checkBare(t, "table alias", w, id, "SELECT a FROM t %s", "SELECT a FROM t AS %s")
	}
}

func fill(format, word string) string { return strings.ReplaceAll(format, "%s", word) }

func checkNames(t *testing.T, place, word, id, text, want string) {
	t.Helper()
	q, err := ParseQueryText(fill(text, word))
	if err != nil {
		t.Errorf("%s as %s:\n%s", word, place, rendered(err, fill(text, word)))
		return
	}
	if got := QueryText(q); got != fill(want, id) {
		t.Errorf("%s as %s: got %s, want %s", word, place, got, fill(want, id))
	}
}

// checkBare is checkNames for places where some words are refused; none may be read
// as something else.
func checkBare(t *testing.T, place, word, id, text, want string) {
	t.Helper()
	q, err := ParseQueryText(fill(text, word))
	refused := slices.Contains(notBare[place], word)
	switch {
	case err != nil && !refused:
		t.Errorf("%s as %s:\n%s", word, place, rendered(err, fill(text, word)))
	case err == nil && QueryText(q) != fill(want, id):
		t.Errorf("%s as %s: got %s, want %s", word, place, QueryText(q), fill(want, id))
	case err == nil && refused:
		t.Errorf("%s as %s is not refused any more", word, place)
	}
}

// TestPositionsInScripts checks that errors count from the top of the file and not
// from the statement.
func TestPositionsInScripts(t *testing.T) {
	src := &sqlerr.Source{Name: "lab.sql", Text: "-- größe\nSELECT 1;\n\n\tINSERT INTO t\n\tSELECT '列', a::INT,\tb c d\n\tFROM TUMBLE(s, ts, INTERVAL '5' MINUTE);\n"}
	pieces, err := Split(src.Text)
	if err != nil || len(pieces) != 2 {
		t.Fatal(pieces, err)
	}
	s, err := ParseStatement(pieces[1], DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.(*Undecided).Parse(DefaultLimits())
	want := "lab.sql:5:26: ERROR PARSE_SYNTAX_ERROR: syntax error at or near \"d\", expected the end of the statement\n" +
		"LINE 5:  SELECT '列', a::INT, b c d\n" + strings.Repeat(" ", 34) + "^"
	if got := sqlerr.Render(err, src); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	q := fmt.Sprint(s.Pos())
	if want := fmt.Sprint(pieces[1].Span); q != want {
		t.Errorf("statement stands at %s, want %s", q, want)
	}
}
