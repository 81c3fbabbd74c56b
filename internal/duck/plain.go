package duck

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// plainRecord returns rec with the types of a stage's schema. DuckDB could read a
// dictionary itself, but it reads all of it for every chunk, and the dictionary of a
// stream is as long as the stream has had keys.
func plainRecord(rec arrow.Record, schema *arrow.Schema) (arrow.Record, error) {
	if int(rec.NumCols()) != schema.NumFields() {
		return nil, fmt.Errorf("a record of %d columns for a view of %d", rec.NumCols(), schema.NumFields())
	}
	columns := make([]arrow.Array, rec.NumCols())
	var made []arrow.Array
	defer func() {
		for _, a := range made {
			a.Release()
		}
	}()
	for i, a := range rec.Columns() {
		columns[i] = a
		if dict, ok := a.(*array.Dictionary); ok {
			plain, err := flatten(dict)
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", schema.Field(i).Name, err)
			}
			columns[i] = plain
			made = append(made, plain)
		}
		if !arrow.TypeEqual(columns[i].DataType(), schema.Field(i).Type) {
			return nil, fmt.Errorf("column %q is %s, not %s", schema.Field(i).Name, columns[i].DataType(), schema.Field(i).Type)
		}
	}
	return array.NewRecord(schema, columns, rec.NumRows()), nil
}

// flatten returns the strings of a dictionary column.
func flatten(dict *array.Dictionary) (arrow.Array, error) {
	values, ok := dict.Dictionary().(*array.String)
	if !ok {
		return nil, fmt.Errorf("a dictionary of %s", dict.Dictionary().DataType())
	}
	n := dict.Len()
	size := 0
	for i := range n {
		if dict.IsValid(i) {
			size += values.ValueLen(dict.GetValueIndex(i))
		}
	}
	offsets := make([]int32, n+1)
	text := make([]byte, 0, size)
	var valid *memory.Buffer
	if dict.NullN() > 0 {
		bits := make([]byte, bitutil.BytesForBits(int64(n)))
		bitutil.CopyBitmap(dict.NullBitmapBytes(), dict.Data().Offset(), n, bits, 0)
		valid = memory.NewBufferBytes(bits)
	}
	for i := range n {
		if dict.IsValid(i) {
			text = append(text, values.Value(dict.GetValueIndex(i))...)
		}
		offsets[i+1] = int32(len(text))
	}
	data := array.NewData(arrow.BinaryTypes.String, n,
		[]*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(text)},
		nil, dict.NullN(), 0)
	defer data.Release()
	return array.NewStringData(data), nil
}
