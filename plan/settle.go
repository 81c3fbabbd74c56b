package plan

// settle derives, from the columns that are left, which of them are the event time of
// stateful operators and when what these keep may leave.
func settle(n Node) Node {
	n = withInputs(n, settle)
	switch n := n.(type) {
	case *Dedup:
		settleDedup(n)
	case *Join:
		settleJoin(n)
	case *TopN:
		n.ByTime = n.ByTime && n.Count == 1 && len(n.Order) == 1 && n.EventKey < 0
	}
	return n
}

// settleDedup finds the event time of a deduplication: that among its keys if there is
// one, for it is what lets keys go.
func settleDedup(d *Dedup) {
	d.EventKey, d.EventTime = -1, -1
	cols := d.Input.Columns()
	for _, k := range d.Keys {
		if cols[k].Mark.isEventTime() {
			d.EventTime, d.EventKey = k, k
			return
		}
	}
	if times := eventColumns(d.Input); len(times) > 0 {
		d.EventTime = times[0]
	}
}
