package expr

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/sql/types"
)

// Values that an aggregate keeps without a fixed size are encoded so that comparing
// the bytes compares the values: NULL first, strings by bytes, NaN greatest, parts of a
// struct from left to right. A value is its tag and, unless NULL, its body:
//
//	0x01 NULL, 0x02 a value
//	BOOLEAN         one byte 0 or 1
//	integers, dates big endian in their width, the sign bit of signed ones flipped
//	FLOAT, DOUBLE   big endian; negative ones with all bits flipped, others with the sign bit
//	DECIMAL         16 bytes as an integer
//	INTERVAL        months, days, nanoseconds as integers
//	VARCHAR, BLOB   the bytes with 0x00 as 0x00 0xff, then 0x00 0x00
//	STRUCT          its fields
//	LIST            its elements, then 0x00
//	MAP             its keys and values in turn, then 0x00
//
// The bytes are on disk in the state of array_agg, min over structs and the like.
const (
	tagEnd   = 0
	tagNull  = 1
	tagValue = 2
)

// appendEncoded appends the value of one row.
func appendEncoded(dst []byte, a arrow.Array, row int) []byte {
	if a.IsNull(row) {
		return append(dst, tagNull)
	}
	if d, ok := a.(*array.Dictionary); ok {
		return appendEncoded(dst, d.Dictionary(), d.GetValueIndex(row))
	}
	dst = append(dst, tagValue)
	be := binary.BigEndian
	switch a := a.(type) {
	case *array.Boolean:
		return append(dst, bit(a.Value(row)))
	case *array.Int8:
		return append(dst, uint8(a.Value(row))^0x80)
	case *array.Int16:
		return be.AppendUint16(dst, uint16(a.Value(row))^1<<15)
	case *array.Int32:
		return be.AppendUint32(dst, uint32(a.Value(row))^1<<31)
	case *array.Int64:
		return be.AppendUint64(dst, uint64(a.Value(row))^1<<63)
	case *array.Uint8:
		return append(dst, a.Value(row))
	case *array.Uint16:
		return be.AppendUint16(dst, a.Value(row))
	case *array.Uint32:
		return be.AppendUint32(dst, a.Value(row))
	case *array.Uint64:
		return be.AppendUint64(dst, a.Value(row))
	case *array.Float32:
		return be.AppendUint32(dst, uint32(orderedBits(float64(a.Value(row)), true)))
	case *array.Float64:
		return be.AppendUint64(dst, orderedBits(a.Value(row), false))
	case *array.Date32:
		return be.AppendUint32(dst, uint32(a.Value(row))^1<<31)
	case *array.Timestamp:
		return be.AppendUint64(dst, uint64(a.Value(row))^1<<63)
	}
	return appendEncodedWide(dst, a, row)
}

// isZero reports whether a row of a FLOAT or DOUBLE column is 0 or -0. The two are equal,
// and their encodings are not: what is to be told apart by value is encoded by appendZero.
func isZero(a arrow.Array, row int) bool {
	switch a := a.(type) {
	case *array.Float32:
		return a.IsValid(row) && a.Value(row) == 0
	case *array.Float64:
		return a.IsValid(row) && a.Value(row) == 0
	}
	return false
}

// appendZero appends the 0 of a FLOAT or DOUBLE column.
func appendZero(dst []byte, a arrow.Array) []byte {
	dst = append(dst, tagValue)
	if a.DataType().ID() == arrow.FLOAT32 {
		return binary.BigEndian.AppendUint32(dst, uint32(orderedBits(0, true)))
	}
	return binary.BigEndian.AppendUint64(dst, orderedBits(0, false))
}

