package arrowtext

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// Text returns what appends the values of a column as text. NULL is the word NULL, as it
// is within nested values; who spells it otherwise asks IsNull first. f declares the
// column as for JSON, which nested values may be written as.
func (s Style) Text(f arrow.Field, a arrow.Array) Cell {
	return orNull(a, "NULL", s.textValues(f, a))
}

// textValues is Text for rows that are not NULL.
func (s Style) textValues(f arrow.Field, a arrow.Array) Cell {
	if texts, ok := types.StringsOf(a); ok {
		return func(dst []byte, row int) []byte { return append(dst, texts.Value(row)...) }
	}
	if c := integers(a); c != nil {
		return c
	}
	if c := s.bytes(a); c != nil {
		return c
	}
	switch a := a.(type) {
	case *array.LargeString:
		return func(dst []byte, row int) []byte { return append(dst, a.Value(row)...) }
	case *array.Dictionary:
		values := s.textValues(f, a.Dictionary())
		return func(dst []byte, row int) []byte { return values(dst, a.GetValueIndex(row)) }
	case *array.Boolean:
		return func(dst []byte, row int) []byte { return strconv.AppendBool(dst, a.Value(row)) }
	case *array.Float64:
		return doubles(s, a.Float64Values(), 64)
	case *array.Float32:
		return doubles(s, a.Float32Values(), 32)
	case *array.Float16:
		values := make([]float32, a.Len())
		for i, v := range a.Values() {
			values[i] = v.Float32()
		}
		return doubles(s, values, 32)
	case *array.Decimal128:
		return s.decimals(a)
	case *array.Null:
		return func(dst []byte, _ int) []byte { return dst }
	}
	if c := s.times(a); c != nil {
		return c
	}
	return s.nested(f, a)
}

// integers is textValues for whole numbers; nil for any other array.
func integers(a arrow.Array) Cell {
	switch a := a.(type) {
	case *array.Int8:
		return signed(a.Int8Values())
	case *array.Int16:
		return signed(a.Int16Values())
	case *array.Int32:
		return signed(a.Int32Values())
	case *array.Int64:
		return signed(a.Int64Values())
	case *array.Uint8:
		return unsigned(a.Uint8Values())
	case *array.Uint16:
		return unsigned(a.Uint16Values())
	case *array.Uint32:
		return unsigned(a.Uint32Values())
	case *array.Uint64:
		return unsigned(a.Uint64Values())
	}
	return nil
}

func signed[T int8 | int16 | int32 | int64](values []T) Cell {
	return func(dst []byte, row int) []byte { return strconv.AppendInt(dst, int64(values[row]), 10) }
}

func unsigned[T uint8 | uint16 | uint32 | uint64](values []T) Cell {
	return func(dst []byte, row int) []byte { return strconv.AppendUint(dst, uint64(values[row]), 10) }
}

// bytes is textValues for bytes; nil for any other array.
func (s Style) bytes(a arrow.Array) Cell {
	b, ok := a.(interface{ Value(row int) []byte })
	if !ok {
		return nil
	}
	if s.Base64 {
		return func(dst []byte, row int) []byte { return base64.StdEncoding.AppendEncode(dst, b.Value(row)) }
	}
	return func(dst []byte, row int) []byte { return types.AppendBlob(dst, b.Value(row)) }
}

func doubles[T float32 | float64](s Style, values []T, bits int) Cell {
	if !s.NaNInfinity {
		return func(dst []byte, row int) []byte { return types.AppendDouble(dst, float64(values[row]), bits) }
	}
	return func(dst []byte, row int) []byte {
		v := float64(values[row])
		switch {
		case math.IsNaN(v):
			return append(dst, "NaN"...)
		case math.IsInf(v, 1):
			return append(dst, "Infinity"...)
		case math.IsInf(v, -1):
			return append(dst, "-Infinity"...)
		}
		return types.AppendDouble(dst, v, bits)
	}
}

func (s Style) decimals(a *array.Decimal128) Cell {
	t := a.DataType().(*arrow.Decimal128Type)
	if !s.BareFractions || t.Precision > t.Scale {
		return func(dst []byte, row int) []byte { return types.AppendDecimal(dst, a.Value(row), t.Scale) }
	}
	return func(dst []byte, row int) []byte {
		v, zero := a.Value(row), len(dst)
		dst = types.AppendDecimal(dst, v, t.Scale)
		if v.Sign() < 0 {
			zero++
		}
		return append(dst[:zero], dst[zero+1:]...)
	}
}

// nested is textValues for values with parts, and for what no type of ours is held in.
func (s Style) nested(f arrow.Field, a arrow.Array) Cell {
	if u, ok := a.(array.Union); ok {
		return unionCell(u, s.textValues)
	}
	if s.NestedJSON {
		switch a.(type) {
		case *array.Struct, array.ListLike: // a map is a list of entries
			return s.jsonValues(f, a)
		}
	}
	switch a := a.(type) {
	case *array.Struct:
		return s.structs(f, a)
	case *array.Map:
		key, item := s.Text(arrow.Field{}, a.Keys()), s.Text(valueField(f, a), a.Items())
		return listCell(a, "{", ", ", "}", func(dst []byte, row int) []byte { return item(append(key(dst, row), '='), row) })
	case array.ListLike:
		return listCell(a, "[", ", ", "]", s.Text(itemField(f, a), a.ListValues()))
	}
	return func(dst []byte, row int) []byte { return append(dst, a.ValueStr(row)...) }
}

// structs writes {'name': value}; DuckDB does not double quotes within a name.
func (s Style) structs(f arrow.Field, a *array.Struct) Cell {
	fields := structFields(f, a)
	cells := make([]Cell, len(fields))
	for i, f := range fields {
		cells[i] = s.Text(f, a.Field(i))
	}
	return func(dst []byte, row int) []byte {
		dst = append(dst, '{')
		for i, c := range cells {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(append(append(dst, '\''), fields[i].Name...), "': "...)
			dst = c(dst, row)
		}
		return append(dst, '}')
	}
}
