package duck

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// plainBytesMax is how much of texts is copied at a time, about.
const plainBytesMax = 8 << 20

// plainRows returns how far the rows of a record from one on can be made plain at once.
func plainRows(rec arrow.Record, from int64) (end int64) {
	bytes := 0
	for end = from; end < rec.NumRows() && (bytes < plainBytesMax || end == from); end++ {
		shared := false
		for _, a := range rec.Columns() {
			if dict, ok := a.(*array.Dictionary); ok {
				shared = true
				if dict.IsValid(int(end)) {
					bytes += dict.Dictionary().(*array.String).ValueLen(dict.GetValueIndex(int(end)))
				}
			}
		}
		if !shared {
			return rec.NumRows()
		}
	}
	return end
}

// checkPlain reports why the columns of a record are not those of a stage's schema.
func checkPlain(rec arrow.Record, schema *arrow.Schema) error {
	if int(rec.NumCols()) != schema.NumFields() {
		return fmt.Errorf("a record of %d columns for a view of %d", rec.NumCols(), schema.NumFields())
	}
	for i, a := range rec.Columns() {
		found := a.DataType()
		if dict, ok := a.(*array.Dictionary); ok {
			if found = dict.Dictionary().DataType(); found.ID() != arrow.STRING {
				return fmt.Errorf("column %q: a dictionary of %s", schema.Field(i).Name, found)
			}
		}
		if !arrow.TypeEqual(found, schema.Field(i).Type) {
			return fmt.Errorf("column %q is %s, not %s", schema.Field(i).Name, found, schema.Field(i).Type)
		}
	}
	return nil
}

// plainRecord returns rec with the types of a stage's schema. DuckDB could read a
// dictionary itself, but it reads all of it for every chunk, and the dictionary of a
// stream is as long as the stream has had keys.
func plainRecord(rec arrow.Record, schema *arrow.Schema) (arrow.Record, error) {
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
