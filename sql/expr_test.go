package sql

import "testing"

// expressionCases are expressions with their canonical text.
var expressionCases = []struct{ text, want string }{
	// Precedence is DuckDB's, not MySQL's.
	{`a + 1 || 'x'`, `(a + 1) || 'x'`},
	{`a || b || c LIKE 'x' || '%'`, `((a || b) || c) LIKE ('x' || '%')`},
	{`NOT a = b AND c OR d`, `((NOT (a = b)) AND c) OR d`},
	{`a - b - c * -2 ^ 3`, `(a - b) - (c * ((-2) ^ 3))`},
	{`a & b | c << 2 + 1`, `((a & b) | c) << (2 + 1)`},
	{`a // b % c DIV d`, `((a // b) % c) DIV d`},
	{`a == b != c + 1 == d`, `(a = b) <> ((c + 1) = d)`},
	{`~a + b || c`, `(~(a + b)) || c`},
	{`a = NOT b <> c AND d`, `(a = (NOT (b <> c))) AND d`},
	{`- NOT a`, `-(NOT a)`},
	{`a = b IS NULL || c AND d IN (1) + e`, `(((a = b) IS NULL) || c) AND ((d IN (1)) + e)`},
	{`NOT a IS NULL + 1 IN (2) BETWEEN b AND c`, `NOT ((((a IS NULL) + 1) IN (2)) BETWEEN b AND c)`},
	{`a IS NULL = b IS TRUE`, `((a IS NULL) = b) IS TRUE`},
	{`a ** 2 ^ b`, `(a ^ 2) ^ b`},
	{`true = a LIKE b`, `TRUE = (a LIKE b)`},
	{`a = b IS NULL`, `(a = b) IS NULL`},
	{`x AND y IS NULL`, `x AND (y IS NULL)`},
	{`a is null is null`, `(a IS NULL) IS NULL`},
	{`a IS DISTINCT FROM b + 1 OR c`, `(a IS DISTINCT FROM (b + 1)) OR c`},
	{`a = b IS NOT DISTINCT FROM c < d`, `(a = b) IS NOT DISTINCT FROM (c < d)`},
	{`a IS NOT DISTINCT FROM b AND x IS NOT TRUE`, `(a IS NOT DISTINCT FROM b) AND (x IS NOT TRUE)`},
	{`a <=> b`, `a IS NOT DISTINCT FROM b`},
	{`a isnull or b notnull`, `(a IS NULL) OR (b IS NOT NULL)`},
	{`a IS UNKNOWN`, `a IS UNKNOWN`},
	{`a BETWEEN 1 AND 2 AND b NOT BETWEEN c - 1 AND d + 2`, `(a BETWEEN 1 AND 2) AND (b NOT BETWEEN (c - 1) AND (d + 2))`},
	{`x IN (1, 2 + 3) OR y NOT IN (SELECT a FROM t)`, `(x IN (1, 2 + 3)) OR (y NOT IN (SELECT a FROM t))`},
	{`a NOT LIKE 'b' ESCAPE '\'`, `a NOT LIKE 'b' ESCAPE '\'`},
	{`a ILIKE b OR a SIMILAR TO b OR a NOT RLIKE b OR a ~ b`, `(((a ILIKE b) OR (a SIMILAR TO b)) OR (a NOT REGEXP b)) OR (a ~ b)`},
	{`NOT EXISTS (SELECT 1 FROM t) AND EXISTS (FROM t)`, `(NOT EXISTS (SELECT 1 FROM t)) AND (EXISTS (SELECT * FROM t))`},
	{`(SELECT max(x) FROM t) + 1`, `(SELECT max(x) FROM t) + 1`},
	{`((((a))))`, `a`},

	// Signs and constants.
	{`- - -5`, `-5`},
	{`-x::int`, `-CAST(x AS INTEGER)`},
	{`+a - -b`, `(+a) - (-b)`},
	{`1_000 + 1.50 + 1e3 + .5 + 0xff`, `(((1000 + 1.50) + 1e+03) + .5) + 255`},
	{`9223372036854775807 + 9223372036854775808 + -9223372036854775808`, `(9223372036854775807 + 9223372036854775808) + (-9223372036854775808)`},
	{`E'a\'\x41\u00e9' || $$x'y$$ || $t$ $$ $t$ || 'it''s'`, `(('a''Aé' || 'x''y') || ' $$ ') || 'it''s'`},
	{`X'00ff'`, `X'00ff'`},
	{`true and FALSE or null`, `(TRUE AND FALSE) OR NULL`},
	{`DATE '2024-01-01' + INTERVAL '1' DAY`, `DATE '2024-01-01' + INTERVAL '1 day'`},
	{`TIMESTAMP WITH TIME ZONE '2024-01-01 00:00:00'`, `TIMESTAMP '2024-01-01 00:00:00'`},
	{`INTERVAL '3:30' MINUTE TO SECOND`, `INTERVAL '3 minutes 30 seconds'`},
	{`INTERVAL 5 MINUTES + INTERVAL '1 day 2 hours'`, `INTERVAL '5 minutes' + INTERVAL '1 day 2 hours'`},
	{`INTERVAL 1 DAY 2 HOURS`, `INTERVAL '1 day 2 hours'`},
	{`INTERVAL (x + 1) MINUTE`, `to_minutes(x + 1)`},
	{`interval - 5 + interval`, `("interval" - 5) + "interval"`},
	{`date + timestamp`, `"date" + "timestamp"`},
	{`current_timestamp - localtimestamp()`, `CURRENT_TIMESTAMP - LOCALTIMESTAMP`},

	// Paths, access, casts.
	{`a.b.c.d.e`, `a.b.c.d.e`},
	{`a.b.c[1].e['k'][2:3][:i][j:]`, `a.b.c[1].e['k'][2:3][:i][j:]`},
	{`(x).f.g`, `(x).f.g`},
	{`f(x).y[2]::int[]`, `CAST(f(x).y[2] AS INTEGER[])`},
	{`coalesce(v.w, c.w).end`, `coalesce(v.w, c.w)."end"`},
	{`x::varchar::int`, `CAST(CAST(x AS VARCHAR) AS INTEGER)`},
	{`TRY_CAST(x AS STRUCT<a: INT, b ARRAY<ARRAY<STRING>>>)`, `TRY_CAST(x AS STRUCT("a" INTEGER, "b" VARCHAR[][]))`},
	{`payload->>'$.a' = 'x' AND payload -> 'a' -> 'b' IS NULL`, `((payload ->> '$.a') = 'x') AND (((payload -> 'a') -> 'b') IS NULL)`},
	{`(payload->>'x')::bigint + 1`, `CAST(payload ->> 'x' AS BIGINT) + 1`},
	{`x::TIMESTAMP AT TIME ZONE 'Europe/Berlin' AT TIME ZONE z`, `((CAST(x AS TIMESTAMP)) AT TIME ZONE 'Europe/Berlin') AT TIME ZONE z`},
	{`[1, [2, 3]] || [] || ARRAY[a, b][1]`, `([1, [2, 3]] || []) || ([a, b])[1]`},
	{`{'a': 1, b: {"c d": x.y}}`, `{'a': 1, 'b': {'c d': x.y}}`},
	{`MAP {'a': 1, b: [2]}['a']`, `(MAP {'a': 1, b: [2]})['a']`},
	{`STRUCT(x AS a, y.z, w AS "b c")`, `{'a': x, 'z': y.z, 'b c': w}`},

	// Calls.
	{`count(*) + count (DISTINCT a, b) + sum(ALL c)`, `(count(*) + count(DISTINCT a, b)) + sum(c)`},
	{`sum(x) FILTER (WHERE y > 1) OVER (PARTITION BY a, b ORDER BY c DESC NULLS LAST, d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`,
		`sum(x) FILTER (WHERE y > 1) OVER (PARTITION BY a, b ORDER BY c DESC NULLS LAST, d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`},
	{`first(v, true) + last(v IGNORE NULLS) + lag(v) RESPECT NULLS OVER ()`, `(first(v, TRUE) + last(v IGNORE NULLS)) + lag(v RESPECT NULLS) OVER ()`},
	{`percentile_cont(0.5) WITHIN GROUP (ORDER BY v DESC)`, `percentile_cont(0.5) WITHIN GROUP (ORDER BY v DESC)`},
	{`array_agg(a ORDER BY b, c DESC NULLS FIRST)`, `array_agg(a ORDER BY b, c DESC NULLS FIRST)`},
	{`struct_pack(a := 1, b => 2)`, `{'a': 1, 'b': 2}`},
	{`list_transform(xs, x -> x + 1)`, `list_transform(xs, (x) -> x + 1)`},
	{`aggregate(xs, 0, (a, b) -> a + b, a -> a * 2)`, `aggregate(xs, 0, (a, b) -> a + b, (a) -> a * 2)`},
	{`f(payload -> 'k', (a) -> 1)`, `f(payload -> 'k', (a) -> 1)`},
	{`CASE WHEN a THEN 1 WHEN b THEN CASE c WHEN 2 THEN 3 END ELSE 4 END + 1`, `CASE WHEN a THEN 1 WHEN b THEN CASE c WHEN 2 THEN 3 END ELSE 4 END + 1`},
	{`EXTRACT(epoch FROM ts) + EXTRACT('day' FROM a - b)`, `EXTRACT(EPOCH FROM ts) + EXTRACT(DAY FROM a - b)`},
	{`TRIM(BOTH 'x' FROM s) || TRIM(LEADING FROM s) || TRIM('x' FROM s) || TRIM(s)`, `((trim(s, 'x') || ltrim(s)) || TRIM(s, 'x')) || TRIM(s)`},
	{`SUBSTRING(s FROM 1 FOR 2) || SUBSTRING(s, 1, 2)`, `SUBSTRING(s, 1, 2) || SUBSTRING(s, 1, 2)`},
	{`POSITION('a' IN s)`, `instr(s, 'a')`},
	{`left(s, 2) || replace(a, 'b', 'c') || if(a, b, c) || date(d) || window(ts, '5 minutes')`,
		`(((left(s, 2) || replace(a, 'b', 'c')) || if(a, b, c)) || date(d)) || window(ts, '5 minutes')`},
	{`window(ts, 5m) || TUMBLE(90s)`, `window(ts, INTERVAL '5 minutes') || TUMBLE(INTERVAL '1 minute 30 seconds')`},
	{`"cast"(x) || "a b"(y)`, `"cast"(x) || "a b"(y)`},

	// Words that are reserved elsewhere are columns here.
	{`key + rank + range + values + index + option + row + window + user + groups`,
		`(((((((("key" + rank) + range) + "values") + index) + option) + "row") + "window") + user) + groups`},
	{`window.start < session_window.end AND e.w.end > "group".limit`, `("window".start < session_window."end") AND (e.w."end" > "group"."limit")`},
	{`__op || t.__deleted`, `__op || t.__deleted`},
	{"\"a\"\"b\".\"c d\" || `we``ird`", "\"a\"\"b\".\"c d\" || \"we`ird\""},
	{`größe + 列`, `größe + 列`},
}

