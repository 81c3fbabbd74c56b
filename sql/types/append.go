package types

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// AppendText appends the value that text spells to a builder of t.Arrow(). It is
// the inverse of Text and the cell syntax of stream scripts: NULL, two single quotes for the
// empty string, Go quotes where a string could be misread, x'0aff', [a, b],
// {k: v}. The error says what was expected; the builder is then as before for
// scalars and holds part of the value for nested types.
func AppendText(b array.Builder, t Type, text string) error {
	if text == "NULL" {
		b.AppendNull()
		return nil
	}
	switch t.Kind {
	case Null:
		return cellError(t, text)
	case Struct:
		return appendStruct(b.(*array.StructBuilder), t, text)
	case List:
		return appendList(b.(*array.ListBuilder), t, text)
	case Map:
		return appendMap(b.(*array.MapBuilder), t, text)
	case Varchar:
		return appendString(b, text)
	}
	return appendScalar(b, t, text)
}

func cellError(t Type, text string) error {
	return fmt.Errorf("expected a value of type %s, found %q", t, text)
}

func appendString(b array.Builder, text string) error {
	s := text
	switch {
	case text == "''":
		s = ""
	case strings.HasPrefix(text, `"`):
		var err error
		if s, err = strconv.Unquote(text); err != nil {
			return fmt.Errorf("expected a string with closing quotes, found %s", text)
		}
	}
	if d, ok := b.(*array.BinaryDictionaryBuilder); ok {
		return d.AppendString(s)
	}
	b.(*array.StringBuilder).Append(s)
	return nil
}

func appendScalar(b array.Builder, t Type, text string) error {
	ok := false
	switch b := b.(type) {
	case *array.BooleanBuilder:
		if ok = text == "true" || text == "false"; ok {
			b.Append(text == "true")
		}
	case *array.Int8Builder:
		ok = appendInt(b.Append, text, 8)
	case *array.Int16Builder:
		ok = appendInt(b.Append, text, 16)
	case *array.Int32Builder:
		ok = appendInt(b.Append, text, 32)
	case *array.Int64Builder:
		ok = appendInt(b.Append, text, 64)
	case *array.Uint8Builder:
		ok = appendUint(b.Append, text, 8)
	case *array.Uint16Builder:
		ok = appendUint(b.Append, text, 16)
	case *array.Uint32Builder:
		ok = appendUint(b.Append, text, 32)
	case *array.Uint64Builder:
		ok = appendUint(b.Append, text, 64)
	case *array.Float32Builder:
		ok = appendFloat(b.Append, text, 32)
	case *array.Float64Builder:
		ok = appendFloat(b.Append, text, 64)
	default:
		ok = appendOther(b, t, text)
	}
	if !ok {
		return cellError(t, text)
	}
	return nil
}

func appendOther(b array.Builder, t Type, text string) bool {
	switch b := b.(type) {
	case *array.Decimal128Builder:
		v, ok := ParseDecimal([]byte(text), t.Precision, t.Scale)
		if ok {
			b.Append(v)
		}
		return ok
	case *array.BinaryBuilder:
		inner, ok := strings.CutPrefix(text, "x'")
		inner, closed := strings.CutSuffix(inner, "'")
		v, err := hex.DecodeString(inner)
		if ok = ok && closed && err == nil; ok {
			b.Append(v)
		}
		return ok
	case *array.Date32Builder:
		v, ok := ParseDate([]byte(text))
		if ok {
			b.Append(arrow.Date32(v))
		}
		return ok
	case *array.TimestampBuilder:
		v, _, ok := ParseTimestamp([]byte(text))
		if ok {
			b.Append(arrow.Timestamp(v))
		}
		return ok
	case *array.MonthDayNanoIntervalBuilder:
		v, ok := ParseInterval(text)
		nanos, fits := v.Arrow()
		if ok = ok && fits; ok {
			b.Append(nanos)
		}
		return ok
	}
	return false
}

func appendInt[T int8 | int16 | int32 | int64](add func(T), text string, bits int) bool {
	v, err := strconv.ParseInt(text, 10, bits)
	if err == nil {
		add(T(v))
	}
	return err == nil
}

func appendUint[T uint8 | uint16 | uint32 | uint64](add func(T), text string, bits int) bool {
	v, err := strconv.ParseUint(text, 10, bits)
	if err == nil {
		add(T(v))
	}
	return err == nil
}

func appendFloat[T float32 | float64](add func(T), text string, bits int) bool {
	v, err := strconv.ParseFloat(text, bits)
	if err == nil {
		add(T(v))
	}
	return err == nil
}

func appendList(b *array.ListBuilder, t Type, text string) error {
	parts, ok := splitNested(text, '[', ']')
	if !ok {
		return cellError(t, text)
	}
	b.Append(true)
	for _, p := range parts {
		if err := AppendText(b.ValueBuilder(), *t.Elem, p); err != nil {
			return err
		}
	}
	return nil
}

func appendMap(b *array.MapBuilder, t Type, text string) error {
	parts, ok := splitNested(text, '{', '}')
	if !ok {
		return cellError(t, text)
	}
	b.Append(true)
	for _, p := range parts {
		key, value, ok := cutNested(p)
		if !ok || key == "NULL" {
			return cellError(t, text)
		}
		if err := AppendText(b.KeyBuilder(), *t.Key, key); err != nil {
			return err
		}
		if err := AppendText(b.ItemBuilder(), *t.Elem, value); err != nil {
			return err
		}
	}
	return nil
}

func appendStruct(b *array.StructBuilder, t Type, text string) error {
	parts, ok := splitNested(text, '{', '}')
	if !ok || len(parts) > len(t.Fields) {
		return cellError(t, text)
	}
	values := make([]string, len(t.Fields))
	for i := range values {
		values[i] = "NULL" // of fields that the text leaves out
	}
	for _, p := range parts {
		name, value, ok := cutNested(p)
		i, _, known := t.Field(name)
		if !ok || !known {
			return cellError(t, text)
		}
		values[i] = value
	}
	b.Append(true)
	for i, f := range t.Fields {
		if err := AppendText(b.FieldBuilder(i), f.Type, values[i]); err != nil {
			return err
		}
	}
	return nil
}

// splitNested returns the parts of a text between its brackets, divided at the
// commas that are in no inner bracket and no quotes.
func splitNested(text string, open, end byte) (parts []string, ok bool) {
	if len(text) < 2 || text[0] != open || text[len(text)-1] != end {
		return nil, false
	}
	text = strings.TrimSpace(text[1 : len(text)-1])
	if text == "" {
		return nil, true
	}
	for {
		i := indexTop(text, ',')
		if i < 0 {
			return append(parts, strings.TrimSpace(text)), true
		}
		parts = append(parts, strings.TrimSpace(text[:i]))
		text = text[i+1:]
	}
}

// cutNested divides `key: value`.
func cutNested(text string) (key, value string, ok bool) {
	i := indexTop(text, ':')
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
}

// indexTop returns the first place of c outside quotes and brackets; -1 if none.
// A timestamp as a map key has colons of its own, so a colon counts only with a
// blank behind it, as Text writes it.
func indexTop(text string, c byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case c:
			if depth == 0 && (c != ':' || i+1 < len(text) && text[i+1] == ' ') {
				return i
			}
		}
	}
	return -1
}
