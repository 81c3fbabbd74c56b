package state

import (
	"encoding/binary"
	"math/bits"
)

// appendWord appends a word without its zero bytes: a header with the number of zero
// bytes at the top (high nibble) and at the bottom (low nibble), then the bytes between,
// lowest first. Zero is the header 0x80. Counts, references and doubles with few
// digits all take 2 to 4 bytes.
func appendWord(dst []byte, w uint64) []byte {
	if w == 0 {
		return append(dst, 0x80)
	}
	top, low := bits.LeadingZeros64(w)/8, bits.TrailingZeros64(w)/8
	var b [9]byte
	b[0] = byte(top<<4 | low)
	binary.LittleEndian.PutUint64(b[1:], w>>(8*low))
	return append(dst, b[:9-top-low]...)
}

// reader takes what was appended off a byte slice. After the first fault every
// further read gives zero and err stays set.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = corrupt("%s", what)
		r.b = nil
	}
}

func (r *reader) word() uint64 {
	if len(r.b) == 0 {
		r.fail("a word is missing")
		return 0
	}
	top, low := int(r.b[0]>>4), int(r.b[0]&15)
	n := 8 - top - low
	if n < 0 || top > 8 || low > 8 || len(r.b) < 1+n {
		r.fail("a word is cut short")
		return 0
	}
	var w uint64
	if len(r.b) >= 9 {
		w = binary.LittleEndian.Uint64(r.b[1:]) & (1<<(8*n) - 1)
	} else {
		for i := n; i > 0; i-- {
			w = w<<8 | uint64(r.b[i])
		}
	}
	r.b = r.b[1+n:]
	return w << (8 * low)
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("a number is cut short")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("a number is cut short")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads a number of things of which each takes at least one byte, so that a
// damaged number cannot ask for more memory than the input is long.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail("a count is greater than what follows")
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count()
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// appendBytes appends a length and bytes.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
