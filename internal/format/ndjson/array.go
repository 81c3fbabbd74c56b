package ndjson

import (
	"bytes"
	"fmt"
	"slices"

	"ssql/internal/format/column"
)

// arrayBytes is how much of an array is brought into lines before it is decoded.
const arrayBytes = 256 << 10

// Array feeds a Decoder with the elements of one JSON array, whose bytes come in any
// pieces. Each element is a row, or a bad row, of the line where it starts.
type Array struct {
	decoder *Decoder

	line  int64
	state arrayState
	depth int // of brackets inside the element
	text  bool
	slash bool // the byte before was a backslash that escapes
	long  bool // the element is longer than a line may be; the rest of it is passed over

	elements []byte  // whole ones, a line each, and what there is of the present one
	start    int     // where the present one starts
	lines    []int64 // where those of elements were found
	at       int64   // the line of the present element
}

// arrayState is what may come next.
type arrayState uint8

const (
	beforeArray arrayState = iota
	beforeElement
	inElement
	behindElement
	behindArray
)

// IsArray reports whether the start of a file is that of an array. A line of JSON lines
// cannot be one.
func IsArray(start []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("["))
}

// NewArray returns the reader of an array for a decoder of this package that has begun
// on the input.
func NewArray(d *Decoder) *Array { return &Array{decoder: d, line: d.line} }

// Write takes the next bytes.
func (a *Array) Write(block []byte) error {
	for _, c := range block {
		if a.state == inElement {
			if err := a.inside(c); err != nil {
				return err
			}
		} else if err := a.between(c); err != nil {
			return err
		}
		if c == '\n' {
			a.line++
		}
	}
	return nil
}

// between takes a byte that is not part of an element.
func (a *Array) between(c byte) error {
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return nil
	case a.state == beforeArray && c == '[':
		a.state = beforeElement
		return nil
	case a.state == behindElement && c == ',':
		a.state = beforeElement
		return nil
	case a.state != behindArray && c == ']':
		a.state = behindArray
		return nil
	case a.state == behindArray:
		return a.refuse(c, "expected nothing behind the array")
	case a.state == behindElement:
		if err := a.refuse(c, `expected "," or "]" behind the element`); err != nil {
			return err
		}
	}
	a.state, a.start, a.at = inElement, len(a.elements), a.line
	a.depth, a.text, a.slash, a.long = 0, false, false, false
	return a.inside(c)
}

// refuse reports a byte that cannot be there, once per line.
func (a *Array) refuse(c byte, reason string) error {
	if err := a.flush(); err != nil {
		return err
	}
	if a.at == -a.line {
		return nil
	}
	a.at = -a.line
	a.decoder.line = a.line
	return a.decoder.Refuse([]byte{c}, fmt.Sprintf("%s, found %q", reason, string(rune(c))))
}

// inside takes a byte of an element, or the one behind it.
func (a *Array) inside(c byte) error {
	switch {
	case a.slash:
		a.slash = false
	case a.text:
		a.slash = c == '\\'
		a.text = c != '"'
	case c == '"':
		a.text = true
	case c == '{' || c == '[':
		a.depth++
	case a.depth == 0 && (c == ',' || c == ']'):
		if err := a.end(); err != nil {
			return err
		}
		return a.between(c)
	case c == '}' || c == ']':
		a.depth--
		if a.depth <= 0 {
			a.put(c)
			return a.end()
		}
	}
	a.put(c)
	return nil
}

// put keeps a byte. A line end between values becomes a blank, since the decoder reads
// lines; one inside of text stays a control character, which text cannot hold.
func (a *Array) put(c byte) {
	if len(a.elements)-a.start > a.decoder.lineMax {
		a.long = true
		return
	}
	if c == '\n' {
		if c = ' '; a.text {
			c = '\v'
		}
	}
	a.elements = append(a.elements, c)
}

// end ends the present element.
func (a *Array) end() error {
	a.state = behindElement
	if a.long {
		start := slices.Clone(a.elements[a.start:])
		a.elements = a.elements[:a.start]
		if err := a.flush(); err != nil {
			return err
		}
		a.decoder.line = a.at
		return a.decoder.Refuse(start, fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", a.decoder.lineMax))
	}
	a.elements = append(a.elements, '\n')
	a.lines = append(a.lines, a.at)
	if len(a.elements) >= arrayBytes {
		return a.flush()
	}
	return nil
}

// flush decodes the whole elements.
func (a *Array) flush() error {
	if len(a.lines) == 0 {
		return nil
	}
	a.elements = slices.Grow(a.elements, column.Slack)
	err := a.decoder.decodeLines(a.elements, a.lines)
	a.elements, a.lines = a.elements[:0], a.lines[:0]
	return err
}

// Close ends the input. An array that is not closed is a bad row.
func (a *Array) Close() error {
	if a.state == inElement && a.depth == 0 && !a.text {
		if err := a.end(); err != nil {
			return err
		}
	}
	rest := slices.Clone(a.elements[min(len(a.elements), a.start):])
	if a.state == inElement {
		a.elements = a.elements[:a.start]
	}
	if err := a.flush(); err != nil || a.state == behindArray || a.state == beforeArray {
		return err
	}
	a.decoder.line = a.line
	if a.state == inElement {
		a.decoder.line = a.at
	} else {
		rest = nil
	}
	return a.decoder.Refuse(rest, `the array is not closed: expected "]"`)
}
