package arrowtext

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/duck"
	"ssql/sql/types"
)

// places are all ways in which values are written.
var places = []struct {
	name  string
	write func(f arrow.Field, a arrow.Array) Cell
}{
	{"Cast text", Cast.Text},
	{"Console JSON", Console.JSON},
	{"Console text", Console.Text},
	{"Files JSON", Files.JSON},
	{"Files text", Files.Text},
	{"SideRows JSON", SideRows.JSON},
}

// spelling is a column and how its values are written: as text and as JSON, but for the
// places in but.
type spelling struct {
	name       string
	field      arrow.Field
	a          arrow.Array
	text, json string
	but        map[string]string
}

func (s *spelling) check(t *testing.T) {
	t.Helper()
	for _, p := range places {
		want, differs := s.but[p.name]
		switch {
		case differs:
		case strings.HasSuffix(p.name, "JSON"):
			want = s.json
		default:
			want = s.text
		}
		if got := written(p.write(s.field, s.a), s.a.Len()); got != want {
			t.Errorf("%s, %s:\n got %s\nwant %s", s.name, p.name, got, want)
		}
		if s.a.Len() < 2 {
			continue
		}
		// A slice begins elsewhere in its buffers.
		part := array.NewSlice(s.a, 1, int64(s.a.Len()))
		_, want, _ = strings.Cut(want, " | ")
		if got := written(p.write(s.field, part), part.Len()); got != want {
			t.Errorf("%s, %s, all but the first:\n got %s\nwant %s", s.name, p.name, got, want)
		}
	}
}

func written(c Cell, rows int) string {
	var out []byte
	for row := range rows {
		if row > 0 {
			out = append(out, " | "...)
		}
		out = c(out, row)
	}
	return string(out)
}

// of is a column of a type with values in the notation of stream scripts.
func of(t *testing.T, kind types.Type, values ...string) (arrow.Field, arrow.Array) {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, kind.Arrow())
	for _, v := range values {
		if err := types.AppendText(b, kind, v); err != nil {
			t.Fatal(err)
		}
	}
	return types.ArrowSchema([]types.Field{{Name: "v", Type: kind}}).Field(0), b.NewArray()
}

