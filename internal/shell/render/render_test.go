package render

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// quakes returns a small table with a number, a text, a time and NULLs.
func quakes() arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "place", Type: arrow.BinaryTypes.String},
		{Name: "mag", Type: arrow.PrimitiveTypes.Float64},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 20}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{`8km "W" of X, CA`, "a\nb\x1b[31m|"}, nil)
	b.Field(2).(*array.Float64Builder).AppendValues([]float64{2, 0}, []bool{true, false})
	b.Field(3).(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{1517365101235000, 0}, []bool{true, false})
	return b.NewRecord()
}

func renderAs(t *testing.T, mode string, o Options, recs ...arrow.Record) string {
	t.Helper()
	m, err := Find(mode)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	w, err := m.New(&out, recs[0].Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestModes(t *testing.T) {
	want := map[string]string{
		"duckbox": `
┌───────┬──────────────────┬────────┬─────────────────────────┐
│   n   │      place       │  mag   │           at            │
│ int64 │     varchar      │ double │        timestamp        │
├───────┼──────────────────┼────────┼─────────────────────────┤
│     1 │ 8km "W" of X, CA │    2.0 │ 2018-01-31 02:18:21.235 │
│    20 │ a\nb\x1b[31m|    │   NULL │ NULL                    │
├───────┴──────────────────┴────────┴─────────────────────────┤
│ 2 rows                                                      │
└─────────────────────────────────────────────────────────────┘
`,
		"box": `
┌────┬──────────────────┬──────┬─────────────────────────┐
│ n  │      place       │ mag  │           at            │
├────┼──────────────────┼──────┼─────────────────────────┤
│  1 │ 8km "W" of X, CA │  2.0 │ 2018-01-31 02:18:21.235 │
│ 20 │ a\nb\x1b[31m|    │ NULL │ NULL                    │
└────┴──────────────────┴──────┴─────────────────────────┘
`,
		"csv": `
n,place,mag,at
1,"8km ""W"" of X, CA",2.0,2018-01-31 02:18:21.235
20,"a
b\x1b[31m|",,
`,
		"json": `
[{"n":1,"place":"8km \"W\" of X, CA","mag":2.0,"at":"2018-01-31 02:18:21.235"},
{"n":20,"place":"a\nb\u001b[31m|","mag":null,"at":null}]
`,
		"jsonlines": `
{"n":1,"place":"8km \"W\" of X, CA","mag":2.0,"at":"2018-01-31 02:18:21.235"}
{"n":20,"place":"a\nb\u001b[31m|","mag":null,"at":null}
`,
		"line": `
    n = 1
place = 8km "W" of X, CA
  mag = 2.0
   at = 2018-01-31 02:18:21.235

    n = 20
place = a\nb\x1b[31m|
  mag = NULL
   at = NULL
`,
		"markdown": `
| n | place | mag | at |
|---:|---|---:|---|
| 1 | 8km "W" of X, CA | 2.0 | 2018-01-31 02:18:21.235 |
| 20 | a\nb\x1b[31m\| | NULL | NULL |
`,
		"column": `
 n  place              mag  at
--  ----------------  ----  -----------------------
 1  8km "W" of X, CA   2.0  2018-01-31 02:18:21.235
20  a\nb\x1b[31m|     NULL  NULL
`,
		"trash": "\n",
	}
	for _, m := range Modes() {
		got := "\n" + renderAs(t, m.Name, Options{Terminal: true}, quakes())
		if got != want[m.Name] {
			t.Errorf("mode %s:\n%s\nwant:\n%s", m.Name, got, want[m.Name])
		}
	}
}

// A file gets the bytes of a cell as they are; only a terminal is protected.
func TestCSVToAFileKeepsControlCharacters(t *testing.T) {
	got := renderAs(t, "csv", Options{}, quakes())
	if !strings.Contains(got, "\x1b[31m") {
		t.Errorf("control characters were changed: %q", got)
	}
}

func numbers(from, to int64) arrow.Record {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	for i := from; i < to; i++ {
		b.Append(i)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	return array.NewRecord(schema, []arrow.Array{b.NewArray()}, to-from)
}

func TestMiddleRowsAreElided(t *testing.T) {
	want := `
┌─────────────────────┐
│          i          │
│        int64        │
├─────────────────────┤
│                   0 │
│                   1 │
│          ·          │
│          ·          │
│          ·          │
│                1001 │
│                1002 │
├─────────────────────┤
│ 1003 rows (4 shown) │
└─────────────────────┘
`
	for _, parts := range [][]arrow.Record{
		{numbers(0, 1003)},
		{numbers(0, 1), numbers(1, 3), numbers(3, 1000), numbers(1000, 1002), numbers(1002, 1003)},
	} {
		got := "\n" + renderAs(t, "duckbox", Options{RowsMax: 4}, parts...)
		if got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

func TestWideTablesKeepToTheTerminal(t *testing.T) {
	names := []string{"a_long_name_of_a_column", "b", "c_long_name_of_a_column", "d_long_name_of_a_column", "e", "f_long_name_of_a_column"}
	fields := make([]arrow.Field, len(names))
	columns := make([]arrow.Array, len(names))
	for i, n := range names {
		fields[i] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String}
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.Append(strings.Repeat("値", 10))
		columns[i] = b.NewArray()
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), columns, 1)
	got := renderAs(t, "duckbox", Options{WidthMax: 64}, rec)
	for _, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if w := displayWidth(line); w > 64 {
			t.Errorf("line of %d columns: %s", w, line)
		}
	}
	if !strings.Contains(got, "6 columns (3 shown)") {
		t.Errorf("footer does not say what is missing:\n%s", got)
	}
}

func TestValueText(t *testing.T) {
	alloc := memory.DefaultAllocator
	doubles := array.NewFloat64Builder(alloc)
	doubles.AppendValues([]float64{1, 0.1, 1e15, 1e16, 1e-5, math.Copysign(0, -1), math.NaN(), math.Inf(-1)}, nil)
	decimals := array.NewDecimal128Builder(alloc, &arrow.Decimal128Type{Precision: 10, Scale: 2})
	decimals.Append(decimal128.FromI64(-105))
	lists := array.NewListBuilder(alloc, arrow.BinaryTypes.String)
	lists.Append(true)
	lists.ValueBuilder().(*array.StringBuilder).AppendValues([]string{"x", ""}, []bool{true, false})
	maps := array.NewMapBuilder(alloc, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32, false)
	maps.Append(true)
	maps.KeyBuilder().(*array.StringBuilder).Append("k")
	maps.ItemBuilder().(*array.Int32Builder).Append(7)
	structs := array.NewStructBuilder(alloc, arrow.StructOf(arrow.Field{Name: "it's", Type: arrow.FixedWidthTypes.Boolean}))
	structs.Append(true)
	structs.FieldBuilder(0).(*array.BooleanBuilder).Append(true)
	intervals := array.NewMonthDayNanoIntervalBuilder(alloc)
	intervals.Append(arrow.MonthDayNanoInterval{Months: 14, Days: -1, Nanoseconds: 3_661_500_000_000})
	times := array.NewTimestampBuilder(alloc, types.ArrowTimestamp)
	times.AppendValues([]arrow.Timestamp{0, -63517824000000000, math.MaxInt64, -math.MaxInt64}, nil)
	dates := array.NewDate32Builder(alloc)
	dates.AppendValues([]arrow.Date32{0, 3_000_000, math.MaxInt32, -math.MaxInt32}, nil)
	blobs := array.NewBinaryBuilder(alloc, arrow.BinaryTypes.Binary)
	blobs.Append([]byte("a\x00\\"))
	for _, c := range []struct {
		a    arrow.Array
		want string
		name string
	}{
		{doubles.NewArray(), "1.0 0.1 1000000000000000.0 1e+16 1e-05 -0.0 nan -inf", "DOUBLE"},
		{decimals.NewArray(), "-1.05", "DECIMAL(10,2)"},
		{lists.NewArray(), "[x, NULL]", "VARCHAR[]"},
		{maps.NewArray(), "{k=7}", "MAP(VARCHAR, INTEGER)"},
		{structs.NewArray(), "{'it''s': true}", "STRUCT(it's BOOLEAN)"},
		{intervals.NewArray(), "1 year 2 months -1 day 01:01:01.5", "INTERVAL"},
		{times.NewArray(), "1970-01-01 00:00:00 0044-03-15 00:00:00 (BC) infinity -infinity", "TIMESTAMP"},
		{dates.NewArray(), "1970-01-01 10183-09-21 infinity -infinity", "DATE"},
		{blobs.NewArray(), `a\x00\x5C`, "BLOB"},
	} {
		parts := make([]string, c.a.Len())
		for i := range parts {
			parts[i] = string(AppendText(nil, c.a, i))
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if got := typeName(c.a.DataType()); got != c.name {
			t.Errorf("type name: got %s, want %s", got, c.name)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"Überall 日本":          "Überall 日本",
		"a\x00\x1b]0;x\a\r\n": `a\x00\x1b]0;x\x07\r\n`,
		"\u009b31m":           `\u009b31m`,
		"x\u202egnp.exe":      `x\u202egnp.exe`,
		"bad\xff":             `bad\xff`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFindTakesUniquePrefixes(t *testing.T) {
	for in, want := range map[string]string{"json": "json", "jsonl": "jsonlines", "m": "markdown", "c": "", "nope": "", "": ""} {
		m, err := Find(in)
		if m.Name != want || (err == nil) != (want != "") {
			t.Errorf("Find(%q) = %q, %v; want %q", in, m.Name, err, want)
		}
	}
}
