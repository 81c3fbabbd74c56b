package duck

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestInZones(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT ts AT TIME ZONE 'UTC' FROM t":                    "SELECT ts::TIMESTAMPTZ AT TIME ZONE 'UTC' FROM t",
		"SELECT (a + b) at time\nzone z, f(x) AT TIME ZONE 'Z'":  "SELECT (a + b)::TIMESTAMPTZ at time\nzone z, f(x)::TIMESTAMPTZ AT TIME ZONE 'Z'",
		"SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'": "SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'",
		"SELECT timezone('UTC', f(a, [b]))":                      "SELECT timezone('UTC', CAST(f(a, [b]) AS TIMESTAMPTZ))",
		"SELECT timezone(ts), timezone":                          "SELECT timezone(ts), timezone",
		"SELECT 'a AT TIME ZONE ' -- AT TIME ZONE\n":             "SELECT 'a AT TIME ZONE ' -- AT TIME ZONE\n",
		"SELECT \"at time zone\", /* x AT TIME ZONE y */ 1":      "SELECT \"at time zone\", /* x AT TIME ZONE y */ 1",
		"SELECT $$x AT TIME ZONE y$$, 'zone'":                    "SELECT $$x AT TIME ZONE y$$, 'zone'",
	} {
		if got := inZones(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestInUTC(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT now() - x": "SELECT CAST(now() AS TIMESTAMP) - x",
		"SELECT NOW ( ), current_timestamp, localtimestamp":      "SELECT CAST(now() AS TIMESTAMP), CAST(now() AS TIMESTAMP), CAST(now() AS TIMESTAMP)",
		"SELECT to_timestamp(f(x)) + d, get_current_timestamp()": "SELECT CAST(to_timestamp(f(x)) AS TIMESTAMP) + d, CAST(now() AS TIMESTAMP)",
		"SELECT t.current_timestamp, \"now\"(), 'now()', now":    "",
		"SELECT 1; SELECT now()":                                 "",
		"SELECT now();":                                          "SELECT CAST(now() AS TIMESTAMP);",
	} {
		got, ok := inUTC(text)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// What DuckDB computes with times with a zone works without its ICU extension, in any
// statement, and gives the types that a DuckDB with ICU gives.
func TestTimesWithoutICU(t *testing.T) {
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
	if _, err := c.Exec(ctx, "CREATE TABLE t AS SELECT now()::TIMESTAMP AS ts, 'Europe/Berlin' AS zone"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		{"SELECT count(*) FROM t WHERE ts > now() - INTERVAL '1' HOUR", "1"},
		{"SELECT count(*) FROM t WHERE ts BETWEEN current_timestamp - INTERVAL 1 DAY AND now() + INTERVAL 1 DAY", "1"},
		{"SELECT date_trunc('day', now()) = current_date", "true"},
		{"SELECT now()::DATE = current_date AND year(now()) = year(current_date)", "true"},
		{"SELECT date_diff('day', now(), localtimestamp)", "0"},
		{"SELECT abs(epoch(now()) - epoch(ts)) < 3600 FROM t", "true"},
		{"SELECT (TIMESTAMP '2026-07-01 12:00:00' AT TIME ZONE 'Europe/Berlin')::VARCHAR", "2026-07-01 14:00:00"},
		{"SELECT (TIMESTAMP '2026-01-01 12:00:00' AT TIME ZONE zone)::VARCHAR FROM t", "2026-01-01 13:00:00"},
		{"SELECT (TIMESTAMP '2026-01-01 12:00:00' AT TIME ZONE 'UTC' AT TIME ZONE '+02:00')::VARCHAR", "2026-01-01 14:00:00"},
		{"SELECT (timezone('Asia/Tokyo', TIMESTAMP '2026-01-01 12:00:00'))::VARCHAR", "2026-01-01 21:00:00"},
		{"SELECT count(*) FROM t WHERE (ts AT TIME ZONE NULL) IS NULL", "1"},
		{"SELECT typeof(ts AT TIME ZONE zone) || typeof(date_trunc('hour', now())) FROM t", "TIMESTAMPTIMESTAMP"},
		{"SELECT (to_timestamp(0) + INTERVAL 1 HOUR)::VARCHAR", "1970-01-01 01:00:00"},
	} {
		got := ""
		err := c.Query(ctx, test.text, nil, func(row []any) error { got = fmt.Sprint(row[0]); return nil })
		if err != nil || got != test.want {
			t.Errorf("%s\n got %s, error %v\nwant %s", test.text, got, err, test.want)
		}
	}
	if _, err := c.Exec(ctx, "CREATE VIEW v AS SELECT ts AT TIME ZONE zone AS l, date_trunc('hour', now()) AS h FROM t WHERE ts > now() - INTERVAL '1' HOUR"); err != nil {
		t.Fatal(err)
	}
	stored := ""
	if err := c.Query(ctx, "SELECT sql FROM duckdb_views() WHERE view_name = 'v'", nil, func(row []any) error { stored = fmt.Sprint(row[0]); return nil }); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stored, wallTimeFunction) || !strings.Contains(stored, "CAST(now() AS TIMESTAMP)") {
		t.Errorf("the stored view needs ssql: %s", stored)
	}
	if err := c.Query(ctx, "FROM v", nil, func([]any) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := c.Exec(ctx, "SELECT ts AT TIME ZONE 'Nowhere' FROM t"); err == nil || !strings.HasPrefix(err.Error(), `Invalid Input Error: "Nowhere" is no time zone`) {
		t.Errorf("an unknown zone: %v", err)
	}
}

func TestCastsOfNow(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT now()::DATE, CAST(NOW() AS TIME)":              "SELECT CAST(now() AS TIMESTAMP)::DATE, CAST(CAST(now() AS TIMESTAMP) AS TIME)",
		"SELECT current_timestamp::timestamp_s":                "SELECT CAST(now() AS TIMESTAMP)::timestamp_s",
		"SELECT now()::TIMESTAMP, CAST(now() AS VARCHAR)":      "SELECT now()::TIMESTAMP, CAST(now() AS VARCHAR)",
		"SELECT 'now()::DATE', t.current_timestamp::DATE, now": "SELECT 'now()::DATE', t.current_timestamp::DATE, now",
	} {
		if got := castsOfNow(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// The relations of a statement are found wherever they stand, and keep their names.
func TestTablesInUTC(t *testing.T) {
	sub := func(name string) string {
		return `(SELECT * REPLACE (CAST("tz" AS TIMESTAMP) AS "tz") FROM ` + name + ")"
	}
	for text, want := range map[string]string{
		"SELECT tz FROM t":                                   "SELECT tz FROM " + sub("t") + " AS t",
		"FROM main.t SELECT tz":                              "FROM " + sub("main.t") + " AS t SELECT tz",
		"SELECT a.tz FROM t a, \"t\" AS b WHERE a.x = b.x":   "SELECT a.tz FROM " + sub("t") + " a, " + sub(`"t"`) + " AS b WHERE a.x = b.x",
		"SELECT 1 FROM u LEFT JOIN t USING (x) ORDER BY tz":  "SELECT 1 FROM u LEFT JOIN " + sub("t") + " AS t USING (x) ORDER BY tz",
		"SELECT 1 FROM (u JOIN t ON u.a, t)":                 "SELECT 1 FROM (u JOIN " + sub("t") + " AS t ON u.a, " + sub("t") + " AS t)",
		"SELECT (SELECT max(tz) FROM t), t, x FROM u":        "SELECT (SELECT max(tz) FROM " + sub("t") + " AS t), t, x FROM u",
		"SELECT extract(hour FROM t), a IS DISTINCT FROM t":  "",
		"SELECT 1 FROM f('t', x) WHERE t IN (t, t)":          "",
		"SELECT 1 FROM 't.parquet'":                          "SELECT 1 FROM " + sub("'t.parquet'"),
		"DELETE FROM t WHERE tz IN (SELECT tz FROM t)":       "DELETE FROM t WHERE tz IN (SELECT tz FROM " + sub("t") + " AS t)",
		"INSERT INTO t SELECT tz FROM t -- FROM t":           "INSERT INTO t SELECT tz FROM " + sub("t") + " AS t -- FROM t",
		"COPY (SELECT tz FROM t) TO 'f'":                     "COPY (SELECT tz FROM " + sub("t") + " AS t) TO 'f'",
		"COPY t FROM 't.parquet'":                            "",
		"SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE z FROM t": "",
	} {
		got, ok := tablesInUTC(text, func(rel string) []string {
			if name := strings.Trim(rel, `"'`); name == "t" || name == "main.t" || name == "t.parquet" {
				return []string{"tz"}
			}
			return nil
		})
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// Columns of times with a zone compute as in a DuckDB with ICU and SET TimeZone = 'UTC'.
func TestZonedColumnsWithoutICU(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(filepath.Join(dir, "t.duckdb"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	c, release, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, text := range []string{
		"CREATE TABLE t AS SELECT 1 AS id, TIMESTAMPTZ '2026-01-01 10:00:00+02' AS tz UNION ALL SELECT 2, TIMESTAMPTZ '2026-03-31 23:10:11.5+00'",
		`CREATE SCHEMA sc`, `CREATE TABLE sc.u AS SELECT id, tz AS "my tz" FROM t`,
		"CREATE VIEW v AS SELECT id, now() - tz AS age, tz::DATE AS d FROM t WHERE tz < now() - INTERVAL '1' SECOND OR true",
		"CREATE VIEW dates AS SELECT id, tz::DATE AS d FROM t",
		"CREATE OR REPLACE TEMP VIEW times AS SELECT CAST(tz AS TIME) AS c, tz FROM t",
		"CREATE VIEW untouched AS SELECT '2026-01-01'::DATE AS d, tz FROM t",
		"CREATE MACRO latest() AS TABLE SELECT * FROM t WHERE tz > now() - INTERVAL 100 YEAR",
		"PREPARE of_day AS SELECT count(*) FROM t WHERE tz::DATE = '2026-01-01'",
		"CREATE TABLE made AS SELECT tz - INTERVAL 1 HOUR AS h FROM t",
		"INSERT INTO made SELECT date_trunc('month', tz) FROM t",
		"COPY (SELECT tz FROM t) TO '" + dir + "/f.parquet'",
		"COPY (SELECT tz - INTERVAL 1 HOUR AS h FROM t) TO '" + dir + "/h.csv'",
	} {
		if _, err := c.Exec(ctx, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"SELECT list((tz - INTERVAL '1' HOUR)::VARCHAR ORDER BY id) FROM t", "[2026-01-01 07:00:00 2026-03-31 22:10:11.5]"},
		{"SELECT list((INTERVAL 1 MONTH + t.tz)::VARCHAR ORDER BY id) FROM main.t", "[2026-02-01 08:00:00 2026-04-30 23:10:11.5]"},
		{"SELECT (max(tz) - min(tz))::VARCHAR FROM t", "89 days 15:10:11.5"},
		{"SELECT list(extract(hour FROM tz) ORDER BY id) FROM t", "[8 23]"},
		{"SELECT strftime(tz, '%d.%m.%Y') FROM t WHERE id = 2", "31.03.2026"},
		{"SELECT count(*) FROM t WHERE tz::DATE = DATE '2026-03-31' AND tz > TIMESTAMPTZ '2026-03-31 00:00:00Z' - INTERVAL 1 DAY", "1"},
		{`SELECT count(*) FROM sc.u JOIN t b USING (id) WHERE u."my tz" + INTERVAL 1 DAY > b.tz`, "2"},
		{"WITH c AS (SELECT tz + INTERVAL 1 DAY AS x FROM t) SELECT count(*) FROM c WHERE x > now() - INTERVAL '1' HOUR OR x IS NOT NULL", "2"},
		{"SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY date_trunc('month', tz) ORDER BY tz) AS n FROM t) WHERE n = 1", "2"},
		{"SELECT (age(max(tz), min(tz)) > INTERVAL 80 DAY) FROM t", "true"},
		{"SELECT (tz AT TIME ZONE 'Europe/Berlin')::VARCHAR || ' ' || date_part('month', tz) FROM t WHERE id = 1", "2026-01-01 09:00:00 1"},
		{"SELECT count(*) FROM '" + dir + "/f.parquet' WHERE tz - INTERVAL 1 DAY < '2026-02-01'", "1"},
		{"SELECT count(*) FROM range(TIMESTAMPTZ '2026-01-01 00:00:00Z', TIMESTAMPTZ '2026-01-02 00:00:00Z', INTERVAL 12 HOUR)", "2"},
		{"SELECT ('2026-01-01 10:00:00+02'::TIMESTAMPTZ - CAST('2026-01-01' AS TIMESTAMP WITH TIME ZONE))::VARCHAR", "08:00:00"},
		{"SELECT (strptime('2026-01-01 10:00 +0200', '%Y-%m-%d %H:%M %z') + INTERVAL 1 DAY)::VARCHAR", "2026-01-02 08:00:00"},
		{"SELECT (make_timestamptz(2026, 1, 1, 10, 0, 0.5))::VARCHAR", "2026-01-01 10:00:00.5"},
		{"SELECT localtime IS NOT NULL AND current_localtime() IS NOT NULL AND current_localtimestamp() <= now()", "true"},
		{"SELECT count(*) FROM v WHERE age > INTERVAL 1 SECOND OR d > '2026-01-01'", "2"},
		{"SELECT list(d::VARCHAR ORDER BY id) FROM dates", "[2026-01-01 2026-03-31]"},
		{"SELECT list(c::VARCHAR ORDER BY c) FROM times", "[08:00:00 23:10:11.5]"},
		{"SELECT max(typeof(tz)) FROM untouched", "TIMESTAMP WITH TIME ZONE"},
		{"SELECT count(*) FROM latest()", "2"},
		{"EXECUTE of_day", "1"},
		{"SELECT list(h::VARCHAR ORDER BY h) FROM made", "[2026-01-01 00:00:00 2026-01-01 07:00:00 2026-03-01 00:00:00 2026-03-31 22:10:11.5]"},
	} {
		got := ""
		err := c.Query(ctx, test.text, nil, func(row []any) error { got = fmt.Sprint(row[0]); return nil })
		if err != nil || got != test.want {
			t.Errorf("%s\n got %s, error %v\nwant %s", test.text, got, err, test.want)
		}
	}
	// A refusal says what to write, and leaves the transaction around it as it is.
	if err := c.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Query(ctx, "SELECT now()::DATE = current_date, CAST(current_timestamp AS DATE)", nil, func([]any) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := c.Exec(ctx, "UPDATE t SET tz = tz - INTERVAL 1 HOUR"); err == nil {
		t.Error("computing in UPDATE needs ICU")
	}
	if _, err := c.Exec(ctx, "UPDATE t SET tz = CAST(tz AS TIMESTAMP) - INTERVAL 1 HOUR"); err != nil {
		t.Error(err)
	}
	if err := c.Commit(); err != nil {
		t.Error(err)
	}
}
