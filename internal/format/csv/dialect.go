package csv

import (
	"bytes"
	"math/bits"
)

// Dialect is how rows and fields are marked.
type Dialect struct {
	Delimiter byte
	// Quote encloses fields that hold delimiters, quotes or line ends; 0 is none.
	Quote byte
	// Escape stands before a Quote that does not close the field. It is the Quote itself
	// where quotes are doubled.
	Escape byte
	// Null is the text of NULL, in quotes or not, unless QuotedIsText is set.
	Null string
	// QuotedIsText says that what is in quotes is never NULL, as PostgreSQL and the files that
	// ssql writes have it.
	QuotedIsText bool
	// Decimal stands before the fraction of DOUBLE, FLOAT and DECIMAL; 0 is a point.
	Decimal byte
	// Header says that the first record of each file names its columns.
	Header bool
	// QuotedLinesMax is how many line ends a quoted field may have; 0 is the constant of
	// that name.
	QuotedLinesMax int
	// RecordBytesMax is how far behind the start of its record a quoted field may end; 0 is
	// no bound.
	RecordBytesMax int
}

// Default is RFC 4180: commas, double quotes, quotes doubled, a header; an empty field
// is NULL.
func Default() Dialect { return Dialect{Delimiter: ',', Quote: '"', Escape: '"', Header: true} }

// opensAt reports whether a quote at p opens a field: it is the first byte of one. Any
// other quote is text, as in `5" pipe`.
func (d *Dialect) opensAt(b []byte, p int) bool {
	return p == 0 || b[p-1] == d.Delimiter || b[p-1] == '\n'
}

// closing returns where the quote is that closes a field whose text starts at p; -1 if
// none does.
func (d *Dialect) closing(b []byte, p int) int {
	for q := p; ; {
		k := bytes.IndexByte(b[q:], d.Quote)
		if k < 0 {
			return -1
		}
		q += k
		switch {
		case d.Escape == d.Quote:
			if q+1 == len(b) || b[q+1] != d.Quote {
				return q
			}
			q++
		case !d.escaped(b[p:q]):
			return q
		}
		q++
	}
}

// escaped reports whether what follows text is escaped: an odd number of escapes ends
// it.
func (d *Dialect) escaped(text []byte) bool {
	n := len(text)
	for n > 0 && text[n-1] == d.Escape {
		n--
	}
	return (len(text)-n)%2 == 1
}

// lastEnd returns where the last whole record of a block ends that starts with one.
// Where there are no quotes that is the last newline; otherwise it goes from quote to
// quote, so that text without them is passed over at the speed of memory.
func (d *Dialect) lastEnd(b []byte) int {
	if d.Quote == 0 {
		return bytes.LastIndexByte(b, '\n') + 1
	}
	end := 0
	for p := 0; ; {
		k := bytes.IndexByte(b[p:], d.Quote)
		if k < 0 {
			if n := bytes.LastIndexByte(b[p:], '\n'); n >= 0 {
				end = p + n + 1
			}
			return end
		}
		q := p + k
		if n := bytes.LastIndexByte(b[p:q], '\n'); n >= 0 {
			end = p + n + 1
		}
		if p = q + 1; !d.opensAt(b, q) {
			continue
		}
		switch c := d.quotedEnd(b, end, q); c {
		case quotePending:
			return end
		case quoteStray:
			n := bytes.IndexByte(b[q:], '\n')
			if n < 0 {
				return end
			}
			p = q + n + 1
			end = p
		default:
			p = c
		}
	}
}

// firstEnd returns where the first record of a block ends, 0 if it is not whole. final says
// that nothing follows the block: a quote that is open there is a stray one.
func (d *Dialect) firstEnd(b []byte, final bool) int {
	for p, end := 0, 0; ; {
		if end <= p { // once a line, however many quotes are in it
			n := bytes.IndexByte(b[p:], '\n')
			if n < 0 {
				return 0
			}
			end = p + n + 1
		}
		// A quote before the newline may hide it.
		k := -1
		if d.Quote != 0 {
			k = bytes.IndexByte(b[p:end], d.Quote)
		}
		if k < 0 {
			return end
		}
		q := p + k
		if p = q + 1; !d.opensAt(b, q) {
			continue
		}
		switch c := d.quotedEnd(b, 0, q); {
		case c == quoteStray, c == quotePending && final:
			return end
		case c == quotePending:
			return 0
		default:
			p = c
		}
	}
}

// ends is format.Shape.Ends.
func (d *Dialect) ends(b []byte, max int64) (end int, records int64) {
	for ; records < max; records++ {
		n := d.firstEnd(b[end:], false)
		if n == 0 {
			break
		}
		end += n
	}
	return end, records
}

// fields splits one record, with or without its line end. open says that a quote is
// not closed. It is for headers and samples; rows have the Decoder.
func (d *Dialect) fields(record []byte) (fields []string, open bool) {
	record = bytes.TrimSuffix(bytes.TrimSuffix(record, []byte("\n")), []byte("\r"))
	for p := 0; ; {
		var text []byte
		if d.Quote != 0 && p < len(record) && record[p] == d.Quote {
			c := d.closing(record, p+1)
			if c < 0 {
				return append(fields, string(record[p+1:])), true
			}
			text = d.unescape(nil, record[p+1:c])
			p = c + 1
		}
		end := bytes.IndexByte(record[p:], d.Delimiter)
		if end < 0 {
			return append(fields, string(append(text, record[p:]...))), false
		}
		fields = append(fields, string(append(text, record[p:p+end]...)))
		p += end + 1
	}
}

// unescape appends text without its escapes. An escape before any other byte than quote
// or escape is text.
func (d *Dialect) unescape(out, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == d.Escape && i+1 < len(text) && (text[i+1] == d.Quote || text[i+1] == d.Escape) {
			i++
		}
		out = append(out, text[i])
	}
	return out
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// scan returns the position of the first of two bytes, given in all bytes of a word,
// from p on, and whether a byte before it is not ASCII. One of them must be there, and
// seven bytes behind it.
func scan(buf []byte, p int, one, other uint64) (end int, high bool) {
	seen := uint64(0)
	for {
		w := load(buf, p)
		x, y := w^one, w^other
		// The high bit of each byte that is one of them; only the lowest is exact.
		m := ((x-lowBits)&^x | (y-lowBits)&^y) & highBits
		if m != 0 {
			seen |= w & below(m)
			return p + bits.TrailingZeros64(m)>>3, seen&highBits != 0
		}
		seen |= w
		p += 8
	}
}

// below returns a mask of the bytes below the lowest mark.
func below(m uint64) uint64 { return (m&-m)>>7 - 1 }
