package expr

import (
	"math"
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
)

// jsonStep is one step of a path: into a key of an object or an element of an array,
// negative indexes counting from the end.
type jsonStep struct {
	key     string
	index   int64
	isIndex bool
}

// jsonPathOf reads a path as DuckDB does: `$.a.b[0]` (also `$."a b"` and `[#-1]`), the
// pointer `/a/b/0`, or else the text as one key.
func jsonPathOf(text string) ([]jsonStep, error) {
	switch {
	case text == "":
		return nil, sqlerr.New(codeJSONPath, "expected a path such as '$.a.b[0]', found an empty text")
	case text[0] == '$':
		return jsonDollarPath(text)
	case text[0] == '/':
		var path []jsonStep
		for _, part := range strings.Split(text[1:], "/") {
			step := jsonStep{key: strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")}
			path = append(path, step)
		}
		return path, nil
	}
	return []jsonStep{{key: text}}, nil
}

func badPath(text string, at int, expected string) error {
	return sqlerr.New(codeJSONPath, "expected %s at byte %d of the path %q", expected, at+1, text).
		WithHint("a path is written '$.key[0].\"other key\"'")
}

func jsonDollarPath(text string) ([]jsonStep, error) {
	var path []jsonStep
	for at := 1; at < len(text); {
		rest := text[at+1:]
		switch {
		case strings.HasPrefix(text[at:], `."`):
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, badPath(text, len(text), "a closing quote")
			}
			path = append(path, jsonStep{key: rest[1 : 1+end]})
			at += end + 3
		case text[at] == '.':
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 || strings.ContainsAny(rest[:end], "*") {
				return nil, badPath(text, at+1, "a key")
			}
			path = append(path, jsonStep{key: rest[:end]})
			at += end + 1
		case text[at] == '[':
			end := strings.IndexByte(rest, ']')
			index, err := strconv.ParseInt(strings.TrimPrefix(rest[:max(end, 0)], "#"), 10, 64)
			if err != nil || strings.HasPrefix(rest, "#") && index >= 0 {
				return nil, badPath(text, at+1, "an index such as [0] or [#-1]")
			}
			path = append(path, jsonStep{index: index, isIndex: true})
			at += end + 2
		default:
			return nil, badPath(text, at, `"." or "["`)
		}
	}
	return path, nil
}

// appendJSON appends a valid value in DuckDB's spelling: no blanks, no needless
// escapes, fractions as the shortest DOUBLE.
func appendJSON(dst []byte, value string) []byte {
	for at := 0; at < len(value); {
		switch c := value[at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			at++
		case c == '"':
			j := jsonScan{text: value, at: at}
			if err := j.str(); err != nil {
				return append(dst, value[at:]...) // not reached: the value is valid
			}
			dst = appendJSONString(dst, value[at+1:j.at-1])
			at = j.at
		case c == '-' || c >= '0' && c <= '9':
			end := at + 1
			for end < len(value) && strings.IndexByte("0123456789+-.eE", value[end]) >= 0 {
				end++
			}
			dst = appendJSONNumber(dst, value[at:end])
			at = end
		default:
			dst = append(dst, c)
			at++
		}
	}
	return dst
}

func appendJSONString(dst []byte, raw string) []byte {
	if strings.IndexByte(raw, '\\') < 0 {
		return append(append(append(dst, '"'), raw...), '"')
	}
	return appendQuotedJSON(dst, string(unescapeJSON(nil, raw)))
}

// appendQuotedJSON appends a text as a JSON string.
func appendQuotedJSON(dst []byte, text string) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, '"')
	for i := 0; i < len(text); i++ {
		c := text[i]
		if at := strings.IndexByte("\b\f\n\r\t\"\\", c); at >= 0 {
			dst = append(dst, '\\', `bfnrt"\`[at])
			continue
		}
		if c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// appendJSONNumber keeps whole numbers as they are. Fractions are written as
// ECMAScript does, with a point.
func appendJSONNumber(dst []byte, raw string) []byte {
	if !strings.ContainsAny(raw, ".eE") {
		return append(dst, raw...)
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return append(dst, raw...) // too large for a DOUBLE
	}
	size := math.Abs(v)
	if size != 0 && (size < 1e-6 || size >= 1e21) {
		text := strconv.FormatFloat(v, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		sign := strings.TrimLeft(exponent[:1], "+")
		return append(append(append(dst, mantissa...), 'e'), sign+strings.TrimLeft(exponent[1:], "0")...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	if strings.IndexByte(string(dst[start:]), '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// jsonTypeName is DuckDB's name of the type of a valid value.
func jsonTypeName(value string) string {
	switch value[0] {
	case '{':
		return "OBJECT"
	case '[':
		return "ARRAY"
	case '"':
		return "VARCHAR"
	case 't', 'f':
		return "BOOLEAN"
	case 'n':
		return "NULL"
	}
	if strings.ContainsAny(value, ".eE") {
		return "DOUBLE"
	}
	if _, err := strconv.ParseUint(value, 10, 64); err == nil {
		return "UBIGINT"
	}
	if _, err := strconv.ParseInt(value, 10, 64); err == nil {
		return "BIGINT"
	}
	return "DOUBLE"
}
