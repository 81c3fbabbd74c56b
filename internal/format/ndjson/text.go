package ndjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"ssql/internal/format"
	"ssql/internal/format/cell"
)

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special marks, in the high bit of each byte of w, the bytes at which a scan of
// a string must stop: quote, backslash, control characters and non-ASCII. Only
// the lowest mark is exact, borrows can set false ones above it.
func special(w uint64) uint64 {
	quote := w ^ lowBits*'"'
	slash := w ^ lowBits*'\\'
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (w - lowBits*0x20) | w) & highBits
}

func load(b []byte, p int) uint64 { return binary.LittleEndian.Uint64(b[p : p+8]) }

// text reads the string at p, which has a quote there, and returns its value and
// the position behind the closing quote. The value is part of the block, or of
// scratch if it had escapes, and valid until the next call.
func (d *Decoder) text(p int) (text []byte, end int, f *fault) {
	start := p + 1
	q, high, escaped := start, false, false
	for {
		w := load(d.buf, q)
		m := special(w)
		if m == 0 {
			q += 8
			continue
		}
		q += bits.TrailingZeros64(m) >> 3
		c := d.buf[q]
		switch {
		case c == '"':
			text = d.buf[start:q]
			if high && !utf8.Valid(text) {
				return nil, 0, &fault{Reason: format.NotUTF8}
			}
			if escaped {
				text, f = d.unescape(text)
			}
			return text, q + 1, f
		case c == '\\':
			escaped = true
			q += 2
			if d.buf[q-1] == '\n' {
				return nil, 0, unterminated()
			}
		case c == '\n':
			return nil, 0, unterminated()
		case c < 0x20:
			return nil, 0, &fault{Reason: "text holds the control character " + d.found(q)[len("the byte "):] + ", which must be escaped"}
		default:
			// Non-ASCII runs are taken byte by byte; they are validated at the end.
			high = true
			for q++; d.buf[q] >= 0x80; q++ {
			}
		}
	}
}

func unterminated() *fault {
	return &fault{Reason: "the line ends inside text: the closing quote is missing"}
}

// unescape returns text with its escapes replaced.
func (d *Decoder) unescape(text []byte) ([]byte, *fault) {
	out := d.scratch[:0]
	for i := 0; i < len(text); {
		c := text[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		// text never ends with a lone backslash: the scan took the byte behind it.
		switch e := text[i+1]; e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, n := unescapeRune(text[i:])
			if n == 0 {
				return nil, &fault{Reason: "the escape " + cell.Clip(text[i:min(i+6, len(text))]) + " is no character"}
			}
			out = utf8.AppendRune(out, r)
			i += n
			continue
		default:
			return nil, &fault{Reason: "JSON has no escape \\" + cell.Clip(text[i+1:i+2])}
		}
		i += 2
	}
	d.scratch = out
	return out, nil
}

// unescapeRune reads \uXXXX or a surrogate pair of two. A lone surrogate is no
// character: a VARCHAR could not hold it, and DuckDB's reader refuses it, too.
func unescapeRune(b []byte) (r rune, n int) {
	r = hex4(b)
	switch {
	case r < 0 || r >= 0xDC00 && r < 0xE000:
		return 0, 0
	case r < 0xD800 || r >= 0xE000:
		return r, 6
	}
	low := rune(-1)
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		low = hex4(b[6:])
	}
	if low < 0xDC00 || low >= 0xE000 {
		return 0, 0
	}
	return (r-0xD800)<<10 | (low - 0xDC00) + 0x10000, 12
}

// hex4 reads the digits of \uXXXX; -1 if they are none.
func hex4(b []byte) rune {
	if len(b) < 6 {
		return -1
	}
	r := rune(0)
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
