package expr

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// repeats is a library whose one function makes a text as long as its argument says.
type repeats struct {
	asked []int // the rows of each call
	bytes int   // of all values made
}

func (l *repeats) Call(_ context.Context, _ string, columns []arrow.Array, rows int, _ types.Type) (arrow.Array, error) {
	l.asked = append(l.asked, rows)
	lengths := columns[0].(*array.Int64)
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	for i := range rows {
		b.Append(strings.Repeat("x", int(lengths.Value(i))))
		l.bytes += int(lengths.Value(i))
	}
	return b.NewArray(), nil
}

func (l *repeats) Fold(context.Context, string, *array.List, types.Type) (arrow.Array, error) {
	return nil, errors.New("not asked for")
}

func repeated(t *testing.T, e *External, c *Ctx, lengths []int64) ([]int64, error) {
	t.Helper()
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(lengths, nil)
	column := b.NewArray()
	defer column.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{column}, int64(len(lengths)))
	defer rec.Release()
	out, err := e.Eval(c, rec)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	got := make([]int64, out.Len())
	for i := range got {
		got[i] = int64(len(out.(*array.String).Value(i)))
	}
	return got, nil
}

// A call that DuckDB evaluates is asked about few rows at first, and never about so many that values
// as long as the longest before would be too much at once; its values are those of the rows.
func TestExternalPartsGrowWithShortValues(t *testing.T) {
	lib := &repeats{}
	e := &External{Name: "f", Text: "f(a0)", Args: []Expr{&Column{Name: "n", T: tBigInt}}, T: tVarchar, Size: new(CallSize)}
	c := &Ctx{Alloc: memory.DefaultAllocator, Library: lib}
	lengths := make([]int64, 1000)
	for i := range lengths {
		lengths[i] = int64(i % 7)
	}
	for range 2 {
		got, err := repeated(t, e, c, lengths)
		if err != nil || !slices.Equal(got, lengths) {
			t.Fatalf("lengths %v, %v", got, err)
		}
	}
	if want := []int{1, 8, 72, 648, 271, 1000}; !slices.Equal(lib.asked, want) {
		t.Errorf("asked about %v rows, want %v", lib.asked, want)
	}
}

func TestExternalPartsOfLongValues(t *testing.T) {
	call := func(c *Ctx, lengths []int64) (*repeats, error) {
		lib := &repeats{}
		c.Alloc, c.Library = memory.DefaultAllocator, lib
		e := &External{Name: "f", Text: "f(a0)", Args: []Expr{&Column{Name: "n", T: tBigInt}}, T: tVarchar, Size: new(CallSize)}
		got, err := repeated(t, e, c, lengths)
		if err == nil && !slices.Equal(got, lengths) {
			t.Fatal("other values")
		}
		return lib, err
	}
	long := slices.Repeat([]int64{1 << 20}, 100)
	lib, err := call(&Ctx{}, long)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range lib.asked {
		if rows > partBytesMax>>20 {
			t.Errorf("asked about %v rows at once, of 1 MiB each", lib.asked)
			break
		}
	}
	// The bound of a chunk is reached after little more than it; that of a value at its row.
	lib, err = call(&Ctx{ColumnBytesMax: 8 << 20}, long)
	if !errors.Is(err, ErrChunkTooLarge) || lib.bytes > 32<<20 {
		t.Errorf("a chunk of 100 MiB where 8 may be: %v, after %d bytes", err, lib.bytes)
	}
	_, err = call(&Ctx{ValueBytesMax: 1000}, append(slices.Repeat([]int64{10}, 50), 1001))
	var row *RowError
	if !errors.As(err, &row) || row.Row != 50 || !strings.Contains(err.Error(), "value_bytes_max = 1000 bytes") {
		t.Errorf("a value of 1,001 bytes where 1,000 may be: %v", err)
	}
}

func TestBytesOfRows(t *testing.T) {
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	defer b.Release()
	b.AppendValues([][]byte{{1, 2}, {3}, {}}, nil)
	a := b.NewArray()
	defer a.Release()
	if all, two := bytesOfRows(a, 0, 3), bytesOfRows(a, 1, 3); all != 3+12 || two != 1+8 {
		t.Errorf("%d and %d bytes", all, two)
	}
}
