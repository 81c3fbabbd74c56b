package duckdb

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// wantRefusal compares code, text and hint of an error.
func wantRefusal(t *testing.T, err error, code, text, hint string) {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want %s", err, code)
	}
	if e.Code != code || e.Text != text || e.Hint != hint {
		t.Errorf("got  %s: %s\nhint %s\nwant %s: %s\nhint %s", e.Code, e.Text, e.Hint, code, text, hint)
	}
}

func TestTableIsMadeFromTheColumnsOfTheQuery(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	o.Fields = []types.Field{
		{Name: "window_start", Type: types.Of(types.Timestamp)},
		{Name: "count(*)", Type: types.Of(types.BigInt)},
		{Name: "avg", Type: types.DecimalOf(14, 4)},
		{Name: "nothing", Type: types.Type{}},
		{Name: "nothings", Type: types.ListOf(types.Type{})},
		{Name: "s", Type: types.StructOf(types.Field{Name: "a", Type: types.Of(types.Varchar)})},
	}
	sinktest.MustOpen(t, p, o)
	sinktest.MustOpen(t, p, o) // a second start finds it
	got := strings.Join(p.query(t, "SELECT column_name, column_type FROM (DESCRIBE t)"), "\n")
	want := "window_start | TIMESTAMP\ncount(*) | BIGINT\navg | DECIMAL(14,4)\nnothing | INTEGER\nnothings | INTEGER[]\ns | STRUCT(a VARCHAR)"
	if got != want {
		t.Errorf("columns:\n%s\nwant:\n%s", got, want)
	}
}

