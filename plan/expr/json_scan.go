package expr

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ssql/internal/sqlerr"
)

const (
	codeJSON     = "MALFORMED_JSON"
	codeJSONPath = "INVALID_JSON_PATH"

	// jsonDepthMax bounds the nesting of a text, so that a hostile one ends in an error
	// instead of a stack overflow.
	jsonDepthMax = 1000
)

// jsonScan walks over a JSON text (RFC 8259) without building a tree.
type jsonScan struct {
	text  string
	at    int
	depth int
}

// jsonSpan is a value inside a text: start is the offset of its first byte.
type jsonSpan struct{ start, end int }

func (j *jsonScan) malformed(expected string) error {
	found := "the end"
	if j.at < len(j.text) {
		r, _ := utf8.DecodeRuneInString(j.text[j.at:])
		found = strconv.Quote(string(r))
	}
	return sqlerr.New(codeJSON, "expected %s at byte %d of the JSON text, found %s", expected, j.at+1, found).
		WithHint("json_valid(text) tells which texts are JSON")
}

func (j *jsonScan) space() {
	for j.at < len(j.text) {
		switch j.text[j.at] {
		case ' ', '\t', '\n', '\r':
			j.at++
		default:
			return
		}
	}
}

// next returns the next byte that is no blank, 0 at the end.
func (j *jsonScan) next() byte {
	j.space()
	if j.at == len(j.text) {
		return 0
	}
	return j.text[j.at]
}

// find reads the whole text and returns the value at a path.
func (j *jsonScan) find(path []jsonStep) (found jsonSpan, ok bool, err error) {
	if found, ok, err = j.walk(path); err != nil {
		return found, false, err
	}
	if j.next() != 0 || j.at < len(j.text) {
		return found, false, j.malformed("nothing more")
	}
	return found, ok, nil
}

// walk reads one value and returns the part of it at a path.
func (j *jsonScan) walk(path []jsonStep) (found jsonSpan, ok bool, err error) {
	c := j.next()
	if len(path) == 0 {
		found.start = j.at
		err = j.skip()
		found.end = j.at
		return found, err == nil, err
	}
	step := path[0]
	switch {
	case c == '{' && !step.isIndex:
		err = j.members(func(key jsonSpan) (err error) {
			if ok || !j.keyIs(key, step.key) {
				return j.skip()
			}
			found, ok, err = j.walk(path[1:])
			// The first of equal keys counts, as in DuckDB, found or not.
			step.key = "\x00"
			return err
		})
	case c == '[' && step.isIndex:
		index := step.index
		if index < 0 {
			count, at := int64(0), j.at
			if err := j.elements(func() error { count++; return j.skip() }); err != nil {
				return found, false, err
			}
			j.at, index = at, index+count
		}
		err = j.elements(func() (err error) {
			if index--; index != -1 {
				return j.skip()
			}
			found, ok, err = j.walk(path[1:])
			return err
		})
	default:
		err = j.skip()
	}
	return found, ok && err == nil, err
}

// members calls value behind the colon of every member of an object.
func (j *jsonScan) members(value func(key jsonSpan) error) error {
	return j.items('}', `a key or "}"`, func() error {
		key := jsonSpan{start: j.at}
		if j.at == len(j.text) || j.text[j.at] != '"' {
			return j.malformed("a key in double quotes")
		}
		if err := j.str(); err != nil {
			return err
		}
		key.end = j.at
		if j.next() != ':' {
			return j.malformed(`":"`)
		}
		j.at++
		j.space()
		return value(key)
	})
}

// elements calls value at the start of every element of an array.
func (j *jsonScan) elements(value func() error) error {
	return j.items(']', `a value or "]"`, value)
}

