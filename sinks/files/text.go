package files

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// cell appends the text of one row of a column.
type cell func(dst []byte, row int) []byte

// exactDigits is how many decimal digits every double keeps. JSON numbers with more are
// rounded by most readers, DuckDB's too.
const exactDigits = 15

// jsonCells returns what appends the values of a column as JSON: NULL as null; numbers
// as numbers where every reader keeps them, else as text; times as ISO 8601 in UTC; bytes
// in base64; maps as objects; JSON as it is.
func jsonCells(t types.Type, a arrow.Array) cell {
	value := jsonValues(t, a)
	if a.NullN() == 0 && a.DataType().ID() != arrow.NULL && a.DataType().ID() != arrow.DICTIONARY {
		return value
	}
	return func(dst []byte, row int) []byte {
		if isNull(a, row) {
			return append(dst, "null"...)
		}
		return value(dst, row)
	}
}

// jsonValues is jsonCells for rows that are not NULL.
func jsonValues(t types.Type, a arrow.Array) cell {
	if s, ok := types.StringsOf(a); ok {
		if t.JSON {
			return func(dst []byte, row int) []byte { return appendJSONText(dst, s.Value(row)) }
		}
		return func(dst []byte, row int) []byte { return appendQuoted(dst, s.Value(row)) }
	}
	switch a := a.(type) {
	case *array.Struct:
		return structCells(t, a)
	case *array.Map:
		return mapCells(t, a)
	case *array.List:
		return listCells(t, a)
	}
	plain := plainCells(t, a)
	switch t := a.DataType().(type) {
	case *arrow.Float64Type, *arrow.Float32Type:
		return finiteCells(plain)
	case *arrow.Decimal128Type:
		if t.Precision <= exactDigits {
			return plain
		}
	case *arrow.BinaryType, *arrow.Date32Type, *arrow.TimestampType, *arrow.MonthDayNanoIntervalType:
	default:
		return plain
	}
	return func(dst []byte, row int) []byte { return append(plain(append(dst, '"'), row), '"') }
}

// finiteCells quotes the doubles that JSON has no number for.
func finiteCells(plain cell) cell {
	return func(dst []byte, row int) []byte {
		at := len(dst)
		dst = plain(dst, row)
		if last := dst[len(dst)-1]; last >= '0' && last <= '9' {
			return dst
		}
		text := string(dst[at:])
		return appendQuoted(dst[:at], text)
	}
}

func structCells(t types.Type, a *array.Struct) cell {
	keys := make([][]byte, len(t.Fields))
	cells := make([]cell, len(t.Fields))
	for j, f := range t.Fields {
		keys[j] = jsonKey(j, f.Name)
		cells[j] = jsonCells(f.Type, a.Field(j))
	}
	return func(dst []byte, row int) []byte {
		dst = append(dst, '{')
		for j, c := range cells {
			dst = c(append(dst, keys[j]...), row)
		}
		return append(dst, '}')
	}
}

// jsonKey returns the j-th key of an object with what stands before and behind it.
func jsonKey(j int, name string) []byte {
	var key []byte
	if j > 0 {
		key = append(key, ',')
	}
	return append(appendQuoted(key, name), ':')
}

func mapCells(t types.Type, a *array.Map) cell {
	key, item := plainCells(*t.Key, a.Keys()), jsonCells(*t.Elem, a.Items())
	var text []byte
	return func(dst []byte, row int) []byte {
		dst = append(dst, '{')
		start, end := a.ValueOffsets(row)
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			text = key(text[:0], int(j))
			dst = append(appendQuoted(dst, string(text)), ':')
			dst = item(dst, int(j))
		}
		return append(dst, '}')
	}
}

func listCells(t types.Type, a *array.List) cell {
	item := jsonCells(*t.Elem, a.ListValues())
	return func(dst []byte, row int) []byte {
		dst = append(dst, '[')
		start, end := a.ValueOffsets(row)
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			dst = item(dst, int(j))
		}
		return append(dst, ']')
	}
}

