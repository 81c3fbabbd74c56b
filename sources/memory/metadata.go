package memory

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sources"
	"ssql/sql/types"
)

// metadata lists what METADATA columns of rows in memory can be. They are recorded in the
// Range, so that a batch that is run again has the same.
func metadata() []sources.Metadata {
	return []sources.Metadata{
		{Name: "arrival_time", Aliases: []string{"timestamp"}, Type: types.Of(types.Timestamp), Summary: "when the row was inserted"},
		{Name: "offset", Type: types.Of(types.BigInt), Summary: "number of the row in the stream, from 0"},
	}
}

// metadataColumn makes one METADATA column of rows of a feed, by their numbers.
func metadataColumn(key string, f *feed, from, to int64) arrow.Array {
	if key == "offset" {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		defer b.Release()
		for row := from; row < to; row++ {
			b.Append(row)
		}
		return b.NewArray()
	}
	b := array.NewTimestampBuilder(memory.DefaultAllocator, types.Of(types.Timestamp).Arrow().(*arrow.TimestampType))
	defer b.Release()
	for range to - from {
		b.Append(arrow.Timestamp(f.atMicros))
	}
	return b.NewArray()
}
