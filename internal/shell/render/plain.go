package render

import (
	"io"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// columnWriter prints columns under a rule of dashes, two blanks apart.
type columnWriter struct {
	*sample
	w io.Writer
}

func newColumn(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return &columnWriter{newSample(schema, o), w}, nil
}

func (c *columnWriter) Close() (int64, error) {
	rows, gap := c.shown()
	widths := (&box{sample: c.sample}).widths(rows)
	out := &strings.Builder{}
	line := func(cells []string) {
		var b strings.Builder
		for i, cell := range cells {
			free := strings.Repeat(" ", widths[i]-displayWidth(cell))
			if i > 0 {
				b.WriteString("  ")
			}
			if c.right[i] {
				b.WriteString(free + cell)
			} else {
				b.WriteString(cell + free)
			}
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("-", w)
	}
	line(c.names)
	line(rule)
	for i, r := range rows {
		if i == gap {
			out.WriteString("...\n")
		}
		line(r)
	}
	_, err := io.WriteString(c.w, out.String())
	return c.rows, err
}

// markdown prints a table as GitHub reads it. All rows are printed: a table that is
// pasted somewhere must not be cut in silence.
type markdown struct {
	*sample
	w io.Writer
}

func newMarkdown(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	o.RowsMax = 0
	return &markdown{newSample(schema, o), w}, nil
}

func (m *markdown) Close() (int64, error) {
	escapePipe := strings.NewReplacer("|", `\|`)
	out := &strings.Builder{}
	line := func(cells []string) {
		out.WriteString("|")
		for _, c := range cells {
			out.WriteString(" " + escapePipe.Replace(c) + " |")
		}
		out.WriteString("\n")
	}
	line(m.names)
	out.WriteString("|")
	for _, right := range m.right {
		if right {
			out.WriteString("---:|")
		} else {
			out.WriteString("---|")
		}
	}
	out.WriteString("\n")
	for _, r := range m.head {
		line(r)
	}
	_, err := io.WriteString(m.w, out.String())
	return m.rows, err
}
