package expr

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// fromNestedText reads `[a, b]`, `{k: v}` or, for maps, `{k=v}`: first into the
// same shape of texts, then by the cast of that shape. It returns nil if a part
// has no cast from text.
func (c *caster) fromNestedText() kernel {
	texts := textShape(c.to)
	inner := c.with(texts, c.to)
	// The parts are read from text, so that an error names the part.
	k := inner.kernel()
	if k == nil {
		return nil
	}
	return func(f *frame, args []vec) (arrow.Array, error) {
		shape := texts.Arrow()
		b := array.NewBuilder(memory.DefaultAllocator, shape)
		defer b.Release()
		vals := read[string](args[0])
		for i := range f.rows {
			if !f.valid.has(i) {
				b.AppendNull()
				continue
			}
			if !appendParts(b, c.to, vals.at(i)) {
				b.AppendNull()
				if err := f.settle(i, c.fail(vals.at(i))); err != nil {
					return nil, err
				}
			}
		}
		parts := b.NewArray()
		defer parts.Release()
		return k(f, []vec{{arr: parts}})
	}
}

// textShape returns the type whose parts are those of t as text.
func textShape(t types.Type) types.Type {
	switch t.Kind {
	case types.List:
		return types.ListOf(tVarchar)
	case types.Map:
		return types.MapOf(tVarchar, tVarchar)
	}
	fields := make([]types.Field, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = types.Field{Name: f.Name, Type: tVarchar, Nullable: true}
	}
	return types.StructOf(fields...)
}

// appendParts splits a text into its parts; it appends nothing and returns false
// if the brackets are not there.
func appendParts(b array.Builder, t types.Type, s string) bool {
	open, end := byte('{'), byte('}')
	if t.Kind == types.List {
		open, end = '[', ']'
	}
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != open || s[len(s)-1] != end {
		return false
	}
	parts := splitParts(s[1 : len(s)-1])
	switch b := b.(type) {
	case *array.ListBuilder:
		b.Append(true)
		for _, p := range parts {
			appendPart(b.ValueBuilder(), p)
		}
		return true
	case *array.MapBuilder:
		for _, p := range parts {
			// Arrow's maps have no NULL keys.
			if at := indexOutside(p, '='); at < 0 || isNullText(p[:at]) {
				return false
			}
		}
		b.Append(true)
		for _, p := range parts {
			at := indexOutside(p, '=')
			appendPart(b.KeyBuilder(), p[:at])
			appendPart(b.ItemBuilder(), p[at+1:])
		}
		return true
	}
	return appendFields(b.(*array.StructBuilder), t, parts)
}

// appendFields appends a struct; fields that the text leaves out are NULL.
func appendFields(b *array.StructBuilder, t types.Type, parts []string) bool {
	values := make([]string, len(t.Fields))
	for i := range values {
		values[i] = "NULL"
	}
	for _, p := range parts {
		at := indexOutside(p, ':')
		if at < 0 {
			return false
		}
		i, _, ok := t.Field(unquotePart(p[:at]))
		if !ok {
			return false
		}
		values[i] = p[at+1:]
	}
	b.Append(true)
	for i, v := range values {
		appendPart(b.FieldBuilder(i), v)
	}
	return true
}

func appendPart(b array.Builder, text string) {
	if isNullText(text) {
		b.AppendNull()
		return
	}
	b.(*array.StringBuilder).Append(unquotePart(text))
}

func isNullText(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "NULL") }

// unquotePart trims a part and takes off the quotes around it.
func unquotePart(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// splitParts divides at the commas outside quotes and brackets.
func splitParts(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var parts []string
	for {
		i := indexOutside(s, ',')
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i+1:]
	}
}

// indexOutside returns the first place of c outside quotes and brackets, -1 if
// there is none.
func indexOutside(s string, c byte) int {
	depth, quote := 0, byte(0)
	for i := range len(s) {
		switch ch := s[i]; {
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '\'' || ch == '"':
			quote = ch
		case ch == '[' || ch == '{' || ch == '(':
			depth++
		case ch == ']' || ch == '}' || ch == ')':
			depth--
		case ch == c && depth == 0:
			return i
		}
	}
	return -1
}
