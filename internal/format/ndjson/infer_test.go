package ndjson

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

func TestInfer(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{`{"a":1,"b":true,"c":"x","d":1.5,"e":null}`, `a BIGINT, b BOOLEAN, c VARCHAR, d DOUBLE, e VARCHAR`},
		{"{\"a\":1}\n{\"a\":2.5}", `a DOUBLE`},
		{"{\"a\":1}\n{\"a\":1e3}", `a DOUBLE`},
		{"{\"a\":1}\n{\"a\":null}\n{}", `a BIGINT`},
		{"{\"a\":1}\n{\"a\":\"x\"}", `a VARCHAR`},
		{"{\"a\":1}\n{\"a\":{\"b\":1}}", `a JSON`},
		{`{"a":18446744073709551615}`, `a UBIGINT`},
		{"{\"a\":18446744073709551615}\n{\"a\":-1}", `a DOUBLE`},
		{`{"a":18446744073709551616}`, `a DOUBLE`},
		{`{"a":"2026-01-01"}`, `a DATE`},
		{`{"a":"2026-01-01T00:00:00Z"}`, `a TIMESTAMP`},
		{"{\"a\":\"2026-01-01\"}\n{\"a\":\"2026-01-01 10:00:00\"}", `a TIMESTAMP`},
		{"{\"a\":\"2026-01-01\"}\n{\"a\":\"soon\"}", `a VARCHAR`},
		{`{"a":"1-2-3"}`, `a VARCHAR`},
		{`{"a":{"x":1,"y":{"z":"t"}}}`, `a STRUCT("x" BIGINT, "y" STRUCT("z" VARCHAR))`},
		{"{\"a\":[1,2]}\n{\"a\":[2.5]}", `a DOUBLE[]`},
		{`{"a":[{"x":1},{"y":"t"}]}`, `a STRUCT("x" BIGINT, "y" VARCHAR)[]`},
		{`{"a":[],"b":{}}`, `a VARCHAR[], b JSON`},
		{"{\"b\":1}\n{\"a\":1}\n{\"B\":2}", `b BIGINT, a BIGINT`},
		{"broken\n[1]\n{\"a\":1}\n{\"a\":", `a BIGINT`},
	} {
		fields, _, err := Infer(bytes.Split([]byte(c.lines), []byte("\n")))
		if err != nil {
			t.Errorf("%s: %v", c.lines, err)
			continue
		}
		var got []string
		for _, f := range fields {
			got = append(got, f.Name+" "+f.Type.String())
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %s\nwant %s", c.lines, strings.Join(got, ", "), c.want)
		}
	}
}

func TestInferRefuses(t *testing.T) {
	if _, _, err := Infer([][]byte{[]byte("x"), nil}); sqlerr.Code(err) != "E_DECODE" {
		t.Errorf("no object: got %v", err)
	}
	deep := `{"a":` + strings.Repeat("[", 1_000_000)
	if _, _, err := Infer([][]byte{[]byte(deep)}); sqlerr.Code(err) != "E_DECODE" {
		t.Errorf("deep nesting: got %v", err)
	}
}

// TestInferredColumnsRead shows that what was inferred can be read.
func TestInferredColumnsRead(t *testing.T) {
	const in = `{"id":1,"at":"2026-01-01T00:00:00Z","on":"2026-01-01","p":{"x":1.5,"tags":["a","b"]},"ok":true}`
	fields, _, err := Infer([][]byte{[]byte(in)})
	if err != nil {
		t.Fatal(err)
	}
	got := decode(t, newDecoder(t, Options{Fields: fields}), 10, in)
	if want := "row 1 | 2026-01-01 00:00:00 | 2026-01-01 | {x: 1.5, tags: [a, b]} | true\n"; got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestComplete(t *testing.T) {
	s, err := NewShape(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		want bool
	}{
		{`{"a":1}`, true}, {` {"a":{"b":[1,"x"]}} `, true}, {`{}`, true}, {"", true}, {"  \r", true},
		{`{"a":1`, false}, {`{"a":"x`, false}, {`12`, false}, {`[1]`, false}, {`{"a":1}x`, false}, {"\xff", false}, {`{"a":nul`, false},
	} {
		if got := s.Complete(nil, []byte(c.line)); got != c.want {
			t.Errorf("Complete(%q) = %v, want %v", c.line, got, c.want)
		}
	}
}

func TestElements(t *testing.T) {
	for _, c := range []struct{ start, want string }{
		{`[{"a":1}, {"b":[2,
3]} ]`, "[{\"a\":1} {\"b\":[2,\n3]}]"},
		{`[{"a":1},{"a":2},{"a":3}]`, `[{"a":1} {"a":2}]`}, {`[{"a":1},{"a"`, `[{"a":1}]`}, {"", "[]"}, {"[]", "[]"},
	} {
		if got := fmt.Sprintf("%s", Elements([]byte(c.start), 2)); got != c.want {
			t.Errorf("Elements(%s) = %s, want %s", c.start, got, c.want)
		}
	}
}
