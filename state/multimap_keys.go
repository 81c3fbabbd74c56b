package state

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

// HasKey reports whether a key finds a row.
func (m *Multimap) HasKey(row int32) bool { return m.rows[row].key >= 0 }

// Key returns the key of a row that has one. It must not be changed.
func (m *Multimap) Key(row int32) []byte { return m.keys.Value(m.rows[row].key) }

// Remove removes a row that is there.
func (m *Multimap) Remove(row int32) { m.remove(row) }

// Oldest returns the least time of the rows that have one; ok is false if there is
// none. See Expiry.First.
func (m *Multimap) Oldest() (time int64, ok bool) {
	return m.due.First(func(_ int64, row int32) bool { return !m.rows[row].dead })
}

// OldestUnflagged is Oldest of the rows without flag.
func (m *Multimap) OldestUnflagged() (time int64, ok bool) {
	return m.due.First(func(_ int64, row int32) bool { return !m.rows[row].dead && !m.rows[row].flag })
}

// Time returns the time of a row.
func (m *Multimap) Time(row int32) int64 { return m.rows[row].time }

// ClearFlag takes the flag of a row away.
func (m *Multimap) ClearFlag(row int32) {
	if r := &m.rows[row]; r.flag {
		m.toggleFlag(row)
	}
}
