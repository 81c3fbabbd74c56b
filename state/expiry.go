package state

import (
	"cmp"
	"slices"
)

// Expiry finds what is due by a time, in buckets of a second: adding is cheap, and
// asking costs what is due and one bucket. An entry is a hint: its owner looks
// whether the thing is still there and when it really is due, so nothing has to be
// taken out when it changes.
type Expiry struct {
	buckets []*expiryBucket // the first of them, sorted, ascending by start; see order
	sorted  int
	byStart map[int64]*expiryBucket
}

type expiryBucket struct {
	start   int64
	entries []expiryEntry
}

type expiryEntry struct {
	at int64
	id int32
}

// bucketMicros is the width of a time bucket: one second, so that a bucket of a
// busy stream holds thousands of entries and a quiet one costs little.
const bucketMicros = int64(1_000_000)

// Add says that id is due at a time.
func (x *Expiry) Add(at int64, id int32) {
	start := at - at%bucketMicros
	if at%bucketMicros < 0 {
		start -= bucketMicros
	}
	b := x.bucket(start)
	b.entries = append(b.entries, expiryEntry{at, id})
}

// bucket returns that of a start. A new one goes behind the others, in whatever order they come:
// putting each in its place would take the square of their number, as when the sessions of a
// year are read key by key.
func (x *Expiry) bucket(start int64) *expiryBucket {
	n := len(x.buckets)
	if n > 0 && x.buckets[n-1].start == start {
		return x.buckets[n-1]
	}
	if b := x.byStart[start]; b != nil {
		return b
	}
	if x.byStart == nil {
		x.byStart = map[int64]*expiryBucket{}
	}
	if x.sorted == n && (n == 0 || x.buckets[n-1].start < start) {
		x.sorted++
	}
	b := &expiryBucket{start: start}
	x.buckets, x.byStart[start] = append(x.buckets, b), b
	return b
}

// order puts the buckets in order: those that came since it was called last among the others.
func (x *Expiry) order() {
	if x.sorted == len(x.buckets) {
		return
	}
	byStart := func(a, b *expiryBucket) int { return cmp.Compare(a.start, b.start) }
	fresh := slices.Clone(x.buckets[x.sorted:])
	slices.SortFunc(fresh, byStart)
	from := x.sorted - 1
	for to := len(x.buckets) - 1; len(fresh) > 0; to-- {
		last := fresh[len(fresh)-1]
		if from >= 0 && x.buckets[from].start > last.start {
			x.buckets[to] = x.buckets[from]
			from--
			continue
		}
		x.buckets[to], fresh = last, fresh[:len(fresh)-1]
	}
	x.sorted = len(x.buckets)
}

// Take removes the entries that are due at or before a time and appends their ids.
func (x *Expiry) Take(through int64, dst []int32) []int32 {
	x.order()
	drop := 0
	for i, b := range x.buckets {
		if b.start > through {
			break
		}
		keep := b.entries[:0]
		for _, e := range b.entries {
			if e.at > through {
				keep = append(keep, e)
			} else {
				dst = append(dst, e.id)
			}
		}
		if b.entries = keep; len(keep) == 0 && drop == i {
			drop++
			delete(x.byStart, b.start)
		}
	}
	x.buckets = slices.Delete(x.buckets, 0, drop)
	x.sorted = len(x.buckets)
	return dst
}

// firstLooks bounds what First looks at.
const firstLooks = 4096

// First returns the least time of the entries that still hold, by holds; ok is false if
// none does. It looks at a few thousand entries at most: when none of those holds it
// returns a time at or before the one that was asked for.
func (x *Expiry) First(holds func(at int64, id int32) bool) (at int64, ok bool) {
	x.order()
	looks := 0
	for _, b := range x.buckets {
		if looks > firstLooks {
			return b.start, true
		}
		for _, e := range b.entries {
			if (!ok || e.at < at) && holds(e.at, e.id) {
				at, ok = e.at, true
			}
		}
		if ok {
			return at, true
		}
		looks += len(b.entries)
	}
	return 0, false
}
