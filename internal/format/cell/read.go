package cell

import (
	"math"

	"ssql/internal/format/column"
)

// ReadInt and ReadDouble take the common form of a number, at p, and return the
// position behind it. Any other form, right or wrong, is -1 with the slot untouched.
// A byte that is part of no number must stand behind it.

// ReadInt reads a whole number of at most 18 digits.
func ReadInt(buf []byte, p int) (v int64, end int) {
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

// ReadDouble reads a number of at most 15 digits without exponent. Such digits are
// an exact double, and so is the power of ten: their quotient is correctly
// rounded.
func ReadDouble(buf []byte, c *column.Builder, i, p int) int {
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
