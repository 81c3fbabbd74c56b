package state

// Multimap keeps rows by key, each with a time after which it may be removed, a
// flag, and bytes: a side of a join, the keys of a deduplication, the rows of a ranking.
//
// Rows are numbered in the order of their insertion; the numbers of rows that are
// left stay ascending, so changes on disk name a row by a sequence number that
// never comes again. Rows are removed by time bucket: the cost is that of the rows
// removed and of one bucket.
type Multimap struct {
	keys  *Interner
	heads []int32 // per key: its newest row, -1 for none
	rows  []mapRow
	arena []byte // payloads, end to end
	next  uint64 // sequence number of the next row

	due  Expiry
	live int

	added   int      // rows from here on were inserted since AppendChanges
	removed []uint64 // sequence numbers of rows removed since, inserted before
	flagged []uint64 // whose flag changed; twice is not at all
}

type mapRow struct {
	seq    uint64
	time   int64 // NoTime: stays until it is removed
	start  int   // of the payload in arena
	size   int32
	key    int32 // -1: found by no key
	before int32 // the next older row of the key, -1 for none
	flag   bool
	dead   bool
}

// NoTime is the time of rows that are never evicted.
const NoTime = int64(1<<63 - 1)

// NewMultimap returns an empty multimap.
func NewMultimap() *Multimap { return &Multimap{keys: NewInterner()} }

// Len returns how many rows there are.
func (m *Multimap) Len() int { return m.live }

// Bytes returns about the memory that is held, in bytes: a row takes 40, and 16 in due.
func (m *Multimap) Bytes() int64 {
	return m.keys.Bytes() + int64(cap(m.arena)) + 56*int64(cap(m.rows)) + 4*int64(cap(m.heads)) + 4*int64(m.live)
}

// FindKeys puts the number of each key into ids, -1 for one that no row ever had. Numbers are
// valid until AppendChanges.
func (m *Multimap) FindKeys(keys [][]byte, ids []int32) { m.keys.FindAll(keys, ids) }

// AddKeys puts the number of each key into ids, a new one for one that is new.
func (m *Multimap) AddKeys(keys [][]byte, ids []int32) { m.keys.InternAll(keys, ids) }

// Insert adds a row and returns its number, which is valid until AppendChanges. key and
// payload are copied.
func (m *Multimap) Insert(key []byte, time int64, payload []byte) int32 {
	return m.insert(m.next, m.keys.Intern(key), time, false, payload)
}

// InsertAt adds a row under the number of a key; -1 makes a row that no key finds.
func (m *Multimap) InsertAt(id int32, time int64, payload []byte) int32 {
	return m.insert(m.next, id, time, false, payload)
}

func (m *Multimap) insert(seq uint64, id int32, time int64, flag bool, payload []byte) int32 {
	row := int32(len(m.rows))
	r := mapRow{seq: seq, time: time, start: len(m.arena), size: int32(len(payload)), key: id, before: -1, flag: flag}
	if need := len(m.arena) + len(payload); need > cap(m.arena) {
		m.arena = roomier(m.arena, need)
	}
	m.arena = append(m.arena, payload...)
	if id >= 0 {
		for int(id) >= len(m.heads) {
			m.heads = append(m.heads, -1)
		}
		r.before, m.heads[id] = m.heads[id], row
	}
	if len(m.rows) == cap(m.rows) {
		m.rows = roomier(m.rows, len(m.rows)+1)
	}
	m.rows = append(m.rows, r)
	if time != NoTime {
		m.due.Add(time, row)
	}
	m.next = seq + 1
	m.live++
	return row
}

// Each calls f with the rows under the number of a key, the newest first, until f returns
// false.
func (m *Multimap) Each(id int32, f func(row int32) bool) {
	if id < 0 || int(id) >= len(m.heads) {
		return
	}
	for row := m.heads[id]; row >= 0; row = m.rows[row].before {
		if !m.rows[row].dead && !f(row) {
			return
		}
	}
}

// Rows appends the rows of a key to dst, the oldest first. Rows that were removed are
// unlinked on the way, so that a key whose rows come and go costs what it holds.
func (m *Multimap) Rows(key []byte, dst []int32) []int32 {
	id := m.keys.Find(key)
	if id < 0 || int(id) >= len(m.heads) {
		return dst
	}
	first := len(dst)
	link := &m.heads[id]
	for *link >= 0 {
		r := &m.rows[*link]
		if r.dead {
			*link = r.before
			continue
		}
		dst = append(dst, *link)
		link = &r.before
	}
	for i, j := first, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

// Has reports whether there is a row under the number of a key.
func (m *Multimap) Has(id int32) bool {
	has := false
	m.Each(id, func(int32) bool { has = true; return false })
	return has
}

// HasKey reports whether a key finds a row.
func (m *Multimap) HasKey(row int32) bool { return m.rows[row].key >= 0 }

// Key returns the key of a row that has one. It must not be changed.
func (m *Multimap) Key(row int32) []byte { return m.keys.Value(m.rows[row].key) }

// Time returns the time of a row.
func (m *Multimap) Time(row int32) int64 { return m.rows[row].time }

// Payload returns the bytes of a row. They must not be changed and are valid until
// the next Insert.
func (m *Multimap) Payload(row int32) []byte {
	r := &m.rows[row]
	return m.arena[r.start : r.start+int(r.size) : r.start+int(r.size)]
}

// Flag returns the flag of a row.
func (m *Multimap) Flag(row int32) bool { return m.rows[row].flag }

// SetFlag sets the flag of a row.
func (m *Multimap) SetFlag(row int32) {
	if r := &m.rows[row]; !r.flag {
		m.toggleFlag(row)
	}
}

// ClearFlag takes the flag of a row away.
func (m *Multimap) ClearFlag(row int32) {
	if r := &m.rows[row]; r.flag {
		m.toggleFlag(row)
	}
}

func (m *Multimap) toggleFlag(row int32) {
	r := &m.rows[row]
	r.flag = !r.flag
	if int(row) < m.added {
		m.flagged = append(m.flagged, r.seq)
	}
}

// Evict removes the rows whose time is at most through and calls f, which may be
// nil, with each before it goes.
func (m *Multimap) Evict(through int64, f func(row int32)) {
	for _, row := range m.due.Take(through, nil) {
		if m.rows[row].dead { // removed by Remove or ApplyChanges
			continue
		}
		if f != nil {
			f(row)
		}
		m.Remove(row)
	}
}

// Remove removes a row that is there.
func (m *Multimap) Remove(row int32) {
	r := &m.rows[row]
	r.dead = true
	m.live--
	if int(row) < m.added {
		m.removed = append(m.removed, r.seq)
	}
}

// Oldest returns the least time of the rows that have one; ok is false if there is
// none. See Expiry.First.
func (m *Multimap) Oldest() (time int64, ok bool) {
	return m.due.First(func(_ int64, row int32) bool { return !m.rows[row].dead })
}

// OldestUnflagged is Oldest of the rows without flag.
func (m *Multimap) OldestUnflagged() (time int64, ok bool) {
	return m.due.First(func(_ int64, row int32) bool { return !m.rows[row].dead && !m.rows[row].flag })
}

// NewestUnflagged returns the greatest time of the rows without flag that have one; ok
// is false if there is none. Its cost is that of all rows.
func (m *Multimap) NewestUnflagged() (time int64, ok bool) {
	for i := range m.rows {
		r := &m.rows[i]
		if !r.dead && !r.flag && r.time != NoTime && (!ok || r.time > time) {
			time, ok = r.time, true
		}
	}
	return time, ok
}