// items reads what stands between an opening bracket and closing, separated by commas.
func (j *jsonScan) items(closing byte, expected string, item func() error) error {
	if j.depth++; j.depth > jsonDepthMax {
		return sqlerr.New(codeJSON, "the JSON text is nested more than %d deep", jsonDepthMax)
	}
	defer func() { j.depth-- }()
	j.at++
	if j.next() == closing {
		j.at++
		return nil
	}
	for {
		if j.next() == 0 {
			return j.malformed(expected)
		}
		if err := item(); err != nil {
			return err
		}
		switch j.next() {
		case ',':
			j.at++
		case closing:
			j.at++
			return nil
		default:
			return j.malformed(`"," or "` + string(closing) + `"`)
		}
	}
}

// skip reads one value.
func (j *jsonScan) skip() error {
	switch c := j.next(); {
	case c == '{':
		return j.members(func(jsonSpan) error { return j.skip() })
	case c == '[':
		return j.elements(j.skip)
	case c == '"':
		return j.str()
	case c == '-' || c >= '0' && c <= '9':
		return j.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(j.text[j.at:], word) {
			j.at += len(word)
			return nil
		}
	}
	return j.malformed("a value")
}

// str reads a string. The common one has no escapes.
func (j *jsonScan) str() error {
	for j.at++; j.at < len(j.text); j.at++ {
		switch c := j.text[j.at]; {
		case c == '"':
			j.at++
			return nil
		case c < ' ':
			return j.malformed("no control character in a string")
		case c == '\\':
			if err := j.escape(); err != nil {
				return err
			}
		}
	}
	return j.malformed(`"\""`)
}

// escape reads an escape but for its last byte.
func (j *jsonScan) escape() error {
	j.at++
	if j.at == len(j.text) || !strings.ContainsRune(`"\/bfnrtu`, rune(j.text[j.at])) {
		return j.malformed("an escape")
	}
	if j.text[j.at] != 'u' {
		return nil
	}
	for range 4 {
		j.at++
		if j.at == len(j.text) || !isHexDigit(j.text[j.at]) {
			return j.malformed("four hexadecimal digits")
		}
	}
	return nil
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (j *jsonScan) digits() bool {
	start := j.at
	for j.at < len(j.text) && j.text[j.at] >= '0' && j.text[j.at] <= '9' {
		j.at++
	}
	return j.at > start
}

func (j *jsonScan) number() error {
	if j.text[j.at] == '-' {
		j.at++
	}
	if strings.HasPrefix(j.text[j.at:], "0") {
		j.at++
	} else if !j.digits() {
		return j.malformed("a digit")
	}
	if strings.HasPrefix(j.text[j.at:], ".") {
		j.at++
		if !j.digits() {
			return j.malformed("a digit")
		}
	}
	if j.at < len(j.text) && (j.text[j.at] == 'e' || j.text[j.at] == 'E') {
		j.at++
		if j.at < len(j.text) && (j.text[j.at] == '+' || j.text[j.at] == '-') {
			j.at++
		}
		if !j.digits() {
			return j.malformed("a digit")
		}
	}
	return nil
}

// keyIs reports whether the string at key, with its quotes, is the wanted one.
func (j *jsonScan) keyIs(key jsonSpan, want string) bool {
	raw := j.text[key.start+1 : key.end-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw == want
	}
	return string(unescapeJSON(nil, raw)) == want
}

// unescapeJSON appends a valid string, without its quotes, as text.
func unescapeJSON(dst []byte, raw string) []byte {
	for len(raw) > 0 {
		at := strings.IndexByte(raw, '\\')
		if at < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:at]...)
		c := raw[at+1]
		raw = raw[at+2:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hexRune(raw)
			raw = raw[4:]
			if utf16.IsSurrogate(r) && strings.HasPrefix(raw, `\u`) {
				if both := utf16.DecodeRune(r, hexRune(raw[2:])); both != utf8.RuneError {
					r, raw = both, raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// hexRune reads four hexadecimal digits that are known to be there.
func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits[:4], 16, 32)
	return rune(n)
}
