package sinktest

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sinks"
	"ssql/sql/types"
)

func testAppend(t *testing.T, p Place) {
	o := Context("t", types.Append)
	s := MustOpen(t, p, o)
	if !s.Transactional() {
		t.Error("Transactional is false")
	}
	WantRows(t, p, "t")
	WantHead(t, s, o.QueryID, sinks.Marker{}, false)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}, Row{0, "b", 2})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{1, "a", 3}), Record(Row{1, "a", 3})))
	WantRows(t, p, "t",
		"1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | b | 2",
		"1970-01-01 00:01:00 | a | 3", "1970-01-01 00:01:00 | a | 3")
	WantHead(t, s, o.QueryID, Batch(o, 1, 1).Marker, true)
}

func testTwice(t *testing.T, p Place) {
	o := Context("t", types.Append)
	s := MustOpen(t, p, o)
	b := Batch(o, 1, 7, Record(Row{0, "a", 1}))
	MustWrite(t, s, b)
	WantCode(t, s.Write(context.Background(), b), "E_FENCED")
	older := Batch(o, 1, 6, Record(Row{0, "b", 1}))
	WantCode(t, s.Write(context.Background(), older), "E_FENCED")
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1")
	WantHead(t, s, o.QueryID, b.Marker, true)
	MustWrite(t, s, Batch(o, 1, 8, Record(Row{1, "a", 2})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:01:00 | a | 2")
}

func testReopen(t *testing.T, p Place) {
	o := Context("t", types.Append)
	s := MustOpen(t, p, o)
	b := Batch(o, 1, 0, Record(Row{0, "a", 1}))
	MustWrite(t, s, b)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = MustOpen(t, p, o)
	WantHead(t, s, o.QueryID, b.Marker, true)
	WantCode(t, s.Write(context.Background(), b), "E_FENCED")
	MustWrite(t, s, Batch(o, 2, 1, Record(Row{1, "b", 2})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:01:00 | b | 2")
}

// testGeneration has two sinks on one query, as after a takeover: the older run must
// not get its batch in, even though its number is new.
func testGeneration(t *testing.T, p Place) {
	o := Context("t", types.Append)
	stale := MustOpen(t, p, o)
	MustWrite(t, stale, Batch(o, 1, 0, Record(Row{0, "a", 1})))
	fresh := MustOpen(t, p, o)
	MustWrite(t, fresh, Batch(o, 2, 1, Record(Row{0, "b", 2})))
	WantCode(t, stale.Write(context.Background(), Batch(o, 1, 1, Record(Row{0, "x", 9}))), "E_FENCED")
	WantCode(t, stale.Write(context.Background(), Batch(o, 1, 2, Record(Row{0, "x", 9}))), "E_FENCED")
	MustWrite(t, fresh, Batch(o, 2, 2, Record(Row{0, "c", 3})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | b | 2", "1970-01-01 00:00:00 | c | 3")
}

func testUpdate(t *testing.T, p Place) {
	o := Context("t", types.Update, 0, 1)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}, Row{0, "b", 1}, Row{1, "a", 1})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{1, "a", 2}), Record(Row{0, "b", 5}, Row{2, "a", 1})))
	WantRows(t, p, "t",
		"1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | b | 5",
		"1970-01-01 00:01:00 | a | 2", "1970-01-01 00:02:00 | a | 1")
}

func testNullKeys(t *testing.T, p Place) {
	o := Context("t", types.Update, 1)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "NULL", 1}, Row{0, "a", 1}, Row{0, "", 1})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{1, "NULL", 2}, Row{1, "", 3})))
	WantRows(t, p, "t", "1970-01-01 00:01:00 | NULL | 2", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:01:00 | '' | 3")
}

func testNullWindow(t *testing.T, p Place) {
	o := Context("t", types.Update, 0, 1)
	s := MustOpen(t, p, o)
	total := func(n string) arrow.Record {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, types.ArrowSchema(Fields), strings.NewReader(`[{"n":`+n+`}]`))
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}), total("1")))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{1, "a", 1}), total("2")))
	MustWrite(t, s, Batch(o, 1, 2, Record(Row{1, "a", 3})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:01:00 | a | 3", "NULL | NULL | 2")
}

func testUpdateNoKeys(t *testing.T, p Place) {
	o := Context("t", types.Update)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{0, "a", 1})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | a | 1")
}

// testUpdateOneRow has no keys because there is one row: the result of an aggregation
// without GROUP BY.
func testUpdateOneRow(t *testing.T, p Place) {
	o := Context("t", types.Update)
	o.Keys = []int{}
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{0, "a", 2})))
	MustWrite(t, s, Batch(o, 1, 2))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 2")
}

// testUpdateRowsOfKey has several rows of a key, as the first rows by some order: those of a
// batch take the place of all before.
func testUpdateRowsOfKey(t *testing.T, p Place) {
	o := Context("t", types.Update, 1)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}, Row{1, "a", 2}, Row{0, "b", 1}, Row{0, "b", 1})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{2, "a", 3}, Row{1, "a", 2})))
	WantRows(t, p, "t",
		"1970-01-01 00:02:00 | a | 3", "1970-01-01 00:01:00 | a | 2",
		"1970-01-01 00:00:00 | b | 1", "1970-01-01 00:00:00 | b | 1")
}

