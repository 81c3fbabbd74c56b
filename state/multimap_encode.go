package state

import (
	"encoding/binary"
	"sort"
)

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
		id := int32(-1)
		if flags&2 != 0 {
			if key := r.bytes(); r.err == nil {
				id = m.keys.Intern(key)
			}
		}
		time := r.varint()
		payload := r.bytes()
		if r.err == nil {
			m.insert(seq, id, time, flags&1 != 0, payload)
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
