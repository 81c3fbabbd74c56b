package render

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
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

func TestTypeName(t *testing.T) {
	for _, c := range []struct {
		of   arrow.DataType
		name string
	}{
		{arrow.PrimitiveTypes.Float64, "DOUBLE"},
		{&arrow.Decimal128Type{Precision: 10, Scale: 2}, "DECIMAL(10,2)"},
		{arrow.ListOf(arrow.BinaryTypes.String), "VARCHAR[]"},
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), "MAP(VARCHAR, INTEGER)"},
		{arrow.StructOf(arrow.Field{Name: "it's", Type: arrow.FixedWidthTypes.Boolean}), "STRUCT(it's BOOLEAN)"},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, "INTERVAL"},
		{types.ArrowTimestamp, "TIMESTAMP"},
		{arrow.PrimitiveTypes.Date32, "DATE"},
		{arrow.BinaryTypes.Binary, "BLOB"},
	} {
		if got := typeName(c.of); got != c.name {
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
