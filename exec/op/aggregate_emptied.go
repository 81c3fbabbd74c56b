package op

// forgetEmptied removes the groups that a batch left without rows. They have come out once
// more as such, and a new row begins them anew. Pieces of overlapping windows stay until
// their windows close.
func (a *aggregate) forgetEmptied() {
	if !a.cfg.CountsRows || a.layer == layerPieces {
		return
	}
	rows := a.calls[len(a.calls)-1].offset
	var groups []int32
	for _, win := range a.state.Touched() {
		t := win.Tables[0]
		groups = t.Dirty(groups[:0])
		for _, g := range groups {
			if t.Words[int(g)*t.Stride+rows] == 0 {
				t.Remove(g)
				a.groups--
				a.stats.RowsRemoved++
			}
		}
		a.state.Count(t)
	}
}