// appendEncodedWide is appendEncoded for types of more than 64 bits.
func appendEncodedWide(dst []byte, a arrow.Array, row int) []byte {
	be := binary.BigEndian
	switch a := a.(type) {
	case *array.Decimal128:
		v := a.Value(row)
		return be.AppendUint64(be.AppendUint64(dst, uint64(v.HighBits())^1<<63), v.LowBits())
	case *array.MonthDayNanoInterval:
		v := a.Value(row)
		dst = be.AppendUint32(dst, uint32(v.Months)^1<<31)
		dst = be.AppendUint32(dst, uint32(v.Days)^1<<31)
		return be.AppendUint64(dst, uint64(v.Nanoseconds)^1<<63)
	case *array.String:
		return appendEscaped(dst, bytesOf(a.Value(row)))
	case *array.Binary:
		return appendEscaped(dst, a.Value(row))
	case *array.Struct:
		for i := range a.NumField() {
			dst = appendEncoded(dst, a.Field(i), row)
		}
		return dst
	case *array.Map:
		start, end := a.ValueOffsets(row)
		for i := start; i < end; i++ {
			dst = appendEncoded(appendEncoded(dst, a.Keys(), int(i)), a.Items(), int(i))
		}
		return append(dst, tagEnd)
	case *array.List:
		start, end := a.ValueOffsets(row)
		for i := start; i < end; i++ {
			dst = appendEncoded(dst, a.ListValues(), int(i))
		}
		return append(dst, tagEnd)
	}
	return dst
}

// orderedBits returns the bits of a double, of a FLOAT in the low half, that compare
// as unsigned numbers like the values; every NaN is the same.
func orderedBits(v float64, narrow bool) uint64 {
	if math.IsNaN(v) {
		v = math.NaN()
	}
	if narrow {
		b := math.Float32bits(float32(v))
		if b>>31 != 0 {
			return uint64(^b)
		}
		return uint64(b | 1<<31)
	}
	b := math.Float64bits(v)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

func fromOrderedBits(b uint64) float64 {
	if b>>63 == 0 {
		return math.Float64frombits(^b)
	}
	return math.Float64frombits(b &^ (1 << 63))
}

func fromOrderedBits32(b uint32) float32 {
	if b>>31 == 0 {
		return math.Float32frombits(^b)
	}
	return math.Float32frombits(b &^ (1 << 31))
}

func appendEscaped(dst, b []byte) []byte {
	for _, c := range b {
		dst = append(dst, c)
		if c == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 0)
}

// encodedSize returns the length of the encoded value of type t that b begins with, or an error
// if b is damaged.
func encodedSize(t types.Type, b []byte) (int, error) {
	rest, err := skipEncoded(t, b)
	return len(b) - len(rest), err
}

var errEncoded = fmt.Errorf("a value that an aggregate kept is damaged")

func skipEncoded(t types.Type, b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errEncoded
	}
	if b[0] == tagNull {
		return b[1:], nil
	}
	if b = b[1:]; len(b) < encodedWidth[t.Kind] {
		return nil, errEncoded
	}
	b = b[encodedWidth[t.Kind]:]
	switch t.Kind {
	case types.Varchar, types.Blob:
		_, rest, err := unescape(nil, b)
		return rest, err
	case types.Struct:
		var err error
		for _, f := range t.Fields {
			if b, err = skipEncoded(f.Type, b); err != nil {
				return nil, err
			}
		}
	case types.List, types.Map:
		for len(b) > 0 && b[0] != tagEnd {
			var err error
			if t.Kind == types.Map {
				if b, err = skipEncoded(*t.Key, b); err != nil {
					return nil, err
				}
			}
			if b, err = skipEncoded(*t.Elem, b); err != nil {
				return nil, err
			}
		}
		if len(b) == 0 {
			return nil, errEncoded
		}
		return b[1:], nil
	}
	return b, nil
}

// encodedWidth is the body of the types that have a fixed one.
var encodedWidth = [...]int{
	types.Boolean: 1, types.TinyInt: 1, types.SmallInt: 2, types.Int: 4, types.BigInt: 8,
	types.UTinyInt: 1, types.USmallInt: 2, types.UInt: 4, types.UBigInt: 8, types.Float: 4, types.Double: 8,
	types.Decimal: 16, types.Date: 4, types.Timestamp: 8, types.IntervalKind: 16, types.Map: 0,
}

