package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/float16"

	"ssql/sql/types"
)

// AppendText appends value i of a as DuckDB spells it: doubles with a point,
// lists in brackets, structs as {'name': value}. NULL is the word NULL; callers
// that spell it otherwise ask a.IsNull first.
func AppendText(dst []byte, a arrow.Array, i int) []byte {
	if a.IsNull(i) {
		return append(dst, "NULL"...)
	}
	switch a := a.(type) {
	case *array.Null:
		return append(dst, "NULL"...)
	case *array.String:
		return append(dst, a.Value(i)...)
	case *array.LargeString:
		return append(dst, a.Value(i)...)
	case *array.Dictionary:
		return AppendText(dst, a.Dictionary(), a.GetValueIndex(i))
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(i))
	case *array.Float64:
		return types.AppendDouble(dst, a.Value(i), 64)
	case *array.Float32:
		return types.AppendDouble(dst, float64(a.Value(i)), 32)
	case *array.Float16:
		return types.AppendDouble(dst, float64(float16.Num(a.Value(i)).Float32()), 32)
	case *array.Decimal128:
		return append(dst, a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)...)
	}
	if b, ok := bytesOf(a, i); ok {
		return types.AppendBlob(dst, b)
	}
	if out, ok := appendInteger(dst, a, i); ok {
		return out
	}
	if out, ok := appendTime(dst, a, i); ok {
		return out
	}
	return appendNested(dst, a, i)
}

// bytesOf returns value i of a column of bytes; ok is false for any other column.
func bytesOf(a arrow.Array, i int) (b []byte, ok bool) {
	switch a := a.(type) {
	case *array.Binary:
		return a.Value(i), true
	case *array.LargeBinary:
		return a.Value(i), true
	case *array.FixedSizeBinary:
		return a.Value(i), true
	}
	return nil, false
}

// appendInteger is the part of AppendText for whole numbers.
func appendInteger(dst []byte, a arrow.Array, i int) ([]byte, bool) {
	switch a := a.(type) {
	case *array.Int8:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), true
	case *array.Int16:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), true
	case *array.Int32:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), true
	case *array.Int64:
		return strconv.AppendInt(dst, a.Value(i), 10), true
	case *array.Uint8:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), true
	case *array.Uint16:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), true
	case *array.Uint32:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), true
	case *array.Uint64:
		return strconv.AppendUint(dst, a.Value(i), 10), true
	}
	return dst, false
}

// appendTime is the part of AppendText for dates, times and intervals.
func appendTime(dst []byte, a arrow.Array, i int) ([]byte, bool) {
	switch a := a.(type) {
	case *array.Date32:
		return types.AppendDate(dst, int32(a.Value(i))), true
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		if t.Unit == arrow.Microsecond {
			dst = types.AppendTimestamp(dst, int64(a.Value(i)))
		} else {
			dst = a.Value(i).ToTime(t.Unit).UTC().AppendFormat(dst, "2006-01-02 15:04:05.999999999")
		}
		if t.TimeZone != "" {
			dst = append(dst, "+00"...)
		}
		return dst, true
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return a.Value(i).ToTime(unit).AppendFormat(dst, "15:04:05.999999"), true
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return a.Value(i).ToTime(unit).AppendFormat(dst, "15:04:05.999999"), true
	case *array.MonthDayNanoInterval:
		return appendInterval(dst, a.Value(i)), true
	case *array.Duration:
		unit := a.DataType().(*arrow.DurationType).Unit
		return appendClock(dst, int64(a.Value(i))*int64(unit.Multiplier())), true
	}
	return dst, false
}

// appendNested is the part of AppendText for values with parts.
func appendNested(dst []byte, a arrow.Array, i int) []byte {
	switch a := a.(type) {
	case *array.Map:
		start, end := a.ValueOffsets(i)
		dst = append(dst, '{')
		for j := int(start); j < int(end); j++ {
			if j > int(start) {
				dst = append(dst, ", "...)
			}
			dst = append(AppendText(dst, a.Keys(), j), '=')
			dst = AppendText(dst, a.Items(), j)
		}
		return append(dst, '}')
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		dst = append(dst, '[')
		for j := int(start); j < int(end); j++ {
			if j > int(start) {
				dst = append(dst, ", "...)
			}
			dst = AppendText(dst, a.ListValues(), j)
		}
		return append(dst, ']')
	case *array.Struct:
		fields := a.DataType().(*arrow.StructType).Fields()
		dst = append(dst, '{')
		for j, f := range fields {
			if j > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(dst, '\'')
			dst = append(dst, strings.ReplaceAll(f.Name, "'", "''")...)
			dst = append(dst, "': "...)
			dst = AppendText(dst, a.Field(j), i)
		}
		return append(dst, '}')
	case array.Union:
		return AppendText(dst, a.Field(a.ChildID(i)), unionRow(a, i))
	}
	return append(dst, a.ValueStr(i)...)
}

