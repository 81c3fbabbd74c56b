package duck

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

func TestNullTreatment(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT lag(v) IGNORE NULLS OVER (ORDER BY ts)":          "SELECT lag(v IGNORE NULLS)  OVER (ORDER BY ts)",
		"SELECT first_value(f(v)) respect nulls OVER w":          "SELECT first_value(f(v) respect nulls)  OVER w",
		"SELECT lag(v IGNORE NULLS) OVER w":                      "SELECT lag(v IGNORE NULLS) OVER w",
		"SELECT last(v IGNORE NULLS), 1":                         "SELECT last(v ) FILTER (WHERE (v) IS NOT NULL), 1",
		"SELECT last(f(v, 1)) IGNORE NULLS FROM t":               "SELECT last(f(v, 1))  FILTER (WHERE (f(v, 1)) IS NOT NULL) FROM t",
		"SELECT array_agg(v IGNORE NULLS ORDER BY ts)":           "SELECT array_agg(v  ORDER BY ts) FILTER (WHERE (v) IS NOT NULL)",
		"SELECT array_agg(DISTINCT v ORDER BY v) IGNORE NULLS":   "SELECT array_agg(DISTINCT v ORDER BY v)  FILTER (WHERE (v) IS NOT NULL)",
		"SELECT list(v) RESPECT NULLS, 'a) IGNORE NULLS'":        "SELECT list(v) , 'a) IGNORE NULLS'",
		"SELECT sum(v) IGNORE NULLS":                             "SELECT sum(v) IGNORE NULLS",
		"SELECT last(v, 2) IGNORE NULLS":                         "SELECT last(v, 2) IGNORE NULLS",
		"SELECT last(v) IGNORE NULLS FILTER (WHERE v > 1)":       "SELECT last(v) IGNORE NULLS FILTER (WHERE v > 1)",
		"SELECT x FROM t ORDER BY x NULLS FIRST -- IGNORE NULLS": "SELECT x FROM t ORDER BY x NULLS FIRST -- IGNORE NULLS",
		"SELECT ignore nulls, (ignore) nulls, f(x) ignore":       "SELECT ignore nulls, (ignore) nulls, f(x) ignore",
	} {
		if got := nullTreatment(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// Both spellings of IGNORE NULLS mean over tables what they mean on streams.
func TestIgnoreNullsOverTables(t *testing.T) {
	ctx := context.Background()
	db, err := Open(filepath.Join(t.TempDir(), "t.duckdb"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	c, release, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := c.Exec(ctx, "CREATE TABLE t AS SELECT * FROM (VALUES (1, NULL), (2, 'x'), (3, 'y'), (4, NULL)) AS v(n, s)"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"SELECT last(s ORDER BY n) IGNORE NULLS FROM t":                                        "y",
		"SELECT first(s IGNORE NULLS ORDER BY n) FROM t":                                       "x",
		"SELECT array_agg(s ORDER BY n) IGNORE NULLS FROM t":                                   "[x y]",
		"SELECT len(list(s) RESPECT NULLS) FROM t":                                             "4",
		"SELECT last(l) FROM (SELECT lag(s) IGNORE NULLS OVER (ORDER BY n) AS l FROM t)":       "y",
		"SELECT max(l) FROM (SELECT last_value(s IGNORE NULLS) OVER (ORDER BY n) AS l FROM t)": "y",
	} {
		got := ""
		err := c.Query(ctx, text, nil, func(row []any) error { got = fmt.Sprint(row[0]); return nil })
		if err != nil || got != want {
			t.Errorf("%s\n got %s, error %v\nwant %s", text, got, err, want)
		}
	}
}
