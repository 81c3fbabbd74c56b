package session

import (
	"testing"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1707: "1,707", -1234567: "-1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	if got := count(2, "batch") + ", " + count(1, "row") + ", " + count(3, "query"); got != "2 batches, 1 row, 3 queries" {
		t.Error(got)
	}
}