// plainCells returns what appends the values of a column, which are not NULL, as text
// that DuckDB casts back; bytes in base64, as the readers of streams want them; nested
// values as JSON.
func plainCells(t types.Type, a arrow.Array) cell {
	if s, ok := types.StringsOf(a); ok {
		return func(dst []byte, row int) []byte { return append(dst, s.Value(row)...) }
	}
	switch a := a.(type) {
	case *array.Boolean:
		return func(dst []byte, row int) []byte { return strconv.AppendBool(dst, a.Value(row)) }
	case *array.Int8:
		return intCells(a.Int8Values())
	case *array.Int16:
		return intCells(a.Int16Values())
	case *array.Int32:
		return intCells(a.Int32Values())
	case *array.Int64:
		return intCells(a.Int64Values())
	case *array.Uint8:
		return uintCells(a.Uint8Values())
	case *array.Uint16:
		return uintCells(a.Uint16Values())
	case *array.Uint32:
		return uintCells(a.Uint32Values())
	case *array.Uint64:
		return uintCells(a.Uint64Values())
	case *array.Float64:
		return func(dst []byte, row int) []byte { return append(dst, types.FormatDouble(a.Value(row), 64)...) }
	case *array.Float32:
		return func(dst []byte, row int) []byte {
			return append(dst, types.FormatDouble(float64(a.Value(row)), 32)...)
		}
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(dst []byte, row int) []byte { return types.AppendDecimal(dst, a.Value(row), scale) }
	case *array.Binary:
		return func(dst []byte, row int) []byte { return base64.StdEncoding.AppendEncode(dst, a.Value(row)) }
	case *array.Date32:
		return func(dst []byte, row int) []byte { return types.AppendDate(dst, int32(a.Value(row))) }
	case *array.Timestamp:
		return timestampCells(a)
	case *array.MonthDayNanoInterval:
		return func(dst []byte, row int) []byte {
			return append(dst, types.FormatInterval(types.IntervalOf(a.Value(row)))...)
		}
	case *array.Null:
		return func(dst []byte, _ int) []byte { return dst }
	}
	return jsonValues(t, a)
}

func intCells[T int8 | int16 | int32 | int64](values []T) cell {
	return func(dst []byte, row int) []byte { return strconv.AppendInt(dst, int64(values[row]), 10) }
}

func uintCells[T uint8 | uint16 | uint32 | uint64](values []T) cell {
	return func(dst []byte, row int) []byte { return strconv.AppendUint(dst, uint64(values[row]), 10) }
}

// timestampCells appends `2024-02-29T23:59:59.999999Z`. Rows that follow each other often
// share their second, which is formatted once.
func timestampCells(a *array.Timestamp) cell {
	const secondMicros = 1_000_000
	cached := int64(math.MinInt64)
	var text []byte
	return func(dst []byte, row int) []byte {
		micros := int64(a.Value(row))
		fraction := micros % secondMicros
		if fraction < 0 {
			fraction += secondMicros
		}
		second := micros - fraction
		if second != cached || text == nil {
			text = types.AppendTimestamp(text[:0], second)
			cached = second
		}
		if text[len(text)-1] == ')' { // a year before Christ: as DuckDB writes it
			return types.AppendTimestamp(dst, micros)
		}
		at := len(dst)
		dst = append(dst, text...)
		dst[at+len(text)-len("15:04:05")-1] = 'T'
		if fraction > 0 {
			dst = appendFraction(dst, int(fraction))
		}
		return append(dst, 'Z')
	}
}

// appendFraction appends micros of a second without trailing zeros.
func appendFraction(dst []byte, micros int) []byte {
	digits := [7]byte{'.'}
	for i := 6; i > 0; i-- {
		digits[i] = byte('0' + micros%10)
		micros /= 10
	}
	end := len(digits)
	for digits[end-1] == '0' {
		end--
	}
	return append(dst, digits[:end]...)
}

// appendJSONText appends a text that is JSON, on one line.
func appendJSONText(dst []byte, text string) []byte {
	if !strings.ContainsAny(text, "\r\n") {
		return append(dst, text...)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(text)); err != nil {
		return appendQuoted(dst, text)
	}
	return append(dst, line.Bytes()...)
}

const hexDigits = "0123456789ABCDEF"

// appendQuoted appends a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// appendEscape appends one character that cannot stand in a JSON string.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
