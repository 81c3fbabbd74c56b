package render

import "testing"

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"one two three", 0, "one two three"},
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two\nthree"},
		{"one two three\nfour", 5, "one\ntwo\nthree\nfour"},
		{"  one two three", 9, "  one two\n  three"},
		{"a wonderfully long word", 5, "a\nwonderfully\nlong\nword"},
		{"本語 本語 本語", 9, "本語 本語\n本語"},
		{"", 5, ""},
	} {
		if got := Wrap(c.text, c.columns); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}
