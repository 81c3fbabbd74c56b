package cell

import (
	"encoding/binary"
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

// Minute reads timestamps "YYYY-MM-DDThh:mm:ss[.f][Z]" whose minute is that of one
// before, so that only the seconds need reading.
type Minute struct {
	first, second uint64 // its 16 bytes
	micros        int64
}

// Read reads the timestamp at p in the minute, with Z or without any zone, and returns
// the position behind it; -1 for another minute or form.
func (m *Minute) Read(buf []byte, p int) (micros int64, zoned bool, end int) {
	if load(buf, p) != m.first || load(buf, p+8) != m.second || m.first == 0 {
		return 0, false, -1
	}
	micros, zoned, end = readSeconds(buf, p+16)
	return m.micros + micros, zoned, end
}

// Learn remembers the minute of a timestamp that was read from text. Whatever its first
// 16 bytes mean, the same ones before the same kind of seconds mean the same.
func (m *Minute) Learn(text []byte, micros int64) {
	// The seconds are read behind the text: it is copied to stop there.
	var padded [32]byte
	if len(text) < 19 || len(text) > 27 {
		return
	}
	copy(padded[:], text)
	if seconds, _, end := readSeconds(padded[:], 16); end == len(text) {
		m.first, m.second, m.micros = load(padded[:], 0), load(padded[:], 8), micros-seconds
	}
}

// readSeconds reads `:ss[.f][Z]` with at most 6 digits of fraction.
func readSeconds(buf []byte, p int) (micros int64, zoned bool, end int) {
	tens, ones := buf[p+1]-'0', buf[p+2]-'0'
	if buf[p] != ':' || tens > 5 || ones > 9 {
		return 0, false, -1
	}
	micros = int64(tens*10+ones) * 1_000_000
	p += 3
	if buf[p] == '.' {
		p++
		scale := int64(100_000)
		for ; buf[p]-'0' <= 9; p++ {
			if scale == 0 {
				return 0, false, -1
			}
			micros += int64(buf[p]-'0') * scale
			scale /= 10
		}
		if scale == 100_000 {
			return 0, false, -1
		}
	}
	if buf[p] == 'Z' {
		return micros, true, p + 1
	}
	return micros, false, p
}

func load(b []byte, p int) uint64 { return binary.LittleEndian.Uint64(b[p : p+8]) }
