package expr

import (
	"bytes"
	"cmp"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// cellForm is how one value of a type is held in the words of a cell.
type cellForm uint8

const (
	cellSigned   cellForm = iota // one word: integers, dates, times, booleans
	cellUnsigned                 // one word
	cellFloat                    // one word: the bits of the value as DOUBLE
	cellDecimal                  // two words, low first
	cellText                     // a heap handle: the bytes of a VARCHAR or BLOB
	cellEncoded                  // a heap handle: the encoded value, see agg_encode.go
)

// cell keeps one value that is not NULL, of a given type, in a few words.
type cell struct {
	t    types.Type
	form cellForm
}

func cellOf(t types.Type) cell {
	switch {
	case t.Kind == types.Varchar || t.Kind == types.Blob:
		return cell{t, cellText}
	case t.Kind == types.Decimal:
		return cell{t, cellDecimal}
	case t.IsFloat():
		return cell{t, cellFloat}
	case t.IsInteger() && !t.IsSigned():
		return cell{t, cellUnsigned}
	case t.IsSigned() || t.Kind == types.Boolean || t.Kind == types.Date || t.Kind == types.Timestamp:
		return cell{t, cellSigned}
	}
	return cell{t, cellEncoded}
}

// words returns how many words a value takes.
func (v cell) words() int {
	if v.form == cellDecimal {
		return 2
	}
	return 1
}

// blobs returns the word that holds a handle, if any; at is the cell's first word.
func (v cell) blobs(at int) []int {
	if v.form >= cellText {
		return []int{at}
	}
	return nil
}

// cellColumn is a column whose values go into cells.
type cellColumn struct {
	cell
	arr   arrow.Array
	texts []string
	decs  []decimal128.Num
	word  func(row int) uint64
}

// column prepares a column of the cell's type.
func (v cell) column(a arrow.Array) cellColumn {
	col := cellColumn{cell: v, arr: a}
	switch v.form {
	case cellText:
		col.texts = stringValues(a)
	case cellDecimal:
		col.decs = decimalsOf(a)
	case cellEncoded:
	default:
		col.word = wordReader(a)
	}
	return col
}

func wordReader(a arrow.Array) func(row int) uint64 {
	switch a := a.(type) {
	case *array.Boolean:
		return func(row int) uint64 { return uint64(bit(a.Value(row))) }
	case *array.Int8:
		return wordsOf(a.Int8Values())
	case *array.Int16:
		return wordsOf(a.Int16Values())
	case *array.Int32:
		return wordsOf(a.Int32Values())
	case *array.Int64:
		return wordsOf(a.Int64Values())
	case *array.Uint8:
		return wordsOf(a.Uint8Values())
	case *array.Uint16:
		return wordsOf(a.Uint16Values())
	case *array.Uint32:
		return wordsOf(a.Uint32Values())
	case *array.Uint64:
		return wordsOf(a.Uint64Values())
	case *array.Date32:
		return wordsOf(a.Date32Values())
	case *array.Timestamp:
		return wordsOf(a.TimestampValues())
	case *array.Float32:
		return func(row int) uint64 { return math.Float64bits(float64(a.Value(row))) }
	case *array.Float64:
		return func(row int) uint64 { return math.Float64bits(a.Value(row)) }
	}
	return func(int) uint64 { return 0 } // a column of NULLs
}

func wordsOf[T integer | arrow.Date32 | arrow.Timestamp](vals []T) func(row int) uint64 {
	return func(row int) uint64 { return uint64(int64(vals[row])) }
}

// put stores the value of a row, which is not NULL.
func (col *cellColumn) put(c *Cells, w []uint64, row int) {
	switch col.form {
	case cellText:
		w[0] = c.Heap.SetBlob(w[0], bytesOf(col.texts[row]))
	case cellEncoded:
		c.buf = appendEncoded(c.buf[:0], col.arr, row)
		w[0] = c.Heap.SetBlob(w[0], c.buf)
	case cellDecimal:
		putDecimal(w, col.decs[row])
	default:
		w[0] = col.word(row)
	}
}

// compare compares the value of a row with the stored one.
func (col *cellColumn) compare(c *Cells, w []uint64, row int) int {
	switch col.form {
	case cellText:
		return bytes.Compare(bytesOf(col.texts[row]), c.Heap.Blob(w[0]))
	case cellEncoded:
		c.buf = appendEncoded(c.buf[:0], col.arr, row)
		return bytes.Compare(c.buf, c.Heap.Blob(w[0]))
	case cellDecimal:
		return col.decs[row].Cmp(decimalAt(w))
	}
	return col.compareWords(col.word(row), w[0])
}

func (v cell) compareWords(x, y uint64) int {
	switch v.form {
	case cellUnsigned:
		return cmp.Compare(x, y)
	case cellFloat:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		switch {
		case floatLess(a, b):
			return -1
		case floatLess(b, a):
			return 1
		}
		return 0
	}
	return cmp.Compare(int64(x), int64(y))
}

// compareStored compares two stored values.
func (v cell) compareStored(c *Cells, w []uint64, d *Cells, x []uint64) int {
	switch v.form {
	case cellText, cellEncoded:
		return bytes.Compare(c.Heap.Blob(w[0]), d.Heap.Blob(x[0]))
	case cellDecimal:
		return decimalAt(w).Cmp(decimalAt(x))
	}
	return v.compareWords(w[0], x[0])
}

// move stores a copy of a stored value.
func (v cell) move(c *Cells, w []uint64, from *Cells, x []uint64) {
	if v.form >= cellText {
		w[0] = c.Heap.SetBlob(w[0], from.Heap.Blob(x[0]))
		return
	}
	copy(w[:v.words()], x)
}

// array returns the values at word at of each group; those not valid are NULL.
func (v cell) array(c *Cells, groups []int32, at int, valid *validity, alloc memory.Allocator) (arrow.Array, error) {
	switch v.form {
	case cellText:
		out := newTextOut(len(groups))
		for i, g := range groups {
			if valid.has(i) {
				out.bytes = append(out.bytes, c.Heap.Blob(c.Words(g)[at])...)
			}
			out.end()
		}
		return out.array(v.t.Arrow(), valid), nil
	case cellEncoded:
		b := array.NewBuilder(alloc, v.t.Arrow())
		defer b.Release()
		for i, g := range groups {
			if !valid.has(i) {
				b.AppendNull()
			} else if _, err := decodeInto(b, v.t, c.Heap.Blob(c.Words(g)[at])); err != nil {
				return nil, err
			}
		}
		return b.NewArray(), nil
	case cellDecimal:
		vals := make([]decimal128.Num, len(groups))
		for i, g := range groups {
			vals[i] = decimalAt(c.Words(g)[at:])
		}
		return newValues(v.t.Arrow(), vals, valid), nil
	}
	return wordArray(v.t, c, groups, at, valid), nil
}

// wordArray makes a column of values that are one word each.
func wordArray(t types.Type, c *Cells, groups []int32, at int, valid *validity) arrow.Array {
	switch t.Kind {
	case types.Boolean:
		return wordValues(t, c, groups, at, valid, func(w uint64) bool { return w != 0 })
	case types.TinyInt:
		return wordValues(t, c, groups, at, valid, func(w uint64) int8 { return int8(w) })
	case types.SmallInt:
		return wordValues(t, c, groups, at, valid, func(w uint64) int16 { return int16(w) })
	case types.Int, types.Date:
		return wordValues(t, c, groups, at, valid, func(w uint64) int32 { return int32(w) })
	case types.UTinyInt:
		return wordValues(t, c, groups, at, valid, func(w uint64) uint8 { return uint8(w) })
	case types.USmallInt:
		return wordValues(t, c, groups, at, valid, func(w uint64) uint16 { return uint16(w) })
	case types.UInt:
		return wordValues(t, c, groups, at, valid, func(w uint64) uint32 { return uint32(w) })
	case types.Float:
		return wordValues(t, c, groups, at, valid, func(w uint64) float32 { return float32(math.Float64frombits(w)) })
	}
	return wordValues(t, c, groups, at, valid, func(w uint64) uint64 { return w })
}

func wordValues[T slot](t types.Type, c *Cells, groups []int32, at int, valid *validity, value func(uint64) T) arrow.Array {
	vals := make([]T, len(groups))
	for i, g := range groups {
		vals[i] = value(c.Words(g)[at])
	}
	return newValues(t.Arrow(), vals, valid)
}
