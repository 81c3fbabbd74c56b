package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Text functions. Lengths and positions count code points, from 1, as in DuckDB.

// bindConcatOperator binds l || r: of two lists, or of texts with NULL if a side is
// NULL. What is no text is written as one.
func bindConcatOperator(l, r Expr, span sqlerr.Span) (Expr, error) {
	lt, rt := l.Type(), r.Type()
	if lt.Kind == types.List || rt.Kind == types.List {
		return bindListConcat(l, r, span)
	}
	t := tVarchar
	if lt.Kind == types.Blob && rt.Kind == types.Blob {
		t = lt
	}
	l, err := BindCast(l, t, false, span)
	if err != nil {
		return nil, err
	}
	if r, err = BindCast(r, t, false, span); err != nil {
		return nil, err
	}
	return newCall(spec{name: "||", t: t, nullable: anyNullable(l, r), span: span, total: true, form: infix("||"),
		kern: text2(appendBoth)}, l, r), nil
}

func appendBoth(dst []byte, a, b string) ([]byte, error) { return append(append(dst, a...), b...), nil }

// bindConcat binds concat(...), which leaves out NULLs.
func bindConcat(b *binding) (Expr, error) {
	if b.args[0].Type().Kind == types.List {
		return bindListConcats(b)
	}
	args, err := b.texts(0)
	if err != nil {
		return nil, err
	}
	return newCall(spec{name: b.name, t: tVarchar, span: b.span, lenient: true, total: true,
		kern: func(f *frame, args []vec) (arrow.Array, error) { return joinTexts(f, nil, args) }}, args...), nil
}

// bindConcatWs binds concat_ws(separator, ...): NULL only for a NULL separator.
func bindConcatWs(b *binding) (Expr, error) {
	args, err := b.texts(0)
	if err != nil {
		return nil, err
	}
	return newCall(spec{name: b.name, t: tVarchar, span: b.span, nullable: args[0].Nullable(), lenient: true, total: true,
		kern: func(f *frame, args []vec) (arrow.Array, error) {
			f.valid.and(args[0])
			separator := read[string](args[0])
			return joinTexts(f, separator.at, args[1:])
		}}, args...), nil
}

