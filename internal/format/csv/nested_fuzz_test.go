package csv

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ssql/internal/format/cell"
	"ssql/sql/types"
)

// FuzzNested shows for any text of a field that it gives a row or a bad row, the same in a
// chunk of many rows as alone, and that a JSON array of numbers is the list that
// encoding/json reads.
func FuzzNested(f *testing.F) {
	for _, seed := range []string{
		"[1, 2, null]", "[]", `{"a": 1, "b": ["x", "y"]}`, `{'a': 2}`, "{k=1.5, j=NULL}", `{"k": {"a": [1]}}`, `[[1], [], null]`, `{"a": "\"\u00e9\\"}`,
		"[", "{", `{"`, "[1,", "{a", "{a:", "{:}", "[,]", "[}", `{"a":1}}`, "null", "NULL", "", " ", "[\x00]", "{a: {b: [}]}", `['it''s', "x`,
	} {
		f.Add(seed)
	}
	of := types.Of
	kinds := []types.Type{
		types.ListOf(of(types.BigInt)), types.ListOf(types.ListOf(of(types.Int))), types.MapOf(of(types.Varchar), of(types.Double)), types.MapOf(of(types.Int), types.ListOf(of(types.Varchar))),
		types.StructOf(field("a", types.Int), types.Field{Name: "b", Type: types.ListOf(of(types.Varchar)), Nullable: true}, field("t", types.Timestamp)),
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		for _, kind := range kinds {
			o := Options{Dialect: Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: noNull}, Fields: []types.Field{{Name: "v", Type: kind, Nullable: true}}, Settings: cell.Settings{EpochUnit: types.EpochMillis}}
			once := decode(t, newDecoder(t, o), 1, quoted+"\n")
			thrice := decode(t, newDecoder(t, o), 10, strings.Repeat(quoted+"\n", 3))
			if len(once.Rows)+len(once.Bad) != 1 || len(thrice.Rows) != 3*len(once.Rows) || len(thrice.Bad) != 3*len(once.Bad) {
				t.Fatalf("%s %q: %v, and three times %v", kind, text, once, thrice)
			}
			for _, row := range thrice.Rows {
				if row != once.Rows[0] {
					t.Fatalf("%s %q: %q, and in a chunk %q", kind, text, once.Rows[0], row)
				}
			}
		}
		var list []int64
		if json.Unmarshal([]byte(text), &list) != nil || strings.Contains(text, "null") || len(list) == 0 {
			return
		}
		o := Options{Dialect: Dialect{Delimiter: ',', Quote: '"', Escape: '"', Null: noNull}, Fields: []types.Field{{Name: "v", Type: kinds[0], Nullable: true}}}
		got, want := decode(t, newDecoder(t, o), 1, quoted+"\n").String(), "row "+strings.ReplaceAll(fmt.Sprint(list), " ", ", ")+"\n"
		if got != want {
			t.Fatalf("%q: got %swant %s", text, got, want)
		}
	})
}
