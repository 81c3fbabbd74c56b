package ndjson

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb" // the reference

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/format"
	"ssql/sql/types"
)

// difference is a line of one column v that DuckDB's read_ndjson reads otherwise: a row of
// the table in docs/SOURCES.md.
type difference struct {
	note   string
	line   string
	kind   types.Type
	ours   string // the value, or "a bad row"
	theirs string // the value, or "an error", which ends the query
}

func differences() []difference {
	of := types.Of
	return []difference{
		{"a fraction", `{"v": 3.7}`, of(types.Int), "a bad row", "4"},
		{"more digits than a double has", `{"v": 0.1234567890123456789}`, types.DecimalOf(38, 19), "0.1234567890123456789", "0.1234567890123456768"},
		{"a number as text", `{"v": 1.50}`, of(types.Varchar), "1.50", "1.5"},
		{"an object as text", `{"v": {"b" : 1}}`, of(types.Varchar), `{"b" : 1}`, `{"b":1}`},
		{"a boolean as a number", `{"v": true}`, of(types.Int), "a bad row", "1"},
		{"a number as a boolean", `{"v": 1}`, of(types.Boolean), "a bad row", "true"},
		{"a key twice", `{"v": 1, "v": 2}`, of(types.Int), "2", "an error"},
		{"a value of another type", `{"v": "x"}`, of(types.Int), "a bad row", "an error"},
		{"half of a pair of surrogates", `{"v": "\ud83d"}`, of(types.Varchar), "a bad row", "an error"},
		{"no object", `[1]`, of(types.Int), "a bad row", "an error"},
		{"no JSON", `{"v": 1`, of(types.Int), "a bad row", "an error"},
	}
}

// TestDifferencesFromDuckDB shows each difference, and that docs/SOURCES.md lists them.
func TestDifferencesFromDuckDB(t *testing.T) {
	db := openDuckDB(t)
	listed := "| what | line | `v` as | ssql | DuckDB |\n|---|---|---|---|---|\n"
	for _, d := range differences() {
		if got := oursOf(t, d); got != d.ours {
			t.Errorf("%s: ssql reads %s as %q, want %q", d.note, d.line, got, d.ours)
		}
		theirs := "an error"
		if rows, err := readDuckDB(t, db, d.line+"\n", []types.Field{field("v", d.kind)}); err == nil {
			theirs = strings.Join(rows, " ")
		}
		if theirs != d.theirs {
			t.Errorf("%s: DuckDB reads %s as %q, want %q", d.note, d.line, theirs, d.theirs)
		}
		listed += fmt.Sprintf("| %s | `%s` | %s | `%s` | `%s` |\n", d.note, d.line, d.kind, d.ours, d.theirs)
	}
	doc, err := os.ReadFile("../../../docs/SOURCES.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), listed) {
		t.Errorf("docs/SOURCES.md does not have this table:\n%s", listed)
	}
}

// textOf returns a value as text, which is valid when the chunk is gone.
func textOf(a arrow.Array, row int) string {
	if s, ok := a.(*array.String); ok && a.IsValid(row) {
		return strings.Clone(s.Value(row))
	}
	return types.Text(a, row)
}

func openDuckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func oursOf(t *testing.T, d difference) string {
	t.Helper()
	out := "a bad row"
	dec := newDecoder(t, Options{Fields: []types.Field{field("v", d.kind)}})
	dec.Begin(format.Input{Line: 1}, 10, format.Output{
		Emit: func(rec arrow.Record) error { out = textOf(rec.Column(0), 0); return nil },
		Bad:  func(format.Bad) error { return nil },
	})
	if err := dec.Decode([]byte(d.line + "\n")); err != nil {
		t.Fatal(err)
	}
	if err := dec.Finish(false); err != nil {
		t.Fatal(err)
	}
	return out
}

