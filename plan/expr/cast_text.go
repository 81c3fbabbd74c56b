package expr

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/sql/types"
)

// toText casts anything to VARCHAR, in the form that DuckDB writes.
func (c *caster) toText(f *frame, args []vec) (arrow.Array, error) {
	write := writer(c.from, args[0].arr)
	return eachText(f, func(dst []byte, i int) ([]byte, error) { return write(dst, args[0].row(i)), nil })
}

// writer returns a function that appends the text of value i of an array, which is
// not NULL.
func writer(t types.Type, a arrow.Array) func(dst []byte, i int) []byte {
	switch t.Kind {
	case types.Boolean:
		return writeValues(a, strconv.AppendBool)
	case types.TinyInt:
		return writeValues(a, appendInteger64[int8])
	case types.SmallInt:
		return writeValues(a, appendInteger64[int16])
	case types.Int:
		return writeValues(a, appendInteger64[int32])
	case types.BigInt:
		return writeValues(a, appendInteger64[int64])
	case types.UTinyInt:
		return writeValues(a, appendInteger64[uint8])
	case types.USmallInt:
		return writeValues(a, appendInteger64[uint16])
	case types.UInt:
		return writeValues(a, appendInteger64[uint32])
	case types.UBigInt:
		return writeValues(a, appendInteger64[uint64])
	case types.Float:
		return writeValues(a, func(dst []byte, v float32) []byte { return types.AppendDouble(dst, float64(v), 32) })
	case types.Double:
		return writeValues(a, func(dst []byte, v float64) []byte { return types.AppendDouble(dst, v, 64) })
	case types.Varchar:
		return writeValues(a, func(dst []byte, v string) []byte { return append(dst, v...) })
	case types.Blob:
		return writeValues(a, types.AppendBlob[string])
	case types.Date:
		return writeValues(a, types.AppendDate)
	case types.Timestamp:
		return writeValues(a, types.AppendTimestamp)
	case types.IntervalKind:
		return writeValues(a, func(dst []byte, v interval) []byte {
			return append(dst, types.FormatInterval(types.IntervalOf(v))...)
		})
	case types.Decimal:
		return writeValues(a, func(dst []byte, v decimal128.Num) []byte { return appendDecimalText(dst, v, t) })
	}
	return nestedWriter(t, a)
}

func writeValues[T slot](a arrow.Array, write func(dst []byte, v T) []byte) func(dst []byte, i int) []byte {
	vals := valuesOf[T](a)
	return func(dst []byte, i int) []byte { return write(dst, vals[i]) }
}

// appendDecimalText leaves out the 0 ahead of the point when the type has no digits
// there, as DuckDB.
func appendDecimalText(dst []byte, v decimal128.Num, t types.Type) []byte {
	start := len(dst)
	dst = types.AppendDecimal(dst, v, t.Scale)
	if t.Precision == t.Scale {
		if v.Sign() < 0 {
			start++
		}
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// nestedWriter writes [a, b], {'k': v} for a struct and {k=v} for a map.
func nestedWriter(t types.Type, a arrow.Array) func(dst []byte, i int) []byte {
	switch t.Kind {
	case types.Null:
		return func(dst []byte, _ int) []byte { return append(dst, "NULL"...) }
	case types.Struct:
		s := a.(*array.Struct)
		fields := make([]func([]byte, int) []byte, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = nullableWriter(f.Type, s.Field(i))
		}
		return func(dst []byte, i int) []byte {
			dst = append(dst, '{')
			for j, write := range fields {
				if j > 0 {
					dst = append(dst, ", "...)
				}
				dst = append(append(append(dst, '\''), t.Fields[j].Name...), "': "...)
				dst = write(dst, i)
			}
			return append(dst, '}')
		}
	case types.List:
		l := a.(*array.List)
		write := nullableWriter(*t.Elem, l.ListValues())
		return func(dst []byte, i int) []byte {
			start, end := l.ValueOffsets(i)
			return append(writeRange(append(dst, '['), start, end, write), ']')
		}
	}
	m := a.(*array.Map)
	key, item := nullableWriter(*t.Key, m.Keys()), nullableWriter(*t.Elem, m.Items())
	entry := func(dst []byte, i int) []byte { return item(append(key(dst, i), '='), i) }
	return func(dst []byte, i int) []byte {
		start, end := m.ValueOffsets(i)
		return append(writeRange(append(dst, '{'), start, end, entry), '}')
	}
}

func nullableWriter(t types.Type, a arrow.Array) func(dst []byte, i int) []byte {
	write := writer(t, a)
	return func(dst []byte, i int) []byte {
		if a.IsNull(i) {
			return append(dst, "NULL"...)
		}
		return write(dst, i)
	}
}

func writeRange(dst []byte, start, end int64, write func([]byte, int) []byte) []byte {
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ", "...)
		}
		dst = write(dst, int(j))
	}
	return dst
}

