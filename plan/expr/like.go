package expr

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// BindLike binds x [NOT] LIKE, ILIKE, SIMILAR (TO) or REGEXP pattern [ESCAPE escape].
// op is one of those four words; escape is nil without ESCAPE.
func BindLike(op string, x, pattern, escape Expr, not bool, span sqlerr.Span) (Expr, error) {
	args := []Expr{x, pattern}
	if escape != nil {
		args = append(args, escape)
	}
	for i, a := range args {
		if k := a.Type().Kind; k != types.Varchar && k != types.Null {
			return nil, sqlerr.At(span, codeMismatch, "%s expects text, found %s", op, a.Type()).WithHint("write CAST(... AS VARCHAR)")
		}
		var err error
		if args[i], err = implicit(a, tVarchar, span); err != nil {
			return nil, err
		}
	}
	if err := checkPattern(op, args, span); err != nil {
		return nil, err
	}
	words := " " + op + " "
	if op == "SIMILAR" {
		words = " SIMILAR TO "
	}
	if not {
		words = " NOT" + words
	}
	form := func(a []string) string {
		s := "(" + a[0] + words + a[1]
		if len(a) > 2 {
			s += " ESCAPE " + a[2]
		}
		return s + ")"
	}
	return newCall(spec{name: op, t: tBool, nullable: anyNullable(args...), span: span, form: form, kern: likeKernel(op, not),
		total: isLiteral(args[1]) && (escape == nil || isLiteral(args[2]))}, args...), nil
}

// checkPattern refuses a constant pattern that cannot be compiled.
func checkPattern(op string, args []Expr, span sqlerr.Span) error {
	pattern, ok := literalText(args[1])
	escape := ""
	if len(args) > 2 {
		escape, _ = literalText(args[2])
	}
	if !ok {
		return nil
	}
	if _, err := compilePattern(op, pattern, escape); err != nil {
		err.Span = span
		return err
	}
	return nil
}

// matcher tests one text.
type matcher func(s string) bool

func likeKernel(op string, not bool) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		x, patterns := read[string](args[0]), read[string](args[1])
		escapes := operand[string]{vals: make([]string, runRows), konst: true}
		if len(args) > 2 {
			escapes = read[string](args[2])
		}
		out := make([]bool, f.rows)
		var match matcher
		var pattern, escape string
		for i := range out {
			if !f.valid.has(i) {
				continue
			}
			if match == nil || pattern != patterns.at(i) || escape != escapes.at(i) {
				pattern, escape = patterns.at(i), escapes.at(i)
				m, err := compilePattern(op, pattern, escape)
				if err != nil {
					return nil, f.fail(i, err)
				}
				match = m
			}
			out[i] = match(x.at(i)) != not
		}
		return newBools(out, f.valid), nil
	}
}

func compilePattern(op, pattern, escape string) (matcher, *sqlerr.Error) {
	switch op {
	case "REGEXP":
		re, err := compileRegexp(pattern)
		if err != nil {
			return nil, err
		}
		return re.MatchString, nil
	case "SIMILAR":
		re, err := compileRegexp("^(?:" + pattern + ")$")
		if err != nil {
			return nil, err
		}
		return re.MatchString, nil
	}
	if len(escape) > 1 {
		return nil, sqlerr.New(codeParameter, "expected one character after ESCAPE, found %q", escape)
	}
	parts, err := parseLike(pattern, escape)
	if err != nil {
		return nil, err
	}
	if op == "ILIKE" {
		for i := range parts {
			parts[i].text = strings.ToLower(parts[i].text)
		}
		match := compileLike(parts)
		return func(s string) bool { return match(strings.ToLower(s)) }, nil
	}
	return compileLike(parts), nil
}

func compileRegexp(pattern string) (*regexp.Regexp, *sqlerr.Error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, sqlerr.New(codeParameter, "expected a regular expression (RE2), found %q", pattern).WithDetail("%v", err)
	}
	return re, nil
}

// likePart is a piece of a LIKE pattern: text, one character (_) or any text (%).
type likePart struct {
	kind byte // 't', '_' or '%'
	text string
}

// parseLike divides a pattern; neighbouring % count once.
func parseLike(pattern, escape string) ([]likePart, *sqlerr.Error) {
	var parts []likePart
	var text []byte
	flush := func() {
		if len(text) > 0 {
			parts = append(parts, likePart{kind: 't', text: string(text)})
			text = nil
		}
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case escape != "" && c == escape[0]:
			if i++; i == len(pattern) {
				return nil, sqlerr.New(codeParameter, "expected a character after the escape at the end of pattern %q", pattern)
			}
			text = append(text, pattern[i])
		case c == '%' || c == '_':
			flush()
			if c == '_' || len(parts) == 0 || parts[len(parts)-1].kind != '%' {
				parts = append(parts, likePart{kind: c})
			}
		default:
			text = append(text, c)
		}
	}
	flush()
	return parts, nil
}

// compileLike returns the cheapest test for the shapes that nearly all patterns
// have, else the general one.
func compileLike(parts []likePart) matcher {
	shape := make([]byte, len(parts))
	for i, p := range parts {
		shape[i] = p.kind
	}
	switch string(shape) {
	case "":
		return func(s string) bool { return s == "" }
	case "t":
		return func(s string) bool { return s == parts[0].text }
	case "%":
		return func(string) bool { return true }
	case "t%":
		return func(s string) bool { return strings.HasPrefix(s, parts[0].text) }
	case "%t":
		return func(s string) bool { return strings.HasSuffix(s, parts[1].text) }
	case "%t%":
		return func(s string) bool { return strings.Contains(s, parts[1].text) }
	}
	return func(s string) bool { return matchLike(parts, s) }
}

// matchLike matches greedily with one place to return to: a later % makes an
// earlier one irrelevant.
func matchLike(parts []likePart, s string) bool {
	i, at := 0, 0
	starPart, starAt := -1, 0
	for {
		switch {
		case i < len(parts) && parts[i].kind == '%':
			starPart, starAt = i, at
			i++
			continue
		case i == len(parts) && at == len(s):
			return true
		case i < len(parts) && parts[i].kind == '_' && at < len(s):
			_, size := utf8.DecodeRuneInString(s[at:])
			i, at = i+1, at+size
			continue
		case i < len(parts) && parts[i].kind == 't' && strings.HasPrefix(s[at:], parts[i].text):
			at += len(parts[i].text)
			i++
			continue
		}
		if starPart < 0 || starAt >= len(s) {
			return false
		}
		_, size := utf8.DecodeRuneInString(s[starAt:])
		starAt += size
		i, at = starPart+1, starAt
	}
}
