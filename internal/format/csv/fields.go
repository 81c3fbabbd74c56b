package csv

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// fields reads the fields of the record at p into slot d.row and returns the start of
// the next record.
func (d *Decoder) fields(p int) (int, *cell.Fault) {
	buf, i, delimiter := d.buf, d.row, d.shape.options.Delimiter
	for k := range d.steps {
		s := &d.steps[k]
		end := d.quick(s, i, p)
		if end < 0 || !d.endsField(end) {
			var f *cell.Fault
			if end, f = d.field(s, i, p); f != nil {
				return 0, d.orWrongCount(f, p, k)
			}
		}
		last := k == len(d.steps)-1
		if isDelimiter := buf[end] == delimiter; isDelimiter == last {
			return 0, d.wrongCount(p, k)
		}
		p = end + 1
	}
	for _, c := range d.missing {
		c.SetNull(i)
	}
	if buf[p-1] == '\r' {
		p++
	}
	return p, nil
}

// wrongCount says that the record has more or fewer fields than there must be. It goes
// on at field k, which starts at p.
func (d *Decoder) wrongCount(p, k int) *cell.Fault {
	rest, _ := d.shape.options.fields(d.buf[p : d.recordEnd(p)-1])
	return &cell.Fault{Reason: fmt.Sprintf("expected %s, found %d", fieldCount(len(d.steps)), k+len(rest))}
}

// orWrongCount returns why the field k at p cannot be read: where the record has more or fewer
// fields than there must be, a value is in the column of another, or cut short.
func (d *Decoder) orWrongCount(f *cell.Fault, p, k int) *cell.Fault {
	if f.Column == "" {
		return f
	}
	if rest, _ := d.shape.options.fields(d.buf[p : d.recordEnd(p)-1]); k+len(rest) == len(d.steps) {
		return f
	}
	return d.wrongCount(p, k)
}

// endsField reports whether a delimiter or line end is at p.
func (d *Decoder) endsField(p int) bool {
	c := d.buf[p]
	return c == d.shape.options.Delimiter || c == '\n' || c == '\r' && d.buf[p+1] == '\n'
}

// quick reads the usual form of the usual numbers and times and returns the position
// behind it; -1 for anything else.
func (d *Decoder) quick(s *step, i, p int) int {
	switch s.op {
	case opBigInt:
		v, end := cell.ReadInt(d.buf, p)
		if end > 0 {
			s.col.I64[i] = v
		}
		return end
	case opDouble:
		return cell.ReadDouble(d.buf, s.col, i, p)
	case opInt:
		v, end := cell.ReadInt(d.buf, p)
		if end > 0 && cell.SetInt(s.col, i, v) {
			return end
		}
	case opTime:
		micros, zoned, end := s.minute.Read(d.buf, p)
		if end > 0 && (zoned || d.shape.options.Zone == nil) {
			s.col.I64[i] = micros
			return end
		}
	}
	return -1
}

// field reads any field at p and returns the position of what ends it.
func (d *Decoder) field(s *step, i, p int) (end int, f *cell.Fault) {
	if c := d.buf[p]; c == d.shape.options.Quote && c != 0 {
		return d.quotedField(s, i, p)
	}
	end, high := scan(d.buf, p, d.stopField, lowBits*'\n')
	if d.buf[end] == '\n' && end > p && d.buf[end-1] == '\r' {
		end--
	}
	return end, d.set(s, i, d.buf[p:end], fieldText{high: high})
}

// fieldText is what is known of the text of a field.
type fieldText struct {
	high   bool // it has bytes beyond ASCII
	isText bool // and is not NULL
}

func (d *Decoder) quotedField(s *step, i, p int) (end int, f *cell.Fault) {
	inner := d.inner
	text, end, high := d.quoted(p + 1)
	if end < 0 || d.inner > inner && d.shape.options.quotedEnd(d.buf[:d.n+1], d.start, p) != end {
		return 0, &cell.Fault{Reason: "the line has a quote that is never closed"}
	}
	if !d.endsField(end) {
		rest, _ := scan(d.buf, end, d.stopField, lowBits*'\n')
		return 0, &cell.Fault{Reason: fmt.Sprintf("expected %q or the end of the line behind the closing quote, found %q",
			string(rune(d.shape.options.Delimiter)), cell.Clip(d.buf[end:rest]))}
	}
	return end, d.set(s, i, text, fieldText{high, d.shape.options.QuotedIsText})
}