func TestExpressions(t *testing.T) {
	for _, c := range expressionCases {
		e, err := ParseExprText(c.text)
		if err != nil {
			t.Errorf("%s\n%s", c.text, rendered(err, c.text))
			continue
		}
		got := ExprText(e)
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
		again, err := ParseExprText(got)
		if err != nil {
			t.Errorf("canonical text does not parse:\n%s", rendered(err, got))
		} else if text := ExprText(again); text != got {
			t.Errorf("canonical text is not stable:\n%s\n%s", got, text)
		}
	}
}

// TestExpressionSpans checks that every node stands where it was written.
func TestExpressionSpans(t *testing.T) {
	const text = "f( a.b ) + (c /* x */ * 2)::INT >= - INTERVAL '1' DAY AND NOT (d IN (1, 2)) OR e[ 1 ].g NOT LIKE 'x'"
	e, err := ParseExprText(text)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	walkExpr(e, func(e Expr) { got[ExprText(e)] = text[e.Pos().Start:e.Pos().End] })
	want := map[string]string{
		ExprText(e):                       text,
		`f(a.b)`:                          `f( a.b )`,
		`a.b`:                             `a.b`,
		`f(a.b) + CAST(c * 2 AS INTEGER)`: `f( a.b ) + (c /* x */ * 2)::INT`,
		`CAST(c * 2 AS INTEGER)`:          `(c /* x */ * 2)::INT`,
		`c * 2`:                           `c /* x */ * 2`,
		`c`:                               `c`,
		`2`:                               `2`,
		`-INTERVAL '1 day'`:               `- INTERVAL '1' DAY`,
		`INTERVAL '1 day'`:                `INTERVAL '1' DAY`,
		`(f(a.b) + CAST(c * 2 AS INTEGER)) >= (-INTERVAL '1 day')`:                           `f( a.b ) + (c /* x */ * 2)::INT >= - INTERVAL '1' DAY`,
		`((f(a.b) + CAST(c * 2 AS INTEGER)) >= (-INTERVAL '1 day')) AND (NOT (d IN (1, 2)))`: `f( a.b ) + (c /* x */ * 2)::INT >= - INTERVAL '1' DAY AND NOT (d IN (1, 2))`,
		`NOT (d IN (1, 2))`:   `NOT (d IN (1, 2))`,
		`d IN (1, 2)`:         `d IN (1, 2)`,
		`d`:                   `d`,
		`1`:                   `1`,
		`e[1].g NOT LIKE 'x'`: `e[ 1 ].g NOT LIKE 'x'`,
		`e[1].g`:              `e[ 1 ].g`,
		`e[1]`:                `e[ 1 ]`,
		`e`:                   `e`,
		`'x'`:                 `'x'`,
	}
	for node, text := range want {
		if got[node] != text {
			t.Errorf("%s stands at %q, want %q", node, got[node], text)
		}
		delete(got, node)
	}
	if len(got) > 0 {
		t.Errorf("nodes beyond the expected: %v", got)
	}
}

// walkExpr visits the nodes of an expression of the kinds used in the test above.
func walkExpr(e Expr, visit func(Expr)) {
	visit(e)
	var parts []Expr
	switch e := e.(type) {
	case *Unary:
		parts = []Expr{e.X}
	case *Binary:
		parts = []Expr{e.L, e.R}
	case *Cast:
		parts = []Expr{e.X}
	case *Call:
		parts = e.Args
	case *In:
		parts = append([]Expr{e.X}, e.List...)
	case *Like:
		parts = []Expr{e.X, e.Pattern}
	case *Access:
		parts = []Expr{e.X}
		if e.Index != nil {
			parts = append(parts, e.Index)
		}
	}
	for _, p := range parts {
		walkExpr(p, visit)
	}
}
