package ndjson

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/sql/types"
)

// decodeInPieces feeds values in blocks that end where at most piece bytes have whole
// values, as a file that grows by that many bytes.
func decodeInPieces(t *testing.T, o Options, in string, piece int) string {
	t.Helper()
	d := newDecoder(t, o)
	shape := ValueShape{d.shape}
	var out strings.Builder
	d.Begin(format.Input{Line: 1, Values: true}, 3, format.Output{
		Emit: func(rec arrow.Record) error {
			for i := range int(rec.NumRows()) {
				at := d.PlaceOf(i)
				fmt.Fprintf(&out, "%d@%d: %s\n", at.Line, at.Offset, types.Text(rec.Column(0), i))
			}
			return nil
		},
		Bad:    func(b format.Bad) error { fmt.Fprintf(&out, "%d bad: %s: %s\n", b.Line, b.Reason, b.Raw); return nil },
		Notice: func(string) {},
	})
	from := 0
	for p := piece; from < len(in); p += piece {
		block := in[from:min(p, len(in))]
		end := len(block)
		if p < len(in) {
			end = shape.LastEnd([]byte(block))
		}
		if err := d.Decode([]byte(block[:end])); err != nil {
			t.Fatal(err)
		}
		from += end
		if p >= len(in) {
			break
		}
	}
	if d.OpenArray() {
		if err := d.Refuse(nil, Unclosed); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRecordsAreValues(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an array", `[{"a":1},{"a":2}]`, "1@1: 1\n1@9: 2\n"},
		{"nothing in it", "[]", ""}, {"blanks in it", " [ \n ] \n", ""},
		{"over lines", "[\n  {\n    \"a\": 1\n  },\n  {\"a\": [\n2]}\n]\n", "2@4: 1\n5@24: [ 2]\n"},
		{"brackets and quotes in text", `[{"a":"]}[{\"\\"},{"a":"\\"},{"b":[[1],{}]}]`, "1@1: \"]}[{\\\"\\\\\"\n1@18: \\\n1@29: NULL\n"},
		{"no objects", `[1, "x, ]", [2], null, {"a":1}]`, "1@23: 1\n1 bad: expected an object, found \"1\": 1\n1 bad: expected an object, found text: \"x, ]\"\n" +
			"1 bad: expected an object, found an array: [2]\n1 bad: expected an object, found \"n\": null\n"},
		{"a bad element", "[{\"a\":1},\n{\"a\":},\n{\"a\":3}]", "1@1: 1\n3@18: 3\n2 bad: expected a value, found \"}\": {\"a\":}\n"},
		{"a line end in text", "[{\"a\":\"x\n{\"a\":1}]", "2@9: 1\n1 bad: the value is not finished: a bracket or quote is not closed: {\"a\":\"x\n"},
		{"not closed", "[{\"a\":1},\n{\"a\":2}\n", "1@1: 1\n2@10: 2\n3 bad: the array is not closed: expected \"]\": \n"},
		{"something behind", "[{\"a\":1}]\nxyz, abc\n{\"a\":2}", "1@1: 1\n3@19: 2\n2 bad: expected an object, found \"x\": xyz\n2 bad: expected an object, found \"a\": abc\n"},
		{"joined", `{"a":1}{"a":2}{"a":"}{"}`, "1@0: 1\n1@7: 2\n1@14: }{\n"},
		{"record separators", "\x1e{\"a\":1}\n\x1e{\"a\":\x1e{\"a\":3}\n", "1@1: 1\n2@16: 3\n2 bad: the value is not finished: a bracket or quote is not closed: {\"a\":\n"},
		{"printed over lines", "{\n \"a\": 1\n}\n{\n \"a\": {\n  \"b\": 2\n }\n}\n", "1@0: 1\n4@12: \"{   \\\"b\\\": 2  }\"\n"},
		{"arrays on lines", "[{\"a\":1},{\"a\":2}]\n[{\"a\":3}]\n[]\n", "1@1: 1\n1@9: 2\n2@19: 3\n"},
		{"arrays with commas", "[{\"a\":1}],\n[{\"a\":2}]\n", "1@1: 1\n2@12: 2\n"},
		{"with CR LF", "{\r\n\"a\": 1\r\n}\r\n{\"a\":2}\r\n", "1@0: 1\n4@14: 2\n"},
		{"one that was not finished", "{\"a\":1,\n{\"a\":2}\n{\"a\":3}\n", "2@8: 2\n3@16: 3\n1 bad: the value is not finished: a bracket or quote is not closed: {\"a\":1,\n\n"},
		{"one that was not finished behind a colon", "{\"a\":\n{\"a\":2}\n{\"a\":3}\n", "3@14: 3\n1 bad: the value is not finished: a bracket or quote is not closed: {\"a\":\n{\"a\":2}\n\n"},
		{"a bracket of another kind", "{\"a\":[1}\n{\"a\":2}\n", "2@9: 2\n1 bad: the value is not finished: a bracket or quote is not closed: {\"a\":[1}\n"},
	} {
		for _, piece := range []int{1, 3, 1000} {
			got := decodeInPieces(t, Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}}, c.in, piece)
			// Rows come by the chunk, bad rows at once.
			if !slices.Equal(lines(got), lines(c.want)) {
				t.Errorf("%s in pieces of %d: got\n%swant\n%s", c.name, piece, got, c.want)
			}
		}
	}
}

