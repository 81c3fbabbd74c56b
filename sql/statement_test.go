package sql

import (
	"fmt"
	"strings"
	"testing"
)

// describeStatement returns kind and canonical text of a statement, and for an
// undecided one what was found out about it.
func describeStatement(s Statement) string {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", s), "*sql.")
	switch s := s.(type) {
	case *Undecided:
		refs := make([]string, len(s.Refs))
		for i, r := range s.Refs {
			refs[i] = r.String()
		}
		out := kind + " [" + strings.Join(refs, " ") + "]"
		if s.Target != nil {
			out += " into " + s.Target.String()
		}
		if s.Stream {
			out += " stream"
		}
		return out
	case *Passthrough:
		return kind + " " + s.First
	}
	return kind + " " + StatementText(s)
}

// parseOne splits a text that holds one statement and parses it.
func parseOne(text string) (Statement, error) {
	pieces, err := Split(text)
	if err != nil {
		return nil, err
	}
	if len(pieces) != 1 {
		return nil, fmt.Errorf("%d statements", len(pieces))
	}
	return ParseStatement(pieces[0], DefaultLimits())
}

// statementCases are statements with what they are read as.
var statementCases = []struct{ text, want string }{
	{`CREATE STREAM events (device_id VARCHAR, event_time TIMESTAMP, WATERMARK FOR event_time AS event_time - INTERVAL '10' MINUTE)
		  WITH (connector = 'files', path = 'incoming/*.json', format = 'json');`,
		"CreateStream CREATE STREAM events (\n  device_id VARCHAR,\n  event_time TIMESTAMP,\n" +
			"  WATERMARK FOR event_time AS event_time - INTERVAL '10 minutes'\n) WITH (connector = 'files', path = 'incoming/*.json', format = 'json')"},
	{`create or replace stream if not exists "my s" (
			id BIGINT NOT NULL PRIMARY KEY NOT ENFORCED, ms BIGINT, ts AS epoch_ms(ms), "key" STRING COMMENT 'x',
			tt TIMESTAMP(3) AS to_timestamp(ms / 1000), file STRING METADATA FROM 'file_name' VIRTUAL, line BIGINT METADATA,
			p STRUCT<mag: DOUBLE, tags ARRAY<STRING>>, WATERMARK FOR ts, PRIMARY KEY (id) NOT ENFORCED
		  ) WITH ('connector'='kafka', 'properties.bootstrap.servers' = 'a:9092', max_files = 10, ratio = 0.5, on_ = true, x.y = off, n = -3, d = INTERVAL '5' SECOND, e = 5s)
		  FORMAT PLAIN ENCODE JSON (a = 'b')`,
		"CreateStream CREATE OR REPLACE STREAM IF NOT EXISTS \"my s\" (\n  id BIGINT NOT NULL,\n  ms BIGINT,\n  ts AS epoch_ms(ms),\n  \"key\" VARCHAR,\n" +
			"  tt TIMESTAMP AS to_timestamp(ms / 1000),\n  file VARCHAR METADATA FROM 'file_name',\n  line BIGINT METADATA FROM 'line',\n" +
			"  p STRUCT(\"mag\" DOUBLE, \"tags\" VARCHAR[]),\n  WATERMARK FOR ts AS ts\n) WITH (connector = 'kafka', brokers = 'a:9092', " +
			"max_files = 10, ratio = 5e-01, on_ = TRUE, 'x.y' = 'off', n = -3, d = '5 seconds', e = '5s', format = 'json', a = 'b')"},
	{`CREATE STREAM s WITH (connector = 'memory')`, `CreateStream CREATE STREAM s WITH (connector = 'memory')`},
	{`DROP STREAM IF EXISTS s`, `DropStream DROP STREAM IF EXISTS s`},
	{`CREATE QUERY q WITH (trigger = '5 seconds', start = false) AS INSERT INTO t SELECT a FROM s`,
		`CreateQuery CREATE QUERY q WITH (trigger = '5 seconds', start = FALSE) AS INSERT INTO t SELECT a FROM s`},
	{`CREATE OR REPLACE QUERY q AS INSERT INTO main.t (a, b) SELECT a, b FROM TUMBLE(s, ts, INTERVAL 5 MINUTES)`,
		`CreateQuery CREATE OR REPLACE QUERY q AS INSERT INTO main.t (a, b) SELECT a, b FROM TUMBLE(s, ts, INTERVAL '5 minutes')`},
	{`START QUERY q`, `QueryVerb START QUERY q`},
	{`STOP QUERY ALL NOW`, `QueryVerb STOP QUERY ALL NOW`},
	{`pause query "Q 1"`, `QueryVerb PAUSE QUERY "Q 1"`},
	{`RESUME QUERY all`, `QueryVerb RESUME QUERY ALL`},
	{`RESTART QUERY q`, `QueryVerb RESTART QUERY q`},
	{`DROP QUERY IF EXISTS q`, `QueryVerb DROP QUERY IF EXISTS q`},
	{`TERMINATE q`, `QueryVerb STOP QUERY q`},
	{`AWAIT QUERY q`, `Await AWAIT QUERY q`},
	{`AWAIT QUERY ALL UNTIL BATCH 3 TIMEOUT 5s`, `Await AWAIT QUERY ALL UNTIL BATCH 3 TIMEOUT INTERVAL '5 seconds'`},
	{`AWAIT QUERY q UNTIL ROWS 1_000`, `Await AWAIT QUERY q UNTIL ROWS 1000`},
	{`AWAIT QUERY q UNTIL WATERMARK TIMESTAMP '2026-09-10 12:00:00' TIMEOUT '1 minute'`,
		`Await AWAIT QUERY q UNTIL WATERMARK '2026-09-10 12:00:00' TIMEOUT INTERVAL '1 minute'`},
	{`AWAIT QUERY q UNTIL IDLE`, `Await AWAIT QUERY q UNTIL IDLE`},
	{`EXPLAIN QUERY q`, `Explain EXPLAIN QUERY q`},
	{`EXPLAIN STATE FORMAT JSON SELECT a FROM s`, `Explain EXPLAIN STATE FORMAT JSON SELECT a FROM s`},
	{`EXPLAIN COMPATIBILITY INSERT INTO t SELECT a FROM s`, `Explain EXPLAIN COMPATIBILITY INSERT INTO t SELECT a FROM s`},
	{`EXPLAIN CREATE QUERY q AS INSERT INTO t SELECT a FROM s`, `Explain EXPLAIN CREATE QUERY q AS INSERT INTO t SELECT a FROM s`},
	{`EXPLAIN (VERBOSE, TYPE PHYSICAL, FORMAT JSON) SELECT a FROM s`, `Explain EXPLAIN PHYSICAL FORMAT JSON SELECT a FROM s`},
	{`EXPLAIN (SELECT a FROM s)`, `Explain EXPLAIN (SELECT a FROM s)`},
	{`EXPLAIN UPDATE t SET a = 1`, `Passthrough EXPLAIN`},
	{`SET`, `Set SET`},
	{`SET checkpoint_interval = '5 seconds'`, `Set SET checkpoint_interval = '5 seconds'`},
	{`SET 'table.exec.emit' = 'true'`, `Set SET 'table.exec.emit' = 'true'`},
	{`SET trigger TO available_now`, `Set SET trigger = 'available_now'`},
	{`SET some.other.key = 5`, `Set SET 'some.other.key' = 5`},
	{`SET VARIABLE x = 5`, `Passthrough SET`},
	{`RESET`, `Reset RESET`},
	{`RESET trigger`, `Reset RESET trigger`},
	{`SHOW STREAMS`, `Show SHOW STREAMS`},
	{`show queries like 'dev%'`, `Show SHOW QUERIES LIKE 'dev%'`},
	{`SHOW PROGRESS FOR q`, `Show SHOW PROGRESS FOR q`},
	{`SHOW LATE ROWS FOR QUERY q`, `Show SHOW LATE ROWS FOR q`},
	{`LIST STREAMS`, `Show SHOW STREAMS`},
	{`SHOW JOBS`, `Show SHOW QUERIES`},
	{`SHOW CREATE STREAM s`, `Show SHOW CREATE STREAM s`},
	{`SHOW CREATE s`, `Show SHOW CREATE s`},
	{`SHOW trigger`, `Show SHOW trigger`},
	{`SHOW TABLES`, `Show SHOW TABLES`},
	{`SHOW ALL TABLES`, `Show SHOW ALL TABLES`},
	{`DESCRIBE s`, `Describe DESCRIBE s`},
	{`DESC EXTENDED STREAM main.s`, `Describe DESCRIBE EXTENDED main.s`},
	{`DESCRIBE SELECT 1`, `Describe DESCRIBE SELECT 1`},
	{`DESCRIBE`, `Passthrough DESCRIBE`},
	{`CREATE TABLE t (a INT)`, `Passthrough CREATE`},
	{`COPY t TO 'x.csv' (HEADER)`, `Undecided [t]`},
	{`COPY t FROM 's'`, `Undecided [t]`},
	{`COPY (SELECT * FROM s) TO 'x.csv'`, `Undecided [s]`},
	{`SUMMARIZE s`, `Undecided [s]`},
	{`SUMMARIZE SELECT a FROM s`, `Undecided [s]`},
	{`PIVOT s ON k USING sum(n)`, `Undecided [s]`},
	{`BEGIN TRANSACTION`, `Passthrough BEGIN`},
	{`START TRANSACTION`, `Passthrough START`},
	{`PRAGMA database_list`, `Passthrough PRAGMA`},
	{`DROP TABLE IF EXISTS t`, `DropTable DROP TABLE IF EXISTS t`},
	{`DROP TABLE a.t CASCADE`, `Passthrough DROP`},
	{`DELETE FROM t WHERE a = 1`, `Passthrough DELETE`},
}