// TestTypes writes values of every type in every style.
func TestTypes(t *testing.T) {
	list, double, text := types.ListOf, types.Of(types.Double), types.Of(types.Varchar)
	for _, c := range []struct {
		kind       types.Type
		values     []string
		text, json string
		but        map[string]string
	}{
		{types.Of(types.Null), []string{"NULL", "NULL"}, "NULL | NULL", "null | null", nil},
		{types.Of(types.Boolean), []string{"true", "NULL", "false"}, "true | NULL | false", "true | null | false", nil},
		{types.Of(types.TinyInt), []string{"-128", "NULL"}, "-128 | NULL", "-128 | null", nil},
		{types.Of(types.SmallInt), []string{"-32768"}, "-32768", "-32768", nil},
		{types.Of(types.Int), []string{"-2147483648", "0"}, "-2147483648 | 0", "-2147483648 | 0", nil},
		{types.Of(types.BigInt), []string{"-9223372036854775808", "7"}, "-9223372036854775808 | 7", "-9223372036854775808 | 7", nil},
		{types.Of(types.UTinyInt), []string{"255", "NULL"}, "255 | NULL", "255 | null", nil},
		{types.Of(types.USmallInt), []string{"65535"}, "65535", "65535", nil},
		{types.Of(types.UInt), []string{"4294967295"}, "4294967295", "4294967295", nil},
		{types.Of(types.UBigInt), []string{"18446744073709551615"}, "18446744073709551615", "18446744073709551615", nil},
		{double, []string{"2", "0.1", "-0", "1e15", "1e16", "0.00001", "5e-324", "NaN", "Infinity", "-Infinity", "NULL"},
			"2.0 | 0.1 | -0.0 | 1000000000000000.0 | 1e+16 | 1e-05 | 5e-324 | nan | inf | -inf | NULL",
			`2.0 | 0.1 | -0.0 | 1000000000000000.0 | 1e+16 | 1e-05 | 5e-324 | "NaN" | "Infinity" | "-Infinity" | null`,
			map[string]string{"Files text": "2.0 | 0.1 | -0.0 | 1000000000000000.0 | 1e+16 | 1e-05 | 5e-324 | NaN | Infinity | -Infinity | NULL"}},
		{types.Of(types.Float), []string{"0.1", "3.4028235e+38", "-Infinity"}, "0.1 | 3.4028235e+38 | -inf", `0.1 | 3.4028235e+38 | "-Infinity"`,
			map[string]string{"Files text": "0.1 | 3.4028235e+38 | -Infinity"}},
		{types.DecimalOf(15, 3), []string{"999999999999.999", "-0.001", "0", "NULL"}, "999999999999.999 | -0.001 | 0.000 | NULL", "999999999999.999 | -0.001 | 0.000 | null", nil},
		{types.DecimalOf(16, 2), []string{"1.5", "NULL"}, "1.50 | NULL", "1.50 | null", map[string]string{"Files JSON": `"1.50" | null`}},
		{types.DecimalOf(38, 0), []string{"99999999999999999999999999999999999999"}, "99999999999999999999999999999999999999", "99999999999999999999999999999999999999",
			map[string]string{"Files JSON": `"99999999999999999999999999999999999999"`}},
		{types.DecimalOf(2, 2), []string{"0.5", "-0.25"}, "0.50 | -0.25", "0.50 | -0.25", map[string]string{"Cast text": ".50 | -.25"}},
		{text, []string{"''", "NULL", `"NULL"`, `"say \"hi\"\\\n\r\t\u0001"`, "ü€😀<&>"}, " | NULL | NULL | say \"hi\"\\\n\r\t\x01 | ü€😀<&>",
			`"" | null | "NULL" | "say \"hi\"\\\n\r\t\u0001" | "ü€😀<&>"`, nil},
		{text, []string{"\u007f", "\u009b31m", "x\u202egnp.exe"}, "\u007f | \u009b31m | x\u202egnp.exe", "\"\u007f\" | \"\u009b31m\" | \"x\u202egnp.exe\"",
			map[string]string{"Console JSON": `"\u007f" | "\u009b31m" | "x\u202egnp.exe"`}},
		{types.JSONText, []string{`"{\"a\":  1}"`, `"{\"a\": 1,\n \"b\": [2, null]}"`, "NULL", "\"\\\"\u202e\\\"\""},
			"{\"a\":  1} | {\"a\": 1,\n \"b\": [2, null]} | NULL | \"\u202e\"", "{\"a\":  1} | {\"a\":1,\"b\":[2,null]} | null | \"\u202e\"",
			map[string]string{"Console JSON": `{"a":  1} | {"a":1,"b":[2,null]} | null | "\u202e"`}},
		{types.Of(types.Blob), []string{"x'61005c27'", "x''", "NULL"}, `a\x00\x5C\x27 |  | NULL`, `"YQBcJw==" | "" | null`, map[string]string{"Files text": "YQBcJw== |  | NULL"}},
		{types.Of(types.Date), []string{"2024-02-29", "0001-01-01", "NULL"}, "2024-02-29 | 0001-01-01 | NULL", `"2024-02-29" | "0001-01-01" | null`, nil},
		{types.Of(types.Timestamp), []string{"2024-02-29 12:00:00.1", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "12024-01-01 00:00:00", "NULL"},
			"2024-02-29 12:00:00.1 | 1969-12-31 23:59:59.999999 | 1970-01-01 00:00:00 | 12024-01-01 00:00:00 | NULL",
			`"2024-02-29 12:00:00.1" | "1969-12-31 23:59:59.999999" | "1970-01-01 00:00:00" | "12024-01-01 00:00:00" | null`,
			map[string]string{
				"Files text": "2024-02-29T12:00:00.1Z | 1969-12-31T23:59:59.999999Z | 1970-01-01T00:00:00Z | 12024-01-01T00:00:00Z | NULL",
				"Files JSON": `"2024-02-29T12:00:00.1Z" | "1969-12-31T23:59:59.999999Z" | "1970-01-01T00:00:00Z" | "12024-01-01T00:00:00Z" | null`,
			}},
		{types.Of(types.IntervalKind), []string{"14 months -1 day 01:01:01.5", "-00:00:01", "00:00:00", "30 hours", "NULL"},
			"1 year 2 months -1 day 01:01:01.5 | -00:00:01 | 00:00:00 | 30:00:00 | NULL", `"1 year 2 months -1 day 01:01:01.5" | "-00:00:01" | "00:00:00" | "30:00:00" | null`, nil},
		{list(double), []string{"[NaN, NULL, 1.5]", "[]", "NULL"}, "[nan, NULL, 1.5] | [] | NULL", `["NaN",null,1.5] | [] | null`, map[string]string{"Files text": `["NaN",null,1.5] | [] | NULL`}},
		{list(list(text)), []string{`[[a, NULL], [], NULL, ["x, y", ""]]`, "NULL"}, "[[a, NULL], [], NULL, [x, y, ]] | NULL", `[["a",null],[],null,["x, y",""]] | null`,
			map[string]string{"Files text": `[["a",null],[],null,["x, y",""]] | NULL`}},
		{list(types.JSONText), []string{`["{\"a\": 1}", NULL]`}, `[{"a": 1}, NULL]`, `[{"a": 1},null]`, map[string]string{"Files text": `[{"a": 1},null]`}},
		{types.MapOf(types.Of(types.Timestamp), types.Of(types.Blob)), []string{"{2024-02-29 12:00:00: x'00', 2024-03-01 00:00:00: NULL}", "{}", "NULL"},
			`{2024-02-29 12:00:00=\x00, 2024-03-01 00:00:00=NULL} | {} | NULL`, `{"2024-02-29 12:00:00":"AA==","2024-03-01 00:00:00":null} | {} | null`,
			map[string]string{
				"Files text": `{"2024-02-29T12:00:00Z":"AA==","2024-03-01T00:00:00Z":null} | {} | NULL`,
				"Files JSON": `{"2024-02-29T12:00:00Z":"AA==","2024-03-01T00:00:00Z":null} | {} | null`,
			}},
		{types.MapOf(double, types.JSONText), []string{`{NaN: "[1,\n2]"}`}, "{nan=[1,\n2]}", `{"NaN":[1,2]}`, map[string]string{"Files text": `{"NaN":[1,2]}`}},
		{types.StructOf(types.Field{Name: "it's", Type: types.DecimalOf(20, 2)}, types.Field{Name: `b "q"`, Type: types.JSONText}), []string{`{it's: 1.5, b "q": "[1]"}`, `{it's: NULL, b "q": NULL}`, "NULL"},
			`{'it's': 1.50, 'b "q"': [1]} | {'it's': NULL, 'b "q"': NULL} | NULL`, `{"it's":1.50,"b \"q\"":[1]} | {"it's":null,"b \"q\"":null} | null`,
			map[string]string{
				"Files text": `{"it's":"1.50","b \"q\"":[1]} | {"it's":null,"b \"q\"":null} | NULL`,
				"Files JSON": `{"it's":"1.50","b \"q\"":[1]} | {"it's":null,"b \"q\"":null} | null`,
			}},
		{list(types.StructOf(types.Field{Name: "m", Type: types.MapOf(text, list(types.Of(types.Date)))})), []string{"[{m: {k: [2024-02-29, NULL]}}, NULL]"},
			"[{'m': {k=[2024-02-29, NULL]}}, NULL]", `[{"m":{"k":["2024-02-29",null]}},null]`, map[string]string{"Files text": `[{"m":{"k":["2024-02-29",null]}},null]`}},
	} {
		f, a := of(t, c.kind, c.values...)
		(&spelling{c.kind.String(), f, a, c.text, c.json, c.but}).check(t)
	}
}

