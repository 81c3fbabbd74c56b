package session_test

import (
	"strings"
	"testing"
)

// SHOW CREATE gives statements that make everything again: run in another database they
// show the same, and run where they came from they change nothing.
func TestShowCreateMakesEverythingAgain(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1,"ts":"2026-01-01 10:00:00"}`)
	setup := `CREATE STREAM inferred WITH (connector = 'files', path = 'in', max_files_per_batch = 3);
		CREATE STREAM "my stream" (a INT NOT NULL, ms BIGINT, ts TIMESTAMP AS epoch_ms(ms), "select" STRUCT(x INT, y VARCHAR[]),
			WATERMARK FOR ts AS ts - INTERVAL '90' SECOND) WITH (connector = 'memory', bad_records = 'drop', idle_timeout = '5 minutes');
		CREATE VIEW v (b, "group") AS SELECT a, ts FROM "my stream" WHERE a > 1 AND "select".x IS NULL;
		CREATE VIEW plain AS SELECT 1 AS one;
		CREATE TABLE tab (a INTEGER, b VARCHAR);
		INSERT INTO t SELECT a FROM inferred;
		CREATE QUERY q WITH (late_rows = 'drop', start = false, trigger = '5 seconds') AS INSERT INTO u BY NAME
			SELECT window_start, window_end, count(*) FILTER (WHERE b > 2) AS n FROM HOP(v, "group", INTERVAL 5 MINUTES, INTERVAL 10 MINUTES) GROUP BY 1, 2;
		CREATE MATERIALIZED VIEW mv WITH (workers = 1) AS SELECT b, max("group") AS newest FROM v GROUP BY b`
	if _, err := w.run(setup, true); err != nil {
		t.Fatal(err)
	}
	names := []string{"inferred", `"my stream"`, "v", "plain", "tab", "t", "q", "mv"}
	var texts []string
	for _, name := range names {
		got, err := w.run("SHOW CREATE "+name, true)
		if err != nil {
			t.Fatalf("SHOW CREATE %s: %v", name, err)
		}
		texts = append(texts, got)
		if strings.Contains(got, "CREATE TABLE") || strings.Contains(got, "plain") {
			continue // DuckDB's own do not allow that
		}
		// START = false and the end of the input keep what follows quiet.
		if again, err := w.run(got, true); err != nil || !strings.Contains(again, "exists already with this definition") && !strings.HasPrefix(got, "INSERT") {
			t.Errorf("%s\nrun again: %s\n%v", got, again, err)
		}
	}
	other := open(t, t.TempDir())
	for i, name := range names {
		if _, err := other.run(texts[i], true); err != nil {
			t.Errorf("%s\n%v", texts[i], err)
			continue
		}
		if got, err := other.run("SHOW CREATE "+name, true); err != nil || got != texts[i] {
			t.Errorf("got  %s\n%v\nwant %s", got, err, texts[i])
		}
	}
}

// In a script a statement sees what those before it gave to a memory stream, whether the
// query that reads it runs in the background or had ended.
func TestScriptsSeeWhatTheyInserted(t *testing.T) {
	w := open(t, t.TempDir())
	script := func(text, want string) {
		t.Helper()
		if got, err := w.run(text, true); err != nil || got != want {
			t.Errorf("%s\ngot:  %s\n      %v\nwant: %s", text, got, err, want)
		}
	}
	script(`CREATE STREAM m (a INT) WITH (connector = 'memory');
		CREATE VIEW big AS SELECT a FROM m WHERE a > 1;
		CREATE QUERY often WITH (trigger = '1 hour') AS INSERT INTO t SELECT a FROM m;
		CREATE QUERY fast WITH (trigger = '0 seconds') AS INSERT INTO u SELECT a FROM big`,
		"query \"often\" started; SHOW QUERIES shows it, STOP QUERY often stops it\n"+
			"query \"fast\" started; SHOW QUERIES shows it, STOP QUERY fast stops it")
	for i, want := range []string{"1", "2", "3"} {
		script(`INSERT INTO m VALUES (`+want+`); SELECT count(*), (SELECT count(*) FROM u) FROM t`,
			"1 row inserted into stream \"m\"\n"+want+" | "+string(rune('0'+i)))
	}
	script(`STOP QUERY often; INSERT INTO m VALUES (4); SELECT count(*), (SELECT count(*) FROM u) FROM t`,
		"often: 3 batches, 3 rows read = 3 used + 0 filtered + 0 late + 0 bad, 3 rows written\n1 row inserted into stream \"m\"\n3 | 3")
	script(`STOP QUERY ALL; INSERT INTO ended SELECT a FROM m; INSERT INTO m VALUES (5); SELECT count(*), (SELECT count(*) FROM t) FROM ended`,
		"fast: 4 batches, 4 rows read = 3 used + 1 filtered + 0 late + 0 bad, 3 rows written\n"+
			"NOTE: query \"often\" does not run here\n"+
			"ended: 1 batch, 4 rows read = 4 used + 0 filtered + 0 late + 0 bad, 4 rows written\n"+
			"1 row inserted into stream \"m\"\nended: 1 batch, 1 row read = 1 used + 0 filtered + 0 late + 0 bad, 1 row written\n5 | 3")
	script(`STOP QUERY ended; INSERT INTO m VALUES (6); SELECT count(*) FROM ended`,
		"NOTE: query \"ended\" had read what was there; it takes up nothing more until START QUERY ended\n"+
			"1 row inserted into stream \"m\"\n5")
	script(`START QUERY ended; SELECT count(*) FROM ended`,
		"ended: 1 batch, 1 row read = 1 used + 0 filtered + 0 late + 0 bad, 1 row written\n6")
}

// ALTER QUERY goes on with the new definition where the query runs, and changes nothing
// where its state does not fit.
func TestAlterARunningQuery(t *testing.T) {
	w := open(t, t.TempDir())
	w.want(`CREATE STREAM m (a INT) WITH (connector = 'memory'); INSERT INTO t SELECT a FROM m`,
		`query "t" started; SHOW QUERIES shows it, STOP QUERY t stops it`)
	w.want(`INSERT INTO m VALUES (1); AWAIT QUERY t UNTIL ROWS 1`, `1 row inserted into stream "m"`)
	got, err := w.run(`ALTER QUERY t AS SELECT a FROM m WHERE a > 2; INSERT INTO m VALUES (2), (3); AWAIT QUERY t UNTIL ROWS 1; SELECT * FROM t`, false)
	if err != nil || !strings.HasSuffix(got, "1\n3") || !strings.Contains(got, `query "t" resumed at batch 1`) {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := w.run(`ALTER QUERY t AS SELECT count(*) AS a FROM m EMIT ON UPDATE`, false); err == nil || w.s.Running() != 1 {
		t.Errorf("got %v and %d running queries", err, w.s.Running())
	}
	got, err = w.run(`ALTER QUERY t SET (trigger = '1 hour', late_rows = 'drop'); SHOW CREATE t`, false)
	if err != nil || !strings.HasSuffix(got, "CREATE QUERY t WITH (late_rows = 'drop', trigger = '1 hour') AS INSERT INTO t SELECT a FROM m WHERE a > 2;") || w.s.Running() != 1 {
		t.Errorf("got %s, %v and %d running queries", got, err, w.s.Running())
	}
}
