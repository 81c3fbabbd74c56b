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
// Run it with -fuzzminimizetime 1x: the coverage of the library changes from run to run, and
// the fuzzer takes a minute for each input that it tries in vain to make smaller.
func FuzzParquet(f *testing.F) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true}, {Name: "d", Type: &arrow.Decimal128Type{Precision: 30, Scale: 3}, Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
		{Name: "p", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), Nullable: true},
	}, nil)
	const rows = `[{"a":1,"s":"x","l":[1,null],"d":"1.5","t":"2024-01-01 00:00:00.5","p":{"x":1,"y":"b"},"m":[{"key":"k","value":1}]},{"a":null},{"a":3,"s":"x","l":[]}]`
	f.Add(written(f, schema, rows, 2))
	f.Add(written(f, schema, rows, 100, pqarrow.WithDeprecatedInt96Timestamps(true)))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Add([]byte(strings.Repeat("PAR1", 10)))
	s := &Shape{Fields: []types.Field{
		field("a", types.Of(types.Int)), field("s", types.Of(types.Varchar)), field("l", types.ListOf(types.Of(types.BigInt))),
		field("d", types.DecimalOf(20, 2)), field("t", types.Of(types.Timestamp)), field("none", types.Of(types.Date)),
		field("p", types.StructOf(field("x", types.Of(types.Int)), field("y", types.Of(types.Varchar)))), field("m", types.MapOf(types.Of(types.Varchar), types.Of(types.Int))),
	}, Encode: []bool{false, true}}
	f.Fuzz(func(t *testing.T, data []byte) {
		if saysManyRows(data) {
			t.Skip("a run can stand for any number of rows, and that is no fault")
		}
		first, err := read(t, s, data, 2)
		again, errAgain := read(t, s, bytes.Clone(data), 2)
		if first != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("got\n%s%v\nand again\n%s%v", first, err, again, errAgain)
		}
	})
}

// saysManyRows reports whether a file says that it has more rows than a test has time for.
func saysManyRows(data []byte) bool {
	f, err := Open("f", bytes.NewReader(data), int64(len(data)), 1, nil)
	if err != nil {
		return false
	}
	for g := range f.Groups() {
		if rows, err := f.rows(g); err == nil && rows > 10_000 {
			return true
		}
	}
	return false
}
