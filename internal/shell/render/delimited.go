package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/arrowtext"
)

// csvWriter prints RFC 4180 with LF line ends. NULL is an empty field, the empty
// string is "", so that the two can be told apart.
type csvWriter struct {
	w        *bufio.Writer
	terminal bool
	rows     int64
	cell     []byte
}

func newCSV(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	c := &csvWriter{w: bufio.NewWriter(w), terminal: o.Terminal}
	for i, f := range schema.Fields() {
		if i > 0 {
			c.w.WriteByte(',')
		}
		c.field(f.Name)
	}
	return c, c.w.WriteByte('\n')
}

func (c *csvWriter) field(s string) {
	if c.terminal {
		s = EscapeKeepLines(s)
	}
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		c.w.WriteString(s)
		return
	}
	c.w.WriteByte('"')
	c.w.WriteString(strings.ReplaceAll(s, `"`, `""`))
	c.w.WriteByte('"')
}

func (c *csvWriter) Write(rec arrow.Record) error {
	cells := cellsOf(rec)
	for row := 0; row < int(rec.NumRows()); row++ {
		for i, cell := range cells {
			if i > 0 {
				c.w.WriteByte(',')
			}
			if arrowtext.IsNull(rec.Column(i), row) {
				continue
			}
			c.cell = cell(c.cell[:0], row)
			c.field(string(c.cell))
		}
		c.w.WriteByte('\n')
	}
	c.rows += rec.NumRows()
	return c.w.Flush()
}

func (c *csvWriter) Close() (int64, error) { return c.rows, c.w.Flush() }

// lineWriter prints a value per line, names right-aligned as DuckDB and SQLite do.
type lineWriter struct {
	w     *bufio.Writer
	names []string
	null  string
	rows  int64
	cell  []byte
}

func newLine(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	l := &lineWriter{w: bufio.NewWriter(w), null: nullText(o)}
	width := 0
	for _, f := range schema.Fields() {
		l.names = append(l.names, Escape(f.Name))
		width = max(width, displayWidth(l.names[len(l.names)-1]))
	}
	for i, n := range l.names {
		l.names[i] = strings.Repeat(" ", width-displayWidth(n)) + n
	}
	return l, nil
}

func (l *lineWriter) Write(rec arrow.Record) error {
	cells := cellsOf(rec)
	for row := 0; row < int(rec.NumRows()); row++ {
		if l.rows > 0 {
			l.w.WriteByte('\n')
		}
		l.rows++
		for i, cell := range cells {
			l.w.WriteString(l.names[i])
			l.w.WriteString(" = ")
			if arrowtext.IsNull(rec.Column(i), row) {
				l.w.WriteString(l.null)
			} else {
				l.cell = cell(l.cell[:0], row)
				l.w.WriteString(Escape(string(l.cell)))
			}
			l.w.WriteByte('\n')
		}
	}
	return l.w.Flush()
}

func (l *lineWriter) Close() (int64, error) { return l.rows, l.w.Flush() }

func nullText(o Options) string {
	if o.NullText == "" {
		return "NULL"
	}
	return o.NullText
}
