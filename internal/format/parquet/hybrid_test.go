package parquet

import (
	"slices"
	"testing"
)

func TestHybrid(t *testing.T) {
	for _, c := range []struct {
		name string
		h    hybrid
		want []int32 // and then the end
	}{
		{"a run", newHybrid([]byte{3 << 1, 0x05}, 3), []int32{5, 5, 5}},
		{"a run of two bytes", newHybrid([]byte{2 << 1, 0x34, 0x02}, 10), []int32{0x234, 0x234}},
		{"a pack", newHybrid([]byte{1<<1 | 1, 0b10_001_000, 0b1_100_011_0, 0b111_110_10}, 3), []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"a pack cut short", newHybrid([]byte{2<<1 | 1, 0b1010_0101}, 4), []int32{5, 10}},
		{"a pack between runs, one of them empty", newHybrid([]byte{0, 1, 1 << 1, 1, 1<<1 | 1, 0b0000_0110, 2 << 1, 0}, 1), []int32{1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0}},
		{"no bits", newHybrid([]byte{2 << 1, 1<<1 | 1}, 0), make([]int32, 10)},
		{"a run without its number", newHybrid([]byte{2 << 1}, 8), nil},
		{"old levels", newPacked([]byte{0b1100_0001}), []int32{1, 1, 0, 0, 0, 0, 0, 1}},
		{"nothing", newHybrid(nil, 1), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make([]int32, len(c.want))
			for i := range got { // one by one, so that runs are parted
				if err := c.h.read(got[i : i+1]); err != nil {
					t.Fatalf("number %d: %v", i, err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if err := c.h.read(make([]int32, 1)); err != errNumbersEnd {
				t.Errorf("behind the end: %v", err)
			}
		})
	}
}

func TestSkipOnes(t *testing.T) {
	h := newHybrid([]byte{5 << 1, 1, 2 << 1, 0}, 1)
	if !h.skipOnes(3) || h.skipOnes(3) || !h.skipOnes(2) || h.skipOnes(1) {
		t.Error("five ones are not taken as 3 and 2, and then none")
	}
	rest := []int32{7, 7}
	if err := h.read(rest); err != nil || !slices.Equal(rest, []int32{0, 0}) {
		t.Errorf("the rest is %v, %v", rest, err)
	}
}
