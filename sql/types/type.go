// Package types is the one type table of ssql: the SQL types a column can have,
// their names, how each is held in Arrow, and the canonical text of each value.
//
// It is the vocabulary of every layer above it and knows nothing of SQL text,
// plans or storage.
package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// Kind is the head of a type.
type Kind uint8

// The kinds, in the order of docs/SEMANTICS.md. Null is the type of a bare NULL.
const (
	Null Kind = iota
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	UTinyInt
	USmallInt
	UInt
	UBigInt
	Float
	Double
	Decimal
	Varchar
	Blob
	Date
	Timestamp // an instant: UTC microseconds
	IntervalKind
	Struct
	List
	Map
)

// Type is a SQL type. The zero value is the type of NULL. Types are values and
// are compared with Equal.
type Type struct {
	Kind      Kind
	Precision int32   // Decimal: digits in all, 1 to 38
	Scale     int32   // Decimal: digits after the point
	Fields    []Field // Struct
	Elem      *Type   // List element, Map value
	Key       *Type   // Map key
	// JSON says of a VARCHAR that its texts are JSON, which DuckDB calls the type JSON:
	// it is a VARCHAR to all that computes, and a value of its own where JSON is written.
	JSON bool
}

// Field is a named and typed column, or field of a struct.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
}

// Of returns the type of a kind without parameters.
func Of(k Kind) Type { return Type{Kind: k} }

// DecimalOf returns DECIMAL(precision, scale).
func DecimalOf(precision, scale int32) Type {
	return Type{Kind: Decimal, Precision: precision, Scale: scale}
}

// ListOf returns a list of elem.
func ListOf(elem Type) Type { return Type{Kind: List, Elem: &elem} }

// MapOf returns a map.
func MapOf(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// StructOf returns a struct.
func StructOf(fields ...Field) Type { return Type{Kind: Struct, Fields: fields} }

var kindNames = [...]string{
	Null: "NULL", Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT", Int: "INTEGER",
	BigInt: "BIGINT", UTinyInt: "UTINYINT", USmallInt: "USMALLINT", UInt: "UINTEGER", UBigInt: "UBIGINT",
	Float: "FLOAT", Double: "DOUBLE", Decimal: "DECIMAL", Varchar: "VARCHAR", Blob: "BLOB", Date: "DATE",
	Timestamp: "TIMESTAMP", IntervalKind: "INTERVAL", Struct: "STRUCT", List: "LIST", Map: "MAP",
}

// String returns the canonical SQL spelling, which DuckDB reads too.
func (t Type) String() string {
	switch t.Kind {
	case Varchar:
		if t.JSON {
			return "JSON"
		}
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case List:
		return t.Elem.String() + "[]"
	case Map:
		return "MAP(" + t.Key.String() + ", " + t.Elem.String() + ")"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = QuoteIdent(f.Name) + " " + f.Type.String()
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	return kindNames[t.Kind]
}

// QuoteText returns a text in single quotes: a literal of SQL.
func QuoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// QuoteIdent returns a name in double quotes.
func QuoteIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// JSONText is the type of texts that are JSON.
var JSONText = Type{Kind: Varchar, JSON: true}

// HasJSON reports whether t is JSON or has parts that are.
func (t Type) HasJSON() bool {
	switch t.Kind {
	case Varchar:
		return t.JSON
	case List:
		return t.Elem.HasJSON()
	case Map:
		return t.Key.HasJSON() || t.Elem.HasJSON()
	case Struct:
		return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.HasJSON() })
	}
	return false
}

// Plain returns t with VARCHAR in the place of JSON.
func (t Type) Plain() Type {
	if !t.HasJSON() {
		return t
	}
	switch t.Kind {
	case List:
		return ListOf(t.Elem.Plain())
	case Map:
		return MapOf(t.Key.Plain(), t.Elem.Plain())
	case Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			fields[i].Type = fields[i].Type.Plain()
		}
		return StructOf(fields...)
	}
	return Of(Varchar)
}

// Same is Equal for types that agree also on which of their texts are JSON.
func (t Type) Same(u Type) bool {
	return t.Equal(u) && (t.HasJSON() == u.HasJSON() && (!t.HasJSON() || t.String() == u.String()))
}

// Equal reports whether the values of two types are the same, struct field names compared
// without case, nullability ignored, and JSON the VARCHAR that it is.
func (t Type) Equal(u Type) bool {
	if t.Kind != u.Kind {
		return false
	}
	switch t.Kind {
	case Decimal:
		return t.Precision == u.Precision && t.Scale == u.Scale
	case List:
		return t.Elem.Equal(*u.Elem)
	case Map:
		return t.Key.Equal(*u.Key) && t.Elem.Equal(*u.Elem)
	case Struct:
		if len(t.Fields) != len(u.Fields) {
			return false
		}
		for i := range t.Fields {
			if !strings.EqualFold(t.Fields[i].Name, u.Fields[i].Name) || !t.Fields[i].Type.Equal(u.Fields[i].Type) {
				return false
			}
		}
	}
	return true
}

