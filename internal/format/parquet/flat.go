package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"

	"ssql/internal/format/column"
	"ssql/sql/types"
)

// flat reads a column of a row group that is not nested, page by page, into the columns
// of chunks. Values are stored as Arrow wants them: numbers of 4 or 8 bytes, or text. Arrow's
// own reader of columns takes ten times as long for the ids of dictionaries.
type flat struct {
	pages    file.PageReader
	kind     arrow.DataType // what the values are; of text without its dictionary
	optional bool           // there are definition levels: 1 is a value, 0 is NULL
	keep     bool           // text comes with its dictionary, while the file has it so

	// Builders of numbers, or of the ids of a dictionary, and of text.
	numbers, text *column.Builder

	// The page that is being read.
	left    int // rows, NULLs included
	levels  hybrid
	encoded bool // the values are ids
	ids     hybrid
	plain   []byte

	// The dictionary: numbers, or text.
	numbers4 []int32
	numbers8 []int64
	texts    *array.String
	longest  int // bytes of the longest text

	valid   []bool  // of the rows that are being read
	scratch []int32 // their levels, then their ids
}

// flatWidth returns the bytes of a number of a type, 0 for text; ok is false for what flat
// does not read.
func flatWidth(stored parquet.Type, t arrow.DataType) (width int, ok bool) {
	switch stored {
	case parquet.Types.Int32:
		return 4, t.ID() == arrow.INT32 || t.ID() == arrow.UINT32 || t.ID() == arrow.DATE32
	case parquet.Types.Float:
		return 4, t.ID() == arrow.FLOAT32
	case parquet.Types.Int64:
		return 8, t.ID() == arrow.INT64 || t.ID() == arrow.UINT64 || t.ID() == arrow.TIMESTAMP
	case parquet.Types.Double:
		return 8, t.ID() == arrow.FLOAT64
	case parquet.Types.ByteArray:
		return 0, t.ID() == arrow.STRING || t.ID() == arrow.BINARY || arrow.TypeEqual(t, types.ArrowDictionary)
	}
	return 0, false
}

// newFlat returns a reader of pages whose values are of a type with a flatWidth.
func newFlat(pages file.PageReader, t arrow.DataType, width int, optional bool, pool *column.Pool) *flat {
	c := &flat{pages: pages, kind: t, optional: optional}
	if t.ID() == arrow.DICTIONARY {
		c.kind, c.keep = arrow.BinaryTypes.String, true
	}
	kind := types.Int
	if width == 8 {
		kind = types.BigInt
	}
	c.numbers = column.NewBuilder(pool, types.Field{Type: types.Of(kind)}, false)
	if width == 0 {
		c.text = column.NewBuilder(pool, types.Field{Type: types.Of(types.Varchar)}, false)
	}
	return c
}

// textBytes returns how many bytes a text of the page that comes next has, at most in a dictionary, on
// average without; 0 where none is copied.
func (c *flat) textBytes() (int, error) {
	if c.text == nil {
		return 0, nil
	}
	for c.left == 0 {
		if err := c.nextPage(); err != nil {
			return 0, err
		}
	}
	switch {
	case !c.encoded:
		return len(c.plain) / c.left, nil
	case c.keep:
		return 0, nil
	}
	return c.longest, nil
}

// read reads the next rows.
func (c *flat) read(rows int) (arrow.Array, error) {
	b := c.text
	if b == nil || c.keep {
		b = c.numbers
	}
	b.Start(rows)
	for at := 0; at < rows; {
		if c.left == 0 {
			if err := c.nextPage(); err != nil {
				return nil, err
			}
			continue
		}
		if c.keep && b == c.numbers && !c.encoded {
			b = c.spell(at, rows) // the dictionary was given up
		}
		n := min(rows-at, c.left)
		if err := c.fill(b, at, n); err != nil {
			return nil, err
		}
		c.left -= n
		at += n
	}
	a := b.Finish(rows)
	defer a.Release()
	if c.keep && b == c.numbers {
		return array.NewDictionaryArray(types.ArrowDictionary, a, c.texts), nil
	}
	return rewrap(a, c.kind), nil
}

// spell turns the ids of the first rows of a chunk into text.
func (c *flat) spell(at, rows int) *column.Builder {
	c.text.Start(rows)
	for i := range at {
		if c.numbers.IsNull(i) {
			c.text.SetNull(i)
		} else {
			c.text.SetText(i, textOf(c.texts, c.numbers.I32[i]))
		}
	}
	c.numbers.Finish(0).Release()
	return c.text
}

