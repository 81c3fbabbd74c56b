package cell

import (
	"bytes"
	"encoding/json"
	"fmt"

	"ssql/internal/format/column"
	"ssql/sql/types"
)

// setNested sets slot i of a STRUCT, LIST or MAP from its text: JSON, or what DuckDB
// writes and casts.
//
//	LIST    [a, b]
//	STRUCT  {"a": 1}  {'a': 1}  {a: 1}     members that are not there are NULL, others passed over
//	MAP     {"k": 1}  {k=1}
//
// Text by itself may stand without quotes; null in any case is NULL.
func (s *Settings) setNested(c *column.Builder, i int, text []byte) *Fault {
	n := nestedText{settings: s, text: text}
	f := n.value(c, i)
	if f == nil && n.blanks() < len(text) {
		f = n.expected(c, "the end of the text")
	}
	return f
}

// nestedText reads the text of one value. What it recurses into are parts of the type.
type nestedText struct {
	settings *Settings
	text     []byte
	at       int
}

// blanks passes over blanks and returns where it is.
func (n *nestedText) blanks() int {
	for n.at < len(n.text) && (n.text[n.at] == ' ' || n.text[n.at] >= '\t' && n.text[n.at] <= '\r') {
		n.at++
	}
	return n.at
}

// accept passes over one of some bytes, and blanks before it.
func (n *nestedText) accept(any string) bool {
	if n.blanks() < len(n.text) && bytes.IndexByte([]byte(any), n.text[n.at]) >= 0 {
		n.at++
		return true
	}
	return false
}

func (n *nestedText) expected(c *column.Builder, what string) *Fault {
	found := "the end of the text"
	if n.blanks() < len(n.text) {
		found = fmt.Sprintf("%q", Clip(n.text[n.at:]))
	}
	return &Fault{c.Path, fmt.Sprintf("expected %s of %s, found %s", what, c.Type, found)}
}

// value reads one value into slot i, which is clean.
func (n *nestedText) value(c *column.Builder, i int) *Fault {
	if c.Type.IsNested() {
		open := map[types.Kind]string{types.List: "[", types.Struct: "{", types.Map: "{"}[c.Type.Kind]
		if n.accept(open) {
			return n.parts(c, i)
		}
		if from := n.blanks(); !isNullWord(n.word(",]}")) {
			n.at = from
			return n.expected(c, fmt.Sprintf("%q", open))
		}
		c.SetNull(i)
		return nil
	}
	if c.Type.JSON {
		return n.json(c, i)
	}
	return n.scalar(c, i, ",]}")
}

// json reads a value that is JSON itself.
func (n *nestedText) json(c *column.Builder, i int) *Fault {
	dec := json.NewDecoder(bytes.NewReader(n.text[n.blanks():]))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return n.expected(c, "a JSON value")
	}
	n.at += int(dec.InputOffset())
	if string(raw) == "null" {
		c.SetNull(i)
	} else {
		c.SetText(i, raw)
	}
	return nil
}

// parts reads the parts of a value behind its opening bracket.
func (n *nestedText) parts(c *column.Builder, i int) *Fault {
	switch c.Type.Kind {
	case types.List:
		return n.list(c, i)
	case types.Map:
		return n.mapping(c, i)
	}
	return n.members(c, i)
}

func (n *nestedText) list(c *column.Builder, i int) *Fault {
	elem, at := c.Children[0], int(c.Offsets[i])
	for more := !n.accept("]"); more; at++ {
		elem.Grow(at + 1)
		elem.Last = at
		if f := n.value(elem, at); f != nil {
			return f
		}
		if more = n.accept(","); !more && !n.accept("]") {
			return n.expected(c, `"," or "]"`)
		}
	}
	c.Offsets[i+1] = int32(at)
	return nil
}

