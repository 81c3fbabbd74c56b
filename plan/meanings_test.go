package plan

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

// meaningExamples is, for each row of the table, an item that it is noted for, and one of the
// same name on which all engines agree, "" where there is none.
var meaningExamples = map[string][2]string{
	"/":                  {"v / 2", "v / 2.5"},
	"[n]":                {"xs[1]", "m['k']"},
	"^":                  {"v ^ 2", ""},
	"any_value":          {"any_value(k)", "any_value(k) IGNORE NULLS"},
	"array_agg":          {"array_agg(v)", "array_agg(v) IGNORE NULLS"},
	"array_append":       {"array_append(xs, 1)", "array_append([1], 2)"},
	"array_concat":       {"array_concat(xs, xs)", ""},
	"array_contains":     {"array_contains(xs, 1)", ""},
	"array_distinct":     {"list_distinct(xs)", ""},
	"array_position":     {"array_position(xs, 1)", ""},
	"array_prepend":      {"array_prepend(1, xs)", ""},
	"array_sort":         {"array_sort(xs)", "list_sort(xs, 'ASC', 'NULLS FIRST')"},
	"arrays_overlap":     {"arrays_overlap(xs, xs)", ""},
	"at time zone":       {"ts AT TIME ZONE 'Asia/Tokyo'", "now() AT TIME ZONE 'Asia/Tokyo'"},
	"avg":                {"avg(v)", "avg(d)"},
	"cast":               {"CAST(d AS INTEGER)", "CAST(trunc(d) AS INTEGER)"},
	"concat":             {"concat(k, 'a')", ""},
	"date_diff":          {"date_diff('hour', ts, ts)", ""},
	"datediff":           {"datediff('hour', ts, ts)", "datediff(CAST(ts AS DATE), CAST(ts AS DATE))"},
	"dayname":            {"dayname(ts)", ""},
	"dayofweek":          {"dayofweek(ts)", "isodow(ts)"},
	"dow":                {"EXTRACT(dow FROM ts)", "EXTRACT(isodow FROM ts)"},
	"element_at":         {"element_at(m, 'k')", "element_at(xs, 1)"},
	"first_value":        {"first_value(v)", "first_value(v) RESPECT NULLS"},
	"format":             {"format('%s', k)", "format('{}', k)"},
	"greatest":           {"greatest(v, 1)", ""},
	"hash":               {"", ""}, // DuckDB's: the catalog of this test has none
	"initcap":            {"initcap(k)", ""},
	"json_value":         {"json_value(k, '$.a')", "json_extract_string(k, '$.a')"},
	"kurtosis":           {"kurtosis(v)", ""},
	"last_value":         {"last_value(v)", "last_value(v, true)"},
	"least":              {"least(v, 1)", ""},
	"left":               {"left(k, -1)", "left(k, 1)"},
	"like":               {`k LIKE 'a\_b'`, `k LIKE 'a\_b' ESCAPE '\'`},
	"listagg":            {"listagg(k)", "listagg(k, '-')"},
	"log":                {"log(d)", "log(2, d)"},
	"ltrim":              {"ltrim(k, 'a')", "ltrim(k)"},
	"map":                {"map(xs, xs)", "MAP {'a': v}"},
	"monthname":          {"monthname(ts)", ""},
	"regexp_extract":     {"regexp_extract(k, 'a(.)')", "regexp_extract(k, 'a.')"},
	"regexp_extract_all": {"regexp_extract_all(k, 'a(.)')", "regexp_extract_all(k, 'a(.)', 1)"},
	"regexp_replace":     {"regexp_replace(k, 'a', 'b')", "regexp_replace(k, 'a', 'b', 'g')"},
	"regr_r2":            {"regr_r2(v, d)", ""},
	"right":              {"right(k, -1)", "right(k, 1)"},
	"rtrim":              {"rtrim(k, 'a')", "rtrim(k)"},
	"skewness":           {"skewness(v)", ""},
	"split":              {"split(k, '.')", "split(k, ',')"},
	"string_agg":         {"string_agg(k)", "string_agg(k, ',')"},
	"substr":             {"substr(k, 0, 2)", "substr(k, 1, 2)"},
	"substring":          {"substring(k, -2)", "substring(k FROM 1)"},
	"weekday":            {"weekday(ts)", "isodow(ts)"},
}

