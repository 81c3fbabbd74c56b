package ndjson

import (
	"encoding/binary"
	"math/bits"

	"ssql/internal/format/column"
)

// The readers below take the common form of a value, at p, and return the position
// behind it. Any other form, right or wrong, is -1 with the slot untouched, and
// left to value.

// walkText reads a string of ASCII without escapes into a VARCHAR column.
func walkText(buf []byte, c *column.Builder, i, p int) int {
	if buf[p] != '"' {
		return -1
	}
	p++
	if c.Dict != nil {
		return walkKey(buf, c, i, p)
	}
	start := len(c.Data)
	at, out := start, c.Data[:cap(c.Data)]
	for {
		if at+8 > len(out) {
			c.Data = out[:at]
			c.GrowData(8)
			out = c.Data[:cap(c.Data)]
		}
		w := load(buf, p)
		binary.LittleEndian.PutUint64(out[at:at+8], w)
		m := special(w)
		if m == 0 {
			p, at = p+8, at+8
			continue
		}
		k := bits.TrailingZeros64(m) >> 3
		p, at = p+k, at+k
		if buf[p] != '"' {
			c.Data = out[:start]
			return -1
		}
		c.Data = out[:at]
		c.Offsets[i+1] = int32(at)
		return p + 1
	}
}

// walkKey is walkText for a column with a dictionary, behind the opening quote.
func walkKey(buf []byte, c *column.Builder, i, p int) int {
	w0, w1, q := load(buf, p), uint64(0), p
	m := special(w0)
	if m == 0 {
		q += 8
		w1 = load(buf, q)
		if m = special(w1); m != 0 {
			w1 &= below(m)
		}
	} else {
		w0 &= below(m)
	}
	for m == 0 {
		q += 8
		m = special(load(buf, q))
	}
	q += bits.TrailingZeros64(m) >> 3
	if buf[q] != '"' {
		return -1
	}
	c.I32[i] = c.Dict.InternWords(w0, w1, buf[p:q])
	return q + 1
}

// below returns a mask of the bytes below the lowest mark of special.
func below(m uint64) uint64 { return (m&-m)>>7 - 1 }

// walkTime reads a timestamp whose minute is that of the row before; any other by the
// grammar. Without Z it takes UTC only.
func (d *Decoder) walkTime(s *step, i, p int) int {
	if d.buf[p] != '"' {
		return -1
	}
	micros, zoned, end := s.minute.Read(d.buf, p+1)
	if end > 0 && d.buf[end] == '"' && (zoned || d.shape.options.Zone == nil) {
		s.col.I64[i] = micros
		return end + 1
	}
	end = d.walkSlow(s, i, p)
	if end < 0 || s.col.IsNull(i) {
		return end
	}
	if text := d.buf[p+1 : end-1]; d.shape.options.Zone == nil || text[len(text)-1] == 'Z' {
		s.minute.Learn(text, s.col.I64[i])
	}
	return end
}

// walkSkip passes over a string of ASCII without escapes, or a whole number.
func walkSkip(buf []byte, p int) int {
	if buf[p] != '"' {
		return scanNumber(buf, p)
	}
	p++
	for {
		m := special(load(buf, p))
		if m == 0 {
			p += 8
			continue
		}
		p += bits.TrailingZeros64(m) >> 3
		if buf[p] != '"' {
			return -1
		}
		return p + 1
	}
}
