package sql

import "testing"

// The statements that change and watch what was created: text, and canonical text or
// error.
func TestControlStatements(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`alter stream s set (max_files_per_batch = 3, path = 'x')`, `AlterStream ALTER STREAM s SET (max_files_per_batch = 3, path = 'x')`},
		{`ALTER STREAM s ADD COLUMN n INT NOT NULL`, `AlterStream ALTER STREAM s ADD COLUMN n INTEGER NOT NULL`},
		{`ALTER STREAM s ADD ts TIMESTAMP AS epoch_ms(ms)`, `AlterStream ALTER STREAM s ADD COLUMN ts TIMESTAMP AS epoch_ms(ms)`},
		{`ALTER STREAM s ADD "column" INT`, `AlterStream ALTER STREAM s ADD COLUMN column INTEGER`},
		{`ALTER STREAM s RENAME TO t`, `PARSE_SYNTAX_ERROR: syntax error at or near "RENAME", expected SET (..), SET WATERMARK .., SET LOCATION '..' or ADD COLUMN ..`},
		{`alter stream s set location 'a/b'`, `AlterStream ALTER STREAM s SET LOCATION 'a/b'`},
		{`ALTER STREAM s SET LOCATION b`, `PARSE_SYNTAX_ERROR: syntax error at or near "b", expected a path in single quotes`},
		{`ALTER SINK s SET LOCATION 'it''s'`, `AlterSink ALTER SINK s SET LOCATION 'it''s'`},
		{`ALTER SINK s SET (path = 'x')`, `PARSE_SYNTAX_ERROR: syntax error at or near "SET", expected SET LOCATION '..'`},
		{`ALTER QUERY q SET (trigger = '5 seconds')`, `AlterQuery ALTER QUERY q SET (trigger = '5 seconds')`},
		{`ALTER QUERY q AS INSERT INTO t SELECT a FROM s`, `AlterQuery ALTER QUERY q AS INSERT INTO t SELECT a FROM s`},
		{`ALTER QUERY q AS SELECT a FROM s`, `AlterQuery ALTER QUERY q AS SELECT a FROM s`},
		{`ALTER QUERY q AS INSERT INTO t VALUES (1)`, `UNSUPPORTED_FEATURE: a query cannot insert constant rows`},
		{`ALTER QUERY q SET (a = 1, A = 2)`, `DUPLICATE_KEY: option "A" is given twice`},
		{`ALTER TABLE t ADD COLUMN a INT`, `Passthrough ALTER`},
		{`ASSERT (SELECT count(*) FROM t) = 3`, `Assert ASSERT (SELECT count(*) FROM t) = 3`},
		{`ASSERT (SELECT within FROM t) WITHIN 5s`, `Assert ASSERT (SELECT within FROM t) WITHIN INTERVAL '5 seconds'`},
		{`ASSERT EXISTS (FROM t) WITHIN INTERVAL '1' MINUTE`, `Assert ASSERT EXISTS (FROM t) WITHIN INTERVAL '1 minute'`},
		{`ASSERT VALUES t (1, 'a'), (2, NULL)`, `AssertRows ASSERT VALUES t VALUES (1, 'a'), (2, NULL)`},
		{`assert values main.t (a, "B") values (1, (SELECT within FROM t)) within 5s`, `AssertRows ASSERT VALUES main.t (a, B) VALUES (1, (SELECT within FROM t)) WITHIN INTERVAL '5 seconds'`},
		{`ASSERT VALUES t`, `PARSE_SYNTAX_ERROR: syntax error at end of input, expected a row in brackets, such as (1, 'a')`},
		{`CHECKPOINT QUERY q`, `QueryVerb CHECKPOINT QUERY q`},
		{`CHECKPOINT`, `Passthrough CHECKPOINT`},
		{`DROP STREAM s CASCADE`, `DropStream DROP STREAM s CASCADE`},
		{`DROP STREAM s RESTRICT`, `DropStream DROP STREAM s`},
		{`REFRESH MATERIALIZED VIEW concurrently v`, `QueryVerb REFRESH MATERIALIZED VIEW v`},
		{`RESET ALL`, `Reset RESET`},
		{`ROLLBACK`, `Passthrough ROLLBACK`},
		{`ROLLBACK QUERY q TO BATCH 3`, `UNSUPPORTED_FEATURE: ROLLBACK QUERY (Flink savepoints) is not supported`},
		{`SHOW ALL TABLES`, `Show SHOW ALL TABLES`},
		{`SHOW PROGRESS FOLLOW`, `Show SHOW PROGRESS FOLLOW`},
		{`SHOW PROGRESS FOR QUERY q FOLLOW`, `Show SHOW PROGRESS FOR q FOLLOW`},
		{`SHOW PROGRESS FOR follow`, `Show SHOW PROGRESS FOR follow`},
		{`ASSERT`, `PARSE_SYNTAX_ERROR: syntax error at end of input, expected a condition such as (SELECT count(*) FROM t) = 3`},
		{`DIAGNOSE QUERY q`, `Diagnose DIAGNOSE QUERY q`},
		{`diagnose q`, `Diagnose DIAGNOSE QUERY q`},
		{`ALTER MATERIALIZED VIEW m AS SELECT k FROM s`, `AlterQuery ALTER QUERY m AS SELECT k FROM s`},
		{`ALTER MATERIALIZED VIEW m SET (trigger = 'once')`, `AlterQuery ALTER QUERY m SET (trigger = 'once')`},
		{`CREATE STREAM s (a INT, b INT,) WITH (connector = 'memory',)`, "CreateStream CREATE STREAM s (\n  a INTEGER,\n  b INTEGER\n) WITH (connector = 'memory')"},
		{`CREATE TABLE s (ts TIMESTAMP, WATERMARK FOR ts AS ts,)`, "CreateStream CREATE STREAM s (\n  ts TIMESTAMP,\n  WATERMARK FOR ts AS ts\n) WITH (connector = 'memory')"},
		{`CREATE STREAM s (a INT,,) WITH (connector = 'memory')`, `PARSE_SYNTAX_ERROR: syntax error at or near ",", expected the name of a column`},
		{`CREATE STREAM s (,) WITH (connector = 'memory')`, `PARSE_SYNTAX_ERROR: syntax error at or near ",", expected the name of a column`},
		{`CREATE TABLE s (a INT,)`, `Passthrough CREATE`},
		{`CREATE SINK q INTO t WITH (trigger = 'once') AS SELECT k, count(*) FROM s GROUP BY k`, `CreateQuery CREATE SINK q INTO t WITH (trigger = 'once') AS SELECT k, count(*) FROM s GROUP BY k`},
		{`CREATE SINK q INTO t AS SELECT k FROM s WITH (type = 'append-only')`, `CreateQuery CREATE QUERY q AS INSERT INTO t SELECT k FROM s`},
		{`WHY q`, `Diagnose DIAGNOSE QUERY q`},
		{`why query q;`, `Diagnose DIAGNOSE QUERY q`},
		{`WHY FOR q`, `Diagnose DIAGNOSE QUERY q`},
		{`WHY`, `PARSE_SYNTAX_ERROR: syntax error at end of input, expected the name of a query`},
		{`AWAIT q`, `Await AWAIT QUERY q`},
		{`await q UNTIL ROWS 3 TIMEOUT '5 seconds'`, `Await AWAIT QUERY q UNTIL ROWS 3 TIMEOUT INTERVAL '5 seconds'`},
		{`AWAIT ALL UNTIL IDLE`, `Await AWAIT QUERY ALL UNTIL IDLE`},
		{`AWAIT query`, `Await AWAIT QUERY query`},
		{`AWAIT`, `PARSE_SYNTAX_ERROR: syntax error at end of input, expected the name of a query, or ALL`},
		{`WHY NO OUTPUT FOR "my q"`, `Diagnose DIAGNOSE QUERY "my q"`},
		{`DROP SINK s`, `DropSink DROP SINK s`},
		{`drop sink if exists "S"`, `DropSink DROP SINK IF EXISTS S`},
		{`DROP VIEW IF EXISTS v`, `DropView DROP VIEW IF EXISTS v`},
		{`DROP VIEW main.v`, `DropView DROP VIEW main.v`},
		{`DROP VIEW v CASCADE`, `Passthrough DROP`},
		{`DROP MATERIALIZED VIEW v`, `DropView DROP MATERIALIZED VIEW v`},
		{`RESET QUERY q`, `ResetQuery RESET QUERY q`},
		{`RESET QUERY q KEEP OUTPUT FORCE`, `ResetQuery RESET QUERY q FORCE`},
		{`RESET QUERY q TRUNCATE OUTPUT FORCE`, `ResetQuery RESET QUERY q TRUNCATE OUTPUT FORCE`},
		{`RESET query`, `Reset RESET query`},
		{`SHOW CREATE TABLE t`, `Show SHOW CREATE TABLE t`},
		{`SHOW CREATE MATERIALIZED VIEW "table"`, `Show SHOW CREATE MATERIALIZED VIEW "table"`},
		{`SHOW TABLES LIKE 'a%'`, `Show SHOW TABLES LIKE 'a%'`},
		{`SHOW TABLES`, `Show SHOW TABLES`},
		{`RUN SCRIPT 'a''b.sql'`, `RunScript RUN SCRIPT 'a''b.sql'`},
		{`RUN SCRIPT a`, `PARSE_SYNTAX_ERROR: syntax error at or near "a", expected the name of a file in single quotes`},
	} {
		got := ""
		s, err := parseOne(c.text)
		if err != nil {
			got = err.Error()
		} else {
			got = describeStatement(s)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
			continue
		}
		if err != nil || got[:4] == "Pass" {
			continue
		}
		again, err := parseOne(StatementText(s))
		if err != nil || describeStatement(again) != c.want {
			t.Errorf("%s read again: %v, %v", c.want, again, err)
		}
	}
}

// ASSERT gives its condition to DuckDB as it was written.
func TestAssertKeepsItsText(t *testing.T) {
	s, err := parseOne(`ASSERT (SELECT  max(n) FROM t) >= 3 + (1)  WITHIN 2s`)
	if err != nil {
		t.Fatal(err)
	}
	a := s.(*Assert)
	if a.Actual != "(SELECT  max(n) FROM t)" || a.Condition != "(SELECT  max(n) FROM t) >= 3 + (1)" || a.WithinMicros != 2_000_000 {
		t.Errorf("%+v", a)
	}
}
