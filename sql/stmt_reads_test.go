package sql

import (
	"strings"
	"testing"
)

// TestNullOrders compares the keys of orders with what DuckDB is told of NULL.
func TestNullOrders(t *testing.T) {
	for given, want := range map[string]string{
		`SELECT a FROM t ORDER BY a, b DESC LIMIT 3`:                   `SELECT a FROM t ORDER BY a NULLS FIRST, b DESC NULLS LAST LIMIT 3`,
		`SELECT a FROM t ORDER BY f(a, b) ASC NULLS LAST, c`:           `SELECT a FROM t ORDER BY f(a, b) ASC NULLS LAST, c NULLS FIRST`,
		`SELECT rank() OVER (ORDER BY a DESC ROWS CURRENT ROW) FROM t`: `SELECT rank() OVER (ORDER BY a DESC NULLS LAST ROWS CURRENT ROW) FROM t`,
		`SELECT list(a ORDER BY b) FROM t UNION SELECT 1 ORDER BY ALL`: `SELECT list(a ORDER BY b NULLS FIRST) FROM t UNION SELECT 1 ORDER BY ALL NULLS FIRST`,
		`SELECT (SELECT a FROM t ORDER BY a) ORDER BY (b);`:            `SELECT (SELECT a FROM t ORDER BY a NULLS FIRST) ORDER BY (b) NULLS FIRST;`,
		`SELECT 'ORDER BY a' FROM t`:                                   `SELECT 'ORDER BY a' FROM t`,
	} {
		got, shift := given, 0
		for _, o := range NullOrders(given) {
			got = got[:o.At+shift] + o.Text + got[o.At+shift:]
			shift += len(o.Text)
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", given, got, want)
		}
	}
}

// TestReads shows which queries and relations are cut out of statements of DuckDB's.
func TestReads(t *testing.T) {
	for given, want := range map[string]string{
		`SUMMARIZE s`:                          `s`,
		`SUMMARIZE SELECT a FROM s ORDER BY 1`: `(SELECT a FROM s ORDER BY 1)`,
		`COPY (SELECT a FROM s) TO 'x.csv'`:    `(SELECT a FROM s)`,
		`COPY s TO 'x.csv'`:                    `s`,
		`COPY t FROM 'x.csv'`:                  `t`,
		`PIVOT (SELECT * FROM TUMBLE(s, ts, INTERVAL 5 MINUTES)) ON k`:         `(SELECT * FROM TUMBLE(s, ts, INTERVAL '5 minutes'))`,
		`PIVOT 'in/*.json' ON k USING sum(n)`:                                  `'in/*.json'`,
		`FROM s PIVOT (sum(n) FOR k IN ('a'))`:                                 `s`,
		`FROM TUMBLE(s, ts, INTERVAL 5 MINUTES) PIVOT (sum(n) FOR k IN ('a'))`: `TUMBLE(s, ts, INTERVAL '5 minutes')`,
		`CREATE TEMP TABLE t AS WITH c AS (SELECT 1) SELECT * FROM s, c`:       `(WITH c AS (SELECT 1) SELECT * FROM s CROSS JOIN c)`,
		`WITH c AS (SELECT a FROM s) FROM c PIVOT (sum(n) FOR k IN ('a'))`:     `(SELECT a FROM s)`,
	} {
		st, err := ParseStatement(Piece{Text: given, Span: Span{End: len(given)}}, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		r, err := st.(*Undecided).Reads(DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		var parts []string
		for _, q := range r.Queries {
			parts = append(parts, "("+QueryText(q)+")")
		}
		for _, table := range r.Tables {
			p := printer{}
			p.table(table)
			parts = append(parts, p.String())
		}
		if got := strings.Join(parts, " "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", given, got, want)
		}
	}
}
