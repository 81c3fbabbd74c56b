package expr

import (
	"testing"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

func TestANSIDivision(t *testing.T) {
	s := newSheet(t, []types.Field{field("i", tInt), field("j", tInt), field("d", tDouble), field("dec", types.DecimalOf(8, 2)), field("z", types.DecimalOf(8, 2))},
		"NULL | 0 | 1 | NULL | 0.00", "7 | 2 | 0.5 | 7.50 | 2.00", "1 | NULL | NULL | 1.00 | NULL", "5 | 0 | 0 | 5.00 | 0.00")
	whole := newSheet(t, []types.Field{field("i", tInt), field("j", tInt), field("d", tDouble), field("dec", types.DecimalOf(8, 2)), field("z", types.DecimalOf(8, 2))},
		"NULL | 0 | NULL | NULL | 0.00", "7 | 2 | 0.5 | 7.50 | 2.00")
	zero, null := NewLiteral(tInt, int64(0)), NewLiteral(tInt, nil)
	cases := []struct {
		op, l, r string
		want     string // over whole
	}{
		{"/", "i", "j", "NULL 3.5"}, {"//", "i", "j", "NULL 3"}, {"%", "i", "j", "NULL 1"}, {"DIV", "i", "j", "NULL 3"},
		{"/", "i", "d", "NULL 14"}, {"DIV", "i", "d", "NULL 14"}, {"/", "dec", "z", "NULL 3.75"}, {"%", "dec", "z", "NULL 1.50"},
	}
	for _, c := range cases {
		e := must(t)(BindBinaryANSI(c.op, s.cols[c.l], s.cols[c.r], noSpan))
		if got := rowError(t, s, e); got != "row 3: DIVIDE_BY_ZERO: division by zero" {
			t.Errorf("%s: %s", e, got)
		}
		if got := whole.values(t, e); got != c.want {
			t.Errorf("%s = %s, want %s", e, got, c.want)
		}
		if plain := must(t)(BindBinary(c.op, s.cols[c.l], s.cols[c.r], noSpan)); plain.String() != e.String() {
			t.Errorf("the text is %s, want that of the other rule: %s", e, plain)
		}
	}
	for _, op := range []string{"/", "//", "%", "DIV"} {
		e := must(t)(BindBinaryANSI(op, s.cols["j"], zero, noSpan))
		if got := rowError(t, s, e); got != "row 0: DIVIDE_BY_ZERO: division by zero" {
			t.Errorf("%s: %s", e, got)
		}
		e = must(t)(BindBinaryANSI(op, NewLiteral(tInt, int64(1)), zero, noSpan))
		if got := rowError(t, s, e); got != "row 0: DIVIDE_BY_ZERO: division by zero" {
			t.Errorf("%s: %s", e, got)
		}
		if got := whole.values(t, must(t)(BindBinaryANSI(op, null, zero, noSpan))); got != "NULL NULL" {
			t.Errorf("NULL %s 0 = %s", op, got)
		}
	}
	if _, err := BindBinaryANSI("/", s.cols["i"], NewLiteral(tVarchar, "x"), noSpan); sqlerr.Code(err) == "" {
		t.Errorf("error %v, want one with a code", err)
	}
}
