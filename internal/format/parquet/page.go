package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// flatEncodings reports whether flat reads all of the encodings that a column chunk says it
// has.
func flatEncodings(all []parquet.Encoding) bool {
	for _, e := range all {
		switch e {
		case parquet.Encodings.Plain, parquet.Encodings.PlainDict, parquet.Encodings.RLEDict, parquet.Encodings.RLE, parquet.Encodings.BitPacked:
		default:
			return false
		}
	}
	return true
}

// nextPage goes to the next page of values.
func (c *flat) nextPage() error {
	for c.pages.Next() {
		var err error
		switch p := c.pages.Page().(type) {
		case *file.DictionaryPage:
			if err := c.setDictionary(int(p.NumValues()), p.Data()); err != nil {
				return err
			}
			continue
		case *file.DataPageV1:
			err = c.setLevels(p)
		case *file.DataPageV2:
			// Levels of repetition may be written without a need for them.
			from := int(p.RepetitionLevelByteLen())
			to := from + int(p.DefinitionLevelByteLen())
			if to > len(p.Data()) {
				return errLevels
			}
			c.levels, c.plain = newHybrid(p.Data()[from:to], 1), p.Data()[to:]
		default:
			continue
		}
		if err != nil {
			return err
		}
		return c.setValues(c.pages.Page())
	}
	if err := c.pages.Err(); err != nil {
		return err
	}
	return errors.New("the column ends too early")
}

var errLevels = errors.New("a page is too small for its levels")

// setLevels parts the levels of an older page from its values.
func (c *flat) setLevels(p *file.DataPageV1) error {
	c.plain = p.Data()
	if !c.optional {
		return nil
	}
	if p.DefinitionLevelEncoding() == parquet.Encodings.BitPacked {
		n := (int(p.NumValues()) + 7) / 8
		if n > len(c.plain) {
			return errLevels
		}
		c.levels, c.plain = newPacked(c.plain[:n]), c.plain[n:]
		return nil
	}
	levels, values, ok := cutText(c.plain) // length and bytes, as of a text
	if !ok {
		return errLevels
	}
	c.levels, c.plain = newHybrid(levels, 1), values
	return nil
}

// setValues begins with the values of a page, which are behind its levels.
func (c *flat) setValues(p file.Page) error {
	c.left = int(p.NumValues())
	switch e := parquet.Encoding(p.Encoding()); e {
	case parquet.Encodings.Plain:
		c.encoded = false
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		c.encoded, c.ids = true, hybrid{}
		if len(c.plain) > 0 { // a page of NULLs may have no width
			if c.plain[0] > 32 {
				return fmt.Errorf("ids of %d bits", c.plain[0])
			}
			c.ids = newHybrid(c.plain[1:], int(c.plain[0]))
		}
	default:
		return fmt.Errorf("a page is encoded as %s, which its column chunk does not list", e)
	}
	return nil
}

// setDictionary copies the values of a dictionary, which are plain.
func (c *flat) setDictionary(size int, plain []byte) error {
	if c.text == nil && c.numbers.I32 != nil {
		return setNumbers(&c.numbers4, size, 4, plain)
	}
	if c.text == nil {
		return setNumbers(&c.numbers8, size, 8, plain)
	}
	if 4*size > len(plain) {
		return errValuesEnd
	}
	offsets, texts := make([]int32, 1, size+1), make([]byte, 0, len(plain)-4*size)
	for range size {
		text, rest, ok := cutText(plain)
		if !ok {
			return errValuesEnd
		}
		plain = rest
		texts = append(texts, text...)
		offsets = append(offsets, int32(len(texts)))
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(texts)}
	data := array.NewData(arrow.BinaryTypes.String, size, buffers, nil, 0, 0)
	defer data.Release()
	c.texts, c.longest = array.NewStringData(data), 0
	for i := range size {
		c.longest = max(c.longest, int(offsets[i+1]-offsets[i]))
	}
	return nil
}

func setNumbers[T int32 | int64](to *[]T, size, width int, plain []byte) error {
	if size*width > len(plain) {
		return errValuesEnd
	}
	*to = make([]T, size)
	_, err := binary.Decode(plain, binary.LittleEndian, *to)
	return err
}