// fromText returns the kernel that reads VARCHAR as any other type, nil if none.
func (c *caster) fromText() kernel {
	switch c.to.Kind {
	case types.Boolean:
		return readText(c, parseBool)
	case types.TinyInt:
		return readText(c, parseInteger[int8])
	case types.SmallInt:
		return readText(c, parseInteger[int16])
	case types.Int:
		return readText(c, parseInteger[int32])
	case types.BigInt:
		return readText(c, parseInteger[int64])
	case types.UTinyInt:
		return readText(c, parseInteger[uint8])
	case types.USmallInt:
		return readText(c, parseInteger[uint16])
	case types.UInt:
		return readText(c, parseInteger[uint32])
	case types.UBigInt:
		return readText(c, parseInteger[uint64])
	case types.Float:
		return readText(c, func(s string) (float32, bool) { v, ok := parseDouble(s, 32); return float32(v), ok })
	case types.Double:
		return readText(c, func(s string) (float64, bool) { return parseDouble(s, 64) })
	case types.Decimal:
		return readText(c, func(s string) (decimal128.Num, bool) {
			s, ok := stripUnderscores(s)
			v, fits := types.ParseDecimal(bytesOf(s), c.to.Precision, c.to.Scale)
			return v, ok && fits
		})
	case types.Date:
		return readText(c, func(s string) (int32, bool) { return types.ParseDate(bytesOf(s)) })
	case types.Timestamp:
		return readText(c, func(s string) (int64, bool) { v, _, ok := types.ParseTimestamp(bytesOf(s)); return v, ok })
	case types.IntervalKind:
		return readText(c, func(s string) (interval, bool) {
			i, ok := types.ParseInterval(s)
			v, fits := i.Arrow()
			return v, ok && fits
		})
	case types.Blob:
		return readText(c, parseBlob)
	case types.List, types.Struct, types.Map:
		return c.fromNestedText()
	}
	return nil
}

func readText[R slot](c *caster, parse func(s string) (R, bool)) kernel {
	return map1(func(s string) (R, error) {
		v, ok := parse(s)
		if !ok {
			return v, c.fail(s)
		}
		return v, nil
	})
}

func parseBool(s string) (v, ok bool) {
	switch strings.ToLower(s) {
	case "true", "t", "yes", "y", "1":
		return true, true
	case "false", "f", "no", "n", "0":
		return false, true
	}
	return false, false
}

// parseInteger reads a whole number; a fraction is rounded, halves away from zero,
// and exponents, 0x and 0b, underscores between digits and blanks around are taken,
// as in DuckDB.
func parseInteger[T integer](s string) (T, bool) {
	if v, ok := parseDigits[T](s); ok {
		return v, true
	}
	s, ok := stripUnderscores(strings.TrimSpace(s))
	if !ok {
		return 0, false
	}
	if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b') {
		v, err := strconv.ParseUint(s, 0, 64)
		return T(v), err == nil && uint64(T(v)) == v && T(v) >= 0
	}
	d, ok := types.ParseDecimal(bytesOf(s), types.DigitsMax, 0)
	if !ok {
		return 0, false
	}
	return decimalToInteger[T](d)
}

// parseDigits reads the plain form: a sign, then at most 18 digits.
func parseDigits[T integer](s string) (T, bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	v := int64(0)
	for i := 0; i < len(digits); i++ {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if len(digits) < len(s) {
		v = -v
	}
	return T(v), int64(T(v)) == v && (T(v) < 0) == (v < 0)
}

// stripUnderscores removes underscores; each must stand between digits.
func stripUnderscores(s string) (string, bool) {
	if strings.IndexByte(s, '_') < 0 {
		return s, true
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '_' && !(isDigit(i-1) && isDigit(i+1)) {
			return s, false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// parseDouble reads a number, inf or nan. A number beyond the range is infinite.
func parseDouble(s string, bits int) (float64, bool) {
	s, ok := stripUnderscores(strings.TrimSpace(s))
	if !ok || strings.ContainsAny(s, "xXpP") {
		return 0, false // the hexadecimal form of Go
	}
	if rest, cut := strings.CutPrefix(s, "-"); cut && strings.EqualFold(rest, "nan") {
		s = rest
	}
	v, err := strconv.ParseFloat(s, bits)
	if err != nil && math.IsInf(v, 0) {
		err = nil
	}
	return v, err == nil
}

// parseBlob reads ASCII in which \xAB stands for a byte.
func parseBlob(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		for i := range len(s) {
			if s[i] > '~' {
				return "", false
			}
		}
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] > '~':
			return "", false
		case s[i] != '\\':
			out = append(out, s[i])
		default:
			if i+3 >= len(s) || s[i+1] != 'x' {
				return "", false
			}
			v, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
			if err != nil {
				return "", false
			}
			out = append(out, byte(v))
			i += 3
		}
	}
	return string(out), true
}
