package expr

import (
	"testing"

	"ssql/sql/types"
)

// TestReadable leaves out the parentheses that precedence makes needless, and no others.
func TestReadable(t *testing.T) {
	s := newSheet(t, []types.Field{field("i", tInt), field("j", tInt)})
	for _, c := range [][2]string{
		{"i > 1 AND j > 2 AND i < 9", "i > 1 AND j > 2 AND i < 9"},
		{"(i > 1 OR j > 2) AND i < 9", "(i > 1 OR j > 2) AND i < 9"},
		{"NOT (i > 1 AND j > 2)", "NOT (i > 1 AND j > 2)"},
		{"i + j * 2", "i + j * 2"},
		{"(i + j) * 2", "(i + j) * 2"},
		{"i - (j - 1)", "i - (j - 1)"},
		{"i - j - 1", "i - j - 1"},
		{"-(-i)", "-(-i)"},
		{"(i = j) = (i > 1)", "(i = j) = (i > 1)"},
		{"i | (j & 1)", "i | (j & 1)"},
		{"(i + 1) IN (1, 2)", "i + 1 IN (1, 2)"},
		{"(i > j) IS NULL", "(i > j) IS NULL"},
		{"abs((i + j))", "abs(i + j)"},
		{"CASE WHEN (i > 1) THEN (i + 1) ELSE 2 END", "CASE WHEN i > 1 THEN i + 1 ELSE 2 END"},
	} {
		e, err := parseExpr(t, s.cols, c[0])
		if err != nil {
			t.Fatalf("%s: %v", c[0], err)
		}
		if got := Readable(e); got != c[1] {
			t.Errorf("%s reads %s, want %s", c[0], got, c[1])
		}
	}
	e, err := parseExpr(t, s.cols, "i > 1 OR j > 2")
	if got, want := ReadableConjunct(e), "(i > 1 OR j > 2)"; err != nil || got != want {
		t.Errorf("as one of several conditions: %s, %v, want %s", got, err, want)
	}
}
