package op

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Rows that an operator keeps one by one, such as the buffered rows of a join, are
// held as bytes: per column one byte 0 for NULL or 1 and the value. Numbers and
// times are little endian in their width; strings, binary and lists carry their
// length first; structs are their fields in order. The bytes are on disk (as
// payload of state.Multimap) and are drawn in docs/state-format.md.

// encoder appends the value of one row of one column.
type encoder func(dst []byte, row int) []byte

// rowEncoders returns the encoders of columns whose values come back as they were.
func rowEncoders(cols []arrow.Array) ([]encoder, error) { return encoders(cols, false) }

// keyEncoders returns encoders whose bytes can be a key: equal values have equal bytes, because
// -0 is 0, every NaN is the same and 24 hours are a day.
func keyEncoders(cols []arrow.Array) ([]encoder, error) { return encoders(cols, true) }

func encoders(cols []arrow.Array, canonical bool) ([]encoder, error) {
	out := make([]encoder, len(cols))
	for i, a := range cols {
		e, err := encoderOf(a, canonical)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// encodeRow appends the values of one row of all columns.
func encodeRow(dst []byte, enc []encoder, row int) []byte {
	for _, e := range enc {
		dst = e(dst, row)
	}
	return dst
}

// encodeRows returns the canonical bytes of each of n rows.
func encodeRows(cols []arrow.Array, n int) ([][]byte, error) {
	enc, err := keyEncoders(cols)
	if err != nil {
		return nil, err
	}
	rows, ends := make([][]byte, n), make([]int, n)
	var arena []byte
	for row := range n {
		arena = encodeRow(arena, enc, row)
		ends[row] = len(arena)
	}
	start := 0
	for row, end := range ends {
		rows[row], start = arena[start:end:end], end
	}
	return rows, nil
}

func encoderOf(a arrow.Array, canonical bool) (encoder, error) {
	value, err := valueEncoder(a, canonical)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, row int) []byte {
		if a.IsNull(row) {
			return append(dst, 0)
		}
		return value(append(dst, 1), row)
	}, nil
}

func valueEncoder(a arrow.Array, canonical bool) (encoder, error) {
	if s, ok := types.StringsOf(a); ok {
		return func(dst []byte, row int) []byte { return appendText(dst, s.Value(row)) }, nil
	}
	switch a := a.(type) {
	case *array.Null:
		return func(dst []byte, _ int) []byte { return dst }, nil
	case *array.Boolean:
		return func(dst []byte, row int) []byte {
			if a.Value(row) {
				return append(dst, 1)
			}
			return append(dst, 0)
		}, nil
	case *array.Binary:
		return func(dst []byte, row int) []byte {
			b := a.Value(row)
			return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
		}, nil
	case *array.Float32:
		return func(dst []byte, row int) []byte {
			v := a.Value(row)
			if canonical {
				v = float32(canonicalDouble(float64(v)))
			}
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}, nil
	case *array.Float64:
		return func(dst []byte, row int) []byte {
			v := a.Value(row)
			if canonical {
				v = canonicalDouble(v)
			}
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}, nil
	case *array.MonthDayNanoInterval:
		return func(dst []byte, row int) []byte {
			v := a.Value(row)
			if canonical {
				v = expr.NormalInterval(v)
			}
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v.Months))
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v.Days))
			return binary.LittleEndian.AppendUint64(dst, uint64(v.Nanoseconds))
		}, nil
	case *array.Struct:
		return structEncoder(a, canonical)
	case *array.Map:
		return listEncoder(a.List, canonical)
	case *array.List:
		return listEncoder(a, canonical)
	}
	if fixed, ok := a.DataType().(arrow.FixedWidthDataType); ok {
		width := fixed.BitWidth() / 8
		data := a.Data()
		var bytes []byte
		if buf := data.Buffers()[1]; buf != nil { // nil when there is no value at all, as in empty lists
			bytes = buf.Bytes()[data.Offset()*width:]
		}
		return func(dst []byte, row int) []byte { return append(dst, bytes[row*width:(row+1)*width]...) }, nil
	}
	return nil, fmt.Errorf("rows with a column of type %s cannot be kept", a.DataType())
}

func canonicalDouble(v float64) float64 {
	if v == 0 {
		return 0 // also -0
	}
	if v != v {
		return math.NaN()
	}
	return v
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func structEncoder(a *array.Struct, canonical bool) (encoder, error) {
	fields := make([]arrow.Array, a.NumField())
	for i := range fields {
		fields[i] = a.Field(i)
	}
	parts, err := encoders(fields, canonical)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, row int) []byte {
		for _, p := range parts {
			dst = p(dst, row)
		}
		return dst
	}, nil
}

func listEncoder(a *array.List, canonical bool) (encoder, error) {
	elem, err := encoderOf(a.ListValues(), canonical)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, row int) []byte {
		start, end := a.ValueOffsets(row)
		dst = binary.AppendUvarint(dst, uint64(end-start))
		for j := start; j < end; j++ {
			dst = elem(dst, int(j))
		}
		return dst
	}, nil
}

// decoder appends the value at the head of b to its column and returns the rest.
type decoder func(b []byte) ([]byte, error)

// decoders returns a decoder per column builder.
func decoders(builders []array.Builder) ([]decoder, error) {
	out := make([]decoder, len(builders))
	for i, b := range builders {
		d, err := decoderOf(b)
		if err != nil {
			return nil, err
		}
		out[i] = d
	}
	return out, nil
}

var errShortRow = fmt.Errorf("a kept row is cut short")

