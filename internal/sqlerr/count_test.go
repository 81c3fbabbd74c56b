package sqlerr

import "testing"

func TestCountOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 columns", 1: "1 column", 2: "2 columns", 1707: "1,707 columns"} {
		if got := CountOf(n, "column"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	if got := CountOf(2, "batch") + ", " + CountOf(1, "row") + ", " + CountOf(3, "query"); got != "2 batches, 1 row, 3 queries" {
		t.Error(got)
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1707: "1,707", -1234567: "-1,234,567"} {
		if got := Number(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