// deleting returns a batch that also says which rows are no more.
func deleting(b *sinks.Batch, rows ...Row) *sinks.Batch {
	b.Outputs[0].Deletes = []arrow.Record{Record(rows...)}
	return b
}

// testDelete takes keys away, with NULL and without, beside rows that are new or replaced, and
// lets one of them come again.
func testDelete(t *testing.T, p Place) {
	o := Context("t", types.Update, 0, 1)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}, Row{0, "NULL", 1}, Row{1, "a", 1}, Row{1, "", 1})))
	MustWrite(t, s, deleting(Batch(o, 1, 1, Record(Row{1, "a", 2}, Row{2, "c", 1})), Row{0, "a", 1}, Row{0, "NULL", 1}))
	WantRows(t, p, "t", "1970-01-01 00:01:00 | a | 2", "1970-01-01 00:01:00 | '' | 1", "1970-01-01 00:02:00 | c | 1")
	MustWrite(t, s, deleting(Batch(o, 1, 2), Row{1, "", 1}, Row{2, "c", 1}))
	WantRows(t, p, "t", "1970-01-01 00:01:00 | a | 2")
	MustWrite(t, s, Batch(o, 1, 3, Record(Row{0, "NULL", 7})))
	WantRows(t, p, "t", "1970-01-01 00:01:00 | a | 2", "1970-01-01 00:00:00 | NULL | 7")
}

// testDeleteTwice writes a batch that deletes again, as after a crash behind the commit.
func testDeleteTwice(t *testing.T, p Place) {
	o := Context("t", types.Update, 1)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}, Row{1, "a", 2}, Row{0, "b", 1})))
	b := deleting(Batch(o, 1, 1), Row{0, "a", 1}, Row{1, "a", 2})
	MustWrite(t, s, b)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = MustOpen(t, p, o)
	WantHead(t, s, o.QueryID, b.Marker, true)
	WantCode(t, s.Write(context.Background(), b), "E_FENCED")
	MustWrite(t, s, Batch(o, 2, 2, Record(Row{5, "a", 3})))
	WantRows(t, p, "t", "1970-01-01 00:05:00 | a | 3", "1970-01-01 00:00:00 | b | 1")
}

func testDeleteOneRow(t *testing.T, p Place) {
	o := Context("t", types.Update)
	o.Keys = []int{}
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1})))
	MustWrite(t, s, deleting(Batch(o, 1, 1), Row{0, "a", 1}))
	WantRows(t, p, "t")
	MustWrite(t, s, Batch(o, 1, 2, Record(Row{0, "a", 3})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 3")
}

func testComplete(t *testing.T, p Place) {
	o := Context("t", types.Complete)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1}, Row{0, "b", 1})))
	MustWrite(t, s, Batch(o, 1, 1, Record(Row{0, "a", 2})))
	WantRows(t, p, "t", "1970-01-01 00:00:00 | a | 2")
	MustWrite(t, s, Batch(o, 1, 2))
	WantRows(t, p, "t")
}

func testEmpty(t *testing.T, p Place) {
	o := Context("t", types.Append)
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0))
	MustWrite(t, s, Batch(o, 1, 1, Record()))
	WantRows(t, p, "t")
	WantHead(t, s, o.QueryID, Batch(o, 1, 1).Marker, true)
}

// allTypes has a column of every kind of type, and nested ones.
func allTypes() []types.Field {
	varchar, bigint := types.Of(types.Varchar), types.Of(types.BigInt)
	list := []types.Type{
		types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), bigint,
		types.Of(types.UTinyInt), types.Of(types.USmallInt), types.Of(types.UInt), types.Of(types.UBigInt),
		types.Of(types.Float), types.Of(types.Double), types.DecimalOf(9, 2), types.DecimalOf(38, 10), varchar,
		types.Of(types.Blob), types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.IntervalKind),
		types.ListOf(varchar), types.MapOf(varchar, bigint),
		types.StructOf(types.Field{Name: "a b", Type: varchar}, types.Field{Name: "n", Type: types.ListOf(bigint)}),
	}
	fields := make([]types.Field, len(list))
	for i, typ := range list {
		fields[i] = types.Field{Name: typ.String(), Type: typ}
	}
	return fields
}

