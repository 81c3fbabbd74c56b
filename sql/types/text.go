package types

import (
	"encoding/hex"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Strings gives one view of both Arrow forms of a VARCHAR column.
type Strings struct {
	plain *array.String
	dict  *array.Dictionary
	vals  *array.String
}

// StringsOf returns the view of a VARCHAR array; ok is false for any other array.
func StringsOf(a arrow.Array) (s Strings, ok bool) {
	switch a := a.(type) {
	case *array.String:
		return Strings{plain: a}, true
	case *array.Dictionary:
		vals, ok := a.Dictionary().(*array.String)
		return Strings{dict: a, vals: vals}, ok
	}
	return Strings{}, false
}

// Value returns the text of row i; "" for NULL.
func (s Strings) Value(i int) string {
	if s.plain != nil {
		return s.plain.Value(i)
	}
	if s.dict.IsNull(i) {
		return ""
	}
	return s.vals.Value(s.dict.GetValueIndex(i))
}

// Text returns the canonical text of one value, as stream scripts compare it:
// NULL, times in UTC without trailing zeros, doubles as the shortest text that
// reads back equal, strings quoted only where they could be misread.
func Text(a arrow.Array, i int) string { return text(a, i, false) }

func text(a arrow.Array, i int, nested bool) string {
	if a.IsNull(i) {
		return "NULL"
	}
	switch a := a.(type) {
	case *array.Null:
		return "NULL"
	case *array.String:
		return quoteText(a.Value(i), nested)
	case *array.Dictionary:
		return text(a.Dictionary(), a.GetValueIndex(i), nested)
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Float64:
		return FormatDouble(a.Value(i), 64)
	case *array.Float32:
		return FormatDouble(float64(a.Value(i)), 32)
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)
	case *array.Binary:
		return "x'" + hex.EncodeToString(a.Value(i)) + "'"
	case *array.Date32:
		return FormatDate(int32(a.Value(i)))
	case *array.Timestamp:
		return FormatTimestamp(int64(a.Value(i)))
	case *array.MonthDayNanoInterval:
		return FormatInterval(IntervalOf(a.Value(i)))
	case *array.Map:
		return mapText(a, i)
	case *array.List:
		start, end := a.ValueOffsets(i)
		parts := make([]string, 0, end-start)
		for j := start; j < end; j++ {
			parts = append(parts, text(a.ListValues(), int(j), true))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *array.Struct:
		fields := a.DataType().(*arrow.StructType).Fields()
		parts := make([]string, len(fields))
		for j, f := range fields {
			parts[j] = f.Name + ": " + text(a.Field(j), i, true)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return a.ValueStr(i)
}

func mapText(a *array.Map, i int) string {
	start, end := a.ValueOffsets(i)
	parts := make([]string, 0, end-start)
	for j := start; j < end; j++ {
		parts = append(parts, text(a.Keys(), int(j), true)+": "+text(a.Items(), int(j), true))
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// quoteText returns s, Go-quoted if a reader of a stream script could take it for
// something else (testdata/goldens/README.md).
func quoteText(s string, nested bool) string {
	switch {
	case s == "":
		return "''"
	case s == "NULL", s == ".", s == "----",
		strings.Contains(s, " | "), strings.ContainsAny(s, "\"'\n\r"),
		strings.HasPrefix(s, "|"), strings.HasSuffix(s, "|"),
		strings.TrimSpace(s) != s,
		nested && strings.ContainsAny(s, ",:[]{}"):
		return strconv.Quote(s)
	}
	return s
}

// FormatDouble returns the shortest text that reads back equal, in plain notation
// from 1e-6 up to 1e21 and with an exponent outside.
func FormatDouble(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0 && math.Signbit(v):
		return "-0"
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		s := strconv.FormatFloat(v, 'e', -1, bits)
		// Go writes at least two digits of exponent, the scripts write as few as needed.
		s = strings.Replace(strings.Replace(s, "e-0", "e-", 1), "e+0", "e+", 1)
		return s
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

// FormatTimestamp returns UTC microseconds as `2006-01-02 15:04:05[.ffffff]`,
// trailing zeros of the fraction cut; DuckDB's infinite times are `infinity` and
// `-infinity`.
func FormatTimestamp(micros int64) string { return string(AppendTimestamp(nil, micros)) }

// FormatDate returns days since 1970 as `2006-01-02`.
func FormatDate(days int32) string { return string(AppendDate(nil, days)) }

// AppendTimestamp appends the text of FormatTimestamp.
func AppendTimestamp(dst []byte, micros int64) []byte {
	switch micros {
	case math.MaxInt64:
		return append(dst, "infinity"...)
	case -math.MaxInt64:
		return append(dst, "-infinity"...)
	}
	days := floorDiv(micros, DayMicros)
	clock := micros - days*DayMicros
	dst = append(appendDay(dst, days), ' ')
	dst = appendTwo(dst, int(clock/hourMicros))
	dst = append(dst, ':')
	dst = appendTwo(dst, int(clock/minuteMicros%60))
	dst = append(dst, ':')
	dst = appendTwo(dst, int(clock/secondMicros%60))
	return appendFraction(dst, int(clock%secondMicros))
}

// AppendDate appends the text of FormatDate.
func AppendDate(dst []byte, days int32) []byte {
	switch days {
	case math.MaxInt32:
		return append(dst, "infinity"...)
	case -math.MaxInt32:
		return append(dst, "-infinity"...)
	}
	return appendDay(dst, int64(days))
}

// appendDay appends year, month and day, and DuckDB's ` (BC)` behind those of a year
// before 1.
func appendDay(dst []byte, days int64) []byte {
	year, month, day := DateOf(days)
	era := ""
	if year <= 0 {
		year, era = 1-year, " (BC)"
	}
	if year < 1000 {
		dst = append(dst, '0')
		if year < 100 {
			dst = append(dst, '0')
		}
		dst = appendTwo(dst, year)
	} else {
		dst = strconv.AppendInt(dst, int64(year), 10)
	}
	dst = append(dst, '-')
	dst = appendTwo(dst, month)
	dst = append(dst, '-')
	return append(appendTwo(dst, day), era...)
}

// appendTwo appends v with at least two digits.
func appendTwo(dst []byte, v int) []byte {
	if v < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(v), 10)
}
