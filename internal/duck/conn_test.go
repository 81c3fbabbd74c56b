package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// record returns rows given as JSON.
func record(t *testing.T, schema *arrow.Schema, text string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// three is a schema whose columns differ in type, so that a mix-up shows.
var three = types.ArrowSchema([]types.Field{
	{Name: "k", Type: types.Of(types.Varchar)},
	{Name: `n"1`, Type: types.Of(types.BigInt)},
	{Name: "at", Type: types.Of(types.Timestamp)},
})

func rows(t *testing.T, c *Conn, text string, args ...any) string {
	t.Helper()
	var lines []string
	err := c.Query(ctx, text, args, func(row []any) error {
		lines = append(lines, join(row))
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return strings.Join(lines, "\n")
}

// The driver's own view gives wrong columns for a part of them and ignores filters.
func TestStageWithAnyPartOfItsColumns(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		s, err := c.Stage(ctx, "x", three)
		if err != nil {
			t.Fatal(err)
		}
		rec := record(t, three, `[{"k":"a","n\"1":1,"at":"2024-01-01 00:00:00"},{"k":null,"n\"1":2,"at":"2024-01-02 00:00:00"},{"k":"c","n\"1":3,"at":null}]`)
		if err := s.Set([]arrow.Record{rec, rec.NewSlice(1, 3)}); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			`SELECT k FROM %s`:                               "a\n<nil>\nc\n<nil>\nc",
			`SELECT "n""1" FROM %s`:                          "1\n2\n3\n2\n3",
			`SELECT at, k FROM %s LIMIT 1`:                   "2024-01-01 00:00:00 +0000 UTC a",
			`SELECT at FROM %s WHERE "n""1" = 2`:             "2024-01-02 00:00:00 +0000 UTC\n2024-01-02 00:00:00 +0000 UTC",
			`SELECT "n""1" FROM %s WHERE k = 'c'`:            "3\n3",
			`SELECT "n""1" FROM %s WHERE at IS NULL`:         "3\n3",
			`SELECT count(*) FROM %s`:                        "5",
			`SELECT max("n""1") FROM %s WHERE k IS NOT NULL`: "3",
			`WITH x AS MATERIALIZED (SELECT * FROM %s) SELECT count(*) FROM x a JOIN x b USING ("n""1")`: "9",
			`SELECT column_type FROM (DESCRIBE SELECT * FROM %s)`:                                        "VARCHAR\nBIGINT\nTIMESTAMP",
			`WITH x AS (SELECT * FROM %s ORDER BY at NULLS FIRST) SELECT k FROM x LIMIT 1 `:              "c",
		} {
			if got := rows(t, c, fmt.Sprintf(query, s.View())); got != want {
				t.Errorf("%s:\n%s\nwant:\n%s", query, got, want)
			}
		}
	})
}

func TestStageIsKeptAndFilledAnew(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		s, err := c.Stage(ctx, "x", three)
		if err != nil {
			t.Fatal(err)
		}
		stmt, err := c.Prepare(ctx, "SELECT count(*), any_value(k) FROM "+s.View())
		if err != nil {
			t.Fatal(err)
		}
		count := func() (got string) {
			err := stmt.Rows(ctx, nil, func(rows *sql.Rows) error {
				return eachRow(rows, func(row []any) error { got = join(row); return nil })
			})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		a, b := record(t, three, `[{"k":"a"}]`), record(t, three, `[{"k":"b"},{"k":"b"}]`)
		for _, step := range []struct {
			records []arrow.Record
			want    string
		}{{nil, "0 <nil>"}, {[]arrow.Record{a}, "1 a"}, {[]arrow.Record{b, b}, "4 b"}, {[]arrow.Record{}, "0 <nil>"}} {
			if err := s.Set(step.records); err != nil {
				t.Fatal(err)
			}
			wantText(t, count(), step.want)
			wantText(t, count(), step.want) // the same again
		}
		again, err := c.Stage(ctx, "x", three)
		if err != nil || again != s {
			t.Errorf("the stage was made again: %v", err)
		}
		other, err := c.Stage(ctx, "x", types.ArrowSchema([]types.Field{{Name: "z", Type: types.Of(types.Int)}}))
		if err != nil || other == s {
			t.Errorf("the stage of other columns is the old one: %v", err)
		}
		wantText(t, rows(t, c, "SELECT column_name FROM (DESCRIBE SELECT * FROM "+other.View()+")"), "z")
	})
}

