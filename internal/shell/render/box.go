package render

import (
	"bufio"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
)

// box prints a table within lines. It needs every cell that it shows before the
// first line, for the widths, so it prints on Close.
type box struct {
	*sample
	w        io.Writer
	typed    bool // DuckDB's row of types and the footer
	widthMax int
}

func newDuckBox(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return &box{sample: newSample(schema, o), w: w, typed: true, widthMax: o.WidthMax}, nil
}

func newPlainBox(w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	return &box{sample: newSample(schema, o), w: w, widthMax: o.WidthMax}, nil
}

// ellipsis stands for what is left out: it is the name and the cells of the
// column that replaces the middle ones.
const ellipsis = "…"

// cellWidthMin is what a column keeps when a table is too wide: enough to tell
// values apart. Beyond that whole columns are left out.
const cellWidthMin = 12

func (b *box) Close() (int64, error) {
	if len(b.names) == 0 {
		return b.rows, nil
	}
	rows, gap := b.shown()
	widths := b.widths(rows)
	footer := ""
	if b.typed {
		footer = b.footer(len(rows))
	}
	columns, widths := b.fit(widths)
	shownColumns := len(columns)
	if hidden := len(b.names) - shownColumns; hidden > 0 {
		shownColumns--
		footer += fmt.Sprintf("  %d columns (%d shown)", len(b.names), shownColumns)
	}
	if missing := displayWidth(footer) + 4 - total(widths); footer != "" && missing > 0 {
		widths[len(widths)-1] += missing
	}
	// A line may be as long as the longest value, so none is put together before it is written.
	out := bufio.NewWriter(b.w)
	b.rule(out, widths, "┌", "┬", "┐")
	b.line(out, columns, widths, b.names, center)
	if b.typed {
		b.line(out, columns, widths, b.types, center)
	}
	if len(rows) > 0 || b.typed {
		b.rule(out, widths, "├", "┼", "┤")
	}
	for i, r := range rows {
		if i == gap {
			b.dots(out, columns, widths)
		}
		b.line(out, columns, widths, r, b.align)
	}
	if gap == len(rows) {
		b.dots(out, columns, widths)
	}
	if footer == "" {
		b.rule(out, widths, "└", "┴", "┘")
	} else {
		b.rule(out, widths, "├", "┴", "┤")
		b.line(out, []int{0}, []int{total(widths) - 4}, []string{footer}, left)
		b.rule(out, []int{total(widths) - 4}, "└", "", "┘")
	}
	return b.rows, out.Flush()
}

func (b *box) footer(shown int) string {
	s := fmt.Sprintf("%d rows", b.rows) // as DuckDB writes it
	if b.rows == 1 {
		s = "1 row"
	}
	if int64(shown) < b.rows {
		s += fmt.Sprintf(" (%d shown)", shown)
	}
	return s
}

// widths returns the width that each column would like.
func (b *box) widths(rows [][]string) []int {
	widths := make([]int, len(b.names))
	for i, n := range b.names {
		widths[i] = displayWidth(n)
		if b.typed {
			widths[i] = max(widths[i], displayWidth(b.types[i]))
		}
	}
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], displayWidth(c))
		}
	}
	return widths
}

// fit chooses the columns to show and their widths. -1 among the columns stands
// for those left out.
func (b *box) fit(widths []int) (columns, fitted []int) {
	for i := range widths {
		columns = append(columns, i)
	}
	if b.widthMax == 0 || total(widths) <= b.widthMax {
		return columns, widths
	}
	// The widest columns give first.
	for total(widths) > b.widthMax {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= cellWidthMin {
			break
		}
		widths[widest]--
	}
	if total(widths) <= b.widthMax || len(columns) < 3 {
		return columns, widths
	}
	// Then the middle ones go.
	middle := len(columns) / 2
	columns[middle], widths[middle] = -1, 1
	for total(widths) > b.widthMax && len(columns) > 3 {
		drop := middle + 1
		if middle >= len(columns)-middle-1 {
			drop = middle - 1
			middle--
		}
		columns = append(columns[:drop], columns[drop+1:]...)
		widths = append(widths[:drop], widths[drop+1:]...)
	}
	return columns, widths
}

// total returns the width of the whole box.
func total(widths []int) int {
	sum := 1
	for _, w := range widths {
		sum += w + 3
	}
	return sum
}

// rule writes a line between others. As in line, the writer keeps its first error for Flush.
func (b *box) rule(out *bufio.Writer, widths []int, left, middle, right string) {
	_, _ = out.WriteString(left)
	for i, w := range widths {
		if i > 0 {
			_, _ = out.WriteString(middle)
		}
		repeat(out, "─", w+2)
	}
	_, _ = out.WriteString(right + "\n")
}

func (b *box) line(out *bufio.Writer, columns, widths []int, cells []string, align alignment) {
	for i, column := range columns {
		cell := ellipsis
		if column >= 0 {
			cell = cut(cells[column], widths[i])
		}
		free := max(0, widths[i]-displayWidth(cell))
		before := align(free, column)
		_, _ = out.WriteString("│ ")
		repeat(out, " ", before)
		_, _ = out.WriteString(cell)
		repeat(out, " ", free-before+1)
	}
	_, _ = out.WriteString("│\n")
}

func (b *box) dots(out *bufio.Writer, columns, widths []int) {
	same := make([]int, len(columns)) // each column shows the one cell
	for range 3 {
		b.line(out, same, widths, []string{"·"}, center)
	}
}

func repeat(out *bufio.Writer, s string, n int) {
	for range n {
		_, _ = out.WriteString(s)
	}
}

// alignment says how much of the free width of a cell stands before it.
type alignment func(free, column int) int

func left(int, int) int { return 0 }

func center(free, _ int) int { return free / 2 }

// align puts numbers to the right.
func (b *box) align(free, column int) int {
	if column >= 0 && b.right[column] {
		return free
	}
	return 0
}
