package duckdb

import (
	"context"
	"testing"

	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// Where fields go to columns by position, a column that was renamed between two runs, or
// two that were exchanged, would get the rows of another one.
func TestRenamedColumnsAreRefused(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	row := sinktest.Row{Minute: 1, K: "a", N: 3}
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(row)))
	p.exec(t, "ALTER TABLE t RENAME k TO key")
	_, err := p.Open(t, o)
	wantRefusal(t, err, "E_SINK_SCHEMA", `the columns of table t are not those that query "q" has stored rows in: column 2 was "k", now it is "key"`,
		`ALTER TABLE t RENAME "key" TO "k", or say which column each goes to: CREATE OR REPLACE QUERY q AS INSERT INTO t (w, key, n) SELECT ...`)
	named := o
	named.Columns = []string{"w", "key", "n"}
	sinktest.MustWrite(t, sinktest.MustOpen(t, p, named), sinktest.Batch(o, 2, 1, sinktest.Record(row)))
	aliased := o
	aliased.Fields = append([]types.Field(nil), o.Fields...)
	aliased.Fields[1].Name = "key"
	sinktest.MustWrite(t, sinktest.MustOpen(t, p, aliased), sinktest.Batch(aliased, 3, 2, sinktest.Record(row)))
	// Fields of the names that the columns have now are meant for them, and from here on
	// those are the columns of the query.
	sinktest.MustOpen(t, p, o)
}

// Another type is not another column: the values are cast, and one that does not fit names
// itself.
func TestValueThatDoesNotFitIsNamed(t *testing.T) {
	p := newPlace(t)
	o := sinktest.Context("t", types.Append)
	s := sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, sinktest.Record(sinktest.Row{Minute: 1, K: "a", N: 3})))
	p.exec(t, "ALTER TABLE t ALTER n TYPE TINYINT")
	s = sinktest.MustOpen(t, p, o)
	sinktest.MustWrite(t, s, sinktest.Batch(o, 2, 1, sinktest.Record(sinktest.Row{Minute: 2, K: "a", N: 4})))
	err := s.Write(context.Background(), sinktest.Batch(o, 2, 2, sinktest.Record(sinktest.Row{Minute: 3, K: "b", N: 300})))
	wantRefusal(t, err, "E_SINK_SCHEMA", `value 300 of "n" does not fit column "n" of table t, which is TINYINT`,
		`TRY_CAST(... AS TINYINT) in the query gives NULL instead, a filter leaves the row out, or ALTER TABLE t ALTER "n" TYPE BIGINT; nothing of the batch was stored`)
	sinktest.WantRows(t, p, "t", "1970-01-01 00:01:00 | a | 3", "1970-01-01 00:02:00 | a | 4")
}

// A sink whose query is refused leaves no table that it has made, and every other.
func TestUnmakeDropsNewTablesOnly(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"made", "there"} {
		if name == "there" {
			p.exec(t, "CREATE TABLE there (w TIMESTAMP, k VARCHAR, n BIGINT)")
		}
		s := sinktest.MustOpen(t, p, sinktest.Context(name, types.Append))
		if err := s.(sinks.Maker).Unmake(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	sinktest.WantRows(t, p, "(SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main')", "there")
}
