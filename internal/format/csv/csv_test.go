package csv

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/formattest"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

func field(name string, k types.Kind) types.Field {
	return types.Field{Name: name, Type: types.Of(k), Nullable: true}
}

// decode reads blocks with a decoder that scribbles over its chunks.
func decode(t testing.TB, d *Decoder, chunkRows int, blocks ...string) formattest.Result {
	t.Helper()
	return formattest.Decode(t, d, format.Input{Name: "f.csv", Line: 1}, show, chunkRows, blocks...)
}

// show renders a cell: text as it is, the rest as types.Text does.
func show(a arrow.Array, i int) string {
	if text, ok := types.StringsOf(a); ok && !a.IsNull(i) {
		return text.Value(i)
	}
	return types.Text(a, i)
}

func newDecoder(t testing.TB, o Options) *Decoder {
	t.Helper()
	s, err := NewShape(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Scribble()
	return s.newDecoder()
}

// texts are columns a, b and c of text.
func texts() []types.Field {
	return []types.Field{field("a", types.Varchar), field("b", types.Varchar), field("c", types.Varchar)}
}

func TestRecords(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "1,2,3\n4,5,6\n", "row 1 | 2 | 3\nrow 4 | 5 | 6\n"},
		{"no last newline", "1,2,3\n4,5,6", "row 1 | 2 | 3\nrow 4 | 5 | 6\n"},
		{"CRLF", "1,2,3\r\n4,5,\r\n,,\r\n", "row 1 | 2 | 3\nrow 4 | 5 | NULL\nrow NULL | NULL | NULL\n"},
		{"lone CR is text", "1\r,2\r2,3\n", "row 1\r | 2\r2 | 3\n"},
		{"empty lines", "\n1,2,3\n\r\n  \n4,5,6\n\n", "row 1 | 2 | 3\nrow 4 | 5 | 6\n"},
		{"quotes", `"1","2,3","say ""hi"""` + "\n", `row 1 | 2,3 | say "hi"` + "\n"},
		{"line ends in quotes", "\"a\nb\",\"c\r\n\r\nd\",3\n4,5\n", "row a\nb | c\r\n\r\nd | 3\nbad 5 \"\": expected 3 fields, found 2: 4,5\n"},
		{"quote inside a field is text", "5\" pipe,a\"b\"c,\"\"\n", "row 5\" pipe | a\"b\"c | NULL\n"},
		{"only quotes", `"""","""""",""""""` + "\n", `row " | "" | ""` + "\n"},
		{"blanks stay", " 1 ,\" \", \n", "row  1  |   |  \n"},
		{"not ASCII", "é,\"日本\",🎈\n", "row é | 日本 | 🎈\n"},
		{"not UTF-8", "\xff,1,2\n3,4,\"\xc3\"\n", "bad 1 \"\": text is not valid UTF-8: �,1,2\nbad 2 \"\": text is not valid UTF-8: 3,4,\"�\"\n"},
		{"too few and too many", "1\n1,2\n1,2,3,4\n\"x\n\",\"y\ny\"\n1,2,3\n",
			"row 1 | 2 | 3\nbad 1 \"\": expected 3 fields, found 1: 1\nbad 2 \"\": expected 3 fields, found 2: 1,2\n" +
				"bad 3 \"\": expected 3 fields, found 4: 1,2,3,4\nbad 4 \"\": expected 3 fields, found 2: \"x\n\",\"y\ny\"\n"},
		{"text behind a quote", "\"1\"x,2,3\n4,\"5\" ,6\n7,8,9\n",
			"row 7 | 8 | 9\nbad 1 \"\": expected \",\" or the end of the line behind the closing quote, found \"x\": \"1\"x,2,3\n" +
				"bad 2 \"\": expected \",\" or the end of the line behind the closing quote, found \" \": 4,\"5\" ,6\n"},
		{"a quote that stays open costs its line", "1,2,3\n4,\"5,6\n7,8,9\n", "row 1 | 2 | 3\nrow 7 | 8 | 9\nbad 2 \"\": the line has a quote that is never closed: 4,\"5,6\n"},
		{"stray quotes cost their own lines", "1,pipe,x\n2,\"5 inch pipe,x\n3,elbow,\"x\ny\"\n4,\"6\"\" pipe\",x\n5,\"6 inch pipe,x\n6,valve,x\n",
			"row 1 | pipe | x\nrow 3 | elbow | x\ny\nrow 4 | 6\" pipe | x\nrow 6 | valve | x\n" +
				"bad 2 \"\": the line has a quote that is never closed: 2,\"5 inch pipe,x\nbad 6 \"\": the line has a quote that is never closed: 5,\"6 inch pipe,x\n"},
		{"a stray quote behind a field of two lines", "1,\"a\nb\",\"c\n2,x,y\n", "row 2 | x | y\nbad 1 \"\": the line has a quote that is never closed: 1,\"a\nb\",\"c\n"},
		{"rows are no field", "1,\"5 inch,x\n" + strings.Repeat("2,x,y\n", strayRows) + "3,6 inch\",x\n",
			strings.Repeat("row 2 | x | y\n", strayRows) + "row 3 | 6 inch\" | x\nbad 1 \"\": the line has a quote that is never closed: 1,\"5 inch,x\n"},
		{"text is no rows", "1,\"dear, x\n" + strings.Repeat("a, b, c\n", strayRows-1) + "\",x\n", "row 1 | dear, x\n" + strings.Repeat("a, b, c\n", strayRows-1) + " | x\n"},
		{"open at the end", "1,2,\"", "bad 1 \"\": the line has a quote that is never closed: 1,2,\"\n"},
		{"long fields", strings.Repeat("x", 100) + ",\"" + strings.Repeat("y", 33) + "\"," + strings.Repeat("z", 7) + "\n",
			"row " + strings.Repeat("x", 100) + " | " + strings.Repeat("y", 33) + " | zzzzzzz\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, encode := range [][]bool{nil, {true, true, true}} {
				dialect := Default()
				dialect.Header = false
				o := Options{Dialect: dialect, Fields: texts(), Encode: encode}
				if got := decode(t, newDecoder(t, o), 10, c.in); got.String() != c.want {
					t.Errorf("encode %v: got\n%swant\n%s", encode, got, c.want)
				}
				// A chunk per row, with a decoder that was used before.
				d := newDecoder(t, o)
				decode(t, d, 7, "x,y,z\n")
				if got := decode(t, d, 1, c.in); got.String() != c.want {
					t.Errorf("encode %v, chunks of 1: got\n%swant\n%s", encode, got, c.want)
				}
			}
		})
	}
}

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect Dialect
		in      string
		want    string
	}{
		{"semicolon", Dialect{Delimiter: ';', Quote: '"', Escape: '"'}, "1;2,5;\"a;b\"\n", "row 1 | 2,5 | a;b\n"},
		{"tab and single quotes", Dialect{Delimiter: '\t', Quote: '\'', Escape: '\''}, "1\t\"x\t'it''s\t'\n", "row 1 | \"x | it's\t\n"},
		{"backslash escapes", Dialect{Delimiter: ',', Quote: '"', Escape: '\\'}, `"a\"b","c\\","\d"` + "\n", `row a"b | c\ | \d` + "\n"},
		{"backslash before the end", Dialect{Delimiter: ',', Quote: '"', Escape: '\\'}, `1,2,"x\"`, "bad 1 \"\": the line has a quote that is never closed: 1,2,\"x\\\"\n"},
		{"no quotes", Dialect{Delimiter: '|'}, "1|\"2|3\"\n", "row 1 | \"2 | 3\"\n"},
		{"null text", Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: "NA"}, "NA,\"NA\",\n", "row NULL | NULL | \n"},
	} {
		d := newDecoder(t, Options{Dialect: c.dialect, Fields: texts()})
		if got := decode(t, d, 10, c.in); got.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
	for _, bad := range []Dialect{{}, {Delimiter: '\n'}, {Delimiter: ',', Quote: ','}, {Delimiter: 0xE9}, {Delimiter: ',', Quote: '"', Escape: ','}} {
		if _, err := NewShape(Options{Dialect: bad}); sqlerr.Code(err) != "INVALID_OPTION" {
			t.Errorf("dialect %v: %v", bad, err)
		}
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"in another order", "c,b,a\n1,2,3\n", "row 3 | 2 | 1\n"},
		{"without case, with blanks and quotes", " A ,\"B\",C\r\n1,2,3\r\n", "row 1 | 2 | 3\n"},
		{"others are passed over", "x,a,y,b,c,z\n1,2,\"3\n\",4,5,\n", "row 2 | 4 | 5\n"},
		{"one is not there", "a,c\n1,2\n", "row 1 | NULL | 2\nnotice column \"b\" is not in the header of file \"f.csv\" and is NULL there\n"},
		{"twice", "a,b,c,a\n1,2,3,4\n", "row 1 | 2 | 3\n"},
		{"alone", "a,b,c\n", ""},
		{"alone without a line end", "a,b,c", ""},
		{"nothing", "", ""},
		{"lines count from it", "a,b,\"c\n\"\n1\n", "bad 3 \"\": expected 3 fields, found 1: 1\n"},
	} {
		if got := decode(t, newDecoder(t, Options{Dialect: Default(), Fields: texts()}), 10, c.in); got.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestHeaderOfEachFile shows that every file has its own order of columns, and that a
// column that comes later is told of.
func TestHeaderOfEachFile(t *testing.T) {
	drift := format.NewDrift("column", []string{"a", "b"}, true, func(n format.Name) string { return "ADD COLUMN " + n.Path + " " + n.Type })
	d := newDecoder(t, Options{Dialect: Default(), Fields: texts()[:2], Drift: drift})
	got := decode(t, d, 10, "a,b\n1,2\n").String() + decode(t, d, 10, "b,a\n3,4\n").String() + decode(t, d, 10, "b,new,a\n5,6,7\n").String()
	got += strings.Join(drift.Notices(), "\n")
	want := "row 1 | 2\nrow 4 | 3\nrow 7 | 5\nfile \"f.csv\" has the column \"new\", which is no column and is not read; ADD COLUMN new VARCHAR"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestColumnsByPosition shows that a query that reads some columns of a file without
// header finds them where they were declared.
func TestColumnsByPosition(t *testing.T) {
	dialect := Default()
	dialect.Header = false
	d := newDecoder(t, Options{Dialect: dialect, Fields: []types.Field{field("c", types.Varchar), field("a", types.BigInt)}, Columns: []string{"a", "b", "c"}})
	if got, want := decode(t, d, 10, "1,2,3\n4,5\n").String(), "row 3 | 1\nbad 2 \"\": expected 3 fields, found 2: 4,5\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestQuotedIsText has text in quotes that is that of NULL.
func TestQuotedIsText(t *testing.T) {
	for _, c := range []struct {
		null    string
		is      bool
		in, out string
	}{
		{"", false, ",\"\",x", "row NULL | NULL | x\n"},
		{"", true, ",\"\",x", "row NULL |  | x\n"},
		{"NA", true, "NA,\"NA\",", "row NULL | NA | \n"},
		{"NA", false, "NA,\"NA\",", "row NULL | NULL | \n"},
	} {
		d := Default()
		d.Header, d.Null, d.QuotedIsText = false, c.null, c.is
		if got := decode(t, newDecoder(t, Options{Dialect: d, Fields: texts()}), 10, c.in+"\n").String(); got != c.out {
			t.Errorf("%q, null %q, %v: got %q, want %q", c.in, c.null, c.is, got, c.out)
		}
	}
	d := Default()
	d.Header, d.QuotedIsText = false, true
	fields := []types.Field{field("a", types.BigInt), field("b", types.BigInt)}
	if got, want := decode(t, newDecoder(t, Options{Dialect: d, Fields: fields}), 10, "1,\n2,\"\"\n").String(), "row 1 | NULL\nbad 2 \"b\": expected BIGINT, found the text \"\": 2,\"\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWrongCountFirst names the number of fields where a value is of another column, or cut
// short.
func TestWrongCountFirst(t *testing.T) {
	d := Default()
	d.Header = false
	fields := []types.Field{field("a", types.BigInt), field("b", types.Varchar), field("c", types.Timestamp)}
	in := "x,y,2026-01-01,z\n1,y,2026-\n---\n2026-01\n"
	want := "bad 1 \"\": expected 3 fields, found 4: x,y,2026-01-01,z\nbad 2 \"c\": expected TIMESTAMP, found the text \"2026-\": 1,y,2026-\n" +
		"bad 3 \"\": expected 3 fields, found 1: ---\nbad 4 \"\": expected 3 fields, found 1: 2026-01\n"
	if got := decode(t, newDecoder(t, Options{Dialect: d, Fields: fields}), 10, in).String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		kind     types.Kind
		in, want string
	}{
		{types.BigInt, `12`, "12"}, {types.BigInt, `"-7"`, "-7"}, {types.BigInt, ` 7 `, "7"}, {types.BigInt, `007`, "7"}, {types.BigInt, `+5`, "5"},
		{types.BigInt, `9223372036854775807`, "9223372036854775807"}, {types.BigInt, `12.0`, "12"}, {types.BigInt, `1e3`, "1000"},
		{types.BigInt, `9223372036854775808`, "bad: 9223372036854775808 is out of the range of BIGINT"},
		{types.BigInt, `3.7`, `bad: expected BIGINT, found the text "3.7", which has a fraction`},
		{types.BigInt, `x`, `bad: expected BIGINT, found the text "x"`}, {types.BigInt, `""`, "NULL"}, {types.BigInt, ` `, `bad: expected BIGINT, found the text ""`},
		{types.TinyInt, `127`, "127"}, {types.TinyInt, `128`, "bad: 128 is out of the range of TINYINT"}, {types.USmallInt, `65535`, "65535"},
		{types.USmallInt, `-1`, "bad: -1 is out of the range of USMALLINT"}, {types.UBigInt, `18446744073709551615`, "18446744073709551615"},
		{types.Double, `1.5`, "1.5"}, {types.Double, `.5`, "0.5"}, {types.Double, `5.`, "5"}, {types.Double, `-1e-3`, "-0.001"}, {types.Double, `nan`, "NaN"},
		{types.Double, `"-Infinity"`, "-Infinity"}, {types.Double, `0.1234567890123456789`, "0.12345678901234568"}, {types.Double, `1,5`, "fields"},
		{types.Float, `0.1`, "0.1"}, {types.Boolean, `true`, "true"}, {types.Boolean, `F`, "false"}, {types.Boolean, `1`, "true"}, {types.Boolean, `yes`, "true"}, {types.Boolean, `on`, `bad: expected BOOLEAN, found the text "on"`},
		{types.Date, `2026-01-31`, "2026-01-31"}, {types.Date, `31.01.2026`, `bad: expected DATE, found the text "31.01.2026"`},
		{types.Timestamp, `2026-01-31 10:00:00`, "2026-01-31 10:00:00"}, {types.Timestamp, `"2026-01-31T10:00:00.25+02:00"`, "2026-01-31 08:00:00.25"},
		{types.Timestamp, `2026-01-31`, "2026-01-31 00:00:00"}, {types.Timestamp, `17/May/2015:10:05:03`, `bad: expected TIMESTAMP, found the text "17/May/2015:10:05:03"`},
		{types.Blob, `aGk=`, `x'6869'`},
	} {
		dialect := Default()
		dialect.Header = false
		d := newDecoder(t, Options{Dialect: dialect, Fields: []types.Field{field("v", c.kind)}})
		got := strings.TrimSuffix(decode(t, d, 10, c.in+"\n").String(), "\n")
		want := "row " + c.want
		switch reason, isBad := strings.CutPrefix(c.want, "bad: "); {
		case isBad:
			want = `bad 1 "v": ` + reason + ": " + c.in
		case c.want == "fields":
			want = `bad 1 "": expected 1 field, found 2: ` + c.in
		}
		if got != want {
			t.Errorf("%v %s: got %s\nwant %s", c.kind, c.in, got, want)
		}
	}
	decimal := newDecoder(t, Options{Dialect: Dialect{Delimiter: ';'}, Fields: []types.Field{{Name: "v", Type: types.DecimalOf(5, 2)}}})
	if got, want := decode(t, decimal, 10, "1.005\n-0.5\n1000\n").String(), "row 1.01\nrow -0.50\nbad 3 \"v\": 1000 is out of the range of DECIMAL(5,2): 1000\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	if _, err := NewShape(Options{Dialect: Default(), Fields: texts()[:1], Columns: nil}); err != nil {
		t.Errorf("text: %v", err)
	}
	if _, err := NewShape(Options{Dialect: Default(), Fields: []types.Field{field("v", types.IntervalKind)}}); sqlerr.Code(err) != "DATATYPE_MISMATCH" {
		t.Errorf("an interval: %v", err)
	}
}

// TestTimesOfAMinute shows that the short way through the timestamps of a minute gives
// what the long way gives, with and without a zone.
func TestTimesOfAMinute(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	const in = "2026-07-01T12:00:01\n2026-07-01T12:00:02Z\n2026-07-01T12:00:03\n2026-07-01T12:00:04.5Z\n2026-07-01T12:00:60\n2026-07-01T12:00:05.1234567\n2026-07-01T12:00:06+01:00\n"
	for _, c := range []struct {
		zone *time.Location
		want string
	}{
		{nil, "row 2026-07-01 12:00:01\nrow 2026-07-01 12:00:02\nrow 2026-07-01 12:00:03\nrow 2026-07-01 12:00:04.5\nrow 2026-07-01 12:00:05.123456\nrow 2026-07-01 11:00:06\n"},
		{paris, "row 2026-07-01 10:00:01\nrow 2026-07-01 12:00:02\nrow 2026-07-01 10:00:03\nrow 2026-07-01 12:00:04.5\nrow 2026-07-01 10:00:05.123456\nrow 2026-07-01 11:00:06\n"},
	} {
		d := newDecoder(t, Options{Dialect: Dialect{Delimiter: ','}, Fields: []types.Field{field("v", types.Timestamp)}, Settings: cell.Settings{Zone: c.zone}})
		want := c.want + "bad 5 \"v\": expected TIMESTAMP, found the text \"2026-07-01T12:00:60\": 2026-07-01T12:00:60\n"
		if got := decode(t, d, 10, in).String(); got != want {
			t.Errorf("zone %v: got\n%swant\n%s", c.zone, got, want)
		}
	}
	d := newDecoder(t, Options{Dialect: Dialect{Delimiter: ','}, Fields: []types.Field{field("v", types.Timestamp)}, Settings: cell.Settings{EpochUnit: types.EpochMillis}})
	if got, want := decode(t, d, 10, "1517365101235\n2018-01-31 02:18:21\n-1\n").String(), "row 2018-01-31 02:18:21.235\nrow 2018-01-31 02:18:21\nrow 1969-12-31 23:59:59.999\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRecordBytesMax(t *testing.T) {
	dialect := Default()
	dialect.Header = false
	d := newDecoder(t, Options{Dialect: dialect, Fields: texts(), RecordBytesMax: 20})
	got := decode(t, d, 10, "1,2,3\n1,2,\"aaaaaaaaaaaaaaaaaaaaaaaaa\n\"\n4,5,6\n")
	want := "row 1 | 2 | 3\nrow 4 | 5 | 6\nbad 2 \"\": line is longer than 20 bytes (option line_bytes_max): 1,2,\"aaaaaaaaaaaaaaaaaaaaaaaaa\n\"\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPlaces(t *testing.T) {
	d := newDecoder(t, Options{Dialect: Default(), Fields: texts()})
	var got []string
	d.Begin(format.Input{Line: 1}, 3, format.Output{Emit: func(rec arrow.Record) error {
		for row := range int(rec.NumRows()) {
			got = append(got, fmt.Sprintf("%d %d %q", d.PlaceOf(row).Line, d.PlaceOf(row).Offset, d.TextOf(row)))
		}
		return nil
	}})
	for _, block := range []string{"a,b,c\n1,\"2\n2\",3\n", "4,5,6\r\n7,8,9"} {
		if err := d.Decode([]byte(block)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(false); err != nil {
		t.Fatal(err)
	}
	if want := `[2 6 "" 4 16 "4,5,6" 5 23 "7,8,9"]`; fmt.Sprint(got) != want {
		t.Errorf("got %v\nwant %s", got, want)
	}
}

func TestComplete(t *testing.T) {
	s, err := NewShape(Options{Dialect: Default()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, record string
		want          bool
	}{
		{"a,b\n1,2\n", "3,4", true}, {"a,b\n", "3", false}, {"a,b\n", "3,4,5", false}, {"a,b\n", "3,\"4", false}, {"a,b\n", "3,\"4\"", true}, {"a,b", "3,4", false},
	} {
		if got := s.Complete([]byte(c.start), []byte(c.record)); got != c.want {
			t.Errorf("Complete(%q, %q) = %v, want %v", c.start, c.record, got, c.want)
		}
	}
}

func TestInfer(t *testing.T) {
	plain := Default()
	plain.Header = false
	for _, c := range []struct {
		dialect Dialect
		samples []string
		want    string
	}{
		{Default(), []string{"a,b,c,d,e,f,g\n1,x,1.5,true,2026-01-01,2026-01-01 10:00:00,\n2,,2,FALSE,,2026-01-01,\n"},
			"a BIGINT, b VARCHAR, c DOUBLE, d BOOLEAN, e DATE, f TIMESTAMP, g VARCHAR"},
		{Default(), []string{"zip,n\n0049,\"1\n2\"\n1,5\n"}, "zip VARCHAR, n VARCHAR"},
		{Default(), []string{"a,b,c,d\n 1, x,true ,2026-01-01\n2 ,y, false, 2026-01-01\n"}, "a BIGINT, b VARCHAR, c BOOLEAN, d VARCHAR"},
		{Default(), []string{"a,b\n1,2\n", "B,c\n2.5,x\n"}, "a BIGINT, b DOUBLE, c VARCHAR"},
		{Default(), []string{"a,b\n1,2\n1,2,3\nx\n"}, "a BIGINT, b BIGINT"},
		{plain, []string{"1,x\n18446744073709551615,y\n"}, "column0 UBIGINT, column1 VARCHAR"},
		{Dialect{Delimiter: ';', Header: true, Null: "NA"}, []string{"a;b\nNA;1,5\n3;NA"}, "a BIGINT, b VARCHAR"},
		{Default(), []string{"a,,a\n1,2,x\n"}, "a BIGINT, column1 BIGINT, a_1 VARCHAR"},
	} {
		var samples [][]byte
		for _, s := range c.samples {
			samples = append(samples, []byte(s))
		}
		fields, _, err := Infer(c.dialect, samples)
		var got []string
		for _, f := range fields {
			got = append(got, f.Name+" "+f.Type.String())
		}
		if strings.Join(got, ", ") != c.want || err != nil {
			t.Errorf("%q: got %s, %v\nwant %s", c.samples, strings.Join(got, ", "), err, c.want)
		}
	}
	if _, _, err := Infer(Default(), nil); sqlerr.Code(err) != "E_DECODE" {
		t.Errorf("no sample: %v", err)
	}
}

// TestNested shows what the text of a STRUCT, LIST or MAP may be, and what is said of text
// that is none. A field of one column and no header.
func TestNested(t *testing.T) {
	list := types.ListOf(types.Of(types.Int))
	pair := types.StructOf(field("a", types.Int), field("b", types.Varchar))
	mapping := types.MapOf(types.Of(types.Varchar), types.Of(types.Timestamp))
	for _, c := range []struct {
		kind     types.Type
		in, want string
	}{
		{list, `[1, 2,null]`, "[1, 2, NULL]"}, {list, ` [ ] `, "[]"}, {list, `["3"]`, "[3]"}, {list, `null`, "NULL"},
		{list, `1`, `bad v: expected "[" of INTEGER[], found "1"`},
		{list, `[1`, `bad v: expected "," or "]" of INTEGER[], found the end of the text`},
		{list, `[1,]`, `bad v[]: expected INTEGER, found the text ""`},
		{list, `[1] 2`, `bad v: expected the end of the text of INTEGER[], found "2"`},
		{list, `[x]`, `bad v[]: expected INTEGER, found the text "x"`},
		{pair, `{"b": "\"q\" \u00e9", "z": {"a": [1, "}"]}, "a": 5}`, `{a: 5, b: "\"q\" é"}`}, {pair, `{}`, "{a: NULL, b: NULL}"},
		{pair, `{b: {"raw": [1, 2]}}`, `{a: NULL, b: "{\"raw\": [1, 2]}"}`}, {pair, `{'a': 1, 'a': 2}`, "{a: 2, b: NULL}"},
		{pair, `{"a" 1}`, `bad v: expected ":" behind a name of STRUCT("a" INTEGER, "b" VARCHAR), found "1}"`},
		{pair, `{"a: 1}`, `bad v: expected a closing quote of STRUCT("a" INTEGER, "b" VARCHAR), found "\"a: 1}"`},
		{pair, `[1]`, `bad v: expected "{" of STRUCT("a" INTEGER, "b" VARCHAR), found "[1]"`},
		{mapping, `{k=2024-01-01, "x:y": 1517365101}`, `{"x:y": 2018-01-31 02:18:21, k: 2024-01-01 00:00:00}`},
		{mapping, `{k=null, "k": null}`, `bad v: the key "k" appears more than once`},
		{mapping, `{null=1}`, `bad v: expected a key and ":" of MAP(VARCHAR, TIMESTAMP), found "=1}"`},
	} {
		d := newDecoder(t, Options{Dialect: Dialect{Delimiter: ';'}, Fields: []types.Field{{Name: "v", Type: c.kind, Nullable: true}}, Settings: cell.Settings{EpochUnit: types.EpochSeconds}})
		got := strings.TrimSpace(decode(t, d, 10, c.in+"\n").String())
		want := "row " + c.want
		if column, found := strings.CutPrefix(c.want, "bad "); found {
			name, reason, _ := strings.Cut(column, ": ")
			want = fmt.Sprintf("bad 1 %q: %s: %s", name, reason, c.in)
		}
		if got != want {
			t.Errorf("%s %s: got %s\nwant %s", c.kind, c.in, got, want)
		}
	}
}

// TestQuotedLines shows the bound of the line ends in a field.
func TestQuotedLines(t *testing.T) {
	text := func(lines int) string { return strings.Repeat("x\n", lines) }
	for _, c := range []struct{ max, lines int }{{0, QuotedLinesMax}, {3, 3}} {
		dialect := Default()
		dialect.Header, dialect.QuotedLinesMax = false, c.max
		for more := range 2 {
			in := "1,2,\"" + text(c.lines+more) + "\"\n4,5,6\n"
			got := decode(t, newDecoder(t, Options{Dialect: dialect, Fields: texts()}), 10, in)
			if len(got.Rows) != 2-more || more == 0 && len(got.Bad) > 0 {
				t.Errorf("at most %d lines, %d there: %s", c.max, c.lines+more, got)
			}
		}
	}
}

// TestForeignHeaders shows what is said of a file whose header has no column of the stream.
func TestForeignHeaders(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a;b;c\n1;2;3\n", `the header "a;b;c" has none of the columns "a", "b", "c"; delimiter = ';' finds them`},
		{"a\tb\n1\t2\n", `the header "a\tb" has none of the columns "a", "b", "c"; delimiter = '\t' finds them`},
		{"1,2,3\n4,5,6\n", `the header "1,2,3" has none of the columns "a", "b", "c"; header = 'false' reads files that have none`},
		{"x,y\n4,5\n", `the header "x,y" has none of the columns "a", "b", "c"`},
	} {
		d := newDecoder(t, Options{Dialect: Default(), Fields: texts()[:1], Columns: []string{"a", "b", "c"}})
		got := decode(t, d, 10, c.in+"\n")
		if len(got.Rows) != 0 || len(got.Bad) != 1 || !strings.Contains(got.Bad[0], c.want+": ") {
			t.Errorf("%q: %s", c.in, got)
		}
		// The next file is another one.
		if got := decode(t, d, 10, "sep=,\r\nC,A\r\n1,2\r\n"); got.String() != "row 2\n" {
			t.Errorf("behind %q: %s", c.in, got)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		in        string
		delimiter byte
		header    bool
	}{
		{"a,b\n1,2\n", ',', true},
		{"\"Time (UTC)\";\"Humidity, %\";Temp\n2026-03-01;40,5;20,1\n2026-03-01;41;20,2\n", ';', true},
		{"a|b,c|d\n1|2|3\n4|5|6\n", '|', true},
		{"a\tb\n1\t2, 3\n", '\t', true},
		{"a b c\n1 2 3\n", 0, true},
		{"sep=|\r\na|b\r\n", '|', true},
		{"1;x;2026-01-01\n2;y;2026-01-02\n", ';', false},
		{"2026;x\nyear;y\n", ';', true},
		{"x;y\nz;w\n", ';', true},
		{"a;b", ';', true},
		{"a;b;c\n1;2;3\n4;5", ';', true},
		{"a;b;c\n1;2", ';', true},
		{"a;b;c\n1;2\n", 0, true},
		{"a;b;c\n1;2;3;4", 0, true},
		{"a;b\n1;\"x\n", ';', true},
		{"1|a|2.5\n2||\n3|\"b|4\n", '|', false},
		{"1;2\n", ';', true},
		{"a;b\n1;\"x;y\n", 0, true},
		{"\"a;b\n1;x\n", 0, true},
		{"\"a (b)\";\"c, d\"\n1;40,5\n", ';', true},
		{"", 0, true},
	} {
		if got := Delimiter([]byte(c.in)); got != c.delimiter {
			t.Errorf("delimiter of %q: %q, want %q", c.in, got, c.delimiter)
		}
		d := Default()
		d.Delimiter = max(c.delimiter, ' ')
		if got := d.HasHeader([]byte(c.in)); got != c.header {
			t.Errorf("header of %q: %v, want %v", c.in, got, c.header)
		}
	}
}

// TestInferOutliers has one value among many that are alike; the line is that of the file.
func TestInferOutliers(t *testing.T) {
	for odd, want := range map[string]string{
		"x":    "BIGINT [{b BIGINT 1 100 {0 101 x}}]",
		"1.5":  "DOUBLE []",
		"0049": "VARCHAR []",
		"":     "BIGINT []",
	} {
		sample := "a,b\n" + strings.Repeat("\"1\n2\",3\n", 49) + "y,3\ny," + odd + "\n" + strings.Repeat("y,3\n", 49)
		fields, outliers, err := Infer(Default(), [][]byte{[]byte(sample)})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(fields[1].Type, " ", outliers); got != want {
			t.Errorf("%q: got %s, want %s", odd, got, want)
		}
	}
	d := Default()
	if sample := "a\n" + strings.Repeat("3\n", 1000); !d.HasHeader([]byte(sample)) {
		t.Error("a header is one text among many numbers")
	}
}

// A line of many quotes is looked through once, not once a quote.
func TestLineOfQuotes(t *testing.T) {
	line := []byte("a,b,c," + strings.Repeat(`x"`, 1<<20) + "\n")
	began := time.Now()
	d := Default()
	if end := d.firstEnd(line, true); end != len(line) {
		t.Errorf("the record ends at %d of %d", end, len(line))
	}
	if took := time.Since(began); took > 5*time.Second { // by the square: a minute
		t.Errorf("took %v", took)
	}
}
