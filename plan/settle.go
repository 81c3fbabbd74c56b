package plan

import "ssql/plan/expr"

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

// settleJoin derives the state bounds of a stream-stream join (docs/SEMANTICS.md, Joins).
func settleJoin(j *Join) {
	j.State = JoinState{LeftTime: -1, RightTime: -1, KeyTime: -1}
	if j.Static {
		return
	}
	for i, m := range j.keyMarks {
		if keyCloses(m[0]) || keyCloses(m[1]) {
			j.State.KeyTime = i
			break
		}
	}
	width := len(j.Left.Columns())
	lt := j.sideTime(j.Left, j.LeftKeys, 0)
	rt := j.sideTime(j.Right, j.RightKeys, 1)
	j.State.LeftTime, j.State.RightTime = lt, rt
	if j.State.KeyTime < 0 && lt >= 0 && rt >= 0 {
		j.State.LeftBound = lowerBound(j.bounds, lt, rt+width)
		j.State.RightBound = lowerBound(j.bounds, rt+width, lt)
	}
}

// keyCloses reports whether a join key with this mark is cut off by the watermark.
func keyCloses(m *Mark) bool { return m.closes() && m.Part != WindowStart }

// sideTime returns the column of a side by which its rows are late: the key that
// carries event time where it is a column, else the side's event-time column; -1
// without.
func (j *Join) sideTime(n Node, keys []expr.Expr, side int) int {
	if k := j.State.KeyTime; k >= 0 && keyCloses(j.keyMarks[k][side]) {
		if c, ok := keys[k].(*expr.Column); ok {
			return c.Index
		}
	}
	if times := eventColumns(n); len(times) > 0 {
		return times[0]
	}
	return -1
}

// lowerBound returns by how much the watermark must pass the time of a row of side own
// before no row of the other side can match it: the smallest over all conditions
// own.t > other.t + c. Microseconds, on whole milliseconds as Spark rounds.
func lowerBound(bounds []comparison, own, other int) *int64 {
	var least *int64
	for _, b := range bounds {
		if b.columns() != 2 || b.terms[own] != -1 || b.terms[other] != 1 {
			continue
		}
		millis := b.micros / 1000
		if b.micros%1000 < 0 {
			millis--
		}
		if b.orEqual {
			millis--
		}
		if v := millis * 1000; least == nil || v < *least {
			least = &v
		}
	}
	return least
}

// columns counts the columns that do not cancel out.
func (c comparison) columns() int {
	n := 0
	for _, factor := range c.terms {
		if factor != 0 {
			n++
		}
	}
	return n
}
