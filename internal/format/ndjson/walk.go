package ndjson

import (
	"encoding/binary"
	"math"
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

// walkInt reads a whole number of at most 18 digits.
func walkInt(buf []byte, p int) (v int64, end int) {
	negative := buf[p] == '-'
	if negative {
		p++
	}
	q := p
	for {
		digit := buf[q] - '0'
		if digit > 9 {
			break
		}
		v = v*10 + int64(digit)
		q++
	}
	if n := q - p; n == 0 || n > 18 || n > 1 && buf[p] == '0' {
		return 0, -1
	}
	if c := buf[q]; c == '.' || c|0x20 == 'e' {
		return 0, -1
	}
	if negative {
		v = -v
	}
	return v, q
}

// pow10 holds the powers of ten that a double holds exactly and 15 digits can need.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// walkDouble reads a number of at most 15 digits without exponent. Such digits are
// an exact double, and so is the power of ten: their quotient is correctly
// rounded.
func walkDouble(buf []byte, c *column.Builder, i, p int) int {
	negative := buf[p] == '-'
	if negative {
		p++
	}
	m, q := uint64(0), p
	for {
		digit := buf[q] - '0'
		if digit > 9 {
			break
		}
		m = m*10 + uint64(digit)
		q++
	}
	whole := q - p
	fraction := 0
	if buf[q] == '.' {
		q++
		from := q
		for {
			digit := buf[q] - '0'
			if digit > 9 {
				break
			}
			m = m*10 + uint64(digit)
			q++
		}
		if fraction = q - from; fraction == 0 {
			return -1
		}
	}
	if whole == 0 || whole+fraction > 15 || whole > 1 && buf[p] == '0' || buf[q]|0x20 == 'e' {
		return -1
	}
	v := float64(m)
	if fraction > 0 {
		v /= pow10[fraction]
	}
	if negative {
		v = -v
	}
	c.I64[i] = int64(math.Float64bits(v))
	return q
}

// walkTime reads "YYYY-MM-DDThh:mm:ss[.f]Z" whose minute is that of the row before,
// so that only the seconds need reading. Without Z it takes UTC only.
func (d *Decoder) walkTime(s *step, i, p int) int {
	buf := d.buf
	if buf[p] != '"' || load(buf, p+1) != s.minute0 || load(buf, p+9) != s.minute1 {
		return d.walkMinute(s, i, p)
	}
	micros, end := d.walkSeconds(p + 17)
	if end < 0 {
		return -1
	}
	s.col.I64[i] = s.minuteMicros + micros
	return end
}

// walkMinute reads a timestamp by the grammar and remembers its minute.
func (d *Decoder) walkMinute(s *step, i, p int) int {
	if d.buf[p] != '"' {
		return -1
	}
	end := d.walkSlow(s, i, p)
	if end < 0 || s.col.IsNull(i) {
		return end
	}
	// Whatever the first 16 bytes mean, the same ones before the same kind of seconds
	// mean the same.
	if micros, same := d.walkSeconds(p + 17); same == end {
		s.minute0, s.minute1 = load(d.buf, p+1), load(d.buf, p+9)
		s.minuteMicros = s.col.I64[i] - micros
	}
	return end
}

// walkSeconds reads `:ss[.f]Z"` with at most 6 digits of fraction.
func (d *Decoder) walkSeconds(p int) (micros int64, end int) {
	buf := d.buf
	tens, ones := buf[p+1]-'0', buf[p+2]-'0'
	if buf[p] != ':' || tens > 5 || ones > 9 {
		return 0, -1
	}
	micros = int64(tens*10+ones) * 1_000_000
	p += 3
	if buf[p] == '.' {
		p++
		scale := int64(100_000)
		for ; buf[p]-'0' <= 9; p++ {
			if scale == 0 {
				return 0, -1
			}
			micros += int64(buf[p]-'0') * scale
			scale /= 10
		}
		if scale == 100_000 {
			return 0, -1
		}
	}
	if buf[p] == 'Z' {
		p++
	} else if d.shape.options.Zone != nil {
		return 0, -1
	}
	if buf[p] != '"' {
		return 0, -1
	}
	return micros, p + 1
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