func unionRow(a array.Union, i int) int {
	if d, ok := a.(*array.DenseUnion); ok {
		return int(d.ValueOffset(i))
	}
	return i
}

// appendInterval writes an interval as DuckDB does: 1 year 2 months 3 days 04:05:06.
func appendInterval(dst []byte, v arrow.MonthDayNanoInterval) []byte {
	start := len(dst)
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = append(strconv.AppendInt(dst, n, 10), ' ')
		dst = append(dst, unit...)
		if n != 1 && n != -1 {
			dst = append(dst, 's')
		}
	}
	part(int64(v.Months/12), "year")
	part(int64(v.Months%12), "month")
	part(int64(v.Days), "day")
	if v.Nanoseconds == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	return appendClock(dst, v.Nanoseconds)
}

func appendClock(dst []byte, nanos int64) []byte {
	if nanos < 0 {
		dst = append(dst, '-')
		nanos = -nanos
	}
	d := time.Duration(nanos)
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", int64(d.Hours()), int64(d.Minutes())%60, int64(d.Seconds())%60)
	if micros := nanos / 1000 % 1_000_000; micros != 0 {
		dst = append(dst, strings.TrimRight(fmt.Sprintf(".%06d", micros), "0")...)
	}
	return dst
}

// typeName returns the SQL name of an Arrow type, as DuckDB would call the column.
func typeName(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return typeName(t.ValueType)
	case *arrow.TimestampType:
		return timestampNames[t.Unit][btoi(t.TimeZone != "")]
	case *arrow.Decimal128Type:
		return types.DecimalOf(t.Precision, t.Scale).String()
	case *arrow.MapType:
		return "MAP(" + typeName(t.KeyType()) + ", " + typeName(t.ItemType()) + ")"
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("%s[%d]", typeName(t.Elem()), t.Len())
	case arrow.ListLikeType:
		return typeName(t.Elem()) + "[]"
	case *arrow.StructType:
		parts := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			parts[i] = f.Name + " " + typeName(f.Type)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	if name, ok := plainNames[t.ID()]; ok {
		return name
	}
	return strings.ToUpper(t.Name())
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// timestampNames are DuckDB's, by unit, without and with a zone.
var timestampNames = map[arrow.TimeUnit][2]string{
	arrow.Second:      {"TIMESTAMP_S", "TIMESTAMP WITH TIME ZONE"},
	arrow.Millisecond: {"TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE"},
	arrow.Microsecond: {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE"},
	arrow.Nanosecond:  {"TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"},
}

var plainNames = map[arrow.Type]string{
	arrow.BINARY:                  "BLOB",
	arrow.BOOL:                    "BOOLEAN",
	arrow.DATE32:                  "DATE",
	arrow.DENSE_UNION:             "UNION",
	arrow.DURATION:                "INTERVAL",
	arrow.FIXED_SIZE_BINARY:       "BLOB",
	arrow.FLOAT32:                 "FLOAT",
	arrow.FLOAT64:                 "DOUBLE",
	arrow.INT16:                   "SMALLINT",
	arrow.INT32:                   "INTEGER",
	arrow.INT64:                   "BIGINT",
	arrow.INT8:                    "TINYINT",
	arrow.INTERVAL_MONTH_DAY_NANO: "INTERVAL",
	arrow.LARGE_BINARY:            "BLOB",
	arrow.LARGE_STRING:            "VARCHAR",
	arrow.NULL:                    "NULL",
	arrow.SPARSE_UNION:            "UNION",
	arrow.STRING:                  "VARCHAR",
	arrow.TIME32:                  "TIME",
	arrow.TIME64:                  "TIME",
	arrow.UINT16:                  "USMALLINT",
	arrow.UINT32:                  "UINTEGER",
	arrow.UINT64:                  "UBIGINT",
	arrow.UINT8:                   "UTINYINT",
}