func textOf(texts *array.String, id int32) []byte {
	from, to := texts.ValueOffset(int(id)), texts.ValueOffset(int(id)+1)
	return texts.ValueBytes()[from-texts.ValueOffset(0) : to-texts.ValueOffset(0)]
}

// fill reads n rows of a page into slots from at on.
func (c *flat) fill(b *column.Builder, at, n int) error {
	present, err := c.presence(n)
	if err != nil {
		return err
	}
	var ids []int32
	if c.encoded {
		if ids, err = c.nextIDs(present); err != nil {
			return err
		}
	}
	switch {
	case b == c.text:
		return c.fillText(at, ids)
	case c.keep:
		copy(b.I32[at:], ids)
		spread(b.I32[at:at+n], c.valid, present)
	case b.I32 != nil:
		err = fillNumbers(c, b.I32[at:at+n], present, ids, c.numbers4)
	default:
		err = fillNumbers(c, b.I64[at:at+n], present, ids, c.numbers8)
	}
	if present < n {
		for i, ok := range c.valid {
			if !ok {
				b.SetNull(at + i)
			}
		}
	}
	return err
}

// presence finds out which of the next n rows have a value.
func (c *flat) presence(n int) (present int, err error) {
	if len(c.scratch) < n {
		c.scratch, c.valid = make([]int32, n), make([]bool, n)
	}
	c.valid = c.valid[:n]
	if !c.optional || c.levels.skipOnes(n) {
		for i := range c.valid {
			c.valid[i] = true
		}
		return n, nil
	}
	levels := c.scratch[:n]
	if err := c.levels.read(levels); err != nil {
		return 0, err
	}
	for i, level := range levels {
		c.valid[i] = level == 1
		present += int(level & 1)
	}
	return present, nil
}

// nextIDs returns ids of values of the dictionary.
func (c *flat) nextIDs(n int) ([]int32, error) {
	ids := c.scratch[:n]
	if err := c.ids.read(ids); err != nil {
		return nil, err
	}
	size := max(len(c.numbers4), len(c.numbers8))
	if c.texts != nil {
		size = c.texts.Len()
	}
	for _, id := range ids {
		if uint32(id) >= uint32(size) {
			return nil, fmt.Errorf("id %d in a dictionary of %d values", uint32(id), size)
		}
	}
	return ids, nil
}

var errValuesEnd = errors.New("the values of a page end too early")

// fillNumbers sets slots, of which those that are present have values, one behind the
// other: those of the ids, or the next plain ones.
func fillNumbers[T int32 | int64](c *flat, to []T, present int, ids []int32, dictionary []T) error {
	if c.encoded {
		for i, id := range ids {
			to[i] = dictionary[id]
		}
	} else {
		n, err := binary.Decode(c.plain, binary.LittleEndian, to[:present])
		if err != nil {
			return errValuesEnd
		}
		c.plain = c.plain[n:]
	}
	spread(to, c.valid, present)
	return nil
}

// spread moves the first present values to the valid slots.
func spread[T int32 | int64](slots []T, valid []bool, present int) {
	if present == len(slots) {
		return
	}
	for i := len(slots) - 1; i >= 0; i-- {
		if valid[i] {
			present--
			slots[i] = slots[present]
		}
	}
}

// fillText sets slots of the text column to the texts of ids, or to the next plain ones.
func (c *flat) fillText(at int, ids []int32) error {
	plain := c.plain
	defer func() { c.plain = plain }()
	for i, ok := range c.valid {
		if !ok {
			c.text.SetNull(at + i)
			continue
		}
		var text []byte
		if c.encoded {
			text, ids = textOf(c.texts, ids[0]), ids[1:]
		} else if text, plain, ok = cutText(plain); !ok {
			return errValuesEnd
		}
		if len(c.text.Data)+len(text) > math.MaxInt32 {
			return errors.New("the texts of a chunk are longer than 2 GiB")
		}
		c.text.SetText(at+i, text)
	}
	return nil
}

// cutText takes the first of plain texts: four bytes of length, then the bytes.
func cutText(plain []byte) (text, rest []byte, ok bool) {
	if len(plain) < 4 {
		return nil, nil, false
	}
	size := uint64(binary.LittleEndian.Uint32(plain))
	if size > uint64(len(plain)-4) {
		return nil, nil, false
	}
	return plain[4 : 4+size], plain[4+size:], true
}
