package ndjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// blanks returns the position of the first byte from p on that is no blank. A
// newline is none here: it ends the line.
func (d *Decoder) blanks(p int) int {
	for d.buf[p] == ' ' || d.buf[p] == '\t' || d.buf[p] == '\r' {
		p++
	}
	return p
}

// found describes what stands at p, for messages.
func (d *Decoder) found(p int) string {
	switch c := d.buf[p]; {
	case c == '\n':
		return "the end of the line"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "text"
	case c < 0x20 || c >= 0x7F:
		return fmt.Sprintf("the byte 0x%02x", c)
	default:
		return fmt.Sprintf("%q", string(c))
	}
}

// key reads `"key" :` at p and returns the position of the value. The key is valid
// until the next string is read. plain is false if it was written with escapes.
func (d *Decoder) key(p int) (key []byte, plain bool, value int, f *fault) {
	if d.buf[p] != '"' {
		return nil, false, 0, &fault{Reason: "expected a key in quotes, found " + d.found(p)}
	}
	key, end, f := d.text(p)
	if f != nil {
		return nil, false, 0, f
	}
	plain = len(key) == end-p-2
	if end = d.blanks(end); d.buf[end] != ':' {
		return nil, false, 0, &fault{Reason: fmt.Sprintf("expected \":\" behind the key %q, found %s", cell.Clip(key), d.found(end))}
	}
	return key, plain, d.blanks(end + 1), nil
}

// next returns the position of the next part of an object or array behind the
// value that ends at p; 0 and where it goes on if closing ends it.
func (d *Decoder) next(p int, closing byte) (part, end int, f *fault) {
	p = d.blanks(p)
	switch d.buf[p] {
	case ',':
		return d.blanks(p + 1), 0, nil
	case closing:
		return 0, p + 1, nil
	}
	return 0, 0, &fault{Reason: fmt.Sprintf("expected \",\" or %q, found %s", string(closing), d.found(p))}
}

func tooDeep() *fault {
	return &fault{Reason: fmt.Sprintf("objects and arrays are nested more than %d deep", depthMax)}
}

// object reads the object at p into slot i of the columns and returns the position
// behind it. Members that are not there become NULL.
func (d *Decoder) object(n *node, cols []*column.Builder, i, p, depth int) (int, *fault) {
	if depth > depthMax {
		return 0, tooDeep()
	}
	part := d.blanks(p + 1)
	end := part + 1
	if d.buf[part] == '}' {
		part = 0
	}
	k := -1
	for part > 0 {
		key, plain, value, f := d.key(part)
		if f != nil {
			return 0, f
		}
		if !plain {
			d.steps.giveUp()
		}
		var after int
		var known bool
		if k, known = d.find(n, cols, key, k+1); known {
			d.fits = true
			after, f = d.member(n, k, cols[k], i, value, depth)
		} else {
			name, fresh := d.unknownKey(n, key)
			d.steps.valueBegins(d.buf, value, opSkip, nil, nil, depth)
			after, f = d.skip(value, depth+1)
			d.steps.valueEnds(after)
			if fresh && f == nil {
				name.Type = typeOf(d.buf[value:after]).String()
				d.others = append(d.others, name)
			}
		}
		if f != nil {
			return 0, f
		}
		if part, end, f = d.next(after, '}'); f != nil {
			return 0, f
		}
	}
	for _, c := range cols {
		if c.Last != i {
			c.SetNull(i)
			d.steps.missing(c)
		}
	}
	return end, nil
}

// find returns the member of a name. Keys often come in the order of the columns,
// so the one that would be next is tried first.
func (d *Decoder) find(n *node, cols []*column.Builder, key []byte, next int) (k int, known bool) {
	if next < len(n.names) && string(key) == n.names[next] {
		return next, true
	}
	if k, known = n.index[string(key)]; known || !d.shape.options.AnyCase {
		return k, known
	}
	if k, known = n.lower[strings.ToLower(string(key))]; known {
		d.otherCase = append(d.otherCase, cols[k])
	}
	return k, known
}

// member reads the value of a known key. A value of the wrong type does not end the
// row yet: the line may be no JSON at all, or give the key again.
func (d *Decoder) member(n *node, k int, c *column.Builder, i, value, depth int) (int, *fault) {
	if c.Last == i && slices.Contains(d.otherCase, c) {
		why := &fault{Column: c.Path, Reason: fmt.Sprintf("the object has several keys that are %q but for their case, and names of columns compare without it", n.names[k])}
		d.wrong = append(d.wrong, wrongValue{c, i, why})
		d.steps.giveUp()
		return d.skip(value, depth+1)
	}
	if c.Last == i {
		d.notice(fmt.Sprintf("the key %q appears more than once in a line; its last value counts", join(n.path, n.names[k])))
		d.again(c, i)
	}
	c.Last = i
	// The members of a STRUCT are steps of their own.
	isStep := c.Type.Kind != types.Struct || d.buf[value] != '{'
	if isStep {
		d.steps.valueBegins(d.buf, value, opOf(c), c, n.parts[k], depth+1)
	}
	after, f := d.value(n.parts[k], c, i, value, depth+1)
	if f != nil && f.Column != "" {
		c.Reset(i)
		c.SetNull(i)
		d.wrong = append(d.wrong, wrongValue{c, i, f})
		after, f = d.skip(value, depth+1)
	}
	if isStep {
		d.steps.valueEnds(after)
	}
	return after, f
}

