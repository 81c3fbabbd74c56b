package ndjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/bits"
	"slices"

	"ssql/internal/format"
	"ssql/internal/format/column"
)

// JSON that is not one object per line: objects one behind the other with nothing, blanks,
// line ends or the record separator of RFC 7464 between them, objects printed over many
// lines, arrays of objects. A record is one value; brackets and commas between values say
// nothing and are passed over.
//
// Where a value ends depends on its own bytes alone, so that a file can be read on from the
// end of any. What is not well-formed must end, too, without taking its neighbours with it:
//
//   - A text has no line end and no record separator in it, so the value ends there.
//   - An object or array stands behind a colon, or behind a bracket or comma of an array.
//     Where one begins elsewhere, the value before it was not finished.
//   - A bracket that closes another kind of bracket ends the value.
//   - What is no object or array goes up to the end of the line, the next comma or bracket.

// separator is the record separator of RFC 7464.
const separator = 0x1E

// value finds the end of a value, whose bytes may come in pieces.
type value struct {
	junk  bool   // no object or array
	depth int    // of the brackets that are open
	kinds uint64 // of the innermost 64 of them: 1 is an object
	deep  bool   // there were more: only their number is known
	text  bool   // inside of a text
	slash bool   // behind a backslash in it
	prev  byte   // the last byte that is no blank
}

// beginValue returns the state before a value whose first byte is given.
func beginValue(first byte) value { return value{junk: first != '{' && first != '['} }

// scan goes over the next bytes of a value; done says that it ends behind the first n.
func (v *value) scan(block []byte) (n int, done bool) {
	for n < len(block) {
		if v.text {
			k, ended := v.scanText(block[n:])
			if n += k; ended {
				return n, true
			}
			continue
		}
		c := block[n]
		switch c {
		case ' ', '\t', '\r':
			n++
			continue
		case '\n':
			if v.junk {
				return n, true
			}
			n++
			continue
		case '"':
			v.text = true
		case separator:
			return n, true
		case '{', '[', '}', ']', ',':
			if behind, ended := v.bracket(c); ended {
				return n + behind, true
			}
		}
		v.prev = c
		n++
	}
	return n, false
}

// scanText goes over bytes inside of a text and the quote that closes it; ended says that
// the value ends in front of the next byte.
func (v *value) scanText(block []byte) (n int, ended bool) {
	for n < len(block) {
		if v.slash {
			if block[n] == '\n' || block[n] == separator {
				return n, true
			}
			v.slash = false
			n++
			continue
		}
		if n+8 <= len(block) {
			m := stops(binary.LittleEndian.Uint64(block[n:]))
			if m == 0 {
				n += 8
				continue
			}
			n += bits.TrailingZeros64(m) >> 3
		}
		switch block[n] {
		case '"':
			v.text, v.prev = false, '"'
			return n + 1, false
		case '\\':
			v.slash = true
		case '\n', separator:
			return n, true
		}
		n++
	}
	return n, false
}

// stops marks, as special does, quotes, backslashes and control characters.
func stops(w uint64) uint64 {
	quote := w ^ lowBits*'"'
	slash := w ^ lowBits*'\\'
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (w-lowBits*0x20)&^w) & highBits
}

// bracket takes a bracket or comma; ended says that the value ends, behind it or before it.
func (v *value) bracket(c byte) (behind int, ended bool) {
	if v.junk {
		return 0, c != '}'
	}
	inObject := v.kinds&1 == 1
	switch c {
	case '{', '[':
		if v.depth > 0 && !v.deep && (inObject && v.prev != ':' || !inObject && v.prev != '[' && v.prev != ',') {
			return 0, true
		}
		v.deep = v.deep || v.depth == 64
		v.depth++
		if v.kinds <<= 1; c == '{' {
			v.kinds |= 1
		}
	case '}', ']':
		v.depth--
		v.kinds >>= 1
		return 1, v.depth == 0 || !v.deep && inObject != (c == '}')
	}
	return 0, false
}

// between goes over what stands between values.
type between struct {
	prev   byte // the last byte that is no blank; 0 behind a value
	closed bool // an array was closed since the last value
	arrays int  // that are open
	first  bool // the first array was closed
}

