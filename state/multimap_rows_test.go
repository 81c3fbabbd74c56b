package state

import (
	"slices"
	"testing"
)

// Rows gives the rows of a key in the order in which they came, without those that were
// removed, also where a whole chain was.
func TestMultimapRows(t *testing.T) {
	m := NewMultimap()
	var rows []int32
	for i := range 6 {
		rows = append(rows, m.Insert([]byte("k"), int64(10-i), []byte{byte(i)}))
	}
	other := m.Insert(nil, NoTime, nil)
	none := m.InsertAt(-1, 1, nil)
	for _, remove := range []struct {
		rows []int32
		want []int32
	}{
		{nil, rows},
		{[]int32{rows[0], rows[3]}, []int32{rows[1], rows[2], rows[4], rows[5]}},
		{[]int32{rows[5], rows[4]}, []int32{rows[1], rows[2]}},
		{[]int32{rows[1], rows[2]}, nil},
	} {
		for _, r := range remove.rows {
			m.Remove(r)
		}
		if got := m.Rows([]byte("k"), nil); !slices.Equal(got, remove.want) {
			t.Errorf("after removing %v: rows %v, want %v", remove.rows, got, remove.want)
		}
	}
	again := m.Insert([]byte("k"), 3, nil)
	if got := m.Rows([]byte("k"), []int32{7}); !slices.Equal(got, []int32{7, again}) {
		t.Errorf("rows %v, want 7 and %d", got, again)
	}
	if got := m.Rows(nil, nil); !slices.Equal(got, []int32{other}) {
		t.Errorf("the empty key has rows %v, want %d", got, other)
	}
	if m.HasKey(none) || !m.HasKey(other) || string(m.Key(again)) != "k" {
		t.Error("HasKey or Key is wrong")
	}
	if at, ok := m.Oldest(); !ok || at != 1 || m.Time(again) != 3 {
		t.Errorf("the oldest row is of %d, want 1", at)
	}
	m.SetFlag(other)
	m.SetFlag(none)
	if at, ok := m.OldestUnflagged(); !ok || at != 3 {
		t.Errorf("the oldest row without flag is of %d, want 3", at)
	}
}

func TestExpiryFirstSkipsWhatIsGone(t *testing.T) {
	var x Expiry
	if at, ok := x.First(func(int64, int32) bool { return true }); ok {
		t.Errorf("an empty expiry has %d", at)
	}
	for i := range int64(3 * firstLooks) {
		x.Add(i*bucketMicros/2+7, int32(i))
	}
	for _, c := range []struct {
		from int32 // ids below are gone
		want int64
	}{
		{0, 7},
		{101, 101*bucketMicros/2 + 7},
		// Behind what it looks at it is the beginning of a bucket.
		{3*firstLooks - 1, (firstLooks/2 + 1) * bucketMicros},
	} {
		if at, ok := x.First(func(_ int64, id int32) bool { return id >= c.from }); !ok || at != c.want {
			t.Errorf("first from %d on: %d, want %d", c.from, at, c.want)
		}
	}
}
