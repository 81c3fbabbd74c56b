package arrowtext

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// exactDigits is how many decimal digits every double keeps. JSON numbers with more are
// rounded by most readers, DuckDB's too.
const exactDigits = 15

// JSON returns what appends the values of a column as JSON, NULL as null. f declares the
// column: it says which texts, also within nested values, are JSON (types.IsJSONField).
func (s Style) JSON(f arrow.Field, a arrow.Array) Cell {
	return orNull(a, "null", s.jsonValues(f, a))
}

// Object returns what appends a row of a record as a JSON object, columns in order, which
// schema declares: that of the record may not know which columns are JSON.
func (s Style) Object(schema *arrow.Schema, rec arrow.Record) Cell {
	return s.object(schema.Fields(), rec.Column)
}

func (s Style) object(fields []arrow.Field, column func(i int) arrow.Array) Cell {
	keys := make([][]byte, len(fields))
	cells := make([]Cell, len(fields))
	for i, f := range fields {
		keys[i] = s.Key(i, f.Name)
		cells[i] = s.JSON(f, column(i))
	}
	return func(dst []byte, row int) []byte {
		dst = append(dst, '{')
		for i, c := range cells {
			dst = c(append(dst, keys[i]...), row)
		}
		return append(dst, '}')
	}
}

// Key returns the i-th key of an object with what stands before and behind it.
func (s Style) Key(i int, name string) []byte {
	var key []byte
	if i > 0 {
		key = append(key, ',')
	}
	return append(s.AppendQuoted(key, name), ':')
}

// jsonValues is JSON for rows that are not NULL.
func (s Style) jsonValues(f arrow.Field, a arrow.Array) Cell {
	if texts, ok := types.StringsOf(a); ok {
		if types.IsJSONField(f) {
			return func(dst []byte, row int) []byte { return s.appendJSONText(dst, texts.Value(row)) }
		}
		return func(dst []byte, row int) []byte { return s.AppendQuoted(dst, texts.Value(row)) }
	}
	switch a := a.(type) {
	case *array.LargeString:
		return func(dst []byte, row int) []byte { return s.AppendQuoted(dst, a.Value(row)) }
	case *array.Dictionary:
		values := s.jsonValues(f, a.Dictionary())
		return func(dst []byte, row int) []byte { return values(dst, a.GetValueIndex(row)) }
	case *array.Struct:
		return s.object(structFields(f, a), a.Field)
	case *array.Map:
		return s.jsonMap(f, a)
	case array.ListLike:
		item := s.JSON(itemField(f, a), a.ListValues())
		return listCell(a, "[", ",", "]", item)
	case array.Union:
		return unionCell(a, s.jsonValues)
	}
	return s.jsonScalars(f, a)
}

// jsonScalars is jsonValues for what is written in JSON as in text, in quotes or without.
func (s Style) jsonScalars(f arrow.Field, a arrow.Array) Cell {
	plain := s.inJSON().textValues(f, a)
	switch t := a.DataType().(type) {
	case *arrow.BooleanType, *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		return plain
	case *arrow.Float64Type, *arrow.Float32Type, *arrow.Float16Type:
		return quotedNonFinite(plain)
	case *arrow.Decimal128Type:
		if !s.TextDecimals || t.Precision <= exactDigits {
			return plain
		}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType, *arrow.Date32Type, *arrow.TimestampType,
		*arrow.MonthDayNanoIntervalType, *arrow.Time32Type, *arrow.Time64Type, *arrow.DurationType: // nothing to escape
	default:
		return func(dst []byte, row int) []byte { return s.AppendQuoted(dst, string(plain(nil, row))) }
	}
	return func(dst []byte, row int) []byte { return append(plain(append(dst, '"'), row), '"') }
}

// inJSON is the style of the text of a value within JSON, which is the same in all places
// but for times.
func (s Style) inJSON() Style {
	return Style{ISOTimes: s.ISOTimes, Base64: true, NestedJSON: true, NaNInfinity: true}
}