func TestStatements(t *testing.T) {
	for _, c := range statementCases {
		s, err := parseOne(c.text)
		if err != nil {
			t.Errorf("%s\n%s", c.text, rendered(err, c.text))
			continue
		}
		if got := describeStatement(s); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
		checkStatementReprint(t, s)
	}
}

// checkStatementReprint parses the canonical text of a statement and wants the same
// text again.
func checkStatementReprint(t *testing.T, s Statement) {
	t.Helper()
	text := StatementText(s)
	again, err := parseOne(text)
	if err != nil {
		t.Errorf("canonical text does not parse:\n%s", rendered(err, text))
		return
	}
	if got := StatementText(again); got != text {
		t.Errorf("canonical text is not stable:\n%s\n%s", text, got)
	}
}

func TestTableReferences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`SELECT 1`, `[]`},
		{`SELECT * FROM a`, `[a]`},
		{`SELECT * FROM a, main.b AS x, "c d" y WHERE a.x IN (SELECT z FROM e)`, `[a main.b c d e]`},
		{`SELECT * FROM a JOIN b ON a.x = b.x, c LEFT JOIN d USING (x)`, `[a b c d]`},
		{`SELECT * FROM (a JOIN (SELECT f(x, y) FROM b GROUP BY x, y) z ON true)`, `[a b]`},
		{`SELECT * FROM TUMBLE(a, ts, INTERVAL '5' MINUTE), b`, `[a b] stream`},
		{`SELECT * FROM TABLE(HOP(TABLE a, DESCRIPTOR(ts), INTERVAL '5' MINUTE, x))`, `[a] stream`},
		{`SELECT * FROM TABLE(HOP(DATA => TABLE a, TIMECOL => DESCRIPTOR(ts)))`, `[a] stream`},
		{`SELECT * FROM TUMBLE(DEDUP(a, KEY (k, l)), ts, INTERVAL '5' MINUTE)`, `[a] stream`},
		{`SELECT * FROM TUMBLE((SELECT a, b FROM c), ts)`, `[c] stream`},
		{`SELECT * FROM STREAM a`, `[a] stream`},
		{`SELECT * FROM STREAM(a) JOIN b ON true`, `[a b] stream`},
		{`SELECT * FROM stream`, `[stream]`},
		{`SELECT * FROM a WATERMARK ts DELAY OF INTERVAL '1' MINUTE`, `[a] stream`},
		{`SELECT watermark, delay FROM a watermark`, `[a]`},
		{`SELECT * FROM a EMIT CHANGES`, `[a] stream`},
		{`SELECT emit FROM a emit`, `[a]`},
		{`SELECT EXTRACT(hour FROM ts), TRIM(x FROM y), SUBSTRING(s FROM 1 FOR 2) FROM a`, `[a]`},
		{`SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM (c) FROM d`, `[d]`},
		{`WITH x AS (SELECT * FROM a), y (n) AS MATERIALIZED (SELECT * FROM x) SELECT * FROM x, y, z`, `[a z]`},
		{`WITH events AS (SELECT * FROM events) SELECT * FROM events`, `[events]`},
		{`SELECT * FROM (WITH b AS (SELECT 1) SELECT * FROM b) q, b`, `[b]`},
		{`SELECT * FROM read_csv('f', x) r, unnest(r.a) u(b), c`, `[c]`},
		{`SELECT * FROM 'f.csv', a`, `[a]`},
		{`FROM a SELECT x, y`, `[a]`},
		{`SELECT x FROM a UNION ALL SELECT y FROM b ORDER BY x, y`, `[a b]`},
		{`SELECT x, (SELECT max(y) FROM b), z FROM a`, `[b a]`},
		{`INSERT INTO t SELECT * FROM a`, `[a] into t`},
		{`INSERT INTO TABLE main.t (x, y) (SELECT * FROM a)`, `[a] into main.t`},
		{`INSERT INTO t BY NAME WITH w AS (FROM b) FROM w, c`, `[b c] into t`},
		{`INSERT INTO t VALUES (1, 2), (3, 4)`, `[] into t`},
		{`INSERT OR REPLACE INTO t SELECT 1`, `[] into t`},
		{`VALUES (1), (2)`, `[]`},
		{`(SELECT * FROM a) UNION (SELECT * FROM b)`, `[a b]`},
		{`SELECT * FROM a JOIN rates FOR SYSTEM_TIME AS OF a.ts AS r ON true`, `[a rates] stream`},
		{`SELECT * FROM LATERAL (SELECT 1) x, a LEFT JOIN LATERAL f(a.x) ON true`, `[a]`},
	} {
		s, err := parseOne(c.text)
		if err != nil {
			t.Errorf("%s\n%s", c.text, rendered(err, c.text))
			continue
		}
		if got := describeStatement(s); got != "Undecided "+c.want {
			t.Errorf("%s\n got %s\nwant Undecided %s", c.text, got, c.want)
		}
	}
}

func TestUndecidedIsParsedWhenAsked(t *testing.T) {
	script := "SELECT 1;\n\n  INSERT INTO s VALUES (1, 'a'), (-2, NULL) ;\nINSERT INTO t BY NAME SELECT a FROM TUMBLE(s, 5m);"
	pieces, err := Split(script)
	if err != nil || len(pieces) != 3 {
		t.Fatal(pieces, err)
	}
	want := []string{
		"SelectStatement SELECT 1",
		"Insert INSERT INTO s VALUES (1, 'a'), (-2, NULL)",
		"Insert INSERT INTO t BY NAME SELECT a FROM TUMBLE(s, INTERVAL '5 minutes')",
	}
	for i, p := range pieces {
		s, err := ParseStatement(p, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		whole, err := s.(*Undecided).Parse(DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := describeStatement(whole); got != want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
		if whole.Pos() != p.Span {
			t.Errorf("%s stands at %v, want %v", want[i], whole.Pos(), p.Span)
		}
	}
}
