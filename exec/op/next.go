package op

// NextCloser is a Stateful whose groups close one after the other. It tells what the
// first of them waits for, so that a user can be told.
type NextCloser interface {
	// NextClose returns the least input watermark, in UTC microseconds, at which a
	// group that is held now comes out; ok is false when none is. Where thousands of held
	// rows will not come out by themselves it may be too early. It may be called between
	// batches only.
	NextClose() (micros int64, ok bool)
}

var (
	_ NextCloser = (*aggregate)(nil)
	_ NextCloser = (*Join)(nil)
	_ NextCloser = (*session)(nil)
)

// NextClose returns the end of the oldest window with groups.
func (a *aggregate) NextClose() (micros int64, ok bool) {
	if !a.drops() || a.cfg.Mode != AppendMode {
		return 0, false
	}
	if a.stale {
		a.recount()
	}
	if a.layer == layerPieces {
		if len(a.overlap.open) == 0 {
			return 0, false
		}
		_, end := a.overlap.span(a.overlap.open[0].window)
		return end, true
	}
	for _, w := range a.state.List() {
		if w.Start == neverCloses || w.Tables[0].Live() == 0 {
			continue
		}
		if a.layer == layerWindows {
			return w.Start + a.cfg.Windows.SizeMicros, true
		}
		return w.Start, true // the key of the table is what closes it
	}
	return 0, false
}

// NextClose returns when the first row goes that is still to come out with NULLs for the
// other side.
func (j *Join) NextClose() (micros int64, ok bool) {
	for _, s := range j.sides {
		if !s.keep || s.Evict == nil {
			continue
		}
		if t, has := s.rows.OldestUnflagged(); has && (!ok || t-s.BoundMicros < micros) {
			micros, ok = t-s.BoundMicros, true
		}
	}
	return micros, ok
}

// NextClose returns the end of the session that is the first to end.
func (s *session) NextClose() (micros int64, ok bool) {
	if s.cfg.Mode == CompleteMode || !s.cfg.Watermarked {
		return 0, false
	}
	if s.late || s.held.state.Epoch() != s.epoch {
		if err := s.reindex(); err != nil {
			return 0, false // the next batch says what is wrong with the state
		}
	}
	if s.held.state.Find(0) == nil {
		return 0, false
	}
	t := s.table()
	return s.due.First(func(at int64, g int32) bool { return t.Alive(g) && s.ends[g] == at })
}
