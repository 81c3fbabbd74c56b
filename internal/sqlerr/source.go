package sqlerr

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Source is a text that statements were read from, kept so that errors can show it.
type Source struct {
	Name string // file name as the user gave it; "" for text typed at the prompt
	Text string
}

// Position returns line and column of a byte offset, both from 1. The column
// counts characters, not bytes.
func (s *Source) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.Text))
	before := s.Text[:offset]
	line = 1 + strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	return line, 1 + len([]rune(before[start:]))
}

// Render returns the full message: `file:line:column: ` for scripts, code and
// text, then LINE n with the source line and a caret under the offending text,
// detail and hint. src may be nil when no text is known.
func Render(err error, src *Source) string { return RenderWithin(err, src, 0) }

// RenderWithin is Render for a terminal of some columns, whose lines would break under the caret: of
// a source line that is wider than it the part around the caret is shown. 0 columns is no terminal.
func RenderWithin(err error, src *Source, columns int) string {
	e := asError(err)
	var b strings.Builder
	hasPos := src != nil && e.Span.End > e.Span.Start || (src != nil && e.Span.Start > 0)
	at := e.Span
	if hasPos {
		at, _ = e.Point(src.Text, e.Span)
	}
	if hasPos && src.Name != "" {
		line, column := src.Position(at.Start)
		fmt.Fprintf(&b, "%s:%d:%d: ", src.Name, line, column)
	}
	b.WriteString("ERROR ")
	b.WriteString(e.Error())
	if hasPos {
		writeCaret(&b, src, at, columns)
	}
	if e.Detail != "" {
		b.WriteString("\n" + e.Detail)
	}
	if e.Hint != "" {
		b.WriteString("\nHint: " + e.Hint)
	}
	return b.String()
}

// A source line of up to lineColumnsMax columns is shown whole. In a wider one, such as a
// statement that a program has made, nobody finds the caret: cutColumns around it are shown.
const (
	lineColumnsMax = 200
	cutColumns     = 100
	lineColumnsMin = 20 // however narrow a terminal is
)

// writeCaret shows the line of the span and marks its first character. Tabs are
// shown as one blank and wide characters count as two columns, so that the caret
// stands where a terminal shows the character.
func writeCaret(b *strings.Builder, src *Source, span Span, columns int) {
	offset := min(max(span.Start, 0), len(src.Text))
	start := strings.LastIndexByte(src.Text[:offset], '\n') + 1
	end := len(src.Text)
	if i := strings.IndexByte(src.Text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	line, _ := src.Position(offset)
	before, behind := shown(src.Text[start:offset]), shown(src.Text[offset:end])
	prefix := fmt.Sprintf("LINE %d: ", line)
	most, cut := lineColumnsMax, cutColumns
	if columns > 0 {
		most = max(columns-len(prefix), lineColumnsMin)
		cut = most
	}
	if runewidth.StringWidth(before)+runewidth.StringWidth(behind) > most {
		left := max(cut*2/3, cut-runewidth.StringWidth(behind)) // what is not needed behind shows more before
		before = cutLeft(before, left)
		behind = cutRight(behind, cut-runewidth.StringWidth(before))
	}
	column := len(prefix) + runewidth.StringWidth(before)
	fmt.Fprintf(b, "\n%s%s%s\n%s^", prefix, before, behind, strings.Repeat(" ", column))
}

// shown returns a part of a line as a terminal shows it: what has no width of its own, such as
// the zeros of a file that is no text, is written out, so that it counts.
func shown(s string) string {
	s = strings.NewReplacer("\t", " ", "\r", "").Replace(s)
	if !strings.ContainsFunc(s, unshown) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unshown(r) {
			for _, c := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

func unshown(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }

// cutLeft returns the end of a text that is too wide, with dots in front.
func cutLeft(s string, columns int) string {
	if over := runewidth.StringWidth(s) - columns; over > 0 {
		return runewidth.TruncateLeft(s, over+len("..."), "...")
	}
	return s
}

// cutRight returns the beginning of a text that is too wide, with dots behind.
func cutRight(s string, columns int) string { return runewidth.Truncate(s, columns, "...") }

// Whole returns the user-facing error inside err as one of its own, which says what its wrappers
// say, too: a copy that can be changed.
func Whole(err error) *Error {
	whole := *asError(err)
	return &whole
}

func asError(err error) *Error {
	if s, ok := err.(*Error); ok {
		return s
	}
	var s *Error
	if errors.As(err, &s) {
		// Keep what the wrappers say was being done, but the code, position and hint of
		// the user-facing error inside.
		c := *s
		c.Text, c.Err = strings.TrimPrefix(strings.Replace(err.Error(), s.Code+": ", "", 1), ": "), nil
		return &c
	}
	return &Error{Code: Internal, Text: err.Error(), Hint: "this is a bug in ssql; please report it with the script that led here"}
}