// TestEveryKind sees that no type is missing above: what has no case of its own would be
// written by Arrow, in its own way.
func TestEveryKind(t *testing.T) {
	for kind := types.Boolean; kind < types.Struct; kind++ {
		typ := types.Of(kind)
		if kind == types.Decimal {
			typ = types.DecimalOf(5, 2)
		}
		a := array.MakeArrayOfNull(memory.DefaultAllocator, typ.Arrow(), 0)
		_, isText := types.StringsOf(a)
		switch a.(type) {
		case *array.Boolean, *array.Float32, *array.Float64, *array.Decimal128:
			isText = true
		}
		if !isText && integers(a) == nil && Files.bytes(a) == nil && Files.times(a) == nil {
			t.Errorf("%s has no way to be written", typ)
		}
	}
}

// TestArrowForms writes what DuckDB and readers of files make and no type of ours is held in.
func TestArrowForms(t *testing.T) {
	mem := memory.DefaultAllocator
	field := arrow.Field{Name: "v"}
	stamps := func(unit arrow.TimeUnit, zone string, values ...arrow.Timestamp) arrow.Array {
		b := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: unit, TimeZone: zone})
		b.AppendValues(values, nil)
		return b.NewArray()
	}
	half := array.NewFloat16Builder(mem)
	half.AppendValues([]float16.Num{float16.New(1.5), float16.Inf()}, nil)
	huge := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 38})
	huge.AppendValues([]decimal128.Num{decimal128.New(math.MaxInt64, math.MaxUint64), decimal128.New(math.MinInt64, 0)}, nil)
	large := array.NewLargeStringBuilder(mem)
	large.AppendValues([]string{"a\"", ""}, []bool{true, false})
	clock := array.NewTime64Builder(mem, arrow.FixedWidthTypes.Time64us.(*arrow.Time64Type))
	clock.AppendValues([]arrow.Time64{0, 43_200_500_000, 86_400_000_000}, nil)
	span := array.NewDurationBuilder(mem, arrow.FixedWidthTypes.Duration_ms.(*arrow.DurationType))
	span.AppendValues([]arrow.Duration{1500, -1500}, nil)
	dates := array.NewDate32Builder(mem)
	dates.AppendValues([]arrow.Date32{math.MaxInt32, -math.MaxInt32}, nil)

	dict := func(values arrow.Array, indices ...int32) arrow.Array {
		b := array.NewInt32Builder(mem)
		for _, i := range indices {
			if i < 0 {
				b.AppendNull()
			} else {
				b.Append(i)
			}
		}
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: values.DataType()}, b.NewArray(), values)
	}
	_, words := of(t, types.Of(types.Varchar), "a", "NULL")
	_, doubles := of(t, types.Of(types.Double), "NaN", "NULL", "1")
	_, numbers := of(t, types.Of(types.Int), "1", "NULL", "3")
	codes := array.NewInt8Builder(mem)
	codes.AppendValues([]int8{0, 0, 1}, nil)
	sparse, err := array.NewSparseUnionFromArraysWithFields(codes.NewArray(), []arrow.Array{numbers, doubles}, []string{"n", "d"})
	if err != nil {
		t.Fatal(err)
	}
	inf := arrow.Timestamp(math.MaxInt64)
	for _, s := range []spelling{
		{"dictionary with NULL", field, dict(words, 0, -1, 1), "a | NULL | NULL", `"a" | null | null`, nil},
		{"dictionary of doubles", field, dict(doubles, 2, 0, 1, -1), "1.0 | nan | NULL | NULL", `1.0 | "NaN" | null | null`, map[string]string{"Files text": "1.0 | NaN | NULL | NULL"}},
		{"union", field, sparse, "1 | NULL | 1.0", "1 | null | 1.0", nil},
		{"HUGEINT", field, huge.NewArray(), "170141183460469231731687303715884105727 | -170141183460469231731687303715884105728",
			"170141183460469231731687303715884105727 | -170141183460469231731687303715884105728",
			map[string]string{"Files JSON": `"170141183460469231731687303715884105727" | "-170141183460469231731687303715884105728"`}},
		{"half", field, half.NewArray(), "1.5 | inf", `1.5 | "Infinity"`, map[string]string{"Files text": "1.5 | Infinity"}},
		{"large text", field, large.NewArray(), `a" | NULL`, `"a\"" | null`, nil},
		{"TIME", field, clock.NewArray(), "00:00:00 | 12:00:00.5 | 24:00:00", `"00:00:00" | "12:00:00.5" | "24:00:00"`, nil},
		{"duration", field, span.NewArray(), "00:00:01.5 | -00:00:01.5", `"00:00:01.5" | "-00:00:01.5"`, nil},
		{"endless dates", field, dates.NewArray(), "infinity | -infinity", `"infinity" | "-infinity"`, nil},
		{"TIMESTAMP_S", field, stamps(arrow.Second, "", 0, -1), "1970-01-01 00:00:00 | 1969-12-31 23:59:59", `"1970-01-01 00:00:00" | "1969-12-31 23:59:59"`,
			map[string]string{"Files text": "1970-01-01T00:00:00Z | 1969-12-31T23:59:59Z", "Files JSON": `"1970-01-01T00:00:00Z" | "1969-12-31T23:59:59Z"`}},
		{"TIMESTAMP_NS", field, stamps(arrow.Nanosecond, "", 1, -100), "1970-01-01 00:00:00.000000001 | 1969-12-31 23:59:59.9999999", `"1970-01-01 00:00:00.000000001" | "1969-12-31 23:59:59.9999999"`,
			map[string]string{"Files text": "1970-01-01T00:00:00.000000001Z | 1969-12-31T23:59:59.9999999Z", "Files JSON": `"1970-01-01T00:00:00.000000001Z" | "1969-12-31T23:59:59.9999999Z"`}},
		{"TIMESTAMPTZ", field, stamps(arrow.Microsecond, "UTC", 500_000, inf), "1970-01-01 00:00:00.5+00 | infinity", `"1970-01-01 00:00:00.5+00" | "infinity"`,
			map[string]string{"Files text": "1970-01-01T00:00:00.5Z | infinity", "Files JSON": `"1970-01-01T00:00:00.5Z" | "infinity"`}},
		{"endless and ancient times", field, stamps(arrow.Microsecond, "", -inf, -63517824000000000+500_000), "-infinity | 0044-03-15 (BC) 00:00:00.5", `"-infinity" | "0044-03-15 (BC) 00:00:00.5"`, nil},
	} {
		s.check(t)
	}
}

