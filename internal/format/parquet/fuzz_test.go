package parquet

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"ssql/sql/types"
)

// FuzzParquet shows that no bytes end the process: they give rows, bad rows or an error.
func FuzzParquet(f *testing.F) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true}, {Name: "d", Type: &arrow.Decimal128Type{Precision: 30, Scale: 3}, Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
	}, nil)
	const rows = `[{"a":1,"s":"x","l":[1,null],"d":"1.5","t":"2024-01-01 00:00:00.5"},{"a":null},{"a":3,"s":"x","l":[]}]`
	f.Add(written(f, schema, rows, 2))
	f.Add(written(f, schema, rows, 100, pqarrow.WithDeprecatedInt96Timestamps(true)))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Add([]byte(strings.Repeat("PAR1", 10)))
	s := &Shape{Fields: []types.Field{
		field("a", types.Of(types.Int)), field("s", types.Of(types.Varchar)), field("l", types.ListOf(types.Of(types.BigInt))),
		field("d", types.DecimalOf(20, 2)), field("t", types.Of(types.Timestamp)), field("none", types.Of(types.Date)),
	}, Encode: []bool{false, true}}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := read(t, s, data, 2)
		again, errAgain := read(t, s, bytes.Clone(data), 2)
		if first != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("got\n%s%v\nand again\n%s%v", first, err, again, errAgain)
		}
	})
}
