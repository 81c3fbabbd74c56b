package sqlerr

import "testing"

func TestCountOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 columns", 1: "1 column", 2: "2 columns"} {
		if got := CountOf(n, "column"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
