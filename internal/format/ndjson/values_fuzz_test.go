package ndjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ssql/sql/types"
)

// FuzzValues shows that values end where encoding/json says, that it does not matter in
// which pieces they come, and that none of the input is lost: what is no row is a bad row.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{
		"[]", " [ ] ", `[{"a":1},{"a":"x"}]`, "[\n {\"a\":\n[1]}\n, 2]", `[{"a":"]}\"["}]x`, `[{"a":1}`, "[,]", "[[", `["`, "[{}]]", `[1 2]`, `[{"a":"\\"}]`, "[\x00]", `[nul]`,
		`{"a":1}{"a":2}`, "\x1e{\"a\":1}\n\x1e{}", "{\n\"a\":[{},{}]\n}{}", `{"a":{"a":{}}} {"a":[[[]]]}`, "[{}]\n[{},[]]\n", `{"a":1,{"a":2}`, `{"a":[}`, "{\"a\":\"\n{}", `{"\"":"\\"}{}`,
		strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70) + "{}",
	} {
		f.Add(seed, uint8(1))
		f.Add(seed, uint8(7))
	}
	o := Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}, LineBytesMax: 1 << 20}
	f.Fuzz(func(t *testing.T, in string, piece uint8) {
		whole := lines(decodeInPieces(t, o, in, len(in)+1))
		if parts := lines(decodeInPieces(t, o, in, int(piece)+1)); !slices.Equal(whole, parts) {
			t.Fatalf("%q\nwhole    %q\nin parts %q", in, whole, parts)
		}
		want, ok := objectsOf(in)
		if !ok {
			return
		}
		got := Values([]byte(in), len(in))
		if len(got) != len(want) {
			t.Fatalf("%q has %d values, got %+v", in, len(want), got)
		}
		for i := range got {
			if !bytes.Equal(got[i].Text, want[i]) {
				t.Fatalf("%q: value %d is %q, got %q", in, i, want[i], got[i].Text)
			}
		}
	})
}

// objectsOf reads objects and arrays of them as encoding/json does; not ok if that is not what they
// are.
func objectsOf(in string) (out []json.RawMessage, ok bool) {
	dec := json.NewDecoder(strings.NewReader(in))
	for dec.More() {
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return nil, false
		}
		elements := []json.RawMessage{v}
		if v[0] == '[' && json.Unmarshal(v, &elements) != nil {
			return nil, false
		}
		for _, e := range elements {
			if e[0] != '{' && e[0] != '[' || v[0] != '[' && v[0] != '{' {
				return nil, false
			}
		}
		out = append(out, elements...)
	}
	// More is false before a closing bracket, too.
	return out, dec.InputOffset() == int64(len(strings.TrimRight(in, " \t\r\n"))) || len(out) == 0 && strings.TrimSpace(in) == ""
}

// lines returns the lines of an output, which can have line ends in a value, in any order.
func lines(out string) []string {
	all := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if out == "" {
		all = nil
	}
	slices.Sort(all)
	return all
}