// quoted returns the text of a field behind its opening quote, and the position behind
// the closing one; -1 if there is none.
func (d *Decoder) quoted(start int) (text []byte, end int, high bool) {
	o := &d.shape.options
	escaped := false
	for q := start; ; {
		var h bool
		q, h = scan(d.buf, q, d.stopQuote, d.stopEscape)
		high = high || h
		next := d.buf[q+1]
		switch {
		case q >= d.n:
			return nil, -1, false
		case d.buf[q] != o.Quote: // an escape of its own
			if q++; next == o.Quote || next == o.Escape {
				escaped = true
				q++
			}
			continue
		case o.Escape == o.Quote && next == o.Quote && q+1 < d.n:
			escaped = true
			q += 2
			continue
		}
		text = d.buf[start:q]
		d.inner += int64(bytes.Count(text, []byte{'\n'}))
		if escaped {
			d.scratch = o.unescape(d.scratch[:0], text)
			text = d.scratch
		}
		return text, q + 1, high
	}
}

// set puts the text of a field into slot i. The text is part of the block, or of
// scratch.
func (d *Decoder) set(s *step, i int, text []byte, of fieldText) *cell.Fault {
	o := &d.shape.options
	if of.high && !utf8.Valid(text) {
		return &cell.Fault{Reason: format.NotUTF8}
	}
	if s.col == nil {
		return nil
	}
	if !of.isText && string(text) == o.Null {
		s.col.SetNull(i)
		return nil
	}
	switch s.op {
	case opText:
		s.col.SetText(i, text)
		return nil
	case opTime:
		if o.EpochUnit != types.NoEpoch && isNumber(text) {
			return o.SetEpoch(s.col, i, text)
		}
		f := o.SetText(s.col, i, text)
		if f == nil && (o.Zone == nil || text[len(text)-1] == 'Z') {
			s.minute.Learn(text, s.col.I64[i])
		}
		return f
	}
	switch t := s.col.Type; {
	case t.Kind == types.Boolean && setWord(s.col, i, text):
		return nil
	case o.Decimal != 0 && (t.IsFloat() || t.Kind == types.Decimal):
		return d.setDecimal(s.col, i, text)
	}
	return o.SetText(s.col, i, text)
}

// setDecimal sets a number that is written with a decimal separator of its own. A point
// is none then: it would part thousands.
func (d *Decoder) setDecimal(c *column.Builder, i int, text []byte) *cell.Fault {
	if bytes.IndexByte(text, '.') >= 0 {
		return cell.WrongType(c, fmt.Sprintf("the text %q (the decimal separator is %q)", cell.Clip(text), string(rune(d.shape.options.Decimal))))
	}
	// text may be scratch itself: it keeps its length.
	d.scratch = append(d.scratch[:0], text...)
	for k, b := range d.scratch {
		if b == d.shape.options.Decimal {
			d.scratch[k] = '.'
		}
	}
	return d.shape.options.SetText(c, i, d.scratch)
}

// isNumber reports whether text has nothing but what a number is written with.
func isNumber(text []byte) bool {
	for k, c := range text {
		if c-'0' > 9 && c != '.' && (c != '-' || k > 0) {
			return false
		}
	}
	return true
}

// setWord reads the forms of BOOLEAN that DuckDB knows besides true and false.
func setWord(c *column.Builder, i int, text []byte) bool {
	if len(text) > len("yes") {
		return false
	}
	switch string(text) {
	case "t", "T", "1", "y", "Y", "yes", "Yes", "YES":
		c.SetBool(i, true)
	case "f", "F", "0", "n", "N", "no", "No", "NO":
		c.SetBool(i, false)
	default:
		return false
	}
	return true
}

func fieldCount(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}
