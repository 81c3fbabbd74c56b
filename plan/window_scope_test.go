package plan

import (
	"slices"
	"testing"
)

// TestWindowAboveWindowSaysWhoseBounds checks the notice on names that two windows share,
// and that the query it proposes has none.
func TestWindowAboveWindowSaysWhoseBounds(t *testing.T) {
	cat := declared(t, compatDeclarations)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"SELECT * FROM HOP((SELECT window_start, window_time FROM TUMBLE(s, ts, INTERVAL '10' MINUTE)), window_time, INTERVAL '30' MINUTE, INTERVAL '1' HOUR)",
			[]string{"where a column below this HOP has the name of one of its own (window_start, window_time), the name is that of HOP; to read both, write window_start AS inner_start in the sub-query"}},
		{"SELECT * FROM TUMBLE((SELECT window_start AS inner_start, window_time AS inner_time FROM TUMBLE(s, ts, INTERVAL '10' MINUTE)), inner_time, INTERVAL '1' HOUR)", nil},
	} {
		p, err := bindText(cat, c.text, Options{})
		if err != nil {
			t.Fatal(c.text, err)
		}
		if !slices.Equal(p.Notices, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.text, p.Notices, c.want)
		}
	}
}
