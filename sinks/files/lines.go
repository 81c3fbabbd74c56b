package files

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sinks"
)

// encoder writes the rows of one batch in a format, file by file.
type encoder interface {
	// encode writes one file; first says that it is, or begins, a file of its own and
	// does not go behind another batch.
	encode(w io.Writer, p *part, first bool) error
}

// lines is the encoder of the formats with one row after the other. A row is what stands
// before each of its cells, the cells, and an end.
type lines struct {
	header []byte
	before [][]byte // one per stored column
	end    []byte
	column func(a arrow.Array) cell

	records []arrow.Record
	at      []int    // the column of a record that each cell is
	cells   [][]cell // per record; nil until its first row is written
	buf     []byte   // of the file before, for the next one
}

// flushBytes is how much text gathers before it is written.
const flushBytes = 128 << 10

func (l *lines) encode(w io.Writer, p *part, first bool) error {
	buf := l.buf[:0]
	if first {
		buf = append(buf, l.header...)
	}
	for _, r := range p.runs {
		cells := l.cellsOf(r.record)
		for row := r.from; row < r.to; row++ {
			for j, c := range cells {
				buf = c(append(buf, l.before[j]...), row)
			}
			buf = append(buf, l.end...)
			if len(buf) < flushBytes {
				continue
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	l.buf = buf
	if len(buf) == 0 {
		return nil
	}
	_, err := w.Write(buf)
	return err
}

func (l *lines) cellsOf(record int) []cell {
	if l.cells[record] == nil {
		for _, column := range l.at {
			l.cells[record] = append(l.cells[record], l.column(l.records[record].Column(column)))
		}
	}
	return l.cells[record]
}

// newLines is a lines without its texts.
func (s *Sink) newLines(b *sinks.Batch) *lines {
	records := b.Outputs[0].Records
	return &lines{
		before:  make([][]byte, len(s.layout.stored)),
		records: records, at: s.layout.at, cells: make([][]cell, len(records)),
	}
}

// op says what a row of a batch is, in Debezium's letters: c a new row, u one that takes
// the place of the row with its keys, r a row of a result that is written anew.
func op(b *sinks.Batch) string {
	out := &b.Outputs[0]
	switch {
	case out.Mode == sinks.Complete:
		return "r"
	case out.Mode == sinks.Update && out.Keys != nil:
		return "u"
	}
	return "c"
}

// newCSV writes CSV as RFC 4180 has it, lines ending with a newline.
func (s *Sink) newCSV(b *sinks.Batch) *lines {
	l := s.newLines(b)
	quote := &quoting{null: s.config.nullText}
	l.column = quote.cells
	l.end = []byte("\n")
	names := make([]string, 0, len(s.layout.stored)+2)
	for j, f := range s.layout.stored {
		if j > 0 {
			l.before[j] = []byte(",")
		}
		names = append(names, f.Name)
	}
	if s.layout.changes {
		names = append(names, s.config.opColumn, batchColumn)
		l.end = fmt.Appendf(nil, ",%s,%d\n", op(b), b.Batch)
	}
	if !s.config.header {
		return l
	}
	for j, name := range names {
		if j > 0 {
			l.header = append(l.header, ',')
		}
		l.header = quote.append(l.header, []byte(name))
	}
	l.header = append(l.header, '\n')
	return l
}

// newJSON writes one object per line.
func (s *Sink) newJSON(b *sinks.Batch) *lines {
	l := s.newLines(b)
	l.column = jsonCells
	for j, f := range s.layout.stored {
		l.before[j] = jsonKey(j, f.Name)
	}
	l.before[0] = append([]byte{'{'}, l.before[0]...)
	l.end = []byte("}\n")
	if s.layout.changes {
		l.end = appendQuoted([]byte{','}, s.config.opColumn)
		l.end = fmt.Appendf(l.end, `:"%s","%s":%d}`+"\n", op(b), batchColumn, b.Batch)
	}
	return l
}

// newDebezium writes one change per line in Debezium's envelope. before is always null:
// what a row replaces is not known here, consumers find it by the keys.
func (s *Sink) newDebezium(b *sinks.Batch) *lines {
	l := s.newLines(b)
	l.column = jsonCells
	for j, f := range s.layout.stored {
		l.before[j] = jsonKey(j, f.Name)
	}
	l.before[0] = append([]byte(`{"before":null,"after":{`), l.before[0]...)
	l.end = []byte(`},"source":{"connector":"ssql","name":`)
	l.end = appendQuoted(l.end, b.Query)
	l.end = append(l.end, `,"batch":`...)
	l.end = strconv.AppendInt(l.end, b.Batch, 10)
	l.end = fmt.Appendf(l.end, `},"op":"%s","ts_ms":%d}`+"\n", op(b), b.Info.BatchMicros/1000)
	return l
}

// quoting is how CSV tells texts apart.
type quoting struct {
	null string // what stands for NULL; a text that is equal is quoted
}

// cells returns what appends the cells of a column.
func (q *quoting) cells(a arrow.Array) cell {
	plain := plainCells(a)
	var text []byte
	return func(dst []byte, row int) []byte {
		if isNull(a, row) {
			return append(dst, q.null...)
		}
		text = plain(text[:0], row)
		return q.append(dst, text)
	}
}

// append appends a text, in quotes if it needs them. The empty text does always: a line
// with nothing on it is no row to some readers.
func (q *quoting) append(dst, text []byte) []byte {
	if len(text) > 0 && string(text) != q.null && !strings.ContainsAny(string(text), ",\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