// A name that two engines use for different things is noted where it does, and only there.
func TestMeanings(t *testing.T) {
	cat := declared(t, "stream s\nts TIMESTAMP\nk VARCHAR\nv INT\nd DOUBLE\nxs INT[]\nm MAP(VARCHAR, VARCHAR)\n")
	noted := func(item string) string {
		p, err := bindText(cat, "SELECT "+item+" AS x FROM s", Options{AutoMode: true})
		if err != nil {
			t.Errorf("%s: %v", item, err)
			return ""
		}
		var names []string
		for _, m := range p.Meanings {
			names = append(names, m.Name)
		}
		return strings.Join(names, ", ")
	}
	if !sort.SliceIsSorted(meaningRules, func(i, j int) bool { return meaningRules[i].name < meaningRules[j].name }) {
		t.Error("the table is not in order")
	}
	for _, r := range meaningRules {
		examples, ok := meaningExamples[r.name]
		if !ok {
			t.Errorf("%s has no example", r.name)
			continue
		}
		if examples[0] != "" && noted(examples[0]) != r.name {
			t.Errorf("%s notes %q, want %q", examples[0], noted(examples[0]), r.name)
		}
		if examples[1] != "" && strings.Contains(noted(examples[1]), r.name) {
			t.Errorf("%s notes %q", examples[1], noted(examples[1]))
		}
	}
}

// DuckDB's way to take a value out of a map gives the value, or is refused where it could
// mean a part of it.
func TestListOfMapValue(t *testing.T) {
	cat := declared(t, "stream s\nk VARCHAR\nm MAP(VARCHAR, VARCHAR)\nn MAP(VARCHAR, INT[])\n")
	for item, want := range map[string]string{
		"element_at(m, 'k')[1]":               `m['k'] AS x`,
		"list_extract(element_at(m, 'k'), 1)": `m['k'] AS x`,
		"m['k']":                              `m['k'] AS x`,
		"n['k'][2]":                           `n['k'][2::BIGINT] AS x`,
		"element_at(m, 'k')[2]":               "element_at(m, 'k')[...] could mean two things",
		"element_at(n, 'k')[1]":               "element_at(n, 'k')[...] could mean two things",
		"m['k'][1]":                           "m['k'][...] could mean two things",
		"list_extract(m['k'], 1)":             "m['k'][...] could mean two things",
	} {
		p, err := bindText(cat, "SELECT "+item+" AS x FROM s", Options{})
		got := fmt.Sprint(err)
		if err == nil {
			got = Explain(p, ExplainLogical)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", item, got, want)
		}
	}
}

// meaningsDoc is the page that lists the table.
const meaningsDoc = "../docs/MEANINGS.md"

// TestMeaningsAreListed keeps the page equal with the table; -update writes it.
func TestMeaningsAreListed(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Names that mean different things in two engines\n\n" +
		"Scalar functions and operators mean on streams what they mean in DuckDB, aggregates what they mean in Spark, but where this table says\n" +
		"otherwise. Over tables DuckDB answers; only AT TIME ZONE is the same in both. The first use of each in a session prints a note\n" +
		"(`SET dialect_notes = off` ends that). This page is written from the table of package plan by `go test ./plan -run TestMeaningsAreListed -update`.\n\n" +
		"| Name | Here | Elsewhere | Written for that |\n| --- | --- | --- | --- |\n")
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	for _, r := range meaningRules {
		write := "-"
		if r.write != "" {
			write = "`" + r.write + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.name, cell(r.here), cell(r.there), cell(write))
	}
	if *update {
		if err := os.WriteFile(meaningsDoc, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(meaningsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s is not what the table says; run go test ./plan -run TestMeaningsAreListed -update", meaningsDoc)
	}
}
