package files

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// oddValues are values of each type that a format could get wrong, in the text of
// stream scripts.
var oddValues = []struct {
	kind   types.Type
	values []string
}{
	{types.Of(types.Double), []string{"NaN", "Infinity", "-Infinity", "0", "1e300", "5e-324", "0.1", "NULL", "123456789012345680"}},
	{types.Of(types.Float), []string{"NaN", "Infinity", "-Infinity", "0.1", "3.4028235e+38", "NULL"}},
	{types.Of(types.BigInt), []string{"-9223372036854775808", "9223372036854775807", "NULL"}},
	{types.Of(types.UBigInt), []string{"18446744073709551615", "0", "NULL"}},
	{types.DecimalOf(38, 10), []string{"9999999999999999999999999999.9999999999", "-0.0000000001", "NULL"}},
	{types.DecimalOf(15, 3), []string{"999999999999.999", "-0.001", "0.000", "NULL"}},
	{types.DecimalOf(4, 0), []string{"9999", "NULL"}},
	{types.Of(types.Timestamp), []string{"1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2024-02-29 12:00:00.1", "0001-01-01 00:00:00", "12024-01-01 00:00:00", "NULL"}},
	{types.Of(types.Date), []string{"0001-01-01", "2024-02-29", "NULL"}},
	{types.Of(types.IntervalKind), []string{"1 year 2 months -3 days 04:05:06.7", "-00:00:01", "00:00:00", "NULL"}},
	{types.Of(types.Varchar), []string{"''", "NULL", `"NULL"`, `"a,b"`, `"a;b"`, `"a\tb"`, `"a\"b"`, `"a\nb"`, `"a\r\nb"`, `" a "`, `"'"`, `"\\"`, `"\\x41"`, `"\t"`, `"ü€😀"`, `"{\"a\": 1}"`, `"#x"`, `"null"`, `","`, `"\u0001"`}},
	{types.ListOf(types.Of(types.Double)), []string{"[NaN, Infinity, NULL, 1.5]", "[]", "NULL"}},
	{types.ListOf(types.ListOf(types.Of(types.Varchar))), []string{`[[a, NULL], [], NULL, ["x, y", ""]]`, "NULL"}},
	{types.ListOf(types.Of(types.IntervalKind)), []string{"[1 day, NULL]", "[]", "NULL"}},
	{types.MapOf(types.Of(types.BigInt), types.Of(types.Timestamp)), []string{"{1: 2024-02-29 12:00:00.1, 2: NULL}", "{}", "NULL"}},
	{types.StructOf(types.Field{Name: "a", Type: types.ListOf(types.Of(types.IntervalKind))}, types.Field{Name: `b "q"`, Type: types.Of(types.Date)}), []string{`{a: [1 day], b "q": 2024-02-29}`, "NULL"}},
	{types.ListOf(types.StructOf(types.Field{Name: "u", Type: types.Of(types.UTinyInt)}, types.Field{Name: "d", Type: types.DecimalOf(20, 2)})), []string{"[{u: 255, d: 123456789012345678.90}, {u: NULL, d: NULL}, NULL]", "NULL"}},
}

// TestOddValues writes a column of odd values in every format, alone and with another
// column, and has DuckDB read them back.
func TestOddValues(t *testing.T) {
	db := openDB(t)
	for _, options := range []string{"format=parquet", "format=csv", "format=csv null_text=null delimiter=;", "format=csv delimiter=\\t compression=gzip", "format=json", "format=debezium_json"} {
		for i, odd := range oddValues {
			for _, alone := range []bool{true, false} {
				t.Run(fmt.Sprint(options, "/", odd.kind, "/", alone), func(t *testing.T) {
					p := newPlace(t, db, options)
					rec := oddRecord(t, odd.kind, odd.values, alone)
					o := sinks.OpenContext{Query: "q", QueryID: "id", Target: fmt.Sprint("t", i)}
					o.Fields = []types.Field{{Name: "v", Type: odd.kind}, {Name: "n", Type: types.Of(types.BigInt)}}[:rec.NumCols()]
					s := sinktest.MustOpen(t, p, o)
					// A slice, so that no array begins at 0.
					sinktest.MustWrite(t, s, sinktest.Batch(o, 1, 0, rec.NewSlice(1, rec.NumRows()), rec.NewSlice(0, 1)))
					sinktest.WantRows(t, p, o.Target, sinktest.Texts(rec)...)
				})
			}
		}
	}
}

