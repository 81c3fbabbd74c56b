package plan

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ssql/sql"
	"ssql/sql/types"
)

// wide is a catalog with one stream of n columns, c0 and so on.
type wide int

func (n wide) Relation(sql.Name) (*Relation, error) {
	s := &Stream{ID: "s"}
	for i := range int(n) {
		name := fmt.Sprintf("c%d", i)
		s.Stored = append(s.Stored, types.Field{Name: name, Type: types.Of(types.BigInt), Nullable: true})
		s.Order = append(s.Order, name)
	}
	return &Relation{Name: "s", Stream: s}, nil
}

func (wide) Similar(string) string { return "" }

// The work of planning grows with the columns, not with their square: what is allocated for
// four times the columns is about four times as much, for each shape of a statement.
func TestPlanningIsLinearInColumns(t *testing.T) {
	item := func(form string) func(n int) string {
		return func(n int) string {
			items := make([]string, n)
			for i := range items {
				items[i] = strings.ReplaceAll(form, "#", fmt.Sprintf("c%d", i))
			}
			return strings.Join(items, ", ")
		}
	}
	for _, c := range []struct {
		name, before, after string
		items               func(n int) string
	}{
		{"columns", "SELECT ", " FROM s", item("#")},
		{"qualified", "SELECT ", " FROM s AS t", item("t.#")},
		{"aliases", "SELECT ", " FROM s", item("# + 1 AS x#")},
		{"casts", "SELECT ", " FROM s", item("CAST(# AS VARCHAR) AS x#")},
		{"aggregates", "SELECT ", " FROM s EMIT COMPLETE", item("sum(#) AS x#")},
		{"sub-query", "SELECT * FROM (SELECT ", " FROM s) q", item("# AS x#")},
		{"union", "SELECT * FROM s UNION ALL SELECT ", " FROM s", item("#")},
		{"conditions", "SELECT c0 FROM s WHERE c0 IN (", ")", item("#")},
	} {
		bytes := func(n int) float64 {
			text := c.before + c.items(n) + c.after
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := bindText(wide(n), text, Options{}); err != nil {
				t.Fatalf("%s of %d columns: %v", c.name, n, err)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		if few, many := bytes(1000), bytes(4000); many > 8*few {
			t.Errorf("%s: 1,000 columns take %.0f KB, 4,000 take %.0f: %.1f times as much", c.name, few/1024, many/1024, many/few)
		}
	}
}

// Columns of a wide scope are found by an index, which scopes over the same columns share
// and which is made anew when the columns are others.
func TestColumnsOfAWideScope(t *testing.T) {
	rel, _ := wide(5000).Relation(nil)
	n := &Project{}
	for _, f := range rel.Stream.Stored {
		n.Cols = append(n.Cols, Column{Field: f})
	}
	s := newScope(n, "s")
	for i := range s.cols {
		found, used := s.find([]sql.Ident{{Name: strings.ToUpper(s.cols[i].Name)}})
		if len(found) != 1 || found[0].index != i || used != 1 {
			t.Fatalf("column %d: %v %d", i, found, used)
		}
	}
	made := s.names.byName["C7"]
	above := s.over(n)
	if above.names != s.names || &above.names.byName["C7"][0] != &made[0] {
		t.Error("a scope over the same columns has an index of its own")
	}
	again := s.cols[3]
	again.Name = "C4999"
	s.cols = append(s.cols[:len(s.cols):len(s.cols)], again)
	if found, _ := s.find([]sql.Ident{{Name: "c4999"}}); len(found) != 2 {
		t.Errorf("after a column more: %v", found)
	}
	if found, _ := above.find([]sql.Ident{{Name: "c4999"}}); len(found) != 1 {
		t.Errorf("the scope before: %v", found)
	}
	names := []string{"k", "K", "\u212a", "s", "ſ", "S", "ß", "ẞ", "σ", "ς", "Σ", "i", "I", "İ", "ı", "é", "É", "", "日本"}
	for _, a := range names {
		for _, b := range names {
			if (foldedName(a) == foldedName(b)) != strings.EqualFold(a, b) {
				t.Errorf("%q and %q: folded %q and %q", a, b, foldedName(a), foldedName(b))
			}
		}
	}
}
