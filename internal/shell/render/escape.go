package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ssql/internal/arrowtext"
)

// Escape returns s with everything that could move the cursor, change colours or
// reorder the text of a terminal replaced by a visible escape: C0 and C1 control
// characters, bidirectional controls, line separators and bytes that are no UTF-8.
func Escape(s string) string {
	return escape(s, func(rune) bool { return false })
}

// EscapeKeepLines is Escape, but line ends and tabs stay.
func EscapeKeepLines(s string) string {
	return escape(s, func(r rune) bool { return r == '\n' || r == '\t' || r == '\r' })
}

func escape(s string, keep func(rune) bool) string {
	at := 0
	for at < len(s) && s[at] >= 0x20 && s[at] < 0x7f {
		at++
	}
	if at == len(s) {
		return s // the usual case: printable ASCII
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[at])
		case keep(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case arrowtext.DrivesTerminal(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[at : at+size])
		}
		at += size
	}
	return b.String()
}
