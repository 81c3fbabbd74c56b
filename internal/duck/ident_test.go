package duck

import (
	"slices"
	"strings"
	"testing"

	"ssql/sql/types"
)

func TestParseName(t *testing.T) {
	for text, want := range map[string][]string{
		"t":                       {"t"},
		" lab . t ":               {"lab", "t"},
		`lab."my table"`:          {"lab", "my table"},
		`"we""ird; drop table k"`: {`we"ird; drop table k`},
		`"a.b".c."d"`:             {"a.b", "c", "d"},
	} {
		got, err := ParseName(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	for text, why := range map[string]string{
		"":        "a part of it is empty",
		"a.":      "a part of it is empty",
		`""`:      "a part of it is empty",
		`"a`:      "a double quote is not closed",
		`"a"b`:    "a point is expected between its parts",
		`a"b"`:    "a point is expected between its parts",
		`"a""`:    "a double quote is not closed",
		`a."b" c`: "a point is expected between its parts",
	} {
		_, err := ParseName(text)
		if err == nil || !strings.HasSuffix(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

// FuzzIdentQuote makes a table and a column of any name and looks whether it is the only
// one, and called that.
func FuzzIdentQuote(f *testing.F) {
	for _, name := range []string{"t", `we"ird; drop table k`, "Größe", "a.b", " ", "\n", "select", `"`, `""`, "\x00", "a\x00b", "\u202e", strings.Repeat("x", 300)} {
		f.Add(name)
	}
	db, err := Open(":memory:", Options{Threads: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	f.Fuzz(func(t *testing.T, name string) {
		name = strings.ToValidUTF8(name, "?")
		quoted, err := QuoteName(name)
		if strings.ContainsRune(name, 0) {
			wantCode(t, err, "E_SINK_SCHEMA")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if name == "" {
			return // DuckDB has no empty names
		}
		parts, err := ParseName(quoted)
		if err != nil || !slices.Equal(parts, []string{name}) {
			t.Fatalf("%q reads back as %q, %v", name, parts, err)
		}
		exec1(t, db, "CREATE TABLE "+quoted+" ("+quoted+" INTEGER)")
		defer exec1(t, db, "DROP TABLE "+quoted)
		wantText(t, queryText(t, db, "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"), name+" "+name)
		wantText(t, queryText(t, db, "SELECT "+types.QuoteText(name)), name)
	})
}
