package op

// NextCloser is a Stateful whose groups close one after the other. It tells what the
// first of them waits for, so that a user can be told.
type NextCloser interface {
	// NextClose returns the least input watermark, in UTC microseconds, at which a
	// group that is held now comes out; ok is false when none is. It may be called
	// between batches only.
	NextClose() (micros int64, ok bool)
}

var _ NextCloser = (*aggregate)(nil)

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
