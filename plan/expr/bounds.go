package expr

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

const codeLimit = "E_LIMIT"

// Bounds of what expressions make, where a Ctx has none: those of the settings value_bytes_max and
// chunk_bytes_max.
const (
	valueBytesDefault = 64 << 20
	// foldedBytesMax bounds a value of constants that is computed while planning; a larger one is
	// made for each chunk, and bounded there.
	foldedBytesMax = 1 << 20
	offsetMax      = 1<<31 - 1
)

// takenBytesMax bounds what is copied of the rows of a chunk at once. One row may be larger,
// up to what the offsets of a column reach.
var takenBytesMax int64 = 128 << 20

// BoundCopies lowers what of the rows of a chunk is copied at once. It is for a process with little
// memory, before it runs anything.
func BoundCopies(bytes int64) { takenBytesMax = min(takenBytesMax, bytes) }

// ErrChunkTooLarge says that a chunk of several rows makes a column with too many bytes: its rows
// can be evaluated in parts.
var ErrChunkTooLarge error = sqlerr.New(codeLimit, "the rows of a chunk make a column of more than chunk_bytes_max").
	WithHint("lower chunk_rows, or raise chunk_bytes_max")

// tooLarge is the panic of Take, which knows no Ctx.
type tooLarge struct{ bytes int64 }

// Guarded calls f, and returns ErrChunkTooLarge where f copies more of a chunk than fits. rows are
// those of the chunk; 0 where f is not about one that could be cut.
func Guarded(rows int64, f func() error) (err error) {
	defer func() {
		p := recover()
		large, ok := p.(tooLarge)
		switch {
		case p == nil:
		case !ok:
			panic(p)
		case rows > 1:
			err = ErrChunkTooLarge
		case rows == 0:
			err = sqlerr.New(codeLimit, "rows that an operator holds come to %d bytes at once, more than fit", large.bytes).
				WithHint("let a batch have less: max_bytes_per_batch, max_rows_per_batch, a WHERE")
		default:
			err = &RowError{Err: sqlerr.New(codeLimit, "what is made of one row comes to %d bytes at once, more than fit", large.bytes).
				WithHint("nest fewer lists, or take a part of them")}
		}
	}()
	return f()
}

// checkTaken ends a copy of rows that would be too large.
func checkTaken(rows int, bytes int64) {
	if bytes > offsetMax || rows > 1 && bytes > takenBytesMax {
		panic(tooLarge{bytes})
	}
}

// valueBytesMax is how many bytes an expression may make of one value.
func (c *Ctx) valueBytesMax() int64 {
	if c == nil || c.ValueBytesMax <= 0 {
		return valueBytesDefault
	}
	return min(c.ValueBytesMax, offsetMax)
}

// context is Context, or one without an end.
func (c *Ctx) context() context.Context {
	if c.Context == nil {
		return context.Background()
	}
	return c.Context
}

// Ended returns why the evaluation is not wanted any more.
func (c *Ctx) Ended() error {
	if c == nil || c.Context == nil {
		return nil
	}
	return c.Context.Err()
}

func valueLimit(what string, max int64) *sqlerr.Error {
	return sqlerr.New(codeLimit, "%s makes a value of more than value_bytes_max = %s", what, BytesText(max)).
		WithHint("let it make less, or raise value_bytes_max")
}

// BytesText writes a number of bytes.
func BytesText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

func (c *Ctx) columnTooLarge(rows int, bytes int64) bool {
	return rows > 1 && c != nil && c.ColumnBytesMax > 0 && bytes > c.ColumnBytesMax
}

// ofElements is the context of an expression over the elements of lists: those of one row are
// one value.
func (c *Ctx) ofElements(rows int) *Ctx {
	if rows > 1 {
		return c
	}
	inner := *c
	inner.ColumnBytesMax = c.valueBytesMax()
	return &inner
}

// growing gives an appending function of one row its bound: how long dst may become.
func growing(f *frame, fn func(dst []byte, row int, endMax int) ([]byte, error)) (arrow.Array, error) {
	most := f.ctx.valueBytesMax()
	return eachText(f, func(dst []byte, row int) ([]byte, error) {
		end := min(int64(len(dst))+most, offsetMax)
		out, err := fn(dst, row, int(end))
		if err == errTooLong {
			return dst, valueLimit(f.spec.name, most)
		}
		return out, err
	})
}

// growing2 returns the kernel of a function of two values that makes a text of any length.
func growing2[A, B slot](fn func(dst []byte, endMax int, a A, b B) ([]byte, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b := read[A](args[0]), read[B](args[1])
		return growing(f, func(dst []byte, i, endMax int) ([]byte, error) { return fn(dst, endMax, a.at(i), b.at(i)) })
	}
}

