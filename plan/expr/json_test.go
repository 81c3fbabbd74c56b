package expr

import (
	"strings"
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

func TestJSONText(t *testing.T) {
	cases := []struct{ text, path, extract, str string }{
		{`{"a": "x\u00e9\n\"\/"}`, "a", `"xé\n\"/"`, "xé\n\"/"},
		{`{"a": "\ud83d\ude00\ud83d\u0001"}`, "a", `"😀�\u0001"`, "😀�\x01"},
		{`{"\u0061": 1, "a": 2}`, "a", "1", "1"},
		{`{"a": {"x": 1}, "a": {"y": 2}}`, "$.a.y", "NULL", "NULL"},
		{`[ 1 , [ 2.50 , -0.0, 1E3, 1e-7, 1e21 ] ]`, "$[1]", "[2.5,-0.0,1000.0,1e-7,1e21]", "[2.5,-0.0,1000.0,1e-7,1e21]"},
		{`[1, 2, 3]`, "$[-1]", "3", "3"},
		{`[1, 2, 3]`, "$[#-3]", "1", "1"},
		{`[1, 2, 3]`, "$[-4]", "NULL", "NULL"},
		{`{"a": null}`, "a", "null", "NULL"},
		{`{"a.b": 1, "a": {"b": 2}}`, "a.b", "1", "1"},
		{`{"a.b": 1, "a": {"b": 2}}`, "$.a.b", "2", "2"},
		{`{"a/b": {"~": [5]}}`, "/a~1b/~0", "[5]", "[5]"},
		{` "only" `, "$", `"only"`, "only"},
		{`{"a": 123456789012345678901234567890}`, "a", "123456789012345678901234567890", "123456789012345678901234567890"},
	}
	for _, c := range cases {
		for name, want := range map[string]string{"json_extract": c.extract, "json_extract_string": c.str} {
			e := must(t)(BindFunction(name, []Expr{NewLiteral(tVarchar, c.text), NewLiteral(tVarchar, c.path)}, noSpan))
			got := "NULL"
			if l, ok := e.(*Literal); !ok {
				t.Errorf("%s(%s, %s) is no value", name, c.text, c.path)
			} else if !l.IsNull() {
				got = stringValues(l.arr)[0]
			}
			if got != want {
				t.Errorf("%s(%s, %s) = %s, want %s", name, c.text, c.path, got, want)
			}
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1`:                 `expected "," or "}" at byte 8 of the JSON text, found the end`,
		`{"a" 1}`:                 `expected ":" at byte 6 of the JSON text, found "1"`,
		`{a: 1}`:                  `expected a key in double quotes at byte 2 of the JSON text, found "a"`,
		`[1] x`:                   `expected nothing more at byte 5 of the JSON text, found "x"`,
		`"a` + "\n":               `expected no control character in a string at byte 3 of the JSON text, found "\n"`,
		`"\x"`:                    `expected an escape at byte 3 of the JSON text, found "x"`,
		`"\u12"`:                  `expected four hexadecimal digits at byte 6 of the JSON text, found "\""`,
		`-`:                       `expected a digit at byte 2 of the JSON text, found the end`,
		`01`:                      `expected nothing more at byte 2 of the JSON text, found "1"`,
		`1.`:                      `expected a digit at byte 3 of the JSON text, found the end`,
		`tru`:                     `expected a value at byte 1 of the JSON text, found "t"`,
		``:                        `expected a value at byte 1 of the JSON text, found the end`,
		strings.Repeat("[", 5000): `the JSON text is nested more than 1000 deep`,
	} {
		s := newSheet(t, []types.Field{field("n", tInt)}, "1")
		e := must(t)(BindFunction("json_extract", []Expr{NewLiteral(tVarchar, text), NewLiteral(tVarchar, "$.a")}, noSpan))
		if got := rowError(t, s, e); got != "row 0: MALFORMED_JSON: "+want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		lenient := must(t)(BindFunction("get_json_object", []Expr{NewLiteral(tVarchar, text), NewLiteral(tVarchar, "$.a")}, noSpan))
		if got := s.values(t, lenient); got != "NULL" {
			t.Errorf("get_json_object of %q is %s", text, got)
		}
	}
	for path, want := range map[string]string{
		"":       "expected a path such as '$.a.b[0]', found an empty text",
		"$a":     `expected "." or "[" at byte 2 of the path "$a"`,
		"$.":     `expected a key at byte 3 of the path "$."`,
		"$.a[":   `expected an index such as [0] or [#-1] at byte 5 of the path "$.a["`,
		"$[*]":   `expected an index such as [0] or [#-1] at byte 3 of the path "$[*]"`,
		"$[#1]":  `expected an index such as [0] or [#-1] at byte 3 of the path "$[#1]"`,
		`$."a`:   `expected a closing quote at byte 5 of the path "$.\"a"`,
		"$.*":    `expected a key at byte 3 of the path "$.*"`,
		"$[0]]":  `expected "." or "[" at byte 5 of the path "$[0]]"`,
		"$.a..b": `expected a key at byte 5 of the path "$.a..b"`,
	} {
		_, err := BindFunction("json_extract", []Expr{&Column{T: tVarchar}, NewLiteral(tVarchar, path)}, sqlerr.Span{Start: 3, End: 9})
		e, ok := err.(*sqlerr.Error)
		if !ok || e.Code != "INVALID_JSON_PATH" || e.Text != want || e.Span.Start != 3 {
			t.Errorf("path %q: %v, want %s", path, err, want)
		}
	}
}

// FuzzJSON: whatever the text, finding ends, and what is found is JSON again.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a": [1, {"b": "\u0041"}], "c": 1e5}`, "$.a[1].b")
	f.Add(`[]`, "/0/1")
	f.Add(`"\ud800"`, "$")
	f.Fuzz(func(t *testing.T, text, path string) {
		steps, err := jsonPathOf(path)
		if err != nil {
			return
		}
		j := jsonScan{text: text}
		found, ok, err := j.find(steps)
		if err != nil || !ok {
			return
		}
		out := string(appendJSON(nil, text[found.start:found.end]))
		if valid, _ := isJSON(out); !valid {
			t.Errorf("%q of %q is %q, which is no JSON", path, text, out)
		}
		if again := string(appendJSON(nil, out)); again != out {
			t.Errorf("%q is written %q the second time", out, again)
		}
	})
}
