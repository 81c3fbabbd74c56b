package sqlerr

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// TestRenderCutsWideLines checks that a statement of one very wide line is shown around
// the caret, and the caret under its character.
func TestRenderCutsWideLines(t *testing.T) {
	wide := strings.Repeat("a + ", 100) + "本語 + " + "HERE" + strings.Repeat(" + b", 100)
	text := "SELECT 1;\n" + wide
	at := strings.Index(text, "HERE")
	got := Render(At(Span{Start: at, End: at + len("HERE")}, "X", "no"), &Source{Text: text})
	want := "ERROR X: no\n" +
		"LINE 2: ..." + strings.Repeat("a + ", 14) + "本語 + HERE + b + b + b + b + b + b + ...\n" +
		strings.Repeat(" ", len("LINE 2: ...")+4*14+runewidth.StringWidth("本語 + ")) + "^"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