// allValues are rows of allTypes as JSON: ordinary values, extremes, and NULLs.
const allValues = `[
{"BOOLEAN":true,"TINYINT":-128,"SMALLINT":-32768,"INTEGER":-2147483648,"BIGINT":-9223372036854775808,"UTINYINT":255,"USMALLINT":65535,"UINTEGER":4294967295,"UBIGINT":18446744073709551615,
 "FLOAT":1.5,"DOUBLE":1e300,"DECIMAL(9,2)":"-1234567.89","DECIMAL(38,10)":"1234567890123456789012345678.0123456789","VARCHAR":"zwölf \"x\"; '","BLOB":"AAH/","DATE":"2024-02-29","TIMESTAMP":"2024-02-29 23:59:59.999999",
 "INTERVAL":{"months":14,"days":3,"nanoseconds":5000000},"VARCHAR[]":["a",null,""],"MAP(VARCHAR, BIGINT)":[{"key":"x","value":1},{"key":"y","value":null}],"STRUCT(\"a b\" VARCHAR, \"n\" BIGINT[])":{"a b":"s","n":[1,2]}},
{"BOOLEAN":false,"VARCHAR":"","VARCHAR[]":[],"MAP(VARCHAR, BIGINT)":[],"STRUCT(\"a b\" VARCHAR, \"n\" BIGINT[])":{"a b":null,"n":null}},
{}
]`

func testTypes(t *testing.T, p Place) {
	o := sinks.OpenContext{Query: "q", QueryID: "id-of-q", Target: "t", Fields: allTypes()}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, types.ArrowSchema(o.Fields), strings.NewReader(allValues))
	if err != nil {
		t.Fatal(err)
	}
	s := MustOpen(t, p, o)
	MustWrite(t, s, Batch(o, 1, 0, rec))
	WantRows(t, p, "t", Texts(rec)...)
}

// testChunks feeds what the engine makes: parts of larger arrays, and VARCHAR both plain
// and dictionary encoded, with different dictionaries, in one batch.
func testChunks(t *testing.T, p Place) {
	o := Context("t", types.Append)
	s := MustOpen(t, p, o)
	rows := make([]Row, 100)
	for i := range rows {
		rows[i] = Row{int64(i), string(rune('a' + i%26)), int64(i)}
		if i%7 == 3 {
			rows[i].K = "NULL"
		}
	}
	plain := Record(rows...)
	encoded := encode(t, plain)
	b := Batch(o, 1, 0, plain.NewSlice(3, 40), encoded.NewSlice(40, 41), encoded.NewSlice(41, 77), encode(t, plain.NewSlice(77, 99)), plain.NewSlice(99, 100))
	MustWrite(t, s, b)
	WantRows(t, p, "t", Texts(plain.NewSlice(3, 100))...)
}

// encode returns the record with its VARCHAR column dictionary encoded.
func encode(t *testing.T, rec arrow.Record) arrow.Record {
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, types.ArrowDictionary).(*array.BinaryDictionaryBuilder)
	defer b.Release()
	text := rec.Column(1).(*array.String)
	for i := range text.Len() {
		if text.IsNull(i) {
			b.AppendNull()
		} else if err := b.AppendString(text.Value(i)); err != nil {
			t.Fatal(err)
		}
	}
	fields := rec.Schema().Fields()
	fields[1].Type = types.ArrowDictionary
	return array.NewRecord(arrow.NewSchema(fields, nil), []arrow.Array{rec.Column(0), b.NewArray(), rec.Column(2)}, rec.NumRows())
}

func testNames(t *testing.T, p Place) {
	for _, target := range []string{`"we""ird; drop table k"`, `"Größe"`, `"select"`, `"a.b"`} {
		o := Context(target, types.Update, 0, 1)
		o.QueryID = target
		o.Fields = []types.Field{
			{Name: `k"; DROP TABLE t; --`, Type: Fields[0].Type},
			{Name: "from", Type: Fields[1].Type},
			{Name: "Übung 'x'", Type: Fields[2].Type},
		}
		s := MustOpen(t, p, o)
		MustWrite(t, s, Batch(o, 1, 0, Record(Row{0, "a", 1})))
		MustWrite(t, s, Batch(o, 1, 1, Record(Row{0, "a", 2})))
		WantRows(t, p, target, "1970-01-01 00:00:00 | a | 2")
	}
}

func testTwoQueries(t *testing.T, p Place) {
	one, two := Context("t1", types.Append), Context("t2", types.Append)
	two.Query, two.QueryID = "q2", "id-of-q2"
	a, b := MustOpen(t, p, one), MustOpen(t, p, two)
	MustWrite(t, a, Batch(one, 1, 0, Record(Row{0, "a", 1})))
	MustWrite(t, b, Batch(two, 5, 3, Record(Row{0, "b", 2})))
	MustWrite(t, a, Batch(one, 1, 1, Record(Row{0, "c", 3})))
	WantHead(t, a, one.QueryID, Batch(one, 1, 1).Marker, true)
	WantHead(t, b, two.QueryID, Batch(two, 5, 3).Marker, true)
	WantRows(t, p, "t1", "1970-01-01 00:00:00 | a | 1", "1970-01-01 00:00:00 | c | 3")
	WantRows(t, p, "t2", "1970-01-01 00:00:00 | b | 2")
}

func testClose(t *testing.T, p Place) {
	o := Context("t", types.Append)
	s := MustOpen(t, p, o)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Write(context.Background(), Batch(o, 1, 0, Record(Row{0, "a", 1}))); err == nil {
		t.Error("a closed sink took a batch")
	}
}
