package expr

import "strings"

// strengths say how tightly the operators hold their operands together, from the loosest.
// What is not here (functions, casts) has parentheses or words of its own.
var strengths = map[string]int{
	"OR": 1, "AND": 2, "NOT": 3,
	"=": 4, "<>": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "<=>": 4,
	"IN": 4, "LIKE": 4, "ILIKE": 4, "RLIKE": 4, "SIMILAR": 4,
	"IS NULL": 4, "IS TRUE": 4, "IS FALSE": 4, "IS UNKNOWN": 4,
	"|": 5, "&": 5, "^": 5, "<<": 5, ">>": 5,
	"||": 6, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "//": 7,
}

// tightest holds more than any operator: that of v.field and v[1].
const tightest = 8

// Readable returns an expression for people: names without quotes, and no parentheses but
// those that say what an operator would not. Two expressions may have one readable text; String
// tells them apart.
func Readable(e Expr) string { return readable(e, 0) }

// ReadableConjunct is Readable for one of several conditions with AND between them.
func ReadableConjunct(e Expr) string { return readable(e, strengths["AND"]) }

// readable returns e as an operand of what holds it with a strength; 0 for no operator.
func readable(e Expr, strength int) string {
	own := strengthOf(e)
	children := e.Children()
	if len(children) == 0 {
		return strings.ReplaceAll(e.String(), `"`, "")
	}
	texts := make([]Expr, len(children))
	for i, c := range children {
		texts[i] = written{c, readable(c, operandStrength(e, own, i))}
	}
	text := strings.ReplaceAll(e.WithChildren(texts).String(), `"`, "")
	if own > 0 && own >= strength {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	}
	return text
}

// operandStrength is how tightly e, which binds with own, holds its operand i: one on the
// right more than one on the left, for a - (b - c) is not a - b - c.
func operandStrength(e Expr, own, i int) int {
	switch c, ok := e.(*call); {
	case ok && (c.name == "field" || c.name == "list_extract" || c.name == "element_at") && i == 0:
		return tightest
	case own == 0:
		return 0
	case own == tightest:
		return tightest + 1 // --x is a comment
	case own == strengths["AND"] || own == strengths["OR"]:
		return own
	case own == strengths["="] || own == strengths["|"] || i > 0: // a < b < c, and a | b & c: nobody knows the order
		return own + 1
	}
	return own
}

// strengthOf is the strength of an expression that String puts in parentheses, else 0.
func strengthOf(e Expr) int {
	switch e := e.(type) {
	case *logical:
		if e.or {
			return strengths["OR"]
		}
		return strengths["AND"]
	case *call:
		if len(e.args) == 1 && (e.name == "-" || e.name == "~") {
			return tightest
		}
		return strengths[e.name]
	}
	return 0
}
