package state

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExpiryAgainstAList adds, takes and asks in random order.
func TestExpiryAgainstAList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var x Expiry
		due := map[int32]int64{}
		through := int64(0)
		for id := int32(0); id < 300; id++ {
			at := through + r.Int64N(40*bucketMicros) - 5*bucketMicros
			x.Add(at, id)
			due[id] = at
			if r.IntN(20) > 0 {
				continue
			}
			first, ok := x.First(func(at int64, id int32) bool { return due[id] == at })
			if least, any := leastOf(due); ok != any || ok && first != least {
				t.Fatalf("first is %d, %v; want %d, %v", first, ok, least, any)
			}
			through += r.Int64N(10 * bucketMicros)
			var want []int32
			for id, at := range due {
				if at <= through {
					want = append(want, id)
					delete(due, id)
				}
			}
			got := x.Take(through, nil)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("through %d: took %v, want %v", through, got, want)
			}
		}
	}
}

func leastOf(due map[int32]int64) (least int64, any bool) {
	for _, at := range due {
		if !any || at < least {
			least, any = at, true
		}
	}
	return least, any
}

// TestExpiryOfManySecondsInAnyOrder adds what is due in a million different seconds, as sessions
// that are read key by key come. Putting each in its place would take minutes.
func TestExpiryOfManySecondsInAnyOrder(t *testing.T) {
	const n = 1_000_000
	var x Expiry
	for i := range int64(n) {
		x.Add(i*7919%n*bucketMicros, int32(i)) // a permutation
	}
	if got := x.Take(n/2*bucketMicros-1, nil); len(got) != n/2 || !slices.IsSortedFunc(got, func(a, b int32) int { return int(int64(a)*7919%n - int64(b)*7919%n) }) {
		t.Errorf("took %d, want %d in the order of time", len(got), n/2)
	}
	if got := x.Take(n*bucketMicros, nil); len(got) != n/2 {
		t.Errorf("took %d, want %d", len(got), n/2)
	}
}
