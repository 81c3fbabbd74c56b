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