// growing3 is growing2 for three values.
func growing3[A, B, C slot](fn func(dst []byte, endMax int, a A, b B, c C) ([]byte, error)) kernel {
	return func(f *frame, args []vec) (arrow.Array, error) {
		a, b, c := read[A](args[0]), read[B](args[1]), read[C](args[2])
		return growing(f, func(dst []byte, i, endMax int) ([]byte, error) { return fn(dst, endMax, a.at(i), b.at(i), c.at(i)) })
	}
}

// errTooLong is that of a function below growing.
var errTooLong = errors.New("the text is too long")

// bytesOfRow returns about how many bytes a row of a column takes.
func bytesOfRow(a arrow.Array, row int) int64 {
	switch a := a.(type) {
	case *array.String:
		return int64(a.ValueLen(row))
	case *array.Binary:
		return int64(a.ValueLen(row))
	case *array.Dictionary:
		if a.IsNull(row) {
			return 0
		}
		return bytesOfRow(a.Dictionary(), a.GetValueIndex(row))
	case *array.Struct:
		n := int64(1)
		for i := range a.NumField() {
			n += bytesOfRow(a.Field(i), row)
		}
		return n
	case *array.Map:
		return bytesOfList(a.List, row)
	case *array.List:
		return bytesOfList(a, row)
	}
	return 8
}

func bytesOfList(a *array.List, row int) int64 {
	start, end := a.ValueOffsets(row)
	return bytesOfRows(a.ListValues(), start, end) + 4
}

// bytesOfRows returns about how many bytes the rows from start up to end take.
func bytesOfRows(a arrow.Array, start, end int64) int64 {
	if start >= end {
		return 0
	}
	switch a := a.(type) {
	case *array.String:
		return int64(a.ValueOffset(int(end-1))) + int64(a.ValueLen(int(end-1))) - int64(a.ValueOffset(int(start))) + 4*(end-start)
	case *array.Binary:
		return a.ValueOffset64(int(end-1)) + int64(a.ValueLen(int(end-1))) - a.ValueOffset64(int(start)) + 4*(end-start)
	case *array.Struct:
		n := end - start
		for i := range a.NumField() {
			n += bytesOfRows(a.Field(i), start, end)
		}
		return n
	case *array.Map:
		return bytesOfLists(a.List, start, end)
	case *array.List:
		return bytesOfLists(a, start, end)
	case *array.Null:
		return 0
	}
	return 8 * (end - start)
}

func bytesOfLists(a *array.List, start, end int64) int64 {
	from, _ := a.ValueOffsets(int(start))
	_, to := a.ValueOffsets(int(end - 1))
	return bytesOfRows(a.ListValues(), from, to) + 4*(end-start)
}

// RowBytes returns about how many bytes a copy of one row of a column takes.
func RowBytes(a arrow.Array, row int) int64 { return bytesOfRow(a, row) }

// sharedBytesMin is how many bytes texts have at least, in all and each on average, for one copy
// of each to be better than a copy per row.
const sharedBytesMin, sharedBytesEach = 1 << 20, 64

// Share returns the listed rows of a column as Take does, but of long texts there is one copy
// each: an expansion makes many rows of one.
func Share(a arrow.Array, rows []int32) arrow.Array {
	s, ok := a.(*array.String)
	if !ok {
		return Take(a, rows)
	}
	bytes := int64(0)
	for _, r := range rows {
		if r >= 0 {
			bytes += int64(s.ValueLen(int(r)))
		}
	}
	if bytes < sharedBytesMin || bytes < sharedBytesEach*int64(len(rows)) {
		return Take(a, rows)
	}
	if s.Len() <= len(rows) {
		return sharedTexts(s, rows)
	}
	// The column may be that of a large table: whoever reads the dictionary reads all of it.
	places := map[int32]int32{-1: -1}
	var distinct []int32
	at := make([]int32, len(rows))
	for i, r := range rows {
		place, seen := places[r]
		if !seen {
			place = int32(len(distinct))
			places[r], distinct = place, append(distinct, r)
		}
		at[i] = place
	}
	some := Take(s, distinct)
	defer some.Release()
	return sharedTexts(some.(*array.String), at)
}

// sharedTexts returns rows of texts as a dictionary column. Its NULLs are in the indices alone.
func sharedTexts(texts *array.String, rows []int32) arrow.Array {
	valid := takeValidity(texts, rows)
	at := make([]int32, len(rows))
	for i, r := range rows {
		at[i] = max(r, 0)
	}
	indices := newValues(arrow.PrimitiveTypes.Int32, at, valid)
	defer indices.Release()
	data := texts.Data()
	whole := array.NewData(data.DataType(), data.Len(), []*memory.Buffer{nil, data.Buffers()[1], data.Buffers()[2]}, nil, 0, data.Offset())
	defer whole.Release()
	values := array.NewStringData(whole)
	defer values.Release()
	return array.NewDictionaryArray(types.ArrowDictionary, indices, values)
}
