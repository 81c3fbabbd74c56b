package types

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// DigitsMax is the most digits a DECIMAL can have.
const DigitsMax = 38

// ParseDecimal reads a number in plain or exponent notation, exactly, as a
// DECIMAL(precision, scale): digits beyond the scale are rounded half away from
// zero. It fails on anything that is no number and on a value with more digits
// than the precision allows. It does not allocate.
func ParseDecimal(b []byte, precision, scale int32) (v decimal128.Num, ok bool) {
	n, ok := scanNumber(trimSpace(b))
	if !ok {
		return v, false
	}
	// keep is how many of the digits count, from the first that is not zero up to
	// the last place of the scale.
	keep := n.point + int(scale)
	if n.digits == 0 || keep < 0 {
		return v, true
	}
	if keep > int(precision) {
		return v, false
	}
	hi, lo := uint64(0), uint64(0)
	read, at := 0, n.first
	for ; read < keep; read++ {
		digit := byte(0)
		digit, at = n.next(at)
		hi, lo = timesTen(hi, lo, digit)
	}
	if digit, _ := n.next(at); digit >= 5 {
		var carry uint64
		lo, carry = bits.Add64(lo, 1, 0)
		hi += carry
	}
	v = decimal128.New(int64(hi), lo)
	if n.negative {
		v = v.Negate()
	}
	return v, v.FitsInPrecision(precision)
}

func timesTen(hi, lo uint64, digit byte) (uint64, uint64) {
	over, low := bits.Mul64(lo, 10)
	low, carry := bits.Add64(low, uint64(digit), 0)
	return hi*10 + over + carry, low
}

// number is where the parts of a numeric text are.
type number struct {
	text     []byte // mantissa: digits, underscores and at most one point
	negative bool
	first    int // offset of the first digit that is not zero
	digits   int // digits from there on; 0 for zero
	point    int // place of the decimal point, counted from the first digit that is not zero
}

// next returns the digit at offset at, and the offset behind it; 0 beyond the end.
func (n *number) next(at int) (byte, int) {
	for at < len(n.text) {
		c := n.text[at]
		at++
		if c != '.' {
			return c - '0', at
		}
	}
	return 0, at
}

// scanNumber checks that b is a number and finds its parts.
func scanNumber(b []byte) (n number, ok bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		n.negative = b[0] == '-'
		b = b[1:]
	}
	seen, pointAt, i := 0, -1, 0
	before := 0 // significant digits ahead of the point
	zeros := 0  // zeros behind the point ahead of the first significant digit
scan:
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '.' && pointAt < 0:
			pointAt = i
		case c >= '0' && c <= '9':
			seen++
			switch {
			case n.digits == 0 && c == '0':
				if pointAt >= 0 {
					zeros++
				}
				continue
			case n.digits == 0:
				n.first = i
			}
			n.digits++
			if pointAt < 0 {
				before++
			}
		default:
			break scan
		}
	}
	if seen == 0 {
		return n, false
	}
	n.text, n.point = b[:i], before
	if before == 0 {
		n.point = -zeros
	}
	if i == len(b) {
		return n, true
	}
	exponent, ok := scanExponent(b[i:])
	n.point += exponent
	return n, ok
}

// scanExponent reads all of e[±]digits. An exponent no DECIMAL could have is cut
// to one that none could have either.
func scanExponent(b []byte) (exponent int, ok bool) {
	if len(b) < 2 || b[0] != 'e' && b[0] != 'E' {
		return 0, false
	}
	b = b[1:]
	negative := b[0] == '-'
	if b[0] == '-' || b[0] == '+' {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		exponent = min(exponent*10+int(c-'0'), 1_000_000)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

// AppendDecimal appends v, counted in units of the scale's last place, as plain
// text with all digits of the scale.
func AppendDecimal(dst []byte, v decimal128.Num, scale int32) []byte {
	hi, lo := uint64(v.HighBits()), v.LowBits()
	if v.Sign() < 0 {
		dst = append(dst, '-')
		n := v.Negate()
		hi, lo = uint64(n.HighBits()), n.LowBits()
	}
	var buf [DigitsMax + 2]byte
	at := len(buf)
	for hi != 0 || lo != 0 || len(buf)-at <= int(scale) {
		var digit uint64
		hi, lo, digit = divTen(hi, lo)
		at--
		buf[at] = byte('0' + digit)
	}
	whole := len(buf) - int(scale)
	dst = append(dst, buf[at:whole]...)
	if scale > 0 {
		dst = append(dst, '.')
		dst = append(dst, buf[whole:]...)
	}
	return dst
}

func divTen(hi, lo uint64) (qhi, qlo, rem uint64) {
	qhi, rem = hi/10, hi%10
	qlo, rem = bits.Div64(rem, lo, 10)
	return qhi, qlo, rem
}
