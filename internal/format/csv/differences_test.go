package csv

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssql/sql/types"
)

// difference is an input that DuckDB's read_csv reads otherwise: a row of the table in
// docs/SOURCES.md.
type difference struct {
	text    string // the records of a file of one column, without its header
	kind    types.Type
	dialect func(d *Dialect)
	options string // the same for read_csv
	ours    string // the rows, parted by blanks; or "a bad row"
	theirs  string // the rows; or "an error", which ends the query
	note    string
}

func differences() []difference {
	of := types.Of
	structOf := types.StructOf(types.Field{Name: "a", Type: of(types.Int), Nullable: true})
	return []difference{
		{text: `3.7`, kind: of(types.Int), ours: "a bad row", theirs: "4", note: "a fraction"},
		{text: "x\n\ny", kind: of(types.Varchar), ours: "x y", theirs: "x NULL y", note: "an empty line, in a file of one column"},
		{text: `"a\d"`, kind: of(types.Varchar), dialect: func(d *Dialect) { d.Escape = '\\' }, options: `, escape = '\'`, ours: `a\d`, theirs: "ad", note: "an escape before another byte"},
		{text: "x,y", kind: of(types.Varchar), ours: "a bad row", theirs: "an error", note: "too many fields"},
		{text: "\xff", kind: of(types.Varchar), ours: "a bad row", theirs: "an error", note: "no UTF-8"},
		{text: "x", kind: of(types.Int), ours: "a bad row", theirs: "an error", note: "a value of another type"},
		{text: `"{""a"": 1, ""b"": 2}"`, kind: structOf, ours: "{'a': 1}", theirs: "an error", note: "a field that is not declared"},
		{text: `"{""a"": 1}"`, kind: types.MapOf(of(types.Varchar), of(types.Int)), ours: "{a=1}", theirs: "an error", note: "JSON into a MAP"},
		{text: `"[""a\""b""]"`, kind: types.ListOf(of(types.Varchar)), ours: `[a"b]`, theirs: `["a\"b"]`, note: "an escape in the text of a list"},
	}
}

// TestDifferencesFromDuckDB shows each difference, and that docs/SOURCES.md lists them.
func TestDifferencesFromDuckDB(t *testing.T) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	listed := "| what | in the file | as | ssql | DuckDB |\n|---|---|---|---|---|\n"
	for _, d := range differences() {
		if got := oursOf(t, d); got != d.ours {
			t.Errorf("%s: ssql reads %q as %q, want %q", d.note, d.text, got, d.ours)
		}
		if got := theirsOf(t, db, d); got != d.theirs {
			t.Errorf("%s: DuckDB reads %q as %q, want %q", d.note, d.text, got, d.theirs)
		}
		shown := strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", d.text), `\"`, `"`), `"`)
		if strings.Contains(d.text, `\`) || strings.HasPrefix(d.text, `"`) {
			shown = d.text
		}
		listed += fmt.Sprintf("| %s | `%s` | %s | `%s` | `%s` |\n", d.note, shown, d.kind, d.ours, d.theirs)
	}
	doc, err := os.ReadFile("../../../docs/SOURCES.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), listed) {
		t.Errorf("docs/SOURCES.md does not have this table:\n%s", listed)
	}
}

func oursOf(t *testing.T, d difference) string {
	dialect := Default()
	if d.dialect != nil {
		d.dialect(&dialect)
	}
	got := decode(t, newDecoder(t, Options{Dialect: dialect, Fields: []types.Field{{Name: "v", Type: d.kind, Nullable: true}}}), 16, "v\n"+d.text+"\n")
	if len(got.Bad) > 0 {
		return "a bad row"
	}
	rows := strings.Join(got.Rows, " ")
	switch d.kind.Kind { // as DuckDB shows it
	case types.Struct:
		rows = strings.ReplaceAll(rows, "{a", "{'a'")
	case types.Map:
		rows = strings.ReplaceAll(rows, ": ", "=")
	case types.List:
		rows = strings.ReplaceAll(rows, `"a\"b"`, `a"b`)
	}
	return rows
}

func theirsOf(t *testing.T, db *sql.DB, d difference) string {
	name := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(name, []byte("v\n"+d.text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(fmt.Sprintf("SELECT coalesce(v::VARCHAR, 'NULL') FROM read_csv('%s', auto_detect = false, header = true, quote = '\"', columns = {'v': '%s'}%s)", name, d.kind, d.options))
	if err != nil {
		return "an error"
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if rows.Err() != nil {
		return "an error"
	}
	return strings.Join(out, " ")
}
