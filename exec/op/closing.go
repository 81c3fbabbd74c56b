package op

import (
	"slices"

	"ssql/sql/types"
	"ssql/state"
)

// Opener is a Stateful that holds results back until the watermark passes them. It
// tells how far the watermark must go for the last of them to come out: EMIT ...
// TIMEOUT and end_of_input = 'flush' move it there.
type Opener interface {
	// OpenUntil returns the least input watermark, in UTC microseconds, at which
	// nothing that is held now is held back any more; ok is false when nothing is. It
	// may be called between batches only.
	OpenUntil() (micros int64, ok bool)
}

// NextCloser is a Stateful whose results come out one after the other. It tells what the
// first of them waits for, so that a user can be told.
type NextCloser interface {
	// NextClose returns the least input watermark, in UTC microseconds, at which
	// something that is held now comes out; ok is false when nothing is. Where thousands of held
	// rows will not come out by themselves it may be too early. It is called after every
	// batch and must be cheap; between batches only.
	NextClose() (micros int64, ok bool)
}

var (
	_ Opener     = (*aggregate)(nil)
	_ Opener     = (*session)(nil)
	_ Opener     = (*Join)(nil)
	_ NextCloser = (*aggregate)(nil)
	_ NextCloser = (*session)(nil)
	_ NextCloser = (*Join)(nil)
)

// holdsBack reports whether groups come out when they are closed.
func (a *aggregate) holdsBack() bool { return a.cfg.Mode == types.Append && a.drops() }

// closesAt returns the watermark that closes the groups of a window of the state; ok is false
// if none does, or there are no groups.
func (a *aggregate) closesAt(win *state.Window) (micros int64, ok bool) {
	if win.Start == neverCloses || win.Tables[0].Live() == 0 {
		return 0, false
	}
	if a.layer == layerWindows {
		return win.Start + a.cfg.Windows.SizeMicros, true
	}
	return win.Start, true // the key of the table is what closes it
}

// OpenUntil returns the end of the newest window with groups.
func (a *aggregate) OpenUntil() (micros int64, ok bool) {
	if !a.holdsBack() {
		return 0, false
	}
	if a.layer == layerPanes {
		open := a.openWindows()
		if len(open) == 0 {
			return 0, false
		}
		return a.overlap.end(open[len(open)-1].window), true
	}
	for _, win := range slices.Backward(a.state.List()) {
		if micros, ok = a.closesAt(win); ok {
			return micros, true
		}
	}
	return 0, false
}

// NextClose returns the end of the oldest window with groups.
func (a *aggregate) NextClose() (micros int64, ok bool) {
	if !a.holdsBack() {
		return 0, false
	}
	if a.layer == layerPanes {
		open := a.openWindows()
		if len(open) == 0 {
			return 0, false
		}
		return a.overlap.end(open[0].window), true
	}
	for _, win := range a.state.List() {
		if micros, ok = a.closesAt(win); ok {
			return micros, true
		}
	}
	return 0, false
}

// openWindows returns the windows of shared panes that have groups, the oldest first.
func (a *aggregate) openWindows() []windowCount {
	if a.stale {
		a.recount()
	}
	return a.overlap.open
}

// OpenUntil returns when the last row goes that is still to come out with NULLs for
// the other side.
func (j *Join) OpenUntil() (micros int64, ok bool) {
	for _, s := range j.sides {
		if !s.keep || s.Evict == nil {
			continue
		}
		if t, has := s.rows.NewestUnflagged(); has && (!ok || t-s.BoundMicros > micros) {
			micros, ok = t-s.BoundMicros, true
		}
	}
	return micros, ok
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

// OpenUntil returns the end of the session that is the last to end.
func (s *session) OpenUntil() (micros int64, ok bool) {
	if !s.holdsBack() {
		return 0, false
	}
	t := s.table()
	for _, g := range t.All(nil) {
		micros, ok = max(micros, s.ends[g]), true
	}
	return micros, ok
}

// NextClose returns the end of the session that is the first to end.
func (s *session) NextClose() (micros int64, ok bool) {
	if !s.holdsBack() {
		return 0, false
	}
	t := s.table()
	return s.due.First(func(at int64, g int32) bool { return t.Alive(g) && s.ends[g] == at })
}

// holdsBack reports whether there are sessions that come out when they are over, and makes
// sure that their ends are known.
func (s *session) holdsBack() bool {
	if s.cfg.Mode == types.Complete || !s.cfg.Watermarked {
		return false
	}
	if err := s.refresh(); err != nil {
		return false // the next batch says what is wrong with the state
	}
	return s.held.state.Find(0) != nil
}