func TestExistingTableIsCheckedBeforeTheStart(t *testing.T) {
	cases := []struct {
		name, ddl  string
		change     func(o *sinks.OpenContext)
		text, hint string
	}{
		{"column too many", "CREATE TABLE t (w TIMESTAMP, k VARCHAR)", nil,
			`table t has 2 columns (w, k), but the query has 3`,
			`column "n" of the query has no column in the table: ALTER TABLE t ADD COLUMN "n" BIGINT, or leave it out`},
		{"column too few", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n BIGINT, extra INTEGER)", nil,
			`table t has 4 columns (w, k, n, extra), but the query has 3`,
			`column "extra" of the table gets no value: add it to the query, or name the columns: INSERT INTO t (...) SELECT`},
		{"other order", "CREATE TABLE t (k VARCHAR, w TIMESTAMP, n BIGINT)", nil,
			`the query has the columns of table t in another order; the table has k, w, n`,
			`INSERT INTO t BY NAME SELECT ..., or name the columns: INSERT INTO t (...) SELECT`},
		{"impossible cast", "CREATE TABLE t (w BOOLEAN, k VARCHAR, n BIGINT)", nil,
			`column "w" of table t is BOOLEAN, and TIMESTAMP of the query cannot be cast to it`,
			`change the expression of the query, or the type of the column`},
		{"impossible nested cast", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n BIGINT[])", nil,
			`column "n" of table t is BIGINT[], and BIGINT of the query cannot be cast to it`,
			`change the expression of the query, or the type of the column`},
		{"unknown name", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, m BIGINT)", func(o *sinks.OpenContext) { o.ByName = true },
			`table t has no column "n"; it has w, k, m`,
			`rename the column of the query with AS, or ALTER TABLE t ADD COLUMN "n" BIGINT`},
		{"list too short", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n BIGINT)", func(o *sinks.OpenContext) { o.Columns = []string{"w", "k"} },
			`the column list names 2 columns of table t, but the query has 3`,
			`name as many columns as the query has`},
		{"list names one twice", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n BIGINT)", func(o *sinks.OpenContext) { o.Columns = []string{"w", "k", "K"} },
			`column "K" of table t is given twice`, `name each column once`},
		{"NOT NULL without a value", "CREATE TABLE t (w TIMESTAMP, must INTEGER NOT NULL, k VARCHAR, d INTEGER NOT NULL DEFAULT 1, n BIGINT)",
			func(o *sinks.OpenContext) { o.ByName = true },
			`column "must" of table t must not be NULL, but the query gives it no value`,
			`add it to the query, or give the column a default`},
		{"view", "CREATE TABLE x (w TIMESTAMP, k VARCHAR, n BIGINT); CREATE VIEW t AS SELECT * FROM x", nil,
			`t is a view, not a table`, `name another table; it is made if it does not exist`},
		{"primary key under update", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n BIGINT, PRIMARY KEY (w, k))",
			func(o *sinks.OpenContext) { o.Mode, o.Keys = types.Update, []int{0, 1} },
			`table t has a PRIMARY KEY, and DuckDB cannot replace rows under one in one transaction`,
			`make the table without it: ssql replaces rows by the keys of the query`},
		{"unique index under complete", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n BIGINT); CREATE UNIQUE INDEX i ON t (k)",
			func(o *sinks.OpenContext) { o.Mode = types.Complete },
			`table t has a UNIQUE INDEX, and DuckDB cannot replace rows under one in one transaction`,
			`make the table without it: ssql replaces rows by the keys of the query`},
		{"two columns of one name", "", func(o *sinks.OpenContext) {
			o.Fields = []types.Field{{Name: "a", Type: types.Of(types.Int)}, {Name: "A", Type: types.Of(types.Int)}}
		},
			`table t would get two columns "A"`, `give one of them another name with AS`},
		{"missing schema", "", func(o *sinks.OpenContext) { o.Target = "lab.t" },
			`table lab.t is in the schema "lab", which does not exist`, `CREATE SCHEMA "lab"`},
		{"ssql's own schema", "", func(o *sinks.OpenContext) { o.Target = "ssql.commits" },
			`table ssql.commits is in the schema ssql, which is ssql's own`, `name a table in another schema`},
		{"other database", "", func(o *sinks.OpenContext) { o.Target = "other.main.t" },
			`table other.main.t is not in the database "ssql_db" of the session`,
			`a query can only write exactly once into the database that ssql was started with`},
		{"no name", "", func(o *sinks.OpenContext) { o.Target = `a..b` },
			`"a..b" is no name of a table: a part of it is empty`, `write name, schema.name or "any name"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			if c.ddl != "" {
				p.exec(t, c.ddl)
			}
			o := sinktest.Context("t", types.Append)
			if c.change != nil {
				c.change(&o)
			}
			_, err := p.Open(t, o)
			wantRefusal(t, err, "E_SINK_SCHEMA", c.text, c.hint)
		})
	}
}

// A column that holds less than the query gives is said when the sink is opened, at every
// depth; one that only changes the form of a value, or refuses what does not fit, is not.
func TestColumnsThatRound(t *testing.T) {
	decimal := types.DecimalOf(9, 2)
	for _, c := range []struct {
		from types.Type
		to   string
		says bool
	}{
		{types.Of(types.Double), "INTEGER", true},
		{types.Of(types.Double), "TINYINT", true},
		{types.Of(types.Double), "DECIMAL(18,3)", true},
		{types.Of(types.Double), "FLOAT", true},
		{types.Of(types.Double), "VARCHAR", false},
		{types.Of(types.Float), "DOUBLE", false},
		{types.Of(types.Float), "BIGINT", true},
		{decimal, "INTEGER", true},
		{decimal, "DECIMAL(9,1)", true},
		{decimal, "DECIMAL(12,4)", false},
		{decimal, "DOUBLE", false},
		{types.Of(types.Varchar), "INTEGER", true},
		{types.Of(types.Varchar), "DOUBLE", false},
		{types.Of(types.Varchar), "TIMESTAMP", false},
		{types.Of(types.Timestamp), "DATE", true},
		{types.Of(types.Timestamp), "TIMESTAMP_S", true},
		{types.Of(types.Timestamp), "TIMESTAMPTZ", false},
		{types.Of(types.BigInt), "TINYINT", false},
		{types.ListOf(types.Of(types.Double)), "INTEGER[]", true},
		{types.ListOf(types.Of(types.Double)), "VARCHAR[]", false},
		{types.StructOf(types.Field{Name: "a", Type: decimal}), "STRUCT(a INTEGER)", true},
		{types.MapOf(types.Of(types.Varchar), types.Of(types.Double)), "MAP(VARCHAR, BIGINT)", true},
	} {
		p := newPlace(t)
		p.exec(t, "CREATE TABLE t (v "+c.to+")")
		o := sinktest.Context("t", types.Append)
		o.Fields = []types.Field{{Name: "v", Type: c.from, Nullable: true}}
		var notices []string
		o.Notice = func(text string) { notices = append(notices, text) }
		s, err := p.Open(t, o)
		if err != nil {
			t.Errorf("%s into %s: %v", c.from, c.to, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if said := len(notices) == 1 && strings.Contains(notices[0], "which holds less than the "+c.from.String()+" of the query"); said != c.says || !c.says && notices != nil {
			t.Errorf("%s into %s: %q", c.from, c.to, notices)
		}
	}
}

func TestColumnsAreMappedAndCast(t *testing.T) {
	row := sinktest.Record(sinktest.Row{Minute: 1, K: "12", N: 3})
	cases := []struct {
		name, ddl string
		columns   []string
		byName    bool
		want      string
	}{
		{"position", "CREATE TABLE t (a TIMESTAMP, b VARCHAR, c BIGINT)", nil, false, "1970-01-01 00:01:00 | 12 | 3"},
		{"list", "CREATE TABLE t (c INTEGER, d INTEGER DEFAULT 9, b VARCHAR, a TIMESTAMP)", []string{"a", "B", "c"}, false, "3 | 9 | 12 | 1970-01-01 00:01:00"},
		{"name", "CREATE TABLE t (N BIGINT, x VARCHAR, K VARCHAR, W TIMESTAMP)", nil, true, "3 | NULL | 12 | 1970-01-01 00:01:00"},
		{"casts", "CREATE TABLE t (w DATE, k INTEGER, n VARCHAR)", nil, false, "1970-01-01 | 12 | 3"},
		{"qualified", "CREATE TABLE t (w TIMESTAMP, k VARCHAR, n DOUBLE)", nil, false, "1970-01-01 00:01:00 | 12 | 3"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.exec(t, c.ddl)
			o := sinktest.Context("t", types.Append)
			o.Columns, o.ByName = c.columns, c.byName
			if c.name == "qualified" {
				o.Target = `ssql_db.MAIN."T"`
			}
			s := sinktest.MustOpen(t, p, o)
			sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, row))
			sinktest.WantRows(t, p, "t", c.want)
		})
	}
}

// In update mode a key is compared as the table stores it.
func TestUpdateKeysAreCastToTheTable(t *testing.T) {
	p := newPlace(t)
	p.exec(t, "CREATE TABLE t (w DATE, k INTEGER, n BIGINT)")
	o := sinktest.Context("t", types.Update, 0, 1)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{Minute: 1, K: "7", N: 1})))
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{Minute: 2, K: "07", N: 2})))
	sinktest.WantRows(t, p, "t", "1970-01-01 | 7 | 2")
}

func TestValueThatDoesNotFitStoresNothing(t *testing.T) {
	p := newPlace(t)
	p.exec(t, "CREATE TABLE t (w TIMESTAMP, k INTEGER, n BIGINT CHECK (n < 100))")
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	err := s.Write(context.Background(), sinktest.Batch(o, 1, 0,
		sinktest.Record(sinktest.Row{K: "1", N: 1}), sinktest.Record(sinktest.Row{K: "x", N: 2})))
	hint := "change the query, with TRY_CAST or a filter, or the table; nothing of the batch was stored"
	wantRefusal(t, err, "E_SINK_SCHEMA", `value x of "k" does not fit column "k" of table t, which is INTEGER`,
		`TRY_CAST(... AS INTEGER) in the query gives NULL instead, a filter leaves the row out, or ALTER TABLE t ALTER "k" TYPE VARCHAR; nothing of the batch was stored`)
	err = s.Write(context.Background(), sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "1", N: 100})))
	wantRefusal(t, err, "E_SINK_SCHEMA", "table t did not take the rows: CHECK constraint failed: t", hint)
	sinktest.WantRows(t, p, "t")
	sinktest.WantHead(t, s, o.QueryID, sinks.Marker{}, false)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "1", N: 1})))
	sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | 1 | 1")
}

func TestTableChangedWhileRunning(t *testing.T) {
	cases := []struct{ name, ddl, text, hint string }{
		{"dropped", "DROP TABLE t",
			"table t was dropped while the query was running",
			"restore the table and start the query again, or drop the query and start it anew"},
		{"column added", "ALTER TABLE t ADD COLUMN x INTEGER",
			`table t was altered while the query was running: its columns were "w" TIMESTAMP, "k" VARCHAR, "n" BIGINT, now they are "w" TIMESTAMP, "k" VARCHAR, "n" BIGINT, "x" INTEGER`,
			"start the query again: it goes on if its columns still fit the table"},
		{"type changed", "ALTER TABLE t ALTER n TYPE INTEGER",
			`table t was altered while the query was running: its columns were "w" TIMESTAMP, "k" VARCHAR, "n" BIGINT, now they are "w" TIMESTAMP, "k" VARCHAR, "n" INTEGER`,
			"start the query again: it goes on if its columns still fit the table"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			o := sinktest.Context("t", types.Append)
			s := sinktest.MustOpen(t, p, o)
			b := sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1}))
			sinktest.MustWrite(t, s, b)
			p.exec(t, c.ddl)
			err := s.Write(context.Background(), sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{K: "b", N: 1})))
			wantRefusal(t, err, "E_SINK_SCHEMA", c.text, c.hint)
			sinktest.WantHead(t, s, o.QueryID, b.Marker, true) // rolled back, marker and all
		})
	}
}

func TestDroppedTableIsNotMadeAgain(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1})))
	p.exec(t, "DROP TABLE t")
	_, err := p.Open(t, o)
	wantRefusal(t, err, "E_SINK_SCHEMA", `table t does not exist, but query "q" has stored rows in it`,
		"restore the table, or drop the query and start it anew")
}

func TestRowsChangedByAnotherTransaction(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Update, 0, 1)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{K: "a", N: 1})))
	user, release, err := p.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := user.Begin(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := user.Exec(context.Background(), "DELETE FROM t"); err != nil {
		t.Fatal(err)
	}
	b := sinktest.Batch(o, 1, 1, sinktest.Record(sinktest.Row{K: "a", N: 2}))
	err = s.Write(context.Background(), b)
	wantRefusal(t, err, "E_SINK_LOCKED", "rows of table t are being changed by another transaction",
		"end that transaction, then start the query again; nothing of the batch was stored")
	if err := user.Rollback(); err != nil {
		t.Fatal(err)
	}
	sinktest.MustWrite(t, s, b)
	sinktest.WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 2")
}