// TestValuesThatEndEarly shows what the end of the input does to a value.
func TestValuesThatEndEarly(t *testing.T) {
	o := Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}, LineBytesMax: 100}
	for in, want := range map[string]string{
		"{\"a\":1}\n{\"a\":\n":                             "1@0: 1\n2 bad: the value is not finished: a bracket or quote is not closed: {\"a\":\n\n",
		`{"a":"` + strings.Repeat("x", 1000) + `"}{"a":2}`: "1 bad: line is longer than 100 bytes (option line_bytes_max): {\"a\":\"" + strings.Repeat("x", 1000) + "\"}\n1@1008: 2\n",
	} {
		got := lines(decodeInPieces(t, o, in, len(in)))
		if strings.Join(got, "\n") != strings.Join(lines(want), "\n") {
			t.Errorf("%s\ngot  %q\nwant %q", in, got, lines(want))
		}
	}
	many := "[" + strings.Repeat(`{"a":"`+strings.Repeat("z", 80)+`"},`, 10_000) + `{"a":1}]`
	if got := decodeInPieces(t, o, many, 4096); strings.Count(got, "\n") != 10_001 {
		t.Errorf("%d rows, want 10001", strings.Count(got, "\n"))
	}
}

// TestFormOf holds what the start of a file tells.
func TestFormOf(t *testing.T) {
	for in, want := range map[string]Form{
		"": UnknownForm, `{"a":1}`: UnknownForm, `{"a":`: UnknownForm, `{"a":1} `: UnknownForm,
		"{\"a\":1}\n": LinesForm, "\n{\"a\":1}\r\n{": LinesForm, "x": LinesForm, "{\"a\":1,\n{\"a\":2}\n": LinesForm, "{\"a\":\"x\n{\"a\":2}": LinesForm, "{\"a\":1}x": LinesForm,
		`{"a":1}{`: ValuesForm, "[": ValuesForm, "\x1e{}": ValuesForm, "{\n": ValuesForm, "{\"a\":\n1}": ValuesForm, "{\"a\":1},\n{": ValuesForm, "{\"a\":1} {\"a\":2}\n": ValuesForm,
	} {
		if got := FormOf([]byte(in)); got != want {
			t.Errorf("FormOf(%q) = %d, want %d", in, got, want)
		}
	}
}

// TestArrayScan holds which arrays are open, in whatever pieces a file comes.
func TestArrayScan(t *testing.T) {
	for in, want := range map[string][2]bool{
		"[": {true, true}, `[{"a":"]"},`: {true, true}, `[{"a":1}]`: {}, "[1]\n[2": {true, false}, "[1]\n[2]\n": {}, "{}": {}, `[{"a":[1]`: {true, true},
	} {
		for _, piece := range []int{1, 2, 100} {
			var a ArrayScan
			for p := 0; p < len(in); p += piece {
				a.Scan([]byte(in[p:min(len(in), p+piece)]))
			}
			if open, first := a.Open(); open != want[0] || first != want[1] {
				t.Errorf("%q in pieces of %d: got %v %v, want %v", in, piece, open, first, want)
			}
		}
	}
}