func TestStageRefusesOtherRecords(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		s, err := c.Stage(ctx, "x", types.ArrowSchema([]types.Field{{Name: "a", Type: types.Of(types.Int)}}))
		if err != nil {
			t.Fatal(err)
		}
		err = s.Set([]arrow.Record{record(t, three, `[]`)})
		wantText(t, fmt.Sprint(err), "a record of 3 columns for a view of 1")
		text := record(t, types.ArrowSchema([]types.Field{{Name: "b", Type: types.Of(types.Varchar)}}), `[]`)
		err = s.Set([]arrow.Record{text})
		wantText(t, fmt.Sprint(err), `column "c0" is utf8, not int32`)
	})
}

func TestStageReadTwiceIsRefused(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		s, err := c.Stage(ctx, "x", three)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Set([]arrow.Record{record(t, three, `[{"k":"a"}]`)}); err != nil {
			t.Fatal(err)
		}
		_, err = c.Exec(ctx, fmt.Sprintf("SELECT * FROM %[1]s UNION ALL SELECT * FROM %[1]s", s.View()))
		wantText(t, fmt.Sprint(err), `E_INTERNAL: a statement read the records of "x" 2 times, which can be read once`)
	})
}

// A stage is for one statement; what is left of it is released with the connection.
func TestStageReleasesItsRecords(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer alloc.AssertSize(t, 0)
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		s, err := c.Stage(ctx, "x", three)
		if err != nil {
			t.Fatal(err)
		}
		rec, _, err := array.RecordFromJSON(alloc, three, strings.NewReader(`[{"k":"a"}]`))
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		if err := s.Set([]arrow.Record{rec}); err != nil {
			t.Fatal(err)
		}
		wantText(t, rows(t, c, "SELECT k FROM "+s.View()), "a")
	})
}

// The stages must not get into the file, where a pointer would outlive the process.
func TestStagesAreNotStored(t *testing.T) {
	db := mustOpen(t, t.TempDir()+"/lab.duckdb", Options{IdleAfter: -1})
	with(t, db, func(c *Conn) {
		if _, err := c.Stage(ctx, "x", three); err != nil {
			t.Fatal(err)
		}
		wantText(t, rows(t, c, "SELECT count(*) FROM duckdb_views() WHERE database_name = 'lab' AND NOT internal"), "0")
		wantText(t, rows(t, c, "SELECT current_database(), current_schema()"), "lab main")
	})
}

func TestQueryArrowGivesTheTypesOfTheTable(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		reader, err := c.QueryArrow(ctx, "SELECT TIMESTAMP '2024-01-01' AS at, 1::DECIMAL(5,2) AS d, [1] AS l, ? AS p", "x")
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Release()
		var got []string
		for _, f := range reader.Schema().Fields() {
			got = append(got, f.Name+" "+f.Type.String())
		}
		wantText(t, strings.Join(got, ", "), "at timestamp[us], d decimal(5, 2), l list<l: int32, nullable>, p utf8")
		if !reader.Next() || types.Text(reader.Record().Column(0), 0) != "2024-01-01 00:00:00" {
			t.Error("the row is missing or wrong")
		}
		_, err = c.QueryArrow(ctx, "SELECT nope")
		var se *SQLError
		if !errors.As(err, &se) || se.Kind != "Binder" {
			t.Errorf("got %#v, want a binder error", err)
		}
		_, err = c.QueryArrow(ctx, "SELECT 'x'::INTEGER")
		if !errors.As(err, &se) || se.Kind != "Conversion" {
			t.Errorf("got %#v, want a conversion error", err)
		}
	})
}

