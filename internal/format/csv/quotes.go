package csv

import "bytes"

// QuotedLinesMax is how many line ends a quoted field may have where Dialect says nothing.
const QuotedLinesMax = 1000

// strayRows is how many lines behind an open quote tell that it is a stray one, if each
// has as many delimiters as the line of the quote: they are rows, and not the text of a
// field.
const strayRows = 10

// What quotedEnd knows where the field does not end.
const (
	quotePending = 0  // what is there does not tell
	quoteStray   = -1 // the quote closes no field: its line is no row
)

// quotedEnd returns the position behind the quote that closes the field which the quote
// at q opens, in a record that starts at record. A quote is closed by one before a
// delimiter or a line end; it is a stray one if the next quote is none of these, or if the
// field would have more than QuotedLinesMax line ends, would end more than RecordBytesMax
// behind the start of the record, or seems to be rows, see strayRows. It looks at the
// bytes in their order, so that what comes behind does not change the answer.
func (d *Dialect) quotedEnd(b []byte, record, q int) int {
	lines := fieldLines{dialect: d, b: b, record: record, quote: q}
	for at := q + 1; ; {
		k := bytes.IndexByte(b[at:], d.Quote)
		stop := len(b)
		if k >= 0 {
			stop = at + k
		}
		if !lines.fit(at, stop) || d.RecordBytesMax > 0 && stop-record > d.RecordBytesMax {
			return quoteStray
		}
		switch {
		case k < 0:
			return quotePending
		case d.Escape != d.Quote && d.escaped(b[q+1:stop]):
			at = stop + 1
			continue
		case stop+1 == len(b):
			return quotePending
		case d.Escape == d.Quote && b[stop+1] == d.Quote:
			at = stop + 2
			continue
		}
		return d.closedAt(b, stop+1)
	}
}

// closedAt returns end, which is behind a quote that could close a field, if it does.
func (d *Dialect) closedAt(b []byte, end int) int {
	switch c := b[end]; {
	case c == d.Delimiter || c == '\n':
		return end
	case c == '\r' && end+1 == len(b):
		return quotePending
	case c == '\r' && b[end+1] == '\n':
		return end
	}
	return quoteStray
}

// fieldLines looks at the lines that a field behind an open quote would have.
type fieldLines struct {
	dialect       *Dialect
	b             []byte
	record, quote int
	ends          int // line ends so far
	start         int // of the present line, once there was an end
	want          int // delimiters of the first line
	alike         int // lines behind it with as many
}

// fit goes on over [from, to), which has no quote, and reports whether it can still be a
// field.
func (l *fieldLines) fit(from, to int) bool {
	for {
		n := bytes.IndexByte(l.b[from:to], '\n')
		if n < 0 {
			return true
		}
		from += n + 1
		if l.ends++; l.ends == 1 {
			l.start = l.record + bytes.LastIndexByte(l.b[l.record:l.quote], '\n') + 1
			l.want = l.delimiters(from)
		} else if l.delimiters(from) == l.want {
			l.alike++
		}
		l.start = from
		most := l.dialect.QuotedLinesMax
		if most == 0 {
			most = QuotedLinesMax
		}
		if l.ends > most || l.want > 0 && l.alike == strayRows && l.ends == strayRows+1 {
			return false
		}
	}
}

func (l *fieldLines) delimiters(end int) int {
	return bytes.Count(l.b[l.start:end], []byte{l.dialect.Delimiter})
}