// skip returns where the next value begins, len(block) if none does. A bracket opens an
// array of rows; one in such an array is a row.
func (b *between) skip(block []byte, p int) int {
	for ; p < len(block); p++ {
		switch c := block[p]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case separator, ',':
		case '[':
			if b.prev == '[' || b.prev == ',' && !b.closed {
				return p
			}
			b.arrays++
		case ']':
			b.arrays, b.closed = max(0, b.arrays-1), true
			b.first = b.first || b.arrays == 0
		default:
			return p
		}
		b.prev = block[p]
	}
	return p
}

// next returns the next value from p on, with the state at its end. done is false if the
// block ends in it, or before it, where start is len(block).
func (b *between) next(block []byte, p int) (v value, start, end int, done bool) {
	if start = b.skip(block, p); start == len(block) {
		return v, start, start, false
	}
	v = beginValue(block[start])
	n, done := v.scan(block[start:])
	b.prev, b.closed = 0, false
	return v, start, start + n, done
}

// ValueShape is a Shape whose records are values, not lines.
type ValueShape struct{ *Shape }

var _ format.Shape = ValueShape{}

// Ends implements format.Shape.
func (s ValueShape) Ends(block []byte, max int64) (end int, records int64) {
	var b between
	for records < max {
		_, _, next, done := b.next(block, end)
		if !done {
			break
		}
		end = next
		records++
	}
	return end, records
}

// LastEnd implements format.Shape.
func (s ValueShape) LastEnd(block []byte) int {
	end, _ := s.Ends(block, int64(len(block)))
	return end
}

// Complete reports whether nothing but what may stand between values is there.
func (s ValueShape) Complete(_, tail []byte) bool {
	var b between
	return b.skip(tail, 0) == len(tail)
}

// Rest implements format.Shape.
func (s ValueShape) Rest(start []byte) func(block []byte) (int, bool) {
	var b between
	p := b.skip(start, 0)
	if p == len(start) {
		return func([]byte) (int, bool) { return 0, true } // blanks alone
	}
	v := beginValue(start[p])
	v.scan(start[p:])
	return v.scan
}

// Form is how the records of a file are told apart.
type Form uint8

const (
	// UnknownForm is that of a file with one object and nothing behind it.
	UnknownForm Form = iota
	// LinesForm has one object per line.
	LinesForm
	// ValuesForm has its objects in arrays, over several lines, or not on lines.
	ValuesForm
)

// FormOf tells the form from the start of a file. Lines is what it is in doubt: one bad
// line among lines costs a line.
func FormOf(start []byte) Form {
	start = bytes.TrimLeft(start, " \t\r\n")
	switch {
	case len(start) == 0:
		return UnknownForm
	case start[0] == '[' || start[0] == separator:
		return ValuesForm
	case start[0] != '{':
		return LinesForm
	}
	var first json.RawMessage
	err := json.NewDecoder(bytes.NewReader(start)).Decode(&first)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && bytes.IndexByte(start, '\n') < 0:
		return UnknownForm
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ValuesForm
	case err != nil:
		return LinesForm
	case bytes.IndexByte(first, '\n') >= 0:
		return ValuesForm
	}
	behind, _, ended := bytes.Cut(start[len(first):], []byte("\n"))
	behind = bytes.TrimLeft(behind, " \t\r")
	switch {
	case len(behind) > 0 && bytes.IndexByte([]byte{'{', '[', ',', separator}, behind[0]) >= 0:
		return ValuesForm
	case len(behind) > 0 || ended:
		return LinesForm
	}
	return UnknownForm
}

// partOfValues reports whether a line that is no row looks as if it were one of many of a
// value, or had more values than one.
func partOfValues(line []byte) bool {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return false
	case line[0] == separator || line[0] == '[' || line[0] == '}' && len(bytes.Trim(line, "}, \t")) == 0:
		return true
	case line[0] != '{':
		return false
	}
	var b between
	_, _, end, done := b.next(line, 0)
	if !done || !json.Valid(line[:end]) {
		return false
	}
	behind := bytes.TrimLeft(line[end:], " \t,\x1e")
	return len(behind) > 0 && behind[0] == '{'
}

// Value is one value of a sample.
type Value struct {
	Text []byte
	Line int64 // from 1
}

