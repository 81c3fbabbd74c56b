package sql

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// stringValue returns the value of a string token in any of its spellings.
func stringValue(text string) string {
	switch text[0] {
	case '\'':
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
	case '$':
		tag := strings.IndexByte(text[1:], '$') + 2
		return text[tag : len(text)-tag]
	}
	return unescape(text[2 : len(text)-1]) // E'..'
}

// escapes are the single letters of E'..'; any other character stands for itself.
var escapes = map[byte]string{'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'' && i+1 < len(s): // doubled
			i++
			b.WriteByte('\'')
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		default:
			i++
			if e, ok := escapes[s[i]]; ok {
				b.WriteString(e)
				continue
			}
			n := codePoint(&b, s[i:])
			i += n - 1
		}
	}
	return b.String()
}

// codePoint writes what \xHH, \uHHHH and \UHHHHHHHH stand for and returns how many
// bytes it read; any other character stands for itself.
func codePoint(b *strings.Builder, s string) int {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if digits > 0 && len(s) > digits {
		if v, err := strconv.ParseUint(s[1:1+digits], 16, 32); err == nil {
			if s[0] == 'x' && v < 0x80 || s[0] != 'x' {
				b.WriteRune(rune(v))
				return 1 + digits
			}
		}
	}
	b.WriteByte(s[0])
	return 1
}

// numberValue returns the value of a number token: int64, float64 or Number.
// A number with a point and no exponent is an exact DECIMAL, as in DuckDB.
func numberValue(text string) any {
	s := strings.ReplaceAll(text, "_", "")
	if len(s) > 2 && (s[1] == 'x' || s[1] == 'X') {
		if v, err := strconv.ParseInt(s[2:], 16, 64); err == nil {
			return v
		}
		return Number(s)
	}
	if strings.ContainsAny(s, "eE") {
		v, _ := strconv.ParseFloat(s, 64) // out of range is infinite, as in DuckDB
		return v
	}
	if strings.Contains(s, ".") {
		return Number(s)
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return v
	}
	return Number(s)
}

// negated returns the number -v as a constant.
func negated(v any) (any, bool) {
	switch v := v.(type) {
	case int64:
		return -v, true
	case float64:
		return -v, true
	case Number:
		if strings.HasPrefix(string(v), "-") {
			return nil, false
		}
		// The smallest BIGINT has no positive counterpart.
		if n, err := strconv.ParseInt("-"+string(v), 10, 64); err == nil {
			return n, true
		}
		return "-" + v, true
	}
	return nil, false
}

// blobValue returns the bytes of X'..'.
func (p *parser) blobValue(t token) ([]byte, error) {
	v, err := hex.DecodeString(t.text[2 : len(t.text)-1])
	if err != nil {
		return nil, p.unexpectedAt(p.pos, "an even number of hexadecimal digits")
	}
	return v, nil
}

// optionValue consumes the value of an option or setting: a literal, a bare word
// or path such as available_now, or an interval, which stays text.
func (p *parser) optionValue() (any, Span, error) {
	first := p.pos
	negative := p.acceptOp("-")
	t := p.cur()
	switch {
	case t.kind == tokNumber:
		p.take()
		v := numberValue(t.text)
		if negative {
			v, _ = negated(v)
		}
		if d, ok := v.(Number); ok {
			f, _ := strconv.ParseFloat(string(d), 64)
			return f, p.spanFrom(first), nil
		}
		return v, p.spanFrom(first), nil
	case negative:
		return nil, Span{}, p.unexpected("a number")
	case t.kind == tokString:
		p.take()
		return stringValue(t.text), t.span(), nil
	case t.kind == tokDuration:
		p.take()
		return t.text, t.span(), nil
	case t.is("TRUE"), t.is("FALSE"):
		p.take()
		return t.is("TRUE"), t.span(), nil
	case t.is("INTERVAL"):
		v, err := p.interval()
		if err != nil {
			return nil, Span{}, err
		}
		return IntervalText(v.Value), p.spanFrom(first), nil
	case t.isName():
		path, err := p.qualifiedName("a value")
		if err != nil {
			return nil, Span{}, err
		}
		return path.String(), p.spanFrom(first), nil
	}
	return nil, Span{}, p.unexpected("a value: text in single quotes, a number, true or false")
}

// optionList consumes ( key = value, .. ). Keys are bare, dotted or quoted; the
// values may also be written with a space only, as RisingWave's FORMAT options.
func (p *parser) optionList() ([]Option, error) {
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	out := []Option{}
	if p.acceptOp(")") {
		return out, nil
	}
	for {
		o, err := p.option()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
		if !p.acceptOp(",") || p.cur().isOp(")") {
			return out, p.expectOp(")")
		}
	}
}

// option consumes key = value.
func (p *parser) option() (Option, error) {
	key, err := p.optionKey()
	if err != nil {
		return Option{}, err
	}
	if !p.acceptOp("=") && !p.acceptOp("=>") && !p.accept("TO") {
		return Option{}, p.unexpected(`"="`)
	}
	value, at, err := p.optionValue()
	return Option{Key: key, Value: value, ValueAt: at}, err
}

// optionKey consumes a key: 'k', "k", k or a.b.c.
func (p *parser) optionKey() (Ident, error) {
	first := p.pos
	if t := p.cur(); t.kind == tokString {
		p.take()
		return Ident{Name: stringValue(t.text), Quoted: true, Span: t.span()}, nil
	}
	path, err := p.qualifiedName("the name of an option")
	if err != nil {
		return Ident{}, err
	}
	key := Ident{Name: path.String(), Quoted: path[0].Quoted, Span: p.spanFrom(first)}
	return key, nil
}
