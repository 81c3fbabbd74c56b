package parquet

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/sql/types"
)

// TestLies shows that a file which says that it is larger than it can be is a bad row, and
// that nothing is made for it.
func TestLies(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}}, nil)
	data := written(t, schema, `[{"a":1,"l":[1]},{"a":2,"l":[2]}]`, 10)
	a, l, none := field("a", types.Of(types.BigInt)), field("l", types.ListOf(types.Of(types.BigInt))), field("none", types.Of(types.BigInt))
	for _, c := range []struct {
		name  string
		field types.Field
		lie   func(f *File)
		want  string
	}{
		{"rows", a, func(f *File) { f.reader.MetaData().RowGroups[0].NumRows = 1 << 50 }, "it says that it has 1125899906842624 rows"},
		{"rows of no column", none, func(f *File) { f.reader.MetaData().RowGroups[0].NumRows = 1 << 50 }, "it says that it has 1125899906842624 rows"},
		{"negative rows", none, func(f *File) { f.reader.MetaData().RowGroups[0].NumRows = -1 }, "it says that it has -1 rows"},
		{"a column", a, func(f *File) { f.reader.MetaData().RowGroups[0].Columns[0].MetaData.TotalCompressedSize = 1 << 50 }, `column "a" says that it has 1125899906842624 bytes`},
		{"a part of a column", l, func(f *File) { f.reader.MetaData().RowGroups[0].Columns[1].MetaData.TotalCompressedSize = 1 << 50 }, `column "l.list.element" says that it has 1125899906842624 bytes`},
		{"values", l, func(f *File) { f.reader.MetaData().RowGroups[0].Columns[1].MetaData.NumValues = 3 }, `column "l.list.element" says that it has 3 values, and its pages have 2`},
		{"a page", a, func(f *File) { f.memory.bytesMax = 10 }, "a page says that it needs"},
		{"more rows than the column", a, func(f *File) { f.reader.MetaData().RowGroups[0].NumRows = 3 }, `column "a": the column ends too early`},
		{"more rows than the list", l, func(f *File) { f.reader.MetaData().RowGroups[0].NumRows = 3 }, "a column ends too early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Open("f.parquet", bytes.NewReader(data), int64(len(data)), 100, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.lie(f)
			var bad []string
			err = (&Shape{Fields: []types.Field{c.field}}).Read(t.Context(), f, 0, format.Output{
				Emit:   func(arrow.Record) error { return nil },
				Bad:    func(b format.Bad) error { bad = append(bad, b.Reason); return nil },
				Notice: func(string) {},
			}, func(int64) {})
			if err != nil || len(bad) != 1 || !strings.HasPrefix(bad[0], "the rest of row group 1 cannot be read: ") || !strings.Contains(bad[0], c.want) {
				t.Errorf("got %q, %v, want %q", bad, err, c.want)
			}
		})
	}
}