// DuckDB commits what came before a statement that failed to bind:
// this pins the reason for the rule that any error means a rollback.
func TestErrorDoesNotEndATransaction(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	exec1(t, db, "CREATE TABLE t (a INTEGER)")
	with(t, db, func(c *Conn) {
		if err := c.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(ctx, "INSERT INTO nowhere VALUES (1)"); !Missing(err) {
			t.Errorf("got %v, want a missing table", err)
		}
		if err := c.Commit(); err != nil {
			t.Fatal(err)
		}
		wantText(t, rows(t, c, "SELECT count(*) FROM t"), "1")
	})
}

func TestReleaseRollsBack(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	exec1(t, db, "CREATE TABLE t (a INTEGER)")
	with(t, db, func(c *Conn) {
		if err := c.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
			t.Fatal(err)
		}
	})
	wantText(t, queryText(t, db, "SELECT count(*) FROM t"), "0")
}

func TestSpoiltConnectionIsNotReused(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	with(t, db, func(c *Conn) {
		if _, err := c.Exec(ctx, "CREATE TEMP TABLE mine (a INTEGER); SET search_path = 'memory'"); err != nil {
			t.Fatal(err)
		}
		c.Spoil()
	})
	with(t, db, func(c *Conn) {
		_, err := c.Exec(ctx, "SELECT * FROM mine")
		if !Missing(err) {
			t.Errorf("got %v, want a missing table", err)
		}
		wantText(t, rows(t, c, "SELECT current_database()"), "db")
	})
}

func TestPreparedStatementFollowsItsTable(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{})
	exec1(t, db, "CREATE TABLE t (a INTEGER)")
	with(t, db, func(c *Conn) {
		stmt, err := c.Prepare(ctx, "INSERT INTO t SELECT ?")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := stmt.Exec(ctx, 1); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		exec1(t, db, "DROP TABLE t")
		if _, err := stmt.Exec(ctx, 2); !Missing(err) {
			t.Errorf("got %v, want a missing table", err)
		}
		exec1(t, db, "CREATE TABLE t (a VARCHAR)")
		if _, err := stmt.Exec(ctx, 3); err != nil {
			t.Fatal(err)
		}
		wantText(t, rows(t, c, "SELECT a FROM t"), "3")
	})
}

func TestQueryCanBeInterrupted(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{Threads: 1})
	with(t, db, func(c *Conn) {
		stop, cancel := context.WithCancel(ctx)
		cancelled := make(chan struct{})
		go func() { defer close(cancelled); cancel() }()
		err := c.Rows(stop, "SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b", nil, func(*sql.Rows) error { return nil })
		<-cancelled
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the end of the context", err)
		}
		wantText(t, rows(t, c, "SELECT 1"), "1")
	})
}

func TestNothingReachesForTheNetwork(t *testing.T) {
	db := mustOpen(t, ":memory:", Options{MemoryBytes: 64 << 20, Threads: 1})
	with(t, db, func(c *Conn) {
		got := rows(t, c, `SELECT name || '=' || value FROM duckdb_settings() WHERE name IN ('autoinstall_known_extensions',
'autoload_known_extensions', 'allow_community_extensions', 'memory_limit', 'threads', 'wal_autocheckpoint') ORDER BY name`)
		wantText(t, got, "allow_community_extensions=false\nautoinstall_known_extensions=false\nautoload_known_extensions=false\nmemory_limit=64.0 MiB\nthreads=1\nwal_autocheckpoint=953.6 MiB")
	})
}

func TestDefaultMemoryIsBounded(t *testing.T) {
	if n := defaultMemoryBytes(); n <= 0 || n > 2<<30 {
		t.Errorf("%d bytes", n)
	}
}
