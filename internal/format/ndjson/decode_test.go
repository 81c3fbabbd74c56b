package ndjson

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/formattest"
	"ssql/sql/types"
)

// field is one column of a test schema.
func field(name string, t types.Type) types.Field {
	return types.Field{Name: name, Type: t, Nullable: true}
}

// decode reads blocks with a decoder that scribbles over its chunks.
func decode(t testing.TB, d *Decoder, chunkRows int, blocks ...string) formattest.Result {
	t.Helper()
	return formattest.Decode(t, d, format.Input{Line: 1}, types.Text, chunkRows, blocks...)
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

// TestValues reads one value into one column. Each value is read three times, so
// that the second and third go along the tree of steps.
func TestValues(t *testing.T) {
	list := types.ListOf(types.Of(types.BigInt))
	point := types.StructOf(field("x", types.Of(types.Double)), field("y", types.Of(types.Double)))
	mapping := types.MapOf(types.Of(types.Varchar), types.Of(types.Int))
	for _, c := range []struct {
		t    types.Type
		json string
		want string // text, or "bad: reason"
	}{
		{types.Of(types.Boolean), `true`, "true"},
		{types.Of(types.Boolean), `false`, "false"},
		{types.Of(types.Boolean), `null`, "NULL"},
		{types.Of(types.Boolean), `"TRUE"`, "true"},
		{types.Of(types.Boolean), `1`, `bad: expected BOOLEAN, found the number 1`},
		{types.Of(types.Boolean), `"yes"`, `bad: expected BOOLEAN, found the text "yes"`},

		{types.Of(types.Int), `12`, "12"},
		{types.Of(types.Int), `"12"`, "12"},
		{types.Of(types.Int), `" +12 "`, "12"},
		{types.Of(types.Int), `12.0`, "12"},
		{types.Of(types.Int), `1.2e1`, "12"},
		{types.Of(types.Int), `-0`, "0"},
		{types.Of(types.Int), `120e-1`, "12"},
		{types.Of(types.Int), `3.7`, `bad: expected INTEGER, found 3.7, which has a fraction`},
		{types.Of(types.Int), `1e-30`, `bad: expected INTEGER, found 1e-30, which has a fraction`},
		{types.Of(types.Int), `"3.7"`, `bad: expected INTEGER, found the text "3.7", which has a fraction`},
		{types.Of(types.Int), `2147483647`, "2147483647"},
		{types.Of(types.Int), `2147483648`, `bad: 2147483648 is out of the range of INTEGER`},
		{types.Of(types.Int), `-2147483649`, `bad: -2147483649 is out of the range of INTEGER`},
		{types.Of(types.Int), `1e99`, `bad: 1e99 is out of the range of INTEGER`},
		{types.Of(types.Int), `""`, `bad: expected INTEGER, found the text ""`},
		{types.Of(types.Int), `"-"`, `bad: expected INTEGER, found the text "-"`},
		{types.Of(types.Int), `true`, `bad: expected INTEGER, found true`},
		{types.Of(types.Int), `{"a":1}`, `bad: expected INTEGER, found an object`},
		{types.Of(types.Int), `[1]`, `bad: expected INTEGER, found an array`},
		{types.Of(types.Int), `NaN`, `bad: expected INTEGER, found NaN`},
		{types.Of(types.Int), `01`, `bad: expected a value, found "0"`},
		{types.Of(types.TinyInt), `-128`, "-128"},
		{types.Of(types.TinyInt), `128`, `bad: 128 is out of the range of TINYINT`},
		{types.Of(types.SmallInt), `-32768`, "-32768"},
		{types.Of(types.SmallInt), `32768`, `bad: 32768 is out of the range of SMALLINT`},
		{types.Of(types.BigInt), `9223372036854775807`, "9223372036854775807"},
		{types.Of(types.BigInt), `-9223372036854775808`, "-9223372036854775808"},
		{types.Of(types.BigInt), `9223372036854775808`, `bad: 9223372036854775808 is out of the range of BIGINT`},
		{types.Of(types.BigInt), `-9223372036854775809`, `bad: -9223372036854775809 is out of the range of BIGINT`},
		{types.Of(types.BigInt), `99999999999999999999999`, `bad: 99999999999999999999999 is out of the range of BIGINT`},
		{types.Of(types.UTinyInt), `255`, "255"},
		{types.Of(types.UTinyInt), `-1`, `bad: -1 is out of the range of UTINYINT`},
		{types.Of(types.USmallInt), `65535`, "65535"},
		{types.Of(types.UInt), `4294967295`, "4294967295"},
		{types.Of(types.UInt), `4294967296`, `bad: 4294967296 is out of the range of UINTEGER`},
		{types.Of(types.UBigInt), `18446744073709551615`, "18446744073709551615"},
		{types.Of(types.UBigInt), `18446744073709551616`, `bad: 18446744073709551616 is out of the range of UBIGINT`},
		{types.Of(types.UBigInt), `-1`, `bad: -1 is out of the range of UBIGINT`},
		{types.Of(types.UBigInt), `-0.0`, "0"},

		{types.Of(types.Double), `0.1`, "0.1"},
		{types.Of(types.Double), `-0`, "-0"},
		{types.Of(types.Double), `-0.0`, "-0"},
		{types.Of(types.Double), `123456789012345`, "123456789012345"},
		{types.Of(types.Double), `0.30000000000000004`, "0.30000000000000004"},
		{types.Of(types.Double), `9007199254740993`, "9007199254740992"},
		{types.Of(types.Double), `1e20`, "100000000000000000000"},
		{types.Of(types.Double), `5e-324`, "5e-324"},
		{types.Of(types.Double), `1e400`, `bad: 1e400 is out of the range of DOUBLE`},
		{types.Of(types.Double), `"2.5"`, "2.5"},
		{types.Of(types.Double), `"nan"`, "NaN"},
		{types.Of(types.Double), `NaN`, "NaN"},
		{types.Of(types.Double), `Infinity`, "Infinity"},
		{types.Of(types.Double), `-Infinity`, "-Infinity"},
		{types.Of(types.Double), `"0x1p-2"`, `bad: expected DOUBLE, found the text "0x1p-2"`},
		{types.Of(types.Double), `"1_000"`, `bad: expected DOUBLE, found the text "1_000"`},
		{types.Of(types.Double), `1.`, `bad: expected a value, found "1"`},
		{types.Of(types.Double), `.5`, `bad: expected a value, found "."`},
		{types.Of(types.Double), `+1`, `bad: expected a value, found "+"`},
		{types.Of(types.Float), `0.1`, "0.1"},
		{types.Of(types.Float), `16777217`, "16777216"},
		{types.Of(types.Float), `1e39`, `bad: 1e39 is out of the range of FLOAT`},

		{types.DecimalOf(10, 2), `12.345`, "12.35"},
		{types.DecimalOf(10, 2), `-12.345`, "-12.35"},
		{types.DecimalOf(10, 2), `"1e3"`, "1000.00"},
		{types.DecimalOf(38, 10), `1234567890123456789012345678.0123456789`, "1234567890123456789012345678.0123456789"},
		{types.DecimalOf(4, 2), `100`, `bad: 100 is out of the range of DECIMAL(4,2)`},
		{types.DecimalOf(4, 2), `"x"`, `bad: expected DECIMAL(4,2), found the text "x"`},

		{types.Of(types.Varchar), `"plain"`, "plain"},
		{types.Of(types.Varchar), `""`, "''"},
		{types.Of(types.Varchar), `"a\"b\\c\/\b\f\n\r\t"`, `"a\"b\\c/\b\f\n\r\t"`},
		{types.Of(types.Varchar), `"\u00e9\u20AC\ud83d\ude00"`, "é€😀"},
		{types.Of(types.Varchar), `"grün, 日本語 🎈 and more"`, "grün, 日本語 🎈 and more"},
		{types.Of(types.Varchar), `"\u0000"`, "\x00"},
		{types.Of(types.Varchar), `"\ud83d"`, `bad: the escape \ud83d is no character`},
		{types.Of(types.Varchar), `"\ude00\ud83d"`, `bad: the escape \ude00 is no character`},
		{types.Of(types.Varchar), `"\ud83dxx"`, `bad: the escape \ud83d is no character`},
		{types.Of(types.Varchar), `"\u12g4"`, `bad: the escape \u12g4 is no character`},
		{types.Of(types.Varchar), `"\x41"`, `bad: JSON has no escape \x`},
		{types.Of(types.Varchar), "\"a\tb\"", `bad: text holds the control character 0x09, which must be escaped`},
		{types.Of(types.Varchar), "\"a\xff\"", `bad: text is not valid UTF-8`},
		{types.Of(types.Varchar), "\"\xed\xa0\x80\"", `bad: text is not valid UTF-8`},
		{types.Of(types.Varchar), `12.50`, "12.50"},
		{types.Of(types.Varchar), `1E5`, "1E5"},
		{types.Of(types.Varchar), `true`, "true"},
		{types.Of(types.Varchar), `{"b": [1, null]}`, `"{\"b\": [1, null]}"`},
		{types.Of(types.Varchar), `[1,{"a":"\u0041"}]`, `"[1,{\"a\":\"\\u0041\"}]"`},
		{types.Of(types.Varchar), `nul`, `bad: expected a value, found "n"`},

		{types.Of(types.Date), `"2026-02-28"`, "2026-02-28"},
		{types.Of(types.Date), `"2026-02-29"`, `bad: expected DATE, found the text "2026-02-29"`},
		{types.Of(types.Date), `20260228`, `bad: expected DATE, found the number 20260228`},
		{types.Of(types.Timestamp), `"2026-02-28T12:34:56.789Z"`, "2026-02-28 12:34:56.789"},
		{types.Of(types.Timestamp), `"2026-02-28 12:34:56"`, "2026-02-28 12:34:56"},
		{types.Of(types.Timestamp), `"2026-02-28T12:34"`, "2026-02-28 12:34:00"},
		{types.Of(types.Timestamp), `"2026-02-28"`, "2026-02-28 00:00:00"},
		{types.Of(types.Timestamp), `"2026-02-28T12:34:56+05:30"`, "2026-02-28 07:04:56"},
		{types.Of(types.Timestamp), `"2026-02-28T12:34:56.1234567Z"`, "2026-02-28 12:34:56.123456"},
		{types.Of(types.Timestamp), `"1969-12-31T23:59:59.999999Z"`, "1969-12-31 23:59:59.999999"},
		{types.Of(types.Timestamp), `"2026-02-28T12:34:61Z"`, `bad: expected TIMESTAMP, found the text "2026-02-28T12:34:61Z"`},
		{types.Of(types.Timestamp), `1517365101235`, `bad: expected TIMESTAMP text, found the number 1517365101235 (option epoch_unit says what it counts)`},

		{types.Of(types.Blob), `"aGVsbG8="`, "x'68656c6c6f'"},
		{types.Of(types.Blob), `"aGVsbG8"`, "x'68656c6c6f'"},
		{types.Of(types.Blob), `"*"`, `bad: expected BLOB, found the text "*", which is no base64`},
		{types.Of(types.Blob), `1`, `bad: expected BLOB, found the number 1`},

		{list, `[1, 2,3 ]`, "[1, 2, 3]"},
		{list, `[]`, "[]"},
		{list, `[ ]`, "[]"},
		{list, `[1,null]`, "[1, NULL]"},
		{list, `null`, "NULL"},
		{list, `1`, `bad: expected BIGINT[], found the number 1`},
		{list, `[1,]`, `bad: expected a value, found "]"`},
		{list, `[1 2]`, `bad: expected "," or "]", found "2"`},
		{list, `["x"]`, `bad: expected BIGINT, found the text "x"`},
		{types.ListOf(list), `[[1],[],null,[2,3]]`, "[[1], [], NULL, [2, 3]]"},
		{types.ListOf(point), `[{"x":1},{"y":2,"x":null},null]`, "[{x: 1, y: NULL}, {x: NULL, y: 2}, NULL]"},

		{point, `{"x":1,"y":2.5}`, "{x: 1, y: 2.5}"},
		{point, `{ "y" : 2.5 , "z" : {"x":9} }`, "{x: NULL, y: 2.5}"},
		{point, `{}`, "{x: NULL, y: NULL}"},
		{point, `null`, "NULL"},
		{point, `{"x":1,"x":2}`, "{x: 2, y: NULL}"},
		{point, `[1,2]`, `bad: expected STRUCT("x" DOUBLE, "y" DOUBLE), found an array`},
		{point, `{"x":1,}`, `bad: expected a key in quotes, found "}"`},
		{point, `{"x" 1}`, `bad: expected ":" behind the key "x", found "1"`},

		{mapping, `{"b":1,"a":null}`, "{a: NULL, b: 1}"},
		{mapping, `{}`, "{}"},
		{mapping, `{"a":1,"b":2,"\u0061":3}`, "{a: 3, b: 2}"},
		{mapping, `{"a":"x"}`, `bad: expected INTEGER, found the text "x"`},
		{types.MapOf(types.Of(types.Varchar), mapping), `{"a":{"x":1},"b":{"y":2,"z":3}}`, "{a: {x: 1}, b: {y: 2, z: 3}}"},
	} {
		t.Run(fmt.Sprintf("%s/%s", c.t, c.json), func(t *testing.T) {
			for _, encode := range []bool{false, true} {
				if encode && c.t.Kind != types.Varchar {
					continue
				}
				d := newDecoder(t, Options{Fields: []types.Field{field("v", c.t)}, Encode: []bool{encode}})
				got := decode(t, d, 100, strings.Repeat(`{"v":`+c.json+"}\n", 3))
				want, isBad := strings.CutPrefix(c.want, "bad: ")
				if isBad {
					if len(got.Bad) != 3 || len(got.Rows) != 0 || !strings.Contains(got.Bad[2], ": "+want+": ") {
						t.Errorf("got\n%swant three bad lines: %s", got, want)
					}
					continue
				}
				if strings.Join(got.Rows, "\n") != strings.Join([]string{want, want, want}, "\n") || len(got.Bad) > 0 {
					t.Errorf("got\n%swant three rows %s", got, want)
				}
			}
		})
	}
}

func TestEpochUnits(t *testing.T) {
	for _, c := range []struct {
		unit types.EpochUnit
		json string
		want string
	}{
		{types.EpochSeconds, `1517365101`, "2018-01-31 02:18:21"},
		{types.EpochSeconds, `1517365101.235`, "2018-01-31 02:18:21.235"},
		{types.EpochSeconds, `-0.000001`, "1969-12-31 23:59:59.999999"},
		{types.EpochMillis, `1517365101235`, "2018-01-31 02:18:21.235"},
		{types.EpochMicros, `1517365101235001`, "2018-01-31 02:18:21.235001"},
		{types.EpochNanos, `1517365101235001999`, "2018-01-31 02:18:21.235001"},
		{types.EpochNanos, `-1`, "1969-12-31 23:59:59.999999"},
		{types.EpochMillis, `"2018-01-31"`, "2018-01-31 00:00:00"},
	} {
		d := newDecoder(t, Options{Fields: []types.Field{field("v", types.Of(types.Timestamp))}, Settings: cell.Settings{EpochUnit: c.unit}})
		if got := decode(t, d, 10, `{"v":`+c.json+`}`); got.String() != "row "+c.want+"\n" {
			t.Errorf("unit %d, %s: got %swant %s", c.unit, c.json, got, c.want)
		}
	}
}

func TestSourceZone(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	d := newDecoder(t, Options{Fields: []types.Field{field("v", types.Of(types.Timestamp))}, Settings: cell.Settings{Zone: zone}})
	got := decode(t, d, 10, `{"v":"2026-01-01T12:00:00"}
{"v":"2026-01-01T12:00:30"}
{"v":"2026-01-01T12:00:30Z"}
{"v":"2026-07-01T12:00:00.5"}
{"v":"2026-03-29T02:30:00"}
{"v":"2026-10-25T02:30:00"}
{"v":"2026-10-25T02:30:00+01:00"}`)
	want := `row 2026-01-01 11:00:00
row 2026-01-01 11:00:30
row 2026-01-01 12:00:30
row 2026-07-01 10:00:00.5
row 2026-03-29 01:30:00
row 2026-10-25 00:30:00
row 2026-10-25 01:30:00
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLines shows what a line is: blanks, ends, numbers, and what makes it bad.
func TestLines(t *testing.T) {
	fields := []types.Field{field("a", types.Of(types.BigInt)), field("b", types.Of(types.Varchar))}
	for _, c := range []struct{ name, in, want string }{
		{"unterminated", "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}", "row 1 | x\nrow 2 | y\n"},
		{"CRLF", "{\"a\":1,\"b\":\"x\"}\r\n{\"a\":2,\"b\":\"y\"}\r\n\r\n{\"a\":3}\r\n", "row 1 | x\nrow 2 | y\nrow 3 | NULL\n"},
		{"blank lines", "\n  \t\n{\"a\":1}\n\n{\"a\":2}\n \n", "row 1 | NULL\nrow 2 | NULL\n"},
		{"blanks around", "  {\"a\" : 1 , \"b\":\"x\" }  \n", "row 1 | x\n"},
		{"order and missing", "{\"a\":1,\"b\":\"x\"}\n{\"b\":\"y\",\"a\":2}\n{\"b\":\"z\"}\n{\"a\":4}\n{}\n{\"a\":1,\"b\":\"x\"}\n",
			"row 1 | x\nrow 2 | y\nrow NULL | z\nrow 4 | NULL\nrow NULL | NULL\nrow 1 | x\n"},
		{"bad between", "{\"a\":1}\nnot json\n\n{\"a\":2\n{\"a\":3}x\n[1]\n{\"a\":4}",
			"row 1 | NULL\nrow 4 | NULL\n" +
				"bad 2 \"\": expected an object, found \"n\": not json\n" +
				"bad 4 \"\": expected \",\" or \"}\", found the end of the line: {\"a\":2\n" +
				"bad 5 \"\": expected the end of the line behind the object, found \"x\": {\"a\":3}x\n" +
				"bad 6 \"\": expected an object, found an array: [1]\n"},
		{"bad column", "{\"a\":1,\"b\":\"x\"}\n{\"b\":\"y\",\"a\":\"?\"}\r\n{\"a\":2,\"b\":\"z\"}\n",
			"row 1 | x\nrow 2 | z\nbad 2 \"a\": expected BIGINT, found the text \"?\": {\"b\":\"y\",\"a\":\"?\"}\n"},
		{"cut short", "{\"a\":1,\"b\":\"x\"}\n{\"a\":1,\"b\":\"x", "row 1 | x\nbad 2 \"\": the line ends inside text: the closing quote is missing: {\"a\":1,\"b\":\"x\n"},
		{"cut after a backslash", "{\"b\":\"x\\\n{\"a\":1}", "row 1 | NULL\nbad 1 \"\": the line ends inside text: the closing quote is missing: {\"b\":\"x\\\n"},
		{"unknown keys are checked", "{\"a\":1,\"z\":[1,{\"k\":\"v\"}],\"b\":\"x\"}\n{\"a\":1,\"z\":[1,{\"k\":}],\"b\":\"x\"}\n",
			"row 1 | x\nbad 2 \"\": expected a value, found \"}\": {\"a\":1,\"z\":[1,{\"k\":}],\"b\":\"x\"}\n"},
		{"too long", "{\"a\":1,\"b\":\"" + strings.Repeat("x", 100) + "\"}\n{\"a\":2}\n", "row 2 | NULL\n" +
			"bad 1 \"\": line is longer than 100 bytes (option line_bytes_max): {\"a\":1,\"b\":\"" + strings.Repeat("x", 100) + "\"}\n"},
		{"duplicate keys", "{\"a\":1,\"a\":2,\"b\":\"x\",\"b\":null}\n{\"b\":null,\"b\":\"y\",\"a\":5}\n",
			"row 2 | NULL\nrow 5 | y\nnotice the key \"a\" appears more than once in a line; its last value counts\n" +
				"notice the key \"b\" appears more than once in a line; its last value counts\n"},
		{"escaped key", "{\"\\u0061\":1}\n{\"\\u0061\":2}\n", "row 1 | NULL\nrow 2 | NULL\n"},
		{"other case", "{\"A\":1,\"b\":\"x\"}\n{\"A\":2}\n", "row NULL | x\nrow NULL | NULL\n" +
			"told file \"\" has the key \"A\", which is not column \"a\", as JSON keys are matched exactly; it is not read"},
		{"other case beside the right one", "{\"A\":1,\"a\":2}\n", "row 2 | NULL\n" +
			"told file \"\" has the key \"A\", which is not column \"a\", as JSON keys are matched exactly; it is not read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, chunkRows := range []int{1, 2, 100} {
				want, told, _ := strings.Cut(c.want, "told ")
				drift := format.NewDrift("key", []string{"a", "b", "z"}, false, nil)
				d := newDecoder(t, Options{Fields: fields, LineBytesMax: 100, Drift: drift})
				for range 2 { // the second time the steps are known
					d.said = map[string]bool{}
					if got := decode(t, d, chunkRows, c.in); got.String() != want {
						t.Errorf("chunks of %d: got\n%swant\n%s", chunkRows, got, want)
					}
					if got := strings.Join(drift.Notices(), "\n"); got != told {
						t.Errorf("chunks of %d: told %q, want %q", chunkRows, got, told)
					}
					told = "" // once
				}
			}
		})
	}
}

func TestRawIsCut(t *testing.T) {
	d := newDecoder(t, Options{Fields: []types.Field{field("a", types.Of(types.Int))}})
	var bad format.Bad
	d.Begin(format.Input{Line: 7}, 10, format.Output{Bad: func(b format.Bad) error { bad = b; return nil }})
	if err := d.Decode([]byte(strings.Repeat("é", 5000))); err != nil {
		t.Fatal(err)
	}
	if bad.Line != 7 || len(bad.Raw) != format.RawMax {
		t.Errorf("line %d, %d bytes of the line; want line 7, %d bytes", bad.Line, len(bad.Raw), format.RawMax)
	}
}

func TestDepth(t *testing.T) {
	nest := func(n int) string { return `{"z":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}\n" }
	d := newDecoder(t, Options{Fields: []types.Field{field("z", types.Of(types.Varchar))}})
	got := decode(t, d, 10, nest(depthMax-1)+nest(depthMax)+strings.Repeat(`{"z":`, 1000)+strings.Repeat("}", 1000)+"\n"+strings.Repeat("[", 1_000_000))
	if len(got.Rows) != 1 || len(got.Bad) != 3 || !strings.Contains(got.Bad[0], "more than 64 deep") || !strings.Contains(got.Bad[1], "more than 64 deep") {
		t.Errorf("got %d rows and\n%.300s", len(got.Rows), strings.Join(got.Bad, "\n"))
	}
}

func TestRefusedTypes(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		want string
	}{
		{types.MapOf(types.Of(types.Int), types.Of(types.Int)), `DATATYPE_MISMATCH: column "v" is MAP(INTEGER, INTEGER), but the keys of a JSON object are text`},
		{types.ListOf(types.Of(types.IntervalKind)), `DATATYPE_MISMATCH: column "v[]" is INTERVAL, which JSON has no form for`},
	} {
		if _, err := NewShape(Options{Fields: []types.Field{field("v", c.t)}}); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.t, err, c.want)
		}
	}
}
