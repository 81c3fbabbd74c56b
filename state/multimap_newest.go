package state

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