// wrongValue is a value that does not fit its column.
type wrongValue struct {
	col  *column.Builder
	slot int
	why  *fault
}

// again forgets the value in slot i, the last one of c, since another one follows.
func (d *Decoder) again(c *column.Builder, i int) {
	d.steps.giveUp()
	d.wrong = slices.DeleteFunc(d.wrong, func(w wrongValue) bool { return holds(c, i, w) })
	c.Reset(i)
}

// holds reports whether a wrong value is in slot i of c, its last one, or a part of
// it.
func holds(c *column.Builder, i int, w wrongValue) bool {
	if c == w.col {
		return w.slot >= i
	}
	if c.Type.Kind == types.List || c.Type.Kind == types.Map {
		i = int(c.Offsets[i])
	}
	return slices.ContainsFunc(c.Children, func(part *column.Builder) bool { return holds(part, i, w) })
}

// list reads the array at p into slot i.
func (d *Decoder) list(n *node, c *column.Builder, i, p, depth int) (int, *fault) {
	if depth > depthMax {
		return 0, tooDeep()
	}
	d.steps.nested++
	defer func() { d.steps.nested-- }()
	elem, at := c.Children[0], int(c.Offsets[i])
	part := d.blanks(p + 1)
	end := part + 1
	if d.buf[part] == ']' {
		part = 0
	}
	for part > 0 {
		elem.Grow(at + 1)
		elem.Last = at
		after, f := d.value(n.parts[0], elem, at, part, depth+1)
		if f != nil {
			return 0, f
		}
		at++
		if part, end, f = d.next(after, ']'); f != nil {
			return 0, f
		}
	}
	c.Offsets[i+1] = int32(at)
	return end, nil
}

// entry is one member of an object that becomes a MAP.
type entry struct {
	key   []byte
	value int
}

// mapping reads the object at p into slot i of a MAP column. It first finds the
// entries, since a later one may replace an earlier one.
func (d *Decoder) mapping(n *node, c *column.Builder, i, p, depth int) (int, *fault) {
	if depth > depthMax {
		return 0, tooDeep()
	}
	d.steps.nested++
	keysBefore := len(d.keys)
	defer func() { d.keys, d.steps.nested = d.keys[:keysBefore], d.steps.nested-1 }()
	entries, end, f := d.entries(p, depth)
	if f != nil {
		return 0, f
	}
	keys, values, at := c.Children[0], c.Children[1], int(c.Offsets[i])
	last := make(map[string]int, len(entries))
	for k, e := range entries {
		last[string(e.key)] = k
	}
	for k, e := range entries {
		if last[string(e.key)] != k {
			d.notice(fmt.Sprintf("the key %q appears more than once in a line; its last value counts", join(n.path, string(e.key))))
			continue
		}
		keys.Grow(at + 1)
		values.Grow(at + 1)
		keys.SetText(at, e.key)
		keys.Last, values.Last = at, at
		if _, f := d.value(n.parts[1], values, at, e.value, depth+1); f != nil {
			return 0, f
		}
		at++
	}
	c.Offsets[i+1] = int32(at)
	return end, nil
}

// entries finds the members of the object at p. The keys are in d.keys.
func (d *Decoder) entries(p, depth int) (out []entry, end int, f *fault) {
	part := d.blanks(p + 1)
	if d.buf[part] == '}' {
		return nil, part + 1, nil
	}
	for part > 0 {
		key, _, value, f := d.key(part)
		if f != nil {
			return nil, 0, f
		}
		start := len(d.keys)
		d.keys = append(d.keys, key...)
		out = append(out, entry{d.keys[start:len(d.keys):len(d.keys)], value})
		after, f := d.skip(value, depth+1)
		if f != nil {
			return nil, 0, f
		}
		if part, end, f = d.next(after, '}'); f != nil {
			return nil, 0, f
		}
	}
	return out, end, nil
}

// skip checks the value at p and returns the position behind it.
func (d *Decoder) skip(p, depth int) (int, *fault) {
	switch d.buf[p] {
	case '"':
		_, end, f := d.text(p)
		return end, f
	case '{':
		return d.skipParts(p, '}', depth)
	case '[':
		return d.skipParts(p, ']', depth)
	}
	if end := scanNumber(d.buf, p); end > 0 {
		return end, nil
	}
	if end := d.word(p); end > 0 {
		return end, nil
	}
	return 0, &fault{Reason: "expected a value, found " + d.found(p)}
}

func (d *Decoder) skipParts(p int, closing byte, depth int) (int, *fault) {
	if depth > depthMax {
		return 0, tooDeep()
	}
	part := d.blanks(p + 1)
	end := part + 1
	if d.buf[part] == closing {
		part = 0
	}
	for part > 0 {
		if closing == '}' {
			_, _, value, f := d.key(part)
			if f != nil {
				return 0, f
			}
			part = value
		}
		after, f := d.skip(part, depth+1)
		if f != nil {
			return 0, f
		}
		if part, end, f = d.next(after, closing); f != nil {
			return 0, f
		}
	}
	return end, nil
}

// words are the values that are neither text nor numbers. The last three are not
// in the standard, but Python, Spark and DuckDB write and read them.
var words = [...][]byte{[]byte("null"), []byte("true"), []byte("false"), []byte("NaN"), []byte("Infinity"), []byte("-Infinity")}

// word returns the position behind the word at p, 0 if there is none.
func (d *Decoder) word(p int) int {
	for _, w := range words {
		if bytes.HasPrefix(d.buf[p:], w) {
			return p + len(w)
		}
	}
	return 0
}