func decoderOf(b array.Builder) (decoder, error) {
	value, err := valueDecoder(b)
	if err != nil {
		return nil, err
	}
	return func(p []byte) ([]byte, error) {
		if len(p) == 0 {
			return nil, errShortRow
		}
		if p[0] == 0 {
			b.AppendNull()
			return p[1:], nil
		}
		return value(p[1:])
	}, nil
}

func valueDecoder(b array.Builder) (decoder, error) {
	switch b := b.(type) {
	case *array.StringBuilder:
		return textDecoder(func(p []byte) { b.Append(string(p)) }), nil
	case *array.BinaryBuilder:
		return textDecoder(func(p []byte) { b.Append(p) }), nil
	case *array.BooleanBuilder:
		return fixedDecoder(1, func(p []byte) { b.Append(p[0] != 0) }), nil
	case *array.Int8Builder:
		return fixedDecoder(1, func(p []byte) { b.Append(int8(p[0])) }), nil
	case *array.Uint8Builder:
		return fixedDecoder(1, func(p []byte) { b.Append(p[0]) }), nil
	case *array.Int16Builder:
		return fixedDecoder(2, func(p []byte) { b.Append(int16(binary.LittleEndian.Uint16(p))) }), nil
	case *array.Uint16Builder:
		return fixedDecoder(2, func(p []byte) { b.Append(binary.LittleEndian.Uint16(p)) }), nil
	case *array.Int32Builder:
		return fixedDecoder(4, func(p []byte) { b.Append(int32(binary.LittleEndian.Uint32(p))) }), nil
	case *array.Uint32Builder:
		return fixedDecoder(4, func(p []byte) { b.Append(binary.LittleEndian.Uint32(p)) }), nil
	case *array.Date32Builder:
		return fixedDecoder(4, func(p []byte) { b.Append(arrow.Date32(binary.LittleEndian.Uint32(p))) }), nil
	case *array.Float32Builder:
		return fixedDecoder(4, func(p []byte) { b.Append(math.Float32frombits(binary.LittleEndian.Uint32(p))) }), nil
	case *array.Int64Builder:
		return fixedDecoder(8, func(p []byte) { b.Append(int64(binary.LittleEndian.Uint64(p))) }), nil
	case *array.Uint64Builder:
		return fixedDecoder(8, func(p []byte) { b.Append(binary.LittleEndian.Uint64(p)) }), nil
	case *array.TimestampBuilder:
		return fixedDecoder(8, func(p []byte) { b.Append(arrow.Timestamp(binary.LittleEndian.Uint64(p))) }), nil
	case *array.Float64Builder:
		return fixedDecoder(8, func(p []byte) { b.Append(math.Float64frombits(binary.LittleEndian.Uint64(p))) }), nil
	case *array.Decimal128Builder:
		return fixedDecoder(16, func(p []byte) {
			b.Append(decimal128.New(int64(binary.LittleEndian.Uint64(p[8:])), binary.LittleEndian.Uint64(p)))
		}), nil
	case *array.MonthDayNanoIntervalBuilder:
		return fixedDecoder(16, func(p []byte) {
			b.Append(arrow.MonthDayNanoInterval{
				Months: int32(binary.LittleEndian.Uint32(p)), Days: int32(binary.LittleEndian.Uint32(p[4:])),
				Nanoseconds: int64(binary.LittleEndian.Uint64(p[8:])),
			})
		}), nil
	}
	return nestedDecoder(b)
}

func nestedDecoder(b array.Builder) (decoder, error) {
	switch b := b.(type) {
	case *array.NullBuilder:
		return func(p []byte) ([]byte, error) { b.AppendNull(); return p, nil }, nil
	case *array.StructBuilder:
		fields := make([]array.Builder, b.NumField())
		for i := range fields {
			fields[i] = b.FieldBuilder(i)
		}
		parts, err := decoders(fields)
		if err != nil {
			return nil, err
		}
		return func(p []byte) ([]byte, error) {
			b.Append(true)
			for _, d := range parts {
				var err error
				if p, err = d(p); err != nil {
					return nil, err
				}
			}
			return p, nil
		}, nil
	case *array.MapBuilder:
		pair, err := decoderOf(b.ValueBuilder())
		if err != nil {
			return nil, err
		}
		return listDecoder(b.Append, pair), nil
	case *array.ListBuilder:
		elem, err := decoderOf(b.ValueBuilder())
		if err != nil {
			return nil, err
		}
		return listDecoder(b.Append, elem), nil
	}
	return nil, fmt.Errorf("rows with a column of type %s cannot be kept", b.Type())
}

func fixedDecoder(width int, put func(p []byte)) decoder {
	return func(p []byte) ([]byte, error) {
		if len(p) < width {
			return nil, errShortRow
		}
		put(p[:width])
		return p[width:], nil
	}
}

func textDecoder(put func(p []byte)) decoder {
	return func(p []byte) ([]byte, error) {
		n, size := binary.Uvarint(p)
		if size <= 0 || n > uint64(len(p)-size) {
			return nil, errShortRow
		}
		put(p[size : size+int(n)])
		return p[size+int(n):], nil
	}
}

func listDecoder(begin func(bool), elem decoder) decoder {
	return func(p []byte) ([]byte, error) {
		n, size := binary.Uvarint(p)
		if size <= 0 || n > uint64(len(p)) {
			return nil, errShortRow
		}
		begin(true)
		p = p[size:]
		for ; n > 0; n-- {
			var err error
			if p, err = elem(p); err != nil {
				return nil, err
			}
		}
		return p, nil
	}
}