// quotedNonFinite quotes the doubles that JSON has no number for.
func quotedNonFinite(plain Cell) Cell {
	return func(dst []byte, row int) []byte {
		at := len(dst)
		dst = plain(dst, row)
		if last := dst[len(dst)-1]; last >= '0' && last <= '9' {
			return dst
		}
		word := string(dst[at:])
		return append(append(append(dst[:at], '"'), word...), '"')
	}
}

// jsonMap writes a map as an object whose keys are text.
func (s Style) jsonMap(f arrow.Field, a *array.Map) Cell {
	key := s.inJSON().textValues(arrow.Field{}, a.Keys()) // which are never NULL
	item := s.JSON(valueField(f, a), a.Items())
	var text []byte
	return listCell(a, "{", ",", "}", func(dst []byte, row int) []byte {
		text = key(text[:0], row)
		return item(append(s.AppendQuoted(dst, string(text)), ':'), row)
	})
}

// listCell writes the elements of a list or a map.
func listCell(a array.ListLike, begin, between, end string, element Cell) Cell {
	return func(dst []byte, row int) []byte {
		dst = append(dst, begin...)
		first, last := a.ValueOffsets(row)
		for i := first; i < last; i++ {
			if i > first {
				dst = append(dst, between...)
			}
			dst = element(dst, int(i))
		}
		return append(dst, end...)
	}
}

// unionCell writes the value that a row of a union holds; values returns what appends those
// of one of its parts.
func unionCell(a array.Union, values func(f arrow.Field, a arrow.Array) Cell) Cell {
	cells := make([]Cell, a.NumFields())
	for i, f := range a.DataType().(arrow.UnionType).Fields() {
		cells[i] = values(f, a.Field(i))
	}
	return func(dst []byte, row int) []byte {
		_, at := unionValue(a, row)
		return cells[a.ChildID(row)](dst, at)
	}
}

// appendJSONText appends a text that is JSON, as it is but on one line. The types know that
// it is JSON: who made it has read it.
func (s Style) appendJSONText(dst []byte, text string) []byte {
	if strings.ContainsAny(text, "\r\n") {
		var line bytes.Buffer
		if err := json.Compact(&line, []byte(text)); err != nil {
			return s.AppendQuoted(dst, text)
		}
		text = line.String()
	}
	if !s.TerminalEscapes {
		return append(dst, text...)
	}
	from := 0
	for i, r := range text {
		if r == 0x7f || DrivesTerminal(r) { // which stand in strings only
			dst = appendHex(append(dst, text[from:i]...), r)
			from = i + utf8.RuneLen(r)
		}
	}
	return append(dst, text[from:]...)
}

// AppendQuoted appends a JSON string. Bytes that are no UTF-8 become U+FFFD.
func (s Style) AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < 0x7f {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if escaped := s.escapes(r, size); escaped {
			dst = appendEscape(append(dst, text[from:i]...), r)
			from = i + size
		}
		i += size
	}
	return append(append(dst, text[from:]...), '"')
}

// escapes reports whether a character of size bytes cannot stand as it is in a JSON string.
func (s Style) escapes(r rune, size int) bool {
	switch {
	case r < 0x7f:
		return true
	case r == utf8.RuneError:
		return size == 1 // a byte that is no UTF-8
	}
	return s.TerminalEscapes && (r == 0x7f || DrivesTerminal(r))
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case utf8.RuneError:
		return append(dst, "\uFFFD"...)
	}
	return appendHex(dst, r)
}

// appendHex appends \u001b.
func appendHex(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// DrivesTerminal reports whether a character beyond ASCII acts instead of being
// shown: C1 controls, bidirectional marks, embeddings and isolates, line and
// paragraph separators, the byte order mark.
func DrivesTerminal(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xa0,
		r == 0x61c, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e,
		r >= 0x2066 && r <= 0x2069,
		r == 0xfeff:
		return true
	}
	return false
}
