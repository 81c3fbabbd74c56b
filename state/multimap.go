package state

import (
	"encoding/binary"
	"sort"
)

// Multimap keeps rows by key, each with a time after which it may be removed, a
// flag, and bytes: one side of a stream–stream join.
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
	time   int64 // NoTime: stays for ever
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

// Bytes returns the memory that is held, in bytes.
func (m *Multimap) Bytes() int64 {
	return m.keys.Bytes() + int64(cap(m.arena)) + 56*int64(cap(m.rows)) + 4*int64(cap(m.heads)) + 4*int64(m.live)
}

// FindKeys puts the number of each key into ids, -1 for one that no row ever had. Numbers are
// valid until AppendChanges.
func (m *Multimap) FindKeys(keys [][]byte, ids []int32) { m.keys.FindAll(keys, ids) }

// AddKeys puts the number of each key into ids, a new one for one that is new.
func (m *Multimap) AddKeys(keys [][]byte, ids []int32) { m.keys.InternAll(keys, ids) }

// Insert adds a row and returns its number, which is valid until AppendChanges.
// hasKey false makes a row that no key finds. key and payload are copied.
func (m *Multimap) Insert(key []byte, hasKey bool, time int64, payload []byte) int32 {
	return m.insert(m.next, m.addKey(key, hasKey), time, false, payload)
}

func (m *Multimap) addKey(key []byte, hasKey bool) int32 {
	if !hasKey {
		return -1
	}
	return m.keys.Intern(key)
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

// Has reports whether there is a row under the number of a key.
func (m *Multimap) Has(id int32) bool {
	has := false
	m.Each(id, func(int32) bool { has = true; return false })
	return has
}

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
		if m.rows[row].dead { // removed by ApplyChanges
			continue
		}
		if f != nil {
			f(row)
		}
		m.remove(row)
	}
}

func (m *Multimap) remove(row int32) {
	r := &m.rows[row]
	r.dead = true
	m.live--
	if int(row) < m.added {
		m.removed = append(m.removed, r.seq)
	}
}

// AppendChanges appends what changed since the last call and forgets it. Row numbers
// are stale afterwards.
func (m *Multimap) AppendChanges(dst []byte) []byte {
	dst = m.appendRows(dst, m.added)
	dst = appendSeqs(dst, m.removed)
	dst = appendSeqs(dst, m.flagged)
	m.removed, m.flagged = m.removed[:0], m.flagged[:0]
	m.compact()
	m.added = len(m.rows)
	return dst
}

// AppendSnapshot appends all rows.
func (m *Multimap) AppendSnapshot(dst []byte) []byte { return m.appendRows(dst, 0) }

func (m *Multimap) appendRows(dst []byte, from int) []byte {
	n := 0
	for _, r := range m.rows[from:] {
		if !r.dead {
			n++
		}
	}
	dst = binary.AppendUvarint(dst, m.next)
	dst = binary.AppendUvarint(dst, uint64(n))
	for i := from; i < len(m.rows); i++ {
		r := &m.rows[i]
		if r.dead {
			continue
		}
		flags := byte(0)
		if r.flag {
			flags |= 1
		}
		if r.key >= 0 {
			flags |= 2
		}
		dst = append(binary.AppendUvarint(dst, r.seq), flags)
		if r.key >= 0 {
			dst = appendBytes(dst, m.keys.Value(r.key))
		}
		dst = binary.AppendVarint(dst, r.time)
		dst = appendBytes(dst, m.Payload(int32(i)))
	}
	return dst
}

func appendSeqs(dst []byte, seqs []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(seqs)))
	for _, s := range seqs {
		dst = binary.AppendUvarint(dst, s)
	}
	return dst
}

// ApplyChanges replays what AppendChanges wrote.
func (m *Multimap) ApplyChanges(b []byte) error {
	r := &reader{b: b}
	m.readRows(r)
	for n := r.count(); n > 0 && r.err == nil; n-- {
		if row := m.find(r.uvarint()); row >= 0 {
			m.rows[row].dead = true
			m.live--
		} else {
			r.fail("a row that is not there was removed")
		}
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		if row := m.find(r.uvarint()); row >= 0 {
			m.rows[row].flag = !m.rows[row].flag
		}
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes are left over")
	}
	if r.err != nil {
		return r.err
	}
	m.compact()
	m.added = len(m.rows)
	return nil
}

// Restore replaces all rows by a snapshot.
func (m *Multimap) Restore(b []byte) error {
	*m = *NewMultimap()
	r := &reader{b: b}
	m.readRows(r)
	if r.err == nil && len(r.b) > 0 {
		r.fail("bytes are left over")
	}
	m.added = len(m.rows)
	return r.err
}

func (m *Multimap) readRows(r *reader) {
	next := r.uvarint()
	for n := r.count(); n > 0 && r.err == nil; n-- {
		seq := r.uvarint()
		if seq < m.next || seq >= next {
			r.fail("a row is out of order")
			return
		}
		flags := byte(r.uvarint())
		var key []byte
		if flags&2 != 0 {
			key = r.bytes()
		}
		time := r.varint()
		payload := r.bytes()
		if r.err == nil {
			m.insert(seq, m.addKey(key, flags&2 != 0), time, flags&1 != 0, payload)
		}
	}
	m.next = next
}

// find returns the row of a sequence number, -1 if there is none that is alive.
func (m *Multimap) find(seq uint64) int32 {
	i := sort.Search(len(m.rows), func(i int) bool { return m.rows[i].seq >= seq })
	if i == len(m.rows) || m.rows[i].seq != seq || m.rows[i].dead {
		return -1
	}
	return int32(i)
}

// deadMin is how many dead rows there must be before they are cleared away.
const deadMin = 1024

// compact clears dead rows away once they outnumber the others.
func (m *Multimap) compact() {
	if dead := len(m.rows) - m.live; dead < deadMin || dead < m.live {
		return
	}
	old := *m
	*m = *NewMultimap()
	for i := range old.rows {
		r := &old.rows[i]
		if r.dead {
			continue
		}
		id := int32(-1)
		if r.key >= 0 {
			id = m.keys.Intern(old.keys.Value(r.key))
		}
		m.insert(r.seq, id, r.time, r.flag, old.Payload(int32(i)))
	}
	m.next = old.next
}
