package ndjson

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/sql/types"
)

// decodeArray feeds an array in pieces of the given size.
func decodeArray(t *testing.T, o Options, in string, piece int) string {
	t.Helper()
	d := newDecoder(t, o)
	var out strings.Builder
	d.Begin(format.Input{Line: 1}, 3, format.Output{
		Emit: func(rec arrow.Record) error {
			for i := range int(rec.NumRows()) {
				fmt.Fprintf(&out, "%d: %s\n", d.PlaceOf(i).Line, types.Text(rec.Column(0), i))
			}
			return nil
		},
		Bad:    func(b format.Bad) error { fmt.Fprintf(&out, "%d bad: %s: %s\n", b.Line, b.Reason, b.Raw); return nil },
		Notice: func(string) {},
	})
	a := NewArray(d)
	for p := 0; p < len(in); p += piece {
		if err := a.Write([]byte(in[p:min(p+piece, len(in))])); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestArray(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"on one line", `[{"a":1},{"a":2}]`, "1: 1\n1: 2\n"},
		{"empty", "[]", ""}, {"empty with blanks", " [ \n ] \n", ""},
		{"over lines", "[\n  {\n    \"a\": 1\n  },\n  {\"a\": [\n2]}\n]\n", "2: 1\n5: [ 2]\n"},
		{"brackets and quotes in text", `[{"a":"]}[{\"\\"},{"a":"\\"},{"b":[[1],{}]}]`, "1: \"]}[{\\\"\\\\\"\n1: \\\n1: NULL\n"},
		{"no objects", `[1, "x, ]", [2], null, {"a":1}]`, "1: 1\n1 bad: expected an object, found \"1\": 1\n1 bad: expected an object, found text: \"x, ]\"\n" +
			"1 bad: expected an object, found an array: [2]\n1 bad: expected an object, found \"n\": null\n"},
		{"a bad element", "[{\"a\":1},\n{\"a\":},\n{\"a\":3}]", "1: 1\n3: 3\n2 bad: expected a value, found \"}\": {\"a\":}\n"},
		{"a line end in text", "[{\"a\":\"x\ny\"}]", "1 bad: text holds the control character 0x0b, which must be escaped: {\"a\":\"x\vy\"}\n"},
		{"no comma", "[{\"a\":1}\n{\"a\":2}]", "1: 1\n2: 2\n2 bad: expected \",\" or \"]\" behind the element, found \"{\": {\n"},
		{"not closed", "[{\"a\":1},\n{\"a\":2}\n", "1: 1\n1: 2\n"},
		{"cut short", "[{\"a\":1},\n{\"a\":", "1: 1\n2 bad: the array is not closed: expected \"]\": {\"a\":\n"},
		{"something behind", "[{\"a\":1}]\nxyz\n", "1: 1\n2 bad: expected nothing behind the array, found \"x\": x\n"},
	} {
		for _, piece := range []int{1, 3, 1000} {
			got := decodeArray(t, Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}}, c.in, piece)
			// Rows come by the chunk, bad rows at once: sort out which is which.
			var rows, bad string
			for line := range strings.Lines(got) {
				if strings.Contains(line, " bad: ") {
					bad += line
				} else {
					rows += line
				}
			}
			want := c.want
			if c.name == "not closed" {
				want = "1: 1\n2: 2\n3 bad: the array is not closed: expected \"]\": \n"
			}
			if rows+bad != want {
				t.Errorf("%s in pieces of %d: got\n%swant\n%s", c.name, piece, rows+bad, want)
			}
		}
	}
}

func TestArrayOfLongElements(t *testing.T) {
	in := `[{"a":"` + strings.Repeat("x", 1000) + `"},{"a":"` + strings.Repeat("y", 50) + `"}]`
	got := decodeArray(t, Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}, LineBytesMax: 100}, in, 10)
	if want := "1 bad: line is longer than 100 bytes (option line_bytes_max): " + in[1:102] + "\n1: " + strings.Repeat("y", 50) + "\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	many := "[" + strings.Repeat(`{"a":"`+strings.Repeat("z", 100)+`"},`, 10_000) + `{"a":1}]`
	if got := decodeArray(t, Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}}, many, 4096); strings.Count(got, "\n") != 10_001 {
		t.Errorf("%d rows, want 10001", strings.Count(got, "\n"))
	}
}
