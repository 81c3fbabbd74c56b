package vfs

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// CrashMode says what a crash leaves of the changes that were not synced.
type CrashMode uint8

// The modes.
const (
	// LoseAll keeps only what was synced.
	LoseAll CrashMode = iota
	// KeepAll keeps everything: the process died and the machine did not. The
	// changes are still not synced, so a later crash can lose them.
	KeepAll
	// KeepSome keeps each name change and each sector of a write with probability
	// one half.
	KeepSome
	// LoseData keeps the names and none of the data behind them: files of zero bytes.
	LoseData
	// TearLast keeps everything but the end of each file's last write, cut at a
	// random byte.
	TearLast
)

// CrashModes are all modes.
func CrashModes() []CrashMode { return []CrashMode{LoseAll, KeepAll, KeepSome, LoseData, TearLast} }

// String returns the name of the mode.
func (c CrashMode) String() string {
	return [...]string{"lose-all", "keep-all", "keep-some", "lose-data", "tear-last"}[c]
}

// sectorBytes is the unit that a disk writes at once.
const sectorBytes = 512

// CrashClone returns the disk as it may be after a crash now. Nothing is locked on
// it, and the original is unchanged. The result depends only on the disk, mode and
// rng.
func (m *Mem) CrashClone(rng *rand.Rand, mode CrashMode) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := crash{rng: rng, mode: mode, done: map[*node]*node{}}
	return &Mem{Preallocates: m.Preallocates, root: c.clone(m.root), locks: map[*node]string{}, clock: m.clock}
}

type crash struct {
	rng  *rand.Rand
	mode CrashMode
	done map[*node]*node // a file with two names stays one file
}

func (c *crash) clone(n *node) *node {
	if to := c.done[n]; to != nil {
		return to
	}
	to := &node{dir: n.dir, modTime: n.modTime, id: n.id}
	c.done[n] = to
	if n.dir {
		c.names(n, to)
	} else {
		c.content(n, to)
	}
	return to
}

func (c *crash) names(n, to *node) {
	kept := maps.Clone(n.syncedEntries)
	for _, change := range n.pendingNames {
		if c.mode == LoseAll || c.mode == KeepSome && c.rng.IntN(2) == 0 {
			continue
		}
		if c.mode == KeepAll {
			to.pendingNames = append(to.pendingNames, c.change(change))
		}
		change.apply(kept)
	}
	to.entries, to.syncedEntries = map[string]*node{}, map[string]*node{}
	// In the order of the names, because the random numbers are drawn in it.
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		to.entries[name] = c.clone(kept[name])
	}
	if c.mode != KeepAll {
		maps.Copy(to.syncedEntries, to.entries)
		return
	}
	for name, target := range n.syncedEntries {
		to.syncedEntries[name] = c.clone(target)
	}
}

func (c *crash) change(change nameChange) nameChange {
	if change.target != nil {
		change.target = c.clone(change.target)
	}
	return change
}

func (c *crash) content(n, to *node) {
	to.synced = slices.Clone(n.synced)
	if c.mode == KeepAll {
		to.data = slices.Clone(n.data)
		to.pendingWrites = slices.Clone(n.pendingWrites)
		return
	}
	for i, w := range n.pendingWrites {
		for _, part := range c.survivors(w, i == len(n.pendingWrites)-1) {
			to.synced = part.apply(to.synced)
		}
	}
	to.data = slices.Clone(to.synced)
}

// survivors returns the parts of an unsynced write that reached the disk.
func (c *crash) survivors(w write, last bool) []write {
	switch {
	case c.mode == LoseAll, c.mode == LoseData:
		return nil
	case c.mode == TearLast && last && !w.truncate && len(w.data) > 0:
		w.data = w.data[:c.rng.IntN(len(w.data))]
		return []write{w}
	case c.mode == KeepSome && w.truncate:
		if c.rng.IntN(2) == 0 {
			return nil
		}
	case c.mode == KeepSome:
		return c.sectors(w)
	}
	return []write{w}
}

func (c *crash) sectors(w write) []write {
	var kept []write
	for offset, end := w.offset, w.offset+int64(len(w.data)); offset < end; {
		next := min(end, (offset/sectorBytes+1)*sectorBytes)
		if c.rng.IntN(2) == 1 {
			kept = append(kept, write{offset: offset, data: w.data[offset-w.offset : next-w.offset]})
		}
		offset = next
	}
	return kept
}