// TestObject writes a row under its names.
func TestObject(t *testing.T) {
	schema := types.ArrowSchema([]types.Field{{Name: "a\"\x1b", Type: types.Of(types.Int)}, {Name: "j", Type: types.JSONText}})
	_, a := of(t, types.Of(types.Int), "1", "NULL")
	_, j := of(t, types.JSONText, "NULL", `"[1]"`)
	object := Console.Object(schema, array.NewRecord(schema, []arrow.Array{a, j}, 2))
	if got, want := written(object, 2), `{"a\"\u001b":1,"j":null} | {"a\"\u001b":null,"j":[1]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNoUTF8 replaces what no JSON may hold.
func TestNoUTF8(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues([]string{"bad\xff\xfe!", "good \uFFFD"}, nil)
	s := spelling{"no UTF-8", arrow.Field{}, b.NewArray(), "bad\xff\xfe! | good \uFFFD", "\"bad\uFFFD\uFFFD!\" | \"good \uFFFD\"", nil}
	s.check(t)
}

// TestAsDuckDB compares the text of a cast with DuckDB's, for values as DuckDB gives them, and
// with them the JSON of the shell.
func TestAsDuckDB(t *testing.T) {
	db, err := duck.Open(":memory:", duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, release, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for value, json := range map[string]string{
		"170141183460469231731687303715884105727::HUGEINT":    "170141183460469231731687303715884105727",
		"(-170141183460469231731687303715884105728)::HUGEINT": "-170141183460469231731687303715884105728",
		"sum(5) OVER ()":                                       "5",
		"union_value(k := 1.5::DOUBLE)":                        "1.5",
		"[union_value(k := 'x'), NULL]":                        `["x",null]`,
		"union_value(k := NULL::INTEGER)":                      "null",
		"['a', NULL]::ENUM('a', 'b')[]":                        `["a",null]`,
		"NULL::ENUM('a', 'b')":                                 "null",
		"[1, 2]::INTEGER[2]":                                   "[1,2]",
		"{'it''s': true, 'l': [NULL, 'x'], 'n': 'nan'::FLOAT}": `{"it's":true,"l":[null,"x"],"n":"NaN"}`,
		"MAP {1: [NULL], 2: NULL}":                             `{"1":[null],"2":null}`,
		"'3f8b5d6e-0000-4000-8000-000000000000'::UUID":         `"3f8b5d6e-0000-4000-8000-000000000000"`,
		"TIME '24:00:00'":                                      `"24:00:00"`,
		"TIMESTAMP_S '2024-01-01 01:02:03'":                    `"2024-01-01 01:02:03"`,
		"TIMESTAMP_MS '2024-01-01 01:02:03.5'":                 `"2024-01-01 01:02:03.5"`,
		"TIMESTAMP_NS '2024-01-01 01:02:03.123456789'":         `"2024-01-01 01:02:03.123456789"`,
		"TIMESTAMPTZ '2024-01-01 01:02:03.5+00'":               `"2024-01-01 01:02:03.5+00"`,
		"TIMESTAMP 'infinity'":                                 `"infinity"`,
		"DATE '-infinity'":                                     `"-infinity"`,
		"TIMESTAMP '0044-03-15 (BC) 00:00:00'":                 `"0044-03-15 (BC) 00:00:00"`,
		"INTERVAL '14 months -1 day 01:01:01.5'":               `"1 year 2 months -1 day 01:01:01.5"`,
		"INTERVAL '-14 months'":                                `"-1 year -2 months"`,
		"'a\\x00b''\"'::BLOB":                                  `"YQBiJyI="`,
		"0.5::DECIMAL(2,2)":                                    "0.50",
		"(-0.5)::DECIMAL(2,2)":                                 "-0.50",
		"[0.5::DECIMAL(2,2)]":                                  "[0.50]",
		"1e16::DOUBLE":                                         "1e+16",
		"0.00001::FLOAT":                                       "1e-05",
		"'-inf'::DOUBLE":                                       `"-Infinity"`,
		"[chr(10)]":                                            `["\n"]`,
	} {
		reader, err := c.QueryArrow(t.Context(), "SELECT "+value+" AS v, CAST("+value+" AS VARCHAR) AS text")
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if !reader.Next() {
			t.Fatalf("%s: no row", value)
		}
		rec := reader.Record()
		f := rec.Schema().Field(0)
		if got, want := written(Cast.Text(f, rec.Column(0)), 1), written(Cast.Text(f, rec.Column(1)), 1); got != want {
			t.Errorf("%s: got %s, DuckDB has %s", value, got, want)
		}
		if got := written(Console.JSON(f, rec.Column(0)), 1); got != json {
			t.Errorf("%s as JSON: got %s, want %s", value, got, json)
		}
		reader.Release()
	}
}
