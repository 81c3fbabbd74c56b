package state

import (
	"slices"
	"sort"
)

// Expiry finds what is due by a time, in buckets of a second: adding is cheap, and
// asking costs what is due and one bucket. An entry is a hint: its owner looks
// whether the thing is still there and when it really is due, so nothing has to be
// taken out when it changes.
type Expiry struct {
	buckets []expiryBucket // ascending by start
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
	n := len(x.buckets)
	i := n
	if n > 0 && x.buckets[n-1].start >= start {
		i = sort.Search(n, func(i int) bool { return x.buckets[i].start >= start })
	}
	if i == n || x.buckets[i].start != start {
		x.buckets = slices.Insert(x.buckets, i, expiryBucket{start: start})
	}
	b := &x.buckets[i]
	b.entries = append(b.entries, expiryEntry{at, id})
}

// Take removes the entries that are due at or before a time and appends their ids.
func (x *Expiry) Take(through int64, dst []int32) []int32 {
	drop := 0
	for i := range x.buckets {
		b := &x.buckets[i]
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
		}
	}
	x.buckets = slices.Delete(x.buckets, 0, drop)
	return dst
}

// firstLooks bounds what First looks at.
const firstLooks = 4096

// First returns the least time of the entries that still hold, by holds; ok is false if
// none does. It looks at a few thousand entries at most: when none of those holds it
// returns a time at or before the one that was asked for.
func (x *Expiry) First(holds func(at int64, id int32) bool) (at int64, ok bool) {
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