func readDuckDB(t *testing.T, db *sql.DB, lines string, fields []types.Field) (out []string, err error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rows.json")
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var typed, shown []string
	for _, f := range fields {
		typed = append(typed, fmt.Sprintf("'%s': '%s'", f.Name, f.Type))
		shown = append(shown, fmt.Sprintf("coalesce(%s::VARCHAR, 'NULL')", f.Name))
	}
	rows, err := db.Query(fmt.Sprintf("SELECT %s FROM read_ndjson('%s', columns = {%s})", strings.Join(shown, " || ' | ' || "), name, strings.Join(typed, ", ")))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// spelling turns our spelling of values into DuckDB's.
var spelling = strings.NewReplacer("NaN", "nan", "Infinity", "inf", "{a: ", "{'a': ", ", b: ", ", 'b': ", "{p: ", "{p=", ", q: ", ", q=")

// TestLikeDuckDB reads lines of random values of every type with DuckDB's reader and
// compares.
func TestLikeDuckDB(t *testing.T) {
	db := openDuckDB(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	of := types.Of
	columns := []struct {
		field  types.Field
		values []string
	}{
		{field("txt", of(types.Varchar)), []string{`""`, `"x"`, `"a\"b\\c\/\n"`, `"é\u00e9\ud83d\ude00"`, `" x "`, `"NULL"`}},
		{field("big", of(types.BigInt)), []string{`0`, `-1`, `9223372036854775807`, `-9223372036854775808`, `"12"`}},
		{field("small", of(types.SmallInt)), []string{`32767`, `-32768`, `12.0`}},
		{field("unsigned", of(types.UBigInt)), []string{`18446744073709551615`, `0`}},
		{field("real", of(types.Double)), []string{`1.5`, `-0.25`, `1e300`, `-25E-2`, `0.1`, `12345678.9`, `"2.5"`}},
		{field("truth", of(types.Boolean)), []string{`true`, `false`, `"true"`}},
		{field("day", of(types.Date)), []string{`"2026-01-31"`, `"1969-12-31"`}},
		{field("at", of(types.Timestamp)), []string{`"2026-01-31 10:00:00"`, `"2026-01-31T10:00:00.123456"`, `"1969-12-31 23:59:59.5"`, `"2026-01-31"`, `"2026-01-31T10:00:00Z"`, `"2026-01-31T10:00:00+02:00"`}},
		{types.Field{Name: "exact", Type: types.DecimalOf(10, 3)}, []string{`1`, `-1.5`, `1234567.891`, `"0.25"`}},
		{field("list", types.ListOf(of(types.Int))), []string{`[]`, `[1]`, `[1, null , 3]`}},
		{field("pair", types.StructOf(field("a", of(types.Int)), field("b", types.ListOf(of(types.Varchar))))), []string{`{}`, `{"a": 1}`, `{"b": ["x", "y z"], "a": 2, "other": [{}]}`, `{"b": [null]}`}},
		{field("map", types.MapOf(of(types.Varchar), of(types.Double))), []string{`{}`, `{"p": 1.5}`, `{"p": 2.5, "q": null}`}},
	}
	var fields []types.Field
	for _, c := range columns {
		fields = append(fields, c.field)
	}
	for range 20 {
		var lines strings.Builder
		for range 1 + random.IntN(50) {
			var members []string
			for _, c := range columns {
				switch random.IntN(8) {
				case 0:
				case 1:
					members = append(members, fmt.Sprintf("%q: null", c.field.Name))
				default:
					members = append(members, fmt.Sprintf("%q : %s", c.field.Name, c.values[random.IntN(len(c.values))]))
				}
			}
			random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			lines.WriteString("{" + strings.Join(members, ", ") + "}\n")
		}
		want, err := readDuckDB(t, db, lines.String(), fields)
		if err != nil {
			t.Fatalf("%v\n%s", err, lines.String())
		}
		var got []string
		d := newDecoder(t, Options{Fields: fields})
		d.Begin(format.Input{Line: 1}, 7, format.Output{
			Emit: func(rec arrow.Record) error {
				for row := range int(rec.NumRows()) {
					var cells []string
					for _, a := range rec.Columns() {
						cells = append(cells, textOf(a, row))
					}
					got = append(got, spelling.Replace(strings.Join(cells, " | ")))
				}
				return nil
			},
			Bad: func(b format.Bad) error { t.Errorf("bad row %d: %s", b.Line, b.Reason); return nil },
		})
		if err := d.Decode([]byte(lines.String())); err != nil {
			t.Fatal(err)
		}
		if err := d.Finish(false); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("row %d of\n%s\ngot  %q\nwant %q", i, lines.String(), got[i], want[i])
				}
			}
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
	}
}
