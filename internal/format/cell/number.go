package cell

import "math"

// integerResult says what a numeric text is as an integer.
type integerResult uint8

const (
	isInteger integerResult = iota
	hasFraction
	tooLarge
	noNumber
)

// parseInteger reads a number in any notation, such as 12, 12.0 or 1.2e1, as sign
// and magnitude. It is exact: a value with a fraction, however small, is none.
func parseInteger(text []byte) (negative bool, magnitude uint64, r integerResult) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	shift, mantissa, ok := splitNumber(text)
	if !ok {
		return false, 0, noNumber
	}
	// The digits at and behind the decimal point, after the exponent moved it, must
	// be zeros.
	n := 0
	for _, c := range mantissa {
		if c != '.' {
			n++
		}
	}
	whole := n + shift
	read := 0
	for _, c := range mantissa {
		if c == '.' {
			continue
		}
		digit := uint64(c - '0')
		if read++; read > whole {
			if digit != 0 {
				return false, 0, hasFraction
			}
			continue
		}
		if magnitude > (math.MaxUint64-digit)/10 {
			return false, 0, tooLarge
		}
		magnitude = magnitude*10 + digit
	}
	for ; read < whole && magnitude != 0; read++ {
		if magnitude > math.MaxUint64/10 {
			return false, 0, tooLarge
		}
		magnitude *= 10
	}
	return negative, magnitude, isInteger
}

// splitNumber returns the mantissa, digits with at most one point, and the power
// of ten that its digits, read as one whole number, are multiplied by.
func splitNumber(text []byte) (shift int, mantissa []byte, ok bool) {
	point, i, seen := -1, 0, 0
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			seen++
			continue
		case c == '.' && point < 0:
			point = i
			continue
		}
		break
	}
	mantissa = text[:i]
	if seen == 0 {
		return 0, nil, false
	}
	if i < len(text) {
		if shift, ok = parseExponent(text[i:]); !ok {
			return 0, nil, false
		}
	}
	if point >= 0 {
		shift -= len(mantissa) - point - 1
	}
	return shift, mantissa, true
}

// exponentMax bounds exponents: beyond it every number is 0 or too large.
const exponentMax = 1 << 20

func parseExponent(text []byte) (exponent int, ok bool) {
	if text[0]|0x20 != 'e' {
		return 0, false
	}
	text = text[1:]
	negative := len(text) > 0 && text[0] == '-'
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		exponent = min(exponent*10+int(c-'0'), exponentMax)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, len(text) > 0
}