// Values returns the values at the start of a file, as far as they are whole and at most
// max.
func Values(start []byte, max int) (out []Value) {
	var b between
	line, counted := int64(1), 0
	for p := 0; len(out) < max; {
		_, from, end, done := b.next(start, p)
		if !done {
			break
		}
		line += int64(bytes.Count(start[counted:from], []byte("\n")))
		counted = from
		out = append(out, Value{start[from:end], line})
		p = end
	}
	return out
}

// valuesBytes is how much is brought into lines before it is decoded.
const valuesBytes = 256 << 10

// valueReader brings the values of blocks into lines, which the grammar reads.
type valueReader struct {
	between
	line   int64 // of the next byte
	offset int64 // of the block
	lines  []byte
	places []format.Place // of the lines
}

// decodeValues is Decode of a block of whole values; only the last one may lack its end.
func (d *Decoder) decodeValues(block []byte) error {
	r := &d.values
	counted := 0
	for p := 0; ; {
		v, start, end, _ := r.next(block, p)
		if start == len(block) {
			break
		}
		r.line += int64(bytes.Count(block[counted:start], []byte("\n")))
		counted, p = start, end
		r.places = append(r.places, format.Place{Line: r.line, Offset: r.offset + int64(start)})
		if v.depth > 0 {
			// Where it ends is not always in the block, so that the grammar, which speaks of
			// lines, would say this or that.
			at := r.places[len(r.places)-1]
			r.places = r.places[:len(r.places)-1]
			if err := d.flushValues(); err != nil {
				return err
			}
			if err := d.refuseAt(at.Line, block[start:end], "the value is not finished: a bracket or quote is not closed"); err != nil {
				return err
			}
			continue
		}
		from := len(r.lines)
		r.lines = append(append(r.lines, block[start:end]...), '\n')
		blankLineEnds(r.lines[from : len(r.lines)-1])
		if len(r.lines) >= valuesBytes {
			if err := d.flushValues(); err != nil {
				return err
			}
		}
	}
	r.line += int64(bytes.Count(block[counted:], []byte("\n")))
	r.offset += int64(len(block))
	return d.flushValues()
}

// blankLineEnds makes blanks of the line ends of a value: they are not in its texts.
func blankLineEnds(value []byte) {
	for {
		k := bytes.IndexByte(value, '\n')
		if k < 0 {
			return
		}
		value[k] = ' '
		value = value[k+1:]
	}
}

// flushValues decodes the lines.
func (d *Decoder) flushValues() error {
	r := &d.values
	if len(r.places) == 0 {
		return nil
	}
	r.lines = slices.Grow(r.lines, column.Slack)
	err := d.decodeLines(r.lines, r.places)
	r.lines, r.places = r.lines[:0], r.places[:0]
	return err
}

// Skip goes over bytes that are not decoded: of a value that was refused for its length.
func (d *Decoder) Skip(block []byte) {
	if d.byValues {
		d.values.line += int64(bytes.Count(block, []byte("\n")))
		d.values.offset += int64(len(block))
	}
}

// Unclosed says that an array of the input is not closed.
const Unclosed = `the array is not closed: expected "]"`

// OpenArray reports whether what was read has an array that is not closed.
func (d *Decoder) OpenArray() bool { return d.values.arrays > 0 }

// ArrayScan finds out whether the arrays of a file are closed. Its bytes come in pieces.
type ArrayScan struct {
	between
	inside *value
}

// Scan takes the next bytes.
func (a *ArrayScan) Scan(block []byte) {
	for p := 0; p < len(block); {
		if a.inside == nil {
			if p = a.skip(block, p); p == len(block) {
				return
			}
			v := beginValue(block[p])
			a.inside, a.prev, a.closed = &v, 0, false
		}
		n, done := a.inside.scan(block[p:])
		if p += n; done {
			a.inside = nil
		}
	}
}

// Rest goes over what comes next of the value that the bytes so far end in; done says that it
// ends behind the first n bytes, also where they end in none.
func (a *ArrayScan) Rest(block []byte) (n int, done bool) {
	if a.inside == nil {
		return 0, true
	}
	return a.inside.scan(block)
}

// Open reports whether an array is not closed, and whether it is the first.
func (a *ArrayScan) Open() (open, first bool) { return a.arrays > 0, a.arrays > 0 && !a.first }
