package op

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// numbered returns a record of n rows that are numbered from first on, each with a text.
func numbered(first, n int, text string) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema([]types.Field{
		{Name: "n", Type: types.Of(types.BigInt), Nullable: true}, {Name: "s", Type: types.Of(types.Varchar), Nullable: true},
	}))
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(first + i))
		b.Field(1).(*array.StringBuilder).Append(text)
	}
	return b.NewRecord()
}

// The chunks of many small files come out as a few, with the rows in their order; large
// ones, by rows or by bytes, are not copied.
func TestCollectJoinsSmallChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	long := strings.Repeat("x", 2*smallBytesMax)
	for _, c := range []struct {
		name      string
		size      func(i int) (rows int, text string)
		chunksMax int
	}{
		{"one row each", func(int) (int, string) { return 1, "a" }, 10},
		{"few rows each", func(int) (int, string) { return 1 + rng.IntN(10), "a" }, 50},
		{"long texts", func(int) (int, string) { return 1, long[:20<<10] }, 1000},
		{"large among small", func(i int) (int, string) { return []int{1, 1, 1, 600}[i%4], "a" }, 10_000},
		{"giant among small", func(i int) (int, string) { return 1, []string{"a", "a", "a", long}[i%4] }, 10_000},
	} {
		col := &Collect{}
		if err := col.Begin(nil); err != nil {
			t.Fatal(err)
		}
		rows, large := 0, map[arrow.Record]bool{}
		for i := range 20_000 {
			n, text := c.size(i)
			if rows > 1_000_000 || i > 2_000 && len(text) > 1 {
				break
			}
			rec := numbered(rows, n, text)
			if rows += n; n >= 600 || len(text) > smallBytesMax {
				large[rec] = true
			}
			seg := col.Segment(0)
			if err := seg.Consume(rec); err != nil {
				t.Fatal(err)
			}
			rec.Release()
			if err := col.Merge(seg); err != nil {
				t.Fatal(err)
			}
		}
		chunks, next := 0, int64(0)
		if err := col.Finish(func(rec arrow.Record) error {
			chunks++
			delete(large, rec)
			for _, n := range rec.Column(0).(*array.Int64).Int64Values() {
				if n != next {
					t.Fatalf("%s: row %d comes where %d is due", c.name, n, next)
				}
				next++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if next != int64(rows) || chunks > c.chunksMax || len(large) > 0 {
			t.Errorf("%s: %d of %d rows in %d chunks, want at most %d; %d large ones were copied", c.name, next, rows, chunks, c.chunksMax, len(large))
		}
	}
}
