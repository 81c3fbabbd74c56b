package expr

import (
	"testing"

	"ssql/sql/types"
)

func lambdaSheet(t *testing.T) *sheet {
	return newSheet(t, []types.Field{field("i", tInt), field("li", types.ListOf(tInt)), field("s", tVarchar), field("ls", types.ListOf(tVarchar))},
		"10 | [1, 2, 3] | a | [x, NULL]", "NULL | NULL | b | []", "7 | [] | NULL | NULL", "3 | [NULL, 4] | c | [y]")
}

func TestLambdas(t *testing.T) {
	s := lambdaSheet(t)
	for _, form := range []*sheet{s, s.dictionary(t)} {
		check(t, form, "transform(li, x -> x * i)", "[10, 20, 30] NULL [] [NULL, 12]")
		check(t, form, "transform(ls, x -> x || s)", "[xa, NULL] [] NULL [yc]")
		check(t, form, "filter(li, x -> x <> i - 8)", "[1, 3] NULL [] [4]")
		check(t, form, "any_match(li, x -> x > 2)", "true NULL false true")
		check(t, form, "any_match(li, x -> x > 9)", "false NULL false NULL")
		check(t, form, "forall(li, x -> x > 2)", "false NULL true NULL")
		check(t, form, "forall(li, x -> x > 4)", "false NULL true false")
		check(t, form, "transform([1, 2], (x, n) -> x + n)", "[2, 4] [2, 4] [2, 4] [2, 4]")
	}
}

// A part of a nested lambda may come from any of the rows around it.
func TestNestedLambdas(t *testing.T) {
	s := lambdaSheet(t)
	e := must(t)(parseExpr(t, s.cols, "transform(li, x -> filter([1, 2, 3, i], y -> y > x))"))
	const text = `list_transform("li", (#0) -> list_filter([1, 2, 3, "i"], (#2) -> (#2 > #0)))`
	if e.String() != text {
		t.Errorf("text %s, want %s", e, text)
	}
	if got := s.values(t, e); got != "[[2, 3, 10], [3, 10], [10]] NULL [] [[], []]" {
		t.Errorf("value %s", got)
	}
	var columns []string
	Walk(e, func(e Expr) bool {
		if c, ok := e.(*Column); ok {
			columns = append(columns, c.Name)
		}
		return true
	})
	if len(columns) != 2 || columns[0] != "li" || columns[1] != "i" {
		t.Errorf("it reads %v, want li and i", columns)
	}
	// A projection below may change: the body follows.
	moved := Rewrite(e, func(e Expr) Expr {
		if c, ok := e.(*Column); ok && c.Name == "i" {
			return NewLiteral(tInt, int64(99))
		}
		return e
	})
	if got := s.values(t, moved); got != "[[2, 3, 99], [3, 99], [99]] NULL [] [[], [99]]" {
		t.Errorf("value %s behind a rewrite", got)
	}
}

func TestLambdaErrors(t *testing.T) {
	s := lambdaSheet(t)
	e := must(t)(parseExpr(t, s.cols, "transform(li, x -> x + 2147483644)"))
	if got := rowError(t, s, e); got != "row 3: ARITHMETIC_OVERFLOW: 4 + 2147483644 does not fit INTEGER" {
		t.Errorf("%s", got)
	}
	for text, want := range map[string]string{
		"transform(i, x -> x)":          "DATATYPE_MISMATCH: argument 1 of list_transform is expected to be a list, found INTEGER",
		"filter(li, x -> s)":            "",
		"transform(li, (x, y, z) -> x)": "WRONG_NUM_ARGS: the lambda of list_transform takes an element and possibly its index, found 3 parameters",
	} {
		_, err := parseExpr(t, s.cols, text)
		if err == nil || want != "" && err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