// unescape appends the string that b begins with and returns what follows.
func unescape(dst, b []byte) (text, rest []byte, err error) {
	for i := 0; i+1 < len(b); i++ {
		switch {
		case b[i] != 0:
			dst = append(dst, b[i])
		case b[i+1] == 0xff:
			dst = append(dst, 0)
			i++
		case b[i+1] == 0:
			return dst, b[i+2:], nil
		default:
			return nil, nil, errEncoded
		}
	}
	return nil, nil, errEncoded
}

// decodeInto appends the encoded value that p begins with to a builder of t and
// returns what follows.
func decodeInto(b array.Builder, t types.Type, p []byte) ([]byte, error) {
	if len(p) == 0 {
		return nil, errEncoded
	}
	if p[0] == tagNull {
		b.AppendNull()
		return p[1:], nil
	}
	p = p[1:]
	width := encodedWidth[t.Kind]
	if len(p) < width {
		return nil, errEncoded
	}
	if width > 0 {
		decodeFixed(b, p[:width])
		return p[width:], nil
	}
	return decodeNested(b, t, p)
}

func decodeFixed(b array.Builder, p []byte) {
	be := binary.BigEndian
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(p[0] != 0)
	case *array.Int8Builder:
		b.Append(int8(p[0] ^ 0x80))
	case *array.Int16Builder:
		b.Append(int16(be.Uint16(p) ^ 1<<15))
	case *array.Int32Builder:
		b.Append(int32(be.Uint32(p) ^ 1<<31))
	case *array.Int64Builder:
		b.Append(int64(be.Uint64(p) ^ 1<<63))
	case *array.Uint8Builder:
		b.Append(p[0])
	case *array.Uint16Builder:
		b.Append(be.Uint16(p))
	case *array.Uint32Builder:
		b.Append(be.Uint32(p))
	case *array.Uint64Builder:
		b.Append(be.Uint64(p))
	case *array.Float32Builder:
		b.Append(fromOrderedBits32(be.Uint32(p)))
	case *array.Float64Builder:
		b.Append(fromOrderedBits(be.Uint64(p)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(be.Uint32(p) ^ 1<<31))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(be.Uint64(p) ^ 1<<63))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(int64(be.Uint64(p)^1<<63), be.Uint64(p[8:])))
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(arrow.MonthDayNanoInterval{
			Months: int32(be.Uint32(p) ^ 1<<31), Days: int32(be.Uint32(p[4:]) ^ 1<<31),
			Nanoseconds: int64(be.Uint64(p[8:]) ^ 1<<63),
		})
	}
}

func decodeNested(b array.Builder, t types.Type, p []byte) ([]byte, error) {
	var err error
	switch b := b.(type) {
	case *array.StringBuilder:
		var text []byte
		if text, p, err = unescape(nil, p); err == nil {
			b.Append(string(text))
		}
	case *array.BinaryBuilder:
		var text []byte
		if text, p, err = unescape(nil, p); err == nil {
			b.Append(text)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i, f := range t.Fields {
			if p, err = decodeInto(b.FieldBuilder(i), f.Type, p); err != nil {
				return nil, err
			}
		}
	case *array.MapBuilder:
		b.Append(true)
		return decodeItems(p, func(p []byte) ([]byte, error) {
			if p, err = decodeInto(b.KeyBuilder(), *t.Key, p); err != nil {
				return nil, err
			}
			return decodeInto(b.ItemBuilder(), *t.Elem, p)
		})
	case *array.ListBuilder:
		b.Append(true)
		return decodeItems(p, func(p []byte) ([]byte, error) { return decodeInto(b.ValueBuilder(), *t.Elem, p) })
	}
	return p, err
}

func decodeItems(p []byte, item func(p []byte) ([]byte, error)) ([]byte, error) {
	var err error
	for len(p) > 0 && p[0] != tagEnd {
		if p, err = item(p); err != nil {
			return nil, err
		}
	}
	if len(p) == 0 {
		return nil, errEncoded
	}
	return p[1:], nil
}