// texts casts the arguments from one on to VARCHAR.
func (b *binding) texts(from int) ([]Expr, error) {
	args := append([]Expr(nil), b.args...)
	for i := from; i < len(args); i++ {
		var err error
		if args[i], err = BindCast(args[i], tVarchar, false, b.span); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// joinTexts joins the operands that are not NULL; separator is nil for none.
func joinTexts(f *frame, separator func(row int) string, args []vec) (arrow.Array, error) {
	vals := make([]operand[string], len(args))
	for i, v := range args {
		vals[i] = read[string](v)
	}
	return eachText(f, func(dst []byte, row int) ([]byte, error) {
		first := true
		for i, v := range vals {
			if args[i].arr.IsNull(args[i].row(row)) {
				continue
			}
			if !first && separator != nil {
				dst = append(dst, separator(row)...)
			}
			dst, first = append(dst, v.at(row)...), false
		}
		return dst, nil
	})
}

// chars returns the number of code points.
func chars(s string) int64 { return int64(utf8.RuneCountInString(s)) }

// charSlice returns the code points from to to, cut to those there are.
func charSlice(s string, from, to int64) string {
	from = max(from, 0)
	if to <= from {
		return ""
	}
	if isASCII(s) {
		n := int64(len(s))
		return s[min(from, n):min(to, n)]
	}
	start, at := len(s), int64(0)
	for i := range s {
		if at == from {
			start = i
		}
		if at == to {
			return s[start:i]
		}
		at++
	}
	return s[start:]
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// bindLength binds length and len of a text, list or map.
func bindLength(b *binding) (Expr, error) {
	switch t := b.args[0].Type(); t.Kind {
	case types.List, types.Map:
		return b.harmless(tBigInt, listLength, b.args[0]), nil
	case types.Blob:
		return b.harmless(tBigInt, map1(byteLength), b.args[0]), nil
	}
	return fixed(tBigInt, map1(func(s string) (int64, error) { return chars(s), nil }), tVarchar)(b)
}

func byteLength(s string) (int64, error) { return int64(len(s)), nil }

// bindOctetLength binds octet_length and strlen, of text or bytes.
func bindOctetLength(b *binding) (Expr, error) {
	if b.args[0].Type().Kind == types.Blob {
		return b.harmless(tBigInt, map1(byteLength), b.args[0]), nil
	}
	return fixed(tBigInt, map1(byteLength), tVarchar)(b)
}

func lower(dst []byte, s string) ([]byte, error) {
	if !isASCII(s) {
		return append(dst, strings.Map(unicode.ToLower, s)...), nil
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst, nil
}

func upper(dst []byte, s string) ([]byte, error) {
	if !isASCII(s) {
		return append(dst, strings.Map(upperRune, s)...), nil
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst, nil
}

// upperRune gives ß its capital, as DuckDB does and Go does not.
func upperRune(r rune) rune {
	if r == 'ß' {
		return 'ẞ'
	}
	return unicode.ToUpper(r)
}

// initcap makes the first letter of each word a capital and the others small:
// Spark's function; words end at blanks.
func initcap(dst []byte, s string) ([]byte, error) {
	start := true
	for _, r := range s {
		if start {
			r = upperRune(r)
		} else {
			r = unicode.ToLower(r)
		}
		dst = utf8.AppendRune(dst, r)
		start = r == ' '
	}
	return dst, nil
}

// trimSide binds trim, ltrim and rtrim with an optional set of characters.
func trimSide(trim func(s, set string) string) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(tVarchar)
		if err != nil {
			return nil, err
		}
		if len(args) == 1 {
			return b.harmless(tVarchar, map1(func(s string) (string, error) { return trim(s, " "), nil }), args...), nil
		}
		return b.harmless(tVarchar, map2(func(s, set string) (string, error) { return trim(s, set), nil }), args...), nil
	}
}

// bindSubstring binds substring(text, start [, length]).
func bindSubstring(b *binding) (Expr, error) {
	args, err := b.cast(tVarchar, tBigInt)
	if err != nil {
		return nil, err
	}
	if len(args) == 2 {
		return b.harmless(tVarchar, map2(func(s string, start int64) (string, error) {
			return charSlice(s, substringStart(s, start), int64(len(s))), nil
		}), args...), nil
	}
	return b.harmless(tVarchar, map3(substring), args...), nil
}

// substringStart turns a start from 1, or negative from the end, into an offset. A
// start of 0 is the place ahead of the first character.
func substringStart(s string, start int64) int64 {
	if start < 0 {
		return start + chars(s)
	}
	return start - 1
}

// substring takes length characters from start on, or, for a negative length,
// those ahead of it.
func substring(s string, start, length int64) (string, error) {
	const far = 1 << 40 // beyond any text, so that sums do not overflow
	start, length = min(max(start, -far), far), min(max(length, -far), far)
	from := substringStart(s, start)
	if length < 0 {
		return charSlice(s, from+length, from), nil
	}
	return charSlice(s, from, from+length), nil
}

// left takes n characters, or all but the last -n.
func left(s string, n int64) (string, error) {
	if n < 0 {
		n += chars(s)
	}
	return charSlice(s, 0, n), nil
}

// right takes the last n characters, or all but the first -n.
func right(s string, n int64) (string, error) {
	total := chars(s)
	if n < 0 {
		return charSlice(s, -n, total), nil
	}
	return charSlice(s, total-min(n, total), total), nil
}

func replaceText(dst []byte, endMax int, s, old, by string) ([]byte, error) {
	if old == "" {
		return append(dst, s...), nil
	}
	for {
		if len(dst) > endMax {
			return dst, errTooLong
		}
		i := strings.Index(s, old)
		if i < 0 {
			return append(dst, s...), nil
		}
		dst = append(append(dst, s[:i]...), by...)
		s = s[i+len(old):]
	}
}

// translate replaces each character of from by the one at its place in to; those
// beyond the end of to are left out.
func translate(dst []byte, s, from, to string) ([]byte, error) {
	fromRunes, toRunes := []rune(from), []rune(to)
next:
	for _, r := range s {
		for i, f := range fromRunes {
			if f == r {
				if i < len(toRunes) {
					dst = utf8.AppendRune(dst, toRunes[i])
				}
				continue next
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, nil
}

func repeatText(dst []byte, endMax int, s string, n int64) ([]byte, error) {
	if n > 0 && int64(len(s)) > int64(endMax-len(dst))/n {
		return dst, errTooLong
	}
	if s == "" {
		return dst, nil
	}
	if n <= 0 {
		return dst, nil
	}
	start := len(dst)
	dst = append(dst, s...)
	for end := start + len(s)*int(n); len(dst) < end; {
		dst = append(dst, dst[start:min(len(dst), start+end-len(dst))]...)
	}
	return dst, nil
}

func reverseText(dst []byte, s string) ([]byte, error) {
	for len(s) > 0 {
		_, size := utf8.DecodeLastRuneInString(s)
		dst = append(dst, s[len(s)-size:]...)
		s = s[:len(s)-size]
	}
	return dst, nil
}

// bindPad binds lpad and rpad with an optional filling, a blank.
func bindPad(atLeft bool) binder {
	return func(b *binding) (Expr, error) {
		if len(b.args) == 2 {
			b.args = append(b.args[:2:2], NewLiteral(tVarchar, " "))
		}
		args, err := b.cast(tVarchar, tBigInt, tVarchar)
		if err != nil {
			return nil, err
		}
		return b.call(tVarchar, growing3(func(dst []byte, endMax int, s string, n int64, fill string) ([]byte, error) {
			return pad(dst, endMax, s, n, fill, atLeft)
		}), args...), nil
	}
}

func pad(dst []byte, endMax int, s string, n int64, fill string, atLeft bool) ([]byte, error) {
	missing := n - chars(s)
	switch {
	case missing <= 0:
		return append(dst, charSlice(s, 0, n)...), nil
	case fill == "":
		return dst, sqlerr.New(codeParameter, "expected a filling of at least one character, found ''")
	case missing > int64(endMax-len(dst)):
		return dst, errTooLong
	}
	if !atLeft {
		dst = append(dst, s...)
	}
	for missing > 0 {
		if len(dst) > endMax {
			return dst, errTooLong
		}
		part := charSlice(fill, 0, missing)
		dst = append(dst, part...)
		missing -= chars(part)
	}
	if atLeft {
		dst = append(dst, s...)
	}
	return dst, nil
}

// positionOf returns where sub is in s, from 1; 0 if it is not.
func positionOf(s, sub string) (int64, error) {
	i := strings.Index(s, sub)
	if i < 0 {
		return 0, nil
	}
	return chars(s[:i]) + 1, nil
}

func textTest(test func(s, part string) bool) binder {
	return fixed(tBool, map2(func(s, part string) (bool, error) { return test(s, part), nil }), tVarchar, tVarchar)
}

// bindContains binds contains of a text or of a list.
func bindContains(b *binding) (Expr, error) {
	if k := b.args[0].Type().Kind; k == types.List {
		return bindListContains(b)
	}
	return textTest(strings.Contains)(b)
}

// codePoint returns the first character's code, or empty for none.
func codePoint(empty int32) kernel {
	return map1(func(s string) (int32, error) {
		if s == "" {
			return empty, nil
		}
		r, _ := utf8.DecodeRuneInString(s)
		return r, nil
	})
}

func chr(dst []byte, code int64) ([]byte, error) {
	if code < 0 || code > unicode.MaxRune || !utf8.ValidRune(rune(code)) {
		return dst, sqlerr.New(codeParameter, "expected a Unicode code point, found %d", code)
	}
	return utf8.AppendRune(dst, rune(code)), nil
}

// bindSplitPart binds split_part(text, separator, n): the n-th part from 1, or from
// the end for a negative n. It is the empty text if there is none and, as in DuckDB,
// for NULL.
func bindSplitPart(b *binding) (Expr, error) {
	args, err := b.cast(tVarchar, tVarchar, tBigInt)
	if err != nil {
		return nil, err
	}
	part := b.harmless(tVarchar, map3(splitPart), args...)
	return bindCoalesce([]Expr{part, NewLiteral(tVarchar, "")}, b.span)
}

func splitPart(s, separator string, n int64) (string, error) {
	parts := splitText(s, separator)
	if at, ok := position(n, int64(len(parts))); ok {
		return parts[at], nil
	}
	return "", nil
}

// splitText divides a text; an empty separator divides it into characters.
func splitText(s, separator string) []string { return strings.Split(s, separator) }

// levenshtein counts the inserted, deleted and changed bytes between two texts.
func levenshtein(a, b string) (int64, error) {
	if err := checkCompared(a, b, 1<<30); err != nil {
		return 0, err
	}
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
		}
		last, row = row, last
	}
	return int64(last[len(b)]), nil
}
