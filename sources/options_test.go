package sources

import (
	"reflect"
	"testing"

	"ssql/internal/sqlerr"
)

var testOptions = []Option{
	{Name: "path", Type: StringOption},
	{Name: "format", Type: StringOption, Default: "json", Values: []string{"json", "csv"}},
	{Name: "settle_time", Type: DurationOption, Default: "2 seconds"},
	{Name: "line_bytes_max", Type: BytesOption, Default: "16 MiB"},
	{Name: "max_files_per_batch", Type: IntegerOption},
	{Name: "header", Type: BooleanOption},
	{Name: "depth", Type: IntegerOption, Min: 1, Max: 9},
}

func TestCheckOptions(t *testing.T) {
	got, err := CheckOptions(`connector "files"`, testOptions, []Given{
		{Name: "Path", Text: "in/*.json"}, {Name: "FORMAT", Text: "CSV"}, {Name: "settle_time", Text: "1500ms"},
		{Name: "max_files_per_batch", Text: "7"}, {Name: "header", Text: "ON"},
	})
	want := map[string]any{"path": "in/*.json", "format": "csv", "settle_time": int64(1_500_000),
		"line_bytes_max": int64(16 << 20), "max_files_per_batch": int64(7), "header": true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v\nwant %v", got, err, want)
	}
}

func TestCheckOptionsRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want, hint string }{
		{"paht", "x", `UNKNOWN_OPTION: connector "files" has no option "paht"`, `did you mean "path"?`},
		{"zzzzzzzzz", "x", `UNKNOWN_OPTION: connector "files" has no option "zzzzzzzzz"`,
			"it has: path, format, settle_time, line_bytes_max, max_files_per_batch, header, depth"},
		{"format", "xml", `INVALID_OPTION: expected "json" or "csv" for option "format", found "xml"`, ""},
		{"settle_time", "soon", `INVALID_OPTION: expected a duration such as '2 seconds' for option "settle_time", found "soon"`, ""},
		{"settle_time", "1 month", `INVALID_OPTION: expected a duration such as '2 seconds' for option "settle_time", found "1 month"`, ""},
		{"max_files_per_batch", "-1", `INVALID_OPTION: expected a whole number from 0 up for option "max_files_per_batch", found "-1"`, ""},
		{"depth", "0", `INVALID_OPTION: expected a whole number from 1 to 9 for option "depth", found "0"`, ""},
		{"depth", "10", `INVALID_OPTION: expected a whole number from 1 to 9 for option "depth", found "10"`, ""},
		{"header", "maybe", `INVALID_OPTION: expected true or false for option "header", found "maybe"`, ""},
	} {
		g := Given{Name: c.name, Text: c.text, NameAt: sqlerr.Span{Start: 3, End: 7}, ValueAt: sqlerr.Span{Start: 10, End: 12}}
		_, err := CheckOptions(`connector "files"`, testOptions, []Given{g})
		e, ok := err.(*sqlerr.Error)
		if !ok || e.Error() != c.want || e.Hint != c.hint || e.Span.Start == 0 {
			t.Errorf("%s = %s: got %v, hint %q\nwant %s, hint %q", c.name, c.text, err, e.Hint, c.want, c.hint)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"1048576", 1 << 20, true}, {"64MB", 64_000_000, true}, {" 1.5 GiB ", 3 << 29, true}, {"10b", 10, true},
		{"MB", 0, false}, {"-1", 0, false}, {"1e9", 0, false}, {"inf", 0, false}, {"12 parsecs", 0, false}, {"99999999 tb", 0, false},
	} {
		if got, ok := parseBytes(c.text); got != c.want || ok != c.ok {
			t.Errorf("parseBytes(%q) = %d, %v; want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}
