package render

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/arrowtext"
	"ssql/sql/types"
)

// cellsOf returns what appends the values of each column of a record as text.
func cellsOf(rec arrow.Record) []arrowtext.Cell {
	cells := make([]arrowtext.Cell, rec.NumCols())
	for i, f := range rec.Schema().Fields() {
		cells[i] = arrowtext.Console.Text(f, rec.Column(i))
	}
	return cells
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
