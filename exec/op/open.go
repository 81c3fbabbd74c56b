package op

import "math"

// Opener is a Stateful that holds results back until the watermark passes them. It
// tells how far the watermark must go for the last of them to come out: EMIT ...
// TIMEOUT and end_of_input = 'flush' move it there.
type Opener interface {
	// OpenUntil returns the least input watermark, in UTC microseconds, at which
	// nothing that is held now is held back any more; ok is false when nothing is. It
	// may be called between batches only.
	OpenUntil() (micros int64, ok bool)
}

var (
	_ Opener = (*aggregate)(nil)
	_ Opener = (*Join)(nil)
	_ Opener = (*session)(nil)
)

// OpenUntil returns the end of the newest window with groups.
func (a *aggregate) OpenUntil() (micros int64, ok bool) {
	if !a.drops() || a.cfg.Mode != AppendMode {
		return 0, false
	}
	if a.stale {
		a.recount()
	}
	if a.layer == layerPieces {
		n := len(a.overlap.open)
		if n == 0 {
			return 0, false
		}
		_, end := a.overlap.span(a.overlap.open[n-1].window)
		return end, true
	}
	list := a.state.List()
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Start == neverCloses || list[i].Tables[0].Live() == 0 {
			continue
		}
		if a.layer == layerWindows {
			return list[i].Start + a.cfg.Windows.SizeMicros, true
		}
		return list[i].Start, true // the key of the table is what closes it
	}
	return 0, false
}

// OpenUntil returns when the last row goes that is still to come out with NULLs for
// the other side.
func (j *Join) OpenUntil() (micros int64, ok bool) {
	micros = math.MinInt64
	for _, s := range j.sides {
		if !s.keep || s.Evict == nil {
			continue
		}
		if t, has := s.rows.NewestUnflagged(); has {
			micros, ok = max(micros, t-s.BoundMicros), true
		}
	}
	return micros, ok
}

// OpenUntil returns the end of the session that is the last to end.
func (s *session) OpenUntil() (micros int64, ok bool) {
	if s.cfg.Mode == CompleteMode || !s.cfg.Watermarked {
		return 0, false
	}
	if s.late || s.held.state.Epoch() != s.epoch {
		if err := s.reindex(); err != nil {
			return 0, false // the next batch says what is wrong with the state
		}
	}
	win := s.held.state.Find(0)
	if win == nil {
		return 0, false
	}
	t := win.Tables[0]
	for g := int32(0); g < t.Len(); g++ {
		if t.Alive(g) {
			micros, ok = max(micros, int64(s.ends[g])), true
		}
	}
	return micros, ok
}
