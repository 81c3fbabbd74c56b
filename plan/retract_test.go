package plan

import (
	"strings"
	"testing"
)

// A group that can lose all its rows stays in a sink that replaces rows; one whose key is
// of the keys below cannot lose them.
func TestRetractEmptiedNotice(t *testing.T) {
	cat := declared(t, compatDeclarations)
	const counts = "(SELECT k, v, count(*) AS n FROM s GROUP BY k, v)"
	for _, c := range []struct {
		text   string
		notice bool
	}{
		{"SELECT k, max(n) AS m FROM " + counts + " GROUP BY k", false},
		{"SELECT k, max(n) AS m FROM " + counts + " WHERE v > 1 GROUP BY k", false},
		{"SELECT upper(k) AS u, max(n) AS m FROM " + counts + " GROUP BY upper(k)", false},
		{"SELECT sum(n) AS m FROM " + counts + " WHERE n > 1", false},
		{"SELECT n, count(*) AS c FROM " + counts + " GROUP BY n", true},
		{"SELECT d, count(*) AS c FROM (SELECT n / 10 AS d FROM " + counts + ") GROUP BY d", true},
		{"SELECT k, count(*) AS c FROM " + counts + " WHERE n > 1 GROUP BY k", true},
		{"SELECT k, count(*) AS c FROM (SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) <= 3) GROUP BY k", false},
		{"SELECT v, count(*) AS c FROM (SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) <= 3) GROUP BY v", true},
	} {
		p, err := bindText(cat, c.text, Options{Mode: Update, Retraction: true})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := strings.Contains(strings.Join(p.Notices, "\n"), "stays in the result, with count 0"); got != c.notice {
			t.Errorf("%s: notice %t, want %t", c.text, got, c.notice)
		}
	}
}

// The setting does not touch the plans that Spark has too.
func TestRetractLeavesOthers(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for _, text := range []string{
		"SELECT k, count(*) AS n FROM s GROUP BY k EMIT ON UPDATE",
		"SELECT window.start AS w, k, count(*) AS n FROM s GROUP BY window(ts, '1 minute'), k",
		"SELECT w, sum(n) AS n FROM (SELECT window.start AS w, window.end AS e, k, count(*) AS n FROM s GROUP BY window(ts, '1 minute'), k) GROUP BY w, e",
		"SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) <= 3 EMIT ON UPDATE",
	} {
		plain, err := bindText(cat, text, Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p, err := bindText(cat, text, Options{Retraction: true})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, want := Explain(p, ExplainFull), Explain(plain, ExplainFull); got != want {
			t.Errorf("%s: with retraction\n%s\nwithout\n%s", text, got, want)
		}
	}
}
