package plan

import (
	"strings"
	"testing"

	"ssql/sql"
)

func (c testCatalog) Reading(stream string, options []sql.Option) (*Stream, error) {
	return c[strings.ToLower(stream)].Stream, nil
}

// TestCompareNamedSources: inputs of a UNION ALL that have names may come and go, and what
// stays must be what it was.
func TestCompareNamedSources(t *testing.T) {
	cat := declared(t, compatDeclarations)
	const (
		s    = "SELECT k, ts FROM s IDENTIFIED BY one"
		u    = "SELECT k, ts FROM u IDENTIFIED BY two"
		both = s + " UNION ALL " + u
	)
	windowed := func(from string) string {
		return "SELECT window_start, k, count(*) AS n, max(k) AS last FROM TUMBLE((" + from + "), ts, INTERVAL '5' MINUTE) GROUP BY window_start, window_end, k"
	}
	cases := []struct{ old, new, diff, note string }{
		{both, both, "", ""},
		{both, u + " UNION ALL " + s, "", ""},
		{s, both, "", `source "two" (stream "u") is new: it is read from its start`},
		{both, u, "", `source "one" (stream "s") is gone: how far it was read is forgotten; under this name it would be read from its start again`},
		{windowed(s), windowed(both), "", `source "two" (stream "u") is new: it is read from its start`},
		{windowed(both), windowed(s), "", `source "two" (stream "u") is gone: how far it was read is forgotten; under this name it would be read from its start again`},
		{windowed(both), windowed(u + " UNION ALL " + s), "", ""},
		{windowed(both), windowed(strings.Replace(both, "SELECT k, ts FROM u", "SELECT upper(k) AS k, ts FROM u", 1)), "columns of the input two: was u.k, u.ts, is now upper(u.k), u.ts", ""},
		{windowed(s), windowed(strings.Replace(both, "SELECT k, ts FROM s", "SELECT upper(k) AS k, ts FROM s", 1)), "grouping keys of the aggregate: was s.k VARCHAR, is now upper(s.k) VARCHAR", ""},
		{windowed(both), windowed(strings.ReplaceAll(both, "two", "s")), "", `source "two" (stream "u") is gone: how far it was read is forgotten; under this name it would be read from its start again`},
		{both, strings.ReplaceAll(both, " IDENTIFIED BY one", ""), "", `source "one" (stream "s") is gone: how far it was read is forgotten; under this name it would be read from its start again`},
		{strings.ReplaceAll(strings.ReplaceAll(both, " IDENTIFIED BY one", ""), " IDENTIFIED BY two", ""), both, "names of the sources: was their order, is now one, two", ""},
		{s, "SELECT k, ts FROM u IDENTIFIED BY one", `data of the source "one"`, ""},
		{s, u, "sources: was one, is now two", ""},
		{s, "SELECT k, ts FROM STREAM s WITH (maxFilesPerTrigger = 3) IDENTIFIED BY one", "", `stream "s" is now read with max_files_per_batch = '3', was read without options of its own`},
		{"SELECT k FROM s", "SELECT k FROM STREAM s WITH (max_files_per_batch = 3)", "", `stream "s" is now read with max_files_per_batch = '3', was read without options of its own`},
	}
	for _, c := range cases {
		v := Compare(printOf(t, cat, c.old, Options{}), printOf(t, cat, c.new, Options{}))
		notes := strings.Join(v.Notices, "\n")
		switch {
		case c.diff == "" && !v.Compatible:
			t.Errorf("%s\n%s\nrefused: %v", c.old, c.new, v.Diffs)
		case c.diff != "" && (v.Compatible || !strings.Contains(v.Error().Error(), c.diff)):
			t.Errorf("%s\n%s\n got %+v\nwant %s", c.old, c.new, v, c.diff)
		case !strings.Contains(notes, c.note), c.note == "" && c.diff == "" && notes != "":
			t.Errorf("%s\n%s\nnotes %q\nwant  %q", c.old, c.new, notes, c.note)
		}
	}
}

// TestNamesOfSources: two sources of one name are refused, and what is no stream has none.
func TestNamesOfSources(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for text, want := range map[string]string{
		"SELECT k FROM s IDENTIFIED BY x UNION ALL SELECT k FROM u IDENTIFIED BY X":           "DUPLICATE_SOURCE_NAME",
		"SELECT k FROM s IDENTIFIED BY u UNION ALL SELECT k FROM u":                           "DUPLICATE_SOURCE_NAME",
		"SELECT k FROM s IDENTIFIED BY x UNION ALL SELECT k FROM u UNION ALL SELECT k FROM u": "DUPLICATE_SOURCE_NAME",
		"WITH c AS (SELECT k FROM s) SELECT k FROM c IDENTIFIED BY x":                         "STREAM_NOT_FOUND",
	} {
		q, err := sql.ParseQueryText(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Bind(q, cat, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
