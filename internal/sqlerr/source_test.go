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

// TestRenderWithin checks that the line of a caret is no wider than the terminal, whose next line
// would else be under the caret.
func TestRenderWithin(t *testing.T) {
	text := "SELECT window_start, count(*) AS number_of_rows_in_window FROM TUMBLE(events, event_time, INTERVAL '5' MINUTE) GROUP BY windw_start LIMIT 本語 + 本語 + 本語 + 本語;"
	for _, word := range []string{"SELECT", "number", "windw_start", "LIMIT", ";"} {
		for _, columns := range []int{30, 80, 133} {
			at := strings.Index(text, word)
			lines := strings.Split(RenderWithin(At(Span{Start: at, End: at + len(word)}, "X", "no"), &Source{Text: text}, columns), "\n")
			if w := runewidth.StringWidth(lines[1]); w > columns || w < columns-2 {
				t.Errorf("%s: %d columns: %q has %d", word, columns, lines[1], w)
			}
			under := lines[1]
			for runewidth.StringWidth(lines[1])-runewidth.StringWidth(under) < len(lines[2])-1 {
				under = under[1:]
			}
			if !strings.HasPrefix(under, word[:min(len(word), 5)]) {
				t.Errorf("%s: %d columns: the caret stands under %q of\n%s", word, columns, under, lines[1])
			}
		}
	}
}