func (n *nestedText) mapping(c *column.Builder, i int) *Fault {
	keys, values, at := c.Children[0], c.Children[1], int(c.Offsets[i])
	seen := map[string]bool{}
	for more := !n.accept("}"); more; at++ {
		keys.Grow(at + 1)
		values.Grow(at + 1)
		keys.Last, values.Last = at, at
		from := n.blanks()
		key, _, f := n.token(c, "=:}")
		if f != nil {
			return f
		}
		if seen[string(key)] {
			return &Fault{c.Path, fmt.Sprintf("the key %q appears more than once", Clip(key))}
		}
		seen[string(key)] = true
		n.at = from
		if f := n.scalar(keys, at, "=:}"); f != nil {
			return f
		}
		if keys.IsNull(at) || !n.accept("=:") {
			return n.expected(c, `a key and ":"`)
		}
		if f := n.value(values, at); f != nil {
			return f
		}
		if more = n.accept(","); !more && !n.accept("}") {
			return n.expected(c, `"," or "}"`)
		}
	}
	c.Offsets[i+1] = int32(at)
	return nil
}

func (n *nestedText) members(c *column.Builder, i int) *Fault {
	for more := !n.accept("}"); more; {
		key, _, f := n.token(c, ":=}")
		if f != nil {
			return f
		}
		if !n.accept(":=") {
			return n.expected(c, `":" behind a name`)
		}
		if k, _, known := c.Type.Field(string(key)); !known {
			_, _, f = n.token(c, ",}")
		} else {
			part := c.Children[k]
			if part.Last == i {
				part.Reset(i) // the last of equal names counts
			}
			part.Last = i
			f = n.value(part, i)
		}
		if f != nil {
			return f
		}
		if more = n.accept(","); !more && !n.accept("}") {
			return n.expected(c, `"," or "}"`)
		}
	}
	for _, part := range c.Children {
		if part.Last != i {
			part.SetNull(i)
		}
	}
	return nil
}

// scalar reads a value without parts, which ends before one of the bytes of stop.
func (n *nestedText) scalar(c *column.Builder, i int, stop string) *Fault {
	text, quoted, f := n.token(c, stop)
	switch {
	case f != nil:
		return f
	case quoted:
		return n.settings.SetText(c, i, text)
	case isNullWord(text):
		c.SetNull(i)
		return nil
	case c.Type.Kind == types.Timestamp && (c.Format != nil || n.settings.EpochUnit != types.NoEpoch) && len(text) > 0 && (text[0]-'0' <= 9 || text[0] == '-'):
		if f := n.settings.SetNumber(c, i, text); f == nil {
			return nil
		}
	}
	return n.settings.SetText(c, i, text)
}

// token reads text in quotes, or all that comes before one of the bytes of stop that is
// in no brackets. It is part of the text, or a copy.
func (n *nestedText) token(c *column.Builder, stop string) (text []byte, quoted bool, f *Fault) {
	start := n.blanks()
	if start == len(n.text) || n.text[start] != '"' && n.text[start] != '\'' {
		return n.word(stop), false, nil
	}
	escaped := false
	for n.at++; n.at < len(n.text); n.at++ {
		switch b := n.text[n.at]; {
		case b == '\\':
			escaped = true
			n.at++
		case b == n.text[start]:
			n.at++
			text = n.text[start+1 : n.at-1]
			if escaped {
				text = unescape(text)
			}
			return text, true, nil
		}
	}
	n.at = start
	return nil, false, n.expected(c, "a closing quote")
}

// word passes over what comes before one of the bytes of stop that is in no brackets and
// no quotes, and returns it without blanks around it.
func (n *nestedText) word(stop string) []byte {
	start, depth, quote := n.blanks(), 0, byte(0)
	for ; n.at < len(n.text); n.at++ {
		switch b := n.text[n.at]; {
		case quote != 0:
			if b == '\\' {
				n.at++
			} else if b == quote {
				quote = 0
			}
		case b == '"':
			quote = b
		case depth == 0 && bytes.IndexByte([]byte(stop), b) >= 0:
			return bytes.TrimSpace(n.text[start:n.at])
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
	}
	n.at = len(n.text)
	return bytes.TrimSpace(n.text[start:])
}

// unescape returns text without its escapes: those of JSON, where they are.
func unescape(text []byte) []byte {
	var out string
	if json.Unmarshal([]byte(`"`+string(text)+`"`), &out) == nil {
		return []byte(out)
	}
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		plain = append(plain, text[i])
	}
	return plain
}

func isNullWord(text []byte) bool { return len(text) == 4 && bytes.EqualFold(text, []byte("null")) }