// IsInteger reports whether values are whole numbers of 64 bits or fewer.
func (t Type) IsInteger() bool { return t.Kind >= TinyInt && t.Kind <= UBigInt }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return t.Kind >= TinyInt && t.Kind <= BigInt }

// IsFloat reports whether t is FLOAT or DOUBLE.
func (t Type) IsFloat() bool { return t.Kind == Float || t.Kind == Double }

// IsNumeric reports whether arithmetic is defined on t.
func (t Type) IsNumeric() bool { return t.IsInteger() || t.IsFloat() || t.Kind == Decimal }

// IsNested reports whether values have parts.
func (t Type) IsNested() bool { return t.Kind == Struct || t.Kind == List || t.Kind == Map }

// Field returns the field of a struct with a name, compared without case.
func (t Type) Field(name string) (index int, f Field, ok bool) {
	for i, f := range t.Fields {
		if strings.EqualFold(f.Name, name) {
			return i, f, true
		}
	}
	return -1, Field{}, false
}

// Interval is a span of calendar and clock time, DuckDB's three parts.
type Interval struct {
	Months int32
	Days   int32
	Micros int64
}

// DayMicros is the length of a day without leap seconds, in microseconds.
const DayMicros = int64(24 * 60 * 60 * 1_000_000)

// FixedMicros returns the length when the interval has no months; ok is false if
// it has, since a month has no fixed length.
func (i Interval) FixedMicros() (micros int64, ok bool) {
	return int64(i.Days)*DayMicros + i.Micros, i.Months == 0
}

// DelayMicros returns the length with a month taken as 31 days: Spark's rule for
// the delay of a watermark (docs/SEMANTICS.md, Watermarks).
func (i Interval) DelayMicros() int64 {
	return (int64(i.Months)*31+int64(i.Days))*DayMicros + i.Micros
}

// ArrowTimestamp is the Arrow type of TIMESTAMP: microseconds since 1970 in UTC,
// without a zone in the type, so that DuckDB stores TIMESTAMP and needs no ICU.
var ArrowTimestamp = &arrow.TimestampType{Unit: arrow.Microsecond}

// ArrowDictionary is the Arrow type of a VARCHAR column whose producer has
// interned its values. Every consumer of VARCHAR takes both forms; see Strings.
var ArrowDictionary = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// Arrow returns the Arrow type that holds values of t. VARCHAR is String here; a
// chunk may hold ArrowDictionary instead.
func (t Type) Arrow() arrow.DataType {
	switch t.Kind {
	case Null:
		return arrow.Null
	case Boolean:
		return arrow.FixedWidthTypes.Boolean
	case TinyInt:
		return arrow.PrimitiveTypes.Int8
	case SmallInt:
		return arrow.PrimitiveTypes.Int16
	case Int:
		return arrow.PrimitiveTypes.Int32
	case BigInt:
		return arrow.PrimitiveTypes.Int64
	case UTinyInt:
		return arrow.PrimitiveTypes.Uint8
	case USmallInt:
		return arrow.PrimitiveTypes.Uint16
	case UInt:
		return arrow.PrimitiveTypes.Uint32
	case UBigInt:
		return arrow.PrimitiveTypes.Uint64
	case Float:
		return arrow.PrimitiveTypes.Float32
	case Double:
		return arrow.PrimitiveTypes.Float64
	case Decimal:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case Varchar:
		return arrow.BinaryTypes.String
	case Blob:
		return arrow.BinaryTypes.Binary
	case Date:
		return arrow.PrimitiveTypes.Date32
	case Timestamp:
		return ArrowTimestamp
	case IntervalKind:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	case Struct:
		fields := make([]arrow.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = arrowField(f.Name, f.Type)
		}
		return arrow.StructOf(fields...)
	case List:
		return arrow.ListOfField(arrowField("item", *t.Elem))
	case Map:
		return arrow.MapOfWithMetadata(t.Key.Arrow(), arrow.Metadata{}, t.Elem.Arrow(), arrowField("value", *t.Elem).Metadata)
	}
	panic("types: no Arrow type for kind " + kindNames[t.Kind])
}

// ArrowSchema returns the Arrow schema of a list of fields.
func ArrowSchema(fields []Field) *arrow.Schema {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = arrowField(f.Name, f.Type)
	}
	return arrow.NewSchema(out, nil)
}

// arrowField returns the Arrow field of a column or of a part of a value; what is JSON is
// marked, since Arrow has no type for it.
func arrowField(name string, t Type) arrow.Field {
	f := arrow.Field{Name: name, Type: t.Arrow(), Nullable: true}
	if t.JSON {
		f.Metadata = NameMetadata(t.String())
	}
	return f
}

// IsJSONField reports whether a field of a type or schema made by this package is JSON.
func IsJSONField(f arrow.Field) bool {
	name, ok := f.Metadata.GetValue(NameKey)
	return ok && name == JSONText.String()
}
