package render

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Wrap breaks the lines of a text that are wider than some columns between words, so that a terminal
// does not break them inside of words. What follows stands as far in as its line. A word that is
// wider than a line stays whole; 0 columns change nothing.
func Wrap(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrapLine(line, columns)
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, columns int) string {
	if runewidth.StringWidth(line) <= columns {
		return line
	}
	words := strings.Split(line, " ")
	var b strings.Builder
	indent := 0
	for indent < len(words) && words[indent] == "" {
		indent++
	}
	used := 0
	for i, w := range words {
		width := runewidth.StringWidth(w)
		switch {
		case i == 0:
		case i > indent && used > indent && used+1+width > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(w)
		used += width
	}
	return b.String()
}