func oddRecord(t *testing.T, kind types.Type, values []string, alone bool) arrow.Record {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, kind.Arrow())
	n := array.NewInt64Builder(memory.DefaultAllocator)
	for i, v := range values {
		if err := types.AppendText(b, kind, v); err != nil {
			t.Fatal(err)
		}
		n.Append(int64(i))
	}
	fields := []types.Field{{Name: "v", Type: kind}, {Name: "n", Type: types.Of(types.BigInt)}}
	columns := []arrow.Array{b.NewArray(), n.NewArray()}
	if alone {
		fields, columns = fields[:1], columns[:1]
	}
	return array.NewRecord(types.ArrowSchema(fields), columns, int64(len(values)))
}

// TestBytes compares the text formats byte by byte.
func TestBytes(t *testing.T) {
	o := sinktest.Context("t", types.Update, 1)
	rows := sinktest.Record(sinktest.Row{Minute: 1, K: `say "hi", x`, N: -5}, sinktest.Row{K: "NULL"}, sinktest.Row{K: ""})
	tests := []struct{ options, want string }{
		{"format=csv single_file=true", "w,k,n,op,batch\n1970-01-01T00:01:00Z,\"say \"\"hi\"\", x\",-5,u,7\n1970-01-01T00:00:00Z,,0,u,7\n1970-01-01T00:00:00Z,\"\",0,u,7\n1970-01-01T00:00:00Z,x,3,d,7\n"},
		{"format=csv single_file=true header=false null_text=-5 op_column=what", "1970-01-01T00:01:00Z,\"say \"\"hi\"\", x\",\"-5\",u,7\n1970-01-01T00:00:00Z,-5,0,u,7\n1970-01-01T00:00:00Z,\"\",0,u,7\n1970-01-01T00:00:00Z,x,3,d,7\n"},
		{"format=json single_file=true", `{"w":"1970-01-01T00:01:00Z","k":"say \"hi\", x","n":-5,"op":"u","batch":7}` + "\n" +
			`{"w":"1970-01-01T00:00:00Z","k":null,"n":0,"op":"u","batch":7}` + "\n" + `{"w":"1970-01-01T00:00:00Z","k":"","n":0,"op":"u","batch":7}` + "\n" +
			`{"w":"1970-01-01T00:00:00Z","k":"x","n":3,"op":"d","batch":7}` + "\n"},
		{"format=debezium_json single_file=true", `{"before":null,"after":{"w":"1970-01-01T00:01:00Z","k":"say \"hi\", x","n":-5},"source":{"connector":"ssql","name":"q","batch":7},"op":"u","ts_ms":1}` + "\n" +
			`{"before":null,"after":{"w":"1970-01-01T00:00:00Z","k":null,"n":0},"source":{"connector":"ssql","name":"q","batch":7},"op":"u","ts_ms":1}` + "\n" +
			`{"before":null,"after":{"w":"1970-01-01T00:00:00Z","k":"","n":0},"source":{"connector":"ssql","name":"q","batch":7},"op":"u","ts_ms":1}` + "\n" +
			`{"before":{"w":"1970-01-01T00:00:00Z","k":"x","n":3},"after":null,"source":{"connector":"ssql","name":"q","batch":7},"op":"d","ts_ms":1}` + "\n"},
	}
	for _, test := range tests {
		t.Run(test.options, func(t *testing.T) {
			disk := newDisk(t)
			o.Options = values(t, "/", test.options+" path=/data/f")
			s, err := Open(disk, o)
			must(t, err)
			b := sinktest.Batch(o, 1, 7, rows)
			b.Info.BatchMicros = 1999
			b.Outputs[0].Deletes = []arrow.Record{sinktest.Record(sinktest.Row{K: "x", N: 3})}
			sinktest.MustWrite(t, s, b)
			if got := content(t, disk, "/data/f"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
