package files

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/arrowtext"
	"ssql/sinks"
	"ssql/sql/types"
)

// encoder writes the rows of one batch in a format, file by file.
type encoder interface {
	// encode writes one file; first says that it is, or begins, a file of its own and
	// does not go behind another batch.
	encode(w io.Writer, p *part, first bool) error
}

// lines is the encoder of the formats with one row after the other.
type lines struct {
	header []byte
	kept   lineForm // of a row of the result
	gone   lineForm // of one that the result has no more
	column func(f arrow.Field, a arrow.Array) arrowtext.Cell

	records []arrow.Record     // those of the result, then those of rows that it has no more
	keptMax int                // how many records are of the result
	stored  []arrow.Field      // the columns of the file
	at      []int              // the column of a record that each of them is
	cells   [][]arrowtext.Cell // per record; nil until its first row is written
	buf     []byte             // of the file before, for the next one
}

// lineForm is the text around the cells of a row: what stands before each of them, one per
// stored column, and an end.
type lineForm struct {
	before [][]byte
	end    []byte
}

// flushBytes is how much text gathers before it is written.
const flushBytes = 128 << 10

func (l *lines) encode(w io.Writer, p *part, first bool) error {
	buf := l.buf[:0]
	if first {
		buf = append(buf, l.header...)
	}
	for _, r := range p.runs {
		cells, form := l.cellsOf(r.record), &l.kept
		if r.record >= l.keptMax {
			form = &l.gone
		}
		for row := r.from; row < r.to; row++ {
			for j, c := range cells {
				buf = c(append(buf, form.before[j]...), row)
			}
			buf = append(buf, form.end...)
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

func (l *lines) cellsOf(record int) []arrowtext.Cell {
	if l.cells[record] == nil {
		for i, column := range l.at {
			l.cells[record] = append(l.cells[record], l.column(l.stored[i], l.records[record].Column(column)))
		}
	}
	return l.cells[record]
}

// newLines is a lines without its texts.
func (s *Sink) newLines(b *sinks.Batch) *lines {
	records := changedRecords(b)
	return &lines{
		records: records, keptMax: len(b.Outputs[0].Records),
		stored: types.ArrowSchema(s.layout.stored).Fields(), at: s.layout.at,
		cells: make([][]arrowtext.Cell, len(records)),
	}
}

// changedRecords are the records of a batch: those of the result, then those of rows that it
// has no more.
func changedRecords(b *sinks.Batch) []arrow.Record {
	return slices.Concat(b.Outputs[0].Records, b.Outputs[0].Deletes)
}

// op says what a row of a batch is, in Debezium's letters: c a new row, u one that takes
// the place of the row with its keys, r a row of a result that is written anew. A row
// that the result has no more is deleteOp.
func op(b *sinks.Batch) string {
	out := &b.Outputs[0]
	switch {
	case out.Mode == types.Complete:
		return "r"
	case out.Mode == types.Update && out.Keys != nil:
		return "u"
	}
	return "c"
}

const deleteOp = "d"

// newCSV writes CSV as RFC 4180 has it, lines ending with a newline.
func (s *Sink) newCSV(b *sinks.Batch) *lines {
	l := s.newLines(b)
	delimiter := s.config.delimiter
	quote := &quoting{null: s.config.nullText, special: string(delimiter) + "\"\r\n"}
	l.column = quote.cells
	before := make([][]byte, len(s.layout.stored))
	names := make([]string, 0, len(s.layout.stored)+2)
	for j, f := range s.layout.stored {
		if j > 0 {
			before[j] = []byte{delimiter}
		}
		names = append(names, f.Name)
	}
	l.kept = lineForm{before, []byte("\n")}
	if s.layout.changes {
		names = append(names, s.config.opColumn, batchColumn)
		l.kept.end = fmt.Appendf(nil, "%c%s%c%d\n", delimiter, op(b), delimiter, b.Batch)
		l.gone = lineForm{before, fmt.Appendf(nil, "%c%s%c%d\n", delimiter, deleteOp, delimiter, b.Batch)}
	}
	if !s.config.header {
		return l
	}
	for j, name := range names {
		if j > 0 {
			l.header = append(l.header, delimiter)
		}
		l.header = quote.append(l.header, []byte(name))
	}
	l.header = append(l.header, '\n')
	return l
}

// jsonKeys are the keys of the stored columns, the first behind a text.
func (s *Sink) jsonKeys(begin string) [][]byte {
	keys := make([][]byte, len(s.layout.stored))
	for j, f := range s.layout.stored {
		keys[j] = arrowtext.Files.Key(j, f.Name)
	}
	keys[0] = append([]byte(begin), keys[0]...)
	return keys
}

// newJSON writes one object per line.
func (s *Sink) newJSON(b *sinks.Batch) *lines {
	l := s.newLines(b)
	l.column = arrowtext.Files.JSON
	before := s.jsonKeys("{")
	l.kept = lineForm{before, []byte("}\n")}
	if s.layout.changes {
		end := func(op string) []byte {
			return fmt.Appendf(arrowtext.Files.Key(1, s.config.opColumn), `"%s","%s":%d}`+"\n", op, batchColumn, b.Batch)
		}
		l.kept.end, l.gone = end(op(b)), lineForm{before, end(deleteOp)}
	}
	return l
}

// newDebezium writes one change per line in Debezium's envelope. before is null unless the
// row is no more: what a row replaces is not known here, consumers find it by the keys.
func (s *Sink) newDebezium(b *sinks.Batch) *lines {
	l := s.newLines(b)
	l.column = arrowtext.Files.JSON
	end := func(begin, op string) []byte {
		text := arrowtext.Files.AppendQuoted([]byte(begin+`,"source":{"connector":"ssql","name":`), b.Query)
		text = strconv.AppendInt(append(text, `,"batch":`...), b.Batch, 10)
		return fmt.Appendf(text, `},"op":"%s","ts_ms":%d}`+"\n", op, b.Info.BatchMicros/1000)
	}
	l.kept = lineForm{s.jsonKeys(`{"before":null,"after":{`), end("}", op(b))}
	l.gone = lineForm{s.jsonKeys(`{"before":{`), end(`},"after":null`, deleteOp)}
	return l
}

// quoting is how CSV tells texts apart.
type quoting struct {
	null    string // what stands for NULL; a text that is equal is quoted
	special string // characters that need quotes around the text
}

// cells returns what appends the cells of a column.
func (q *quoting) cells(f arrow.Field, a arrow.Array) arrowtext.Cell {
	plain := arrowtext.Files.Text(f, a)
	var text []byte
	return func(dst []byte, row int) []byte {
		if arrowtext.IsNull(a, row) {
			return append(dst, q.null...)
		}
		text = plain(text[:0], row)
		return q.append(dst, text)
	}
}

// append appends a text, in quotes if it needs them. The empty text does always: a line
// with nothing on it is no row to some readers.
func (q *quoting) append(dst, text []byte) []byte {
	if len(text) > 0 && string(text) != q.null && !strings.ContainsAny(string(text), q.special) {
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
