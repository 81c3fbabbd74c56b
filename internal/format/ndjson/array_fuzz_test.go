package ndjson

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ssql/sql/types"
)

// FuzzArray shows that it does not matter in which pieces an array comes, and that each
// element of one that encoding/json reads is a row or a bad row.
func FuzzArray(f *testing.F) {
	for _, seed := range []string{
		"[]", " [ ] ", `[{"a":1},{"a":"x"}]`, "[\n {\"a\":\n[1]}\n, 2]", `[{"a":"]}\"["}]x`, `[{"a":1}`, "[,]", "[[", `["`, "[{}]]", `[1 2]`, `[{"a":"\\"}]`, "[\x00]", `[nul]`,
	} {
		f.Add(seed, uint8(1))
		f.Add(seed, uint8(7))
	}
	o := Options{Fields: []types.Field{field("a", types.Of(types.Varchar))}, LineBytesMax: 1 << 20}
	f.Fuzz(func(t *testing.T, in string, piece uint8) {
		whole := lines(decodeArray(t, o, in, len(in)+1))
		if parts := lines(decodeArray(t, o, in, int(piece)+1)); !slices.Equal(whole, parts) {
			t.Fatalf("%q\nwhole    %q\nin parts %q", in, whole, parts)
		}
		var elements []json.RawMessage
		if json.Unmarshal([]byte(in), &elements) == nil && elements != nil && len(whole) != len(elements) {
			t.Fatalf("%q has %d elements, but gave %q", in, len(elements), whole)
		}
	})
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
