package csv

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb" // the reference

	"ssql/internal/format/cell"
	"ssql/sql/types"
)

func newRandom(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestLikeDuckDB reads files of random values of every type with DuckDB's read_csv and
// compares. Where the two differ is in TestDifferencesFromDuckDB.
func TestLikeDuckDB(t *testing.T) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	random := newRandom(t)
	columns := []struct {
		field  types.Field
		values []string
	}{
		{field("text", types.Varchar), []string{"", " ", "x", "a,b", "a;b", "q\"q", "l\nm", "l\r\nm", "日本", "5\" pipe", strings.Repeat("w", 30), "NA", "'"}},
		{field("big", types.BigInt), []string{"", "0", "-1", "9223372036854775807", "-9223372036854775808", " 7 ", "007", "+5", "1e3", "12.0"}},
		{field("small", types.SmallInt), []string{"", "32767", "-32768", "1"}},
		{field("unsigned", types.UInt), []string{"", "4294967295", "0"}},
		{field("real", types.Double), []string{"", "1.5", "-0.25", "1e300", "nan", "inf", "-Infinity", "0.1", ".5", "123456789.123456789"}},
		{field("truth", types.Boolean), []string{"", "true", "FALSE", "t", "f", "1", "0", "yes", "no", "True"}},
		{field("day", types.Date), []string{"", "2026-01-31", "1969-12-31", "2024-02-29"}},
		{field("at", types.Timestamp), []string{"", "2026-01-31 10:00:00", "2026-01-31T10:00:00.123456", "1969-12-31 23:59:59.5", "2026-01-31", "2026-01-31T10:00:00Z", "2026-01-31 10:00:00+02"}},
		{types.Field{Name: "exact", Type: types.DecimalOf(10, 3)}, []string{"", "1", "-1.5", "0.0005", "1234567.891"}},
		{types.Field{Name: "pair", Type: types.StructOf(field("a", types.Int), field("b", types.Varchar))}, []string{"", `{"a": 1, "b": "x y"}`, `{'b': z, 'a': null}`, `{"a": -3}`, `{a: 4, b: "p,q"}`}},
		{types.Field{Name: "list", Type: types.ListOf(types.Of(types.Int))}, []string{"", "[]", "[1]", "[1, NULL, 3]", " [ 1,2 ] "}},
		{types.Field{Name: "words", Type: types.ListOf(types.Of(types.Varchar))}, []string{"", "[a, b c]", "[]", "[null]"}},
		{types.Field{Name: "map", Type: types.MapOf(types.Of(types.Varchar), types.Of(types.Int))}, []string{"", "{}", "{p=1, q=2}", "{x=NULL}"}},
		{types.Field{Name: "deep", Type: types.ListOf(types.StructOf(types.Field{Name: "a", Type: types.ListOf(types.Of(types.Int)), Nullable: true}))}, []string{"", "[]", `[{"a": [1,2]}, {"a": []}]`, `[{'a': null}, null]`}},
	}
	var fields []types.Field
	var names, typed, shown []string
	for _, c := range columns {
		fields = append(fields, c.field)
		names = append(names, c.field.Name)
		typed = append(typed, fmt.Sprintf("'%s': '%s'", c.field.Name, c.field.Type))
		shown = append(shown, fmt.Sprintf("coalesce(%s::VARCHAR, 'NULL')", c.field.Name))
	}
	formats := cell.Settings{Timestamps: timeFormat(t, "%d/%b/%Y:%H:%M:%S"), Dates: timeFormat(t, "%d.%m.%Y")}
	name := filepath.Join(t.TempDir(), "rows.csv")
	for round := range 20 {
		dialect := []Dialect{Default(), {Delimiter: ';', Quote: '"', Escape: '"', Header: true, Null: "NA"}, {Delimiter: ';', Quote: '"', Escape: '"', Header: true, Decimal: ','}}[round%3]
		settings, options := cell.Settings{}, ""
		if dialect.Decimal != 0 {
			settings, options = formats, ", decimal_separator = ',', timestampformat = '%d/%b/%Y:%H:%M:%S', dateformat = '%d.%m.%Y'"
		}
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma = rune(dialect.Delimiter)
		if err := w.Write(names); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(40) {
			row := make([]string, len(columns))
			for i, c := range columns {
				row[i] = c.values[random.IntN(len(c.values))]
				if row[i] == "" && i > 0 {
					row[i] = dialect.Null
				}
				if dialect.Decimal != 0 {
					row[i] = elsewhere(c.field.Type, row[i])
				}
			}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		want := duckRows(t, db, fmt.Sprintf("SELECT %s FROM read_csv('%s', auto_detect = false, header = true, delim = '%c', quote = '\"', nullstr = '%s', columns = {%s}%s)",
			strings.Join(shown, " || '|' || "), name, dialect.Delimiter, dialect.Null, strings.Join(typed, ", "), options))
		d := newDecoder(t, Options{Dialect: dialect, Fields: fields, Encode: []bool{round%4 == 0}, Settings: settings})
		got := decode(t, d, 16, text.String())
		var ours []string
		for _, row := range got.Rows {
			ours = append(ours, spelling.Replace(row))
		}
		if len(got.Bad) > 0 || !slices.Equal(ours, want) {
			t.Fatalf("%s\ngot  %q %q\nwant %q", text.String(), ours, got.Bad, want)
		}
	}
}

// elsewhere writes a value as the third dialect does: with a comma before the fraction,
// and times in a format.
func elsewhere(kind types.Type, text string) string {
	switch {
	case text == "":
	case kind.IsFloat() || kind.Kind == types.Decimal:
		return strings.ReplaceAll(text, ".", ",")
	case kind.Kind == types.Date:
		return "17.05.2015"
	case kind.Kind == types.Timestamp:
		return "17/May/2015:08:05:32"
	}
	return text
}

func timeFormat(t *testing.T, text string) *types.TimeFormat {
	f, bad := types.ParseColumnFormat(text)
	if bad != "" {
		t.Fatal(bad)
	}
	return f
}

// spelling turns our spelling of values into DuckDB's.
var spelling = strings.NewReplacer(" | ", "|", "NaN", "nan", "Infinity", "inf",
	"{a: ", "{'a': ", ", b: ", ", 'b': ", `"p,q"`, "p,q", "{p: 1, q: 2}", "{p=1, q=2}", "{x: ", "{x=")

func duckRows(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
