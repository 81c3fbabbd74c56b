package plan

import (
	"strings"
	"testing"

	"ssql/sql/types"
)

// Rows of a result can go again where a group can lose all its rows or HAVING leaves it out;
// one whose key is of the keys below cannot lose them.
func TestRetractDeletes(t *testing.T) {
	cat := declared(t, compatDeclarations)
	const counts = "(SELECT k, v, count(*) AS n FROM s GROUP BY k, v)"
	const last = "(SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) <= 3)"
	for _, c := range []struct {
		text    string
		deletes bool
	}{
		{"SELECT k, max(n) AS m FROM " + counts + " GROUP BY k", false},
		{"SELECT k, max(n) AS m FROM " + counts + " WHERE v > 1 GROUP BY k", false},
		{"SELECT upper(k) AS u, max(n) AS m FROM " + counts + " GROUP BY upper(k)", false},
		{"SELECT sum(n) AS m FROM " + counts + " WHERE n > 1", false},
		{"SELECT sum(n) AS m FROM " + counts + " HAVING sum(n) < 9", true},
		{"SELECT n, count(*) AS c FROM " + counts + " GROUP BY n", true},
		{"SELECT d, count(*) AS c FROM (SELECT n / 10 AS d FROM " + counts + ") GROUP BY d", true},
		{"SELECT k, count(*) AS c FROM " + counts + " WHERE n > 1 GROUP BY k", true},
		{"SELECT k, count(*) AS c FROM " + last + " GROUP BY k", false},
		{"SELECT v, count(*) AS c FROM " + last + " GROUP BY v", true},
		{"SELECT v, count(*) AS c FROM (SELECT v, sum(n) AS m FROM " + counts + " GROUP BY v) GROUP BY v", false},
		{"SELECT c, count(*) AS m FROM (SELECT n, count(*) AS c FROM " + counts + " GROUP BY n) GROUP BY c", true},
		{"SELECT k, v, n FROM " + counts + " QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) <= 3", false},
		{"SELECT k, v, n FROM " + counts + " QUALIFY ROW_NUMBER() OVER (PARTITION BY n ORDER BY k) <= 3", true},
		{"SELECT k, n FROM (SELECT k, count(*) AS n FROM s GROUP BY k) WHERE k = 'a'", false},
		{"SELECT k, count(*) AS n FROM s GROUP BY k HAVING count(*) < 3", true},
	} {
		p, err := bindText(cat, c.text, Options{Mode: types.Update, Retraction: true})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if p.Outputs[0].Deletes != c.deletes {
			t.Errorf("%s: deletes %t, want %t\n%s", c.text, p.Outputs[0].Deletes, c.deletes, Explain(p, ExplainFull))
		}
		if got, want := len(p.Outputs[0].Root.Columns()), len(p.Outputs[0].Columns); p.Outputs[0].Deletes && got != want+1 || !p.Outputs[0].Deletes && got != want {
			t.Errorf("%s: the root has %d columns, the result %d", c.text, got, want)
		}
	}
}

// Without the setting a group that HAVING leaves out stays, as in Spark, and a notice says
// so to whoever keeps the result. What ROW_NUMBER() makes has no other rules to keep to.
func TestHavingWithoutRetraction(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for _, c := range []struct {
		text            string
		deletes, notice bool
	}{
		{"SELECT k, count(*) AS n FROM s GROUP BY k HAVING count(*) < 3", false, true},
		{"SELECT k, count(*) AS n FROM s GROUP BY k HAVING k > 'a'", false, false},
		{"SELECT k, count(*) AS n FROM s GROUP BY k", false, false},
		{"SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) = 1", false, false},
		{"SELECT * FROM (SELECT k, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) = 1) WHERE v > 1", true, false},
	} {
		p, err := bindText(cat, c.text, Options{Mode: types.Update})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		notice := strings.Contains(strings.Join(p.Outputs[0].SinkNotices, ""), "stays in the result as it was")
		if p.Outputs[0].Deletes != c.deletes || notice != c.notice {
			t.Errorf("%s: deletes %t and notice %t, want %t and %t", c.text, p.Outputs[0].Deletes, notice, c.deletes, c.notice)
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
