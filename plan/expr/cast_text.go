package expr

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/internal/arrowtext"
	"ssql/sql/types"
)

// toText casts anything to VARCHAR, in the form that DuckDB writes.
func (c *caster) toText(f *frame, args []vec) (arrow.Array, error) {
	write := arrowtext.Cast.Text(arrow.Field{}, args[0].arr)
	return eachText(f, func(dst []byte, i int) ([]byte, error) { return write(dst, args[0].row(i)), nil })
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
