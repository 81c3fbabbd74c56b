package plan

import (
	"slices"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// settleJoin derives which rows of a stream-stream join are late and when those that it keeps
// may go. A row may go when no row that is still to come from the other side can be its
// partner: the other side has no rows any more whose time is at or behind the watermark. A
// condition that bounds the time of the other side by the row tells when that is: an
// equality by which the time of the other side is known (see expr.TimeRangeOf), or a range
// of the two times. Spark goes by the time of the row itself wherever one is in an equality,
// which loses rows.
func settleJoin(j *Join) {
	j.State = JoinState{KeyTime: -1}
	if j.Static {
		return
	}
	left, right := j.side(0), j.side(1)
	j.State.Left, j.State.Right = JoinTimes{Time: left.time}, JoinTimes{Time: right.time}
	if j.Kind == types.InnerJoin && left.watermarked() != right.watermarked() {
		j.settleOneSided(left, right)
		return
	}
	lk := j.settleSide(&j.State.Left, left, right)
	rk := j.settleSide(&j.State.Right, right, left)
	if lk >= 0 && lk == rk && j.State.Left.BoundMicros == 0 && j.State.Right.BoundMicros == 0 {
		j.State.KeyTime = lk
	}
}

// timedSide is a side of a join and what is known of its event time.
type timedSide struct {
	node Node
	// first is the index of its first column among those of both sides.
	first int
	keys  []expr.Expr
	// time is what makes its rows late, a TIMESTAMP; nil without. at is the column it is of.
	time expr.Expr
	at   int
	// parts are the expressions by which time is known, by their text: what time is more
	// than they.
	parts map[string]int64
}

func (t *timedSide) watermarked() bool {
	_, ok := findNode[*Watermark](t.node)
	return ok
}

// side finds the event time of a side: a key that is an event time on both sides, or on
// this one, else a column that is one.
func (j *Join) side(i int) *timedSide {
	t := &timedSide{node: j.Left, keys: j.LeftKeys, at: -1, parts: map[string]int64{}}
	if i == 1 {
		t.node, t.keys, t.first = j.Right, j.RightKeys, len(j.Left.Columns())
	}
	at := func(key int) int {
		c, ok := t.keys[key].(*expr.Column)
		if m := j.keyMarks[key][i]; !ok || m.endOffset() == nil {
			return -1
		}
		return c.Index
	}
	for k, m := range j.keyMarks {
		if t.at < 0 && m[0].endOffset() != nil && m[1].endOffset() != nil {
			t.at = at(k)
		}
	}
	for k := range j.keyMarks {
		if t.at < 0 {
			t.at = at(k)
		}
	}
	if times := eventColumns(t.node); t.at < 0 && len(times) > 0 {
		t.at = times[0]
	}
	if t.at >= 0 {
		t.settle()
	}
	return t
}

// endOffset is how far the value of a mark is from what closes it, the event time itself or
// the end of its window: in microseconds, nil where that is not the same for all rows, or
// where no watermark closes it. A struct counts as its end.
func (m *Mark) endOffset() *int64 {
	off := int64(0)
	switch {
	case !m.closes():
		return nil
	case m.Part == WindowTime:
		off = -1
	case m.Part == WindowStart:
		if m.Window == nil || m.Window.Kind != Tumble && m.Window.Kind != Hop {
			return nil
		}
		off = -m.Window.SizeMicros
	}
	return &off
}

// settle makes the time of the side out of its column, and finds what else tells it.
func (t *timedSide) settle() {
	cols := t.node.Columns()
	mark := cols[t.at].Mark
	if mark == nil {
		return
	}
	_, joined := findNode[*Join](t.node)
	for i, c := range cols {
		// The windows of two inputs of a join below may be the same by their marks.
		if i != t.at && (joined || mark.Window == nil || c.Mark == nil || !sameWindow(c.Mark, mark)) {
			continue
		}
		off, e := c.Mark.endOffset(), expr.Expr(ref(t.node, i))
		if off == nil {
			continue
		}
		if c.Type.Kind == types.Struct {
			if start, err := expr.BindField(e, "start", Span{}); err == nil {
				if so := mark.part(WindowStart).endOffset(); so != nil {
					t.parts[exprKey(start)] = -*so
				}
			}
			end, err := expr.BindField(e, "end", Span{})
			if err != nil {
				continue
			}
			e = end
		}
		t.parts[exprKey(e)] = -*off
		if i == t.at {
			t.time = e
		}
	}
	if t.time == nil {
		return
	}
	// Rows are late by the column as it is, but for the start of a window: that closes at
	// its end.
	own := t.parts[exprKey(t.time)]
	if mark.Part == WindowStart {
		end, err := plusMicros(t.time, own, Span{})
		if err != nil {
			t.time = nil
			return
		}
		t.time, own = end, 0
		t.parts[exprKey(end)] = 0
	}
	for key := range t.parts {
		t.parts[key] -= own
	}
}

// rangeOf is how far the time of the side is from an expression over its columns; ok is false
// where that is not known.
func (t *timedSide) rangeOf(e expr.Expr) (r expr.TimeRange, ok bool) {
	if t.time == nil {
		return r, false
	}
	r, ok = expr.TimeRangeOf(e, func(e expr.Expr) (expr.TimeRange, bool) {
		more, ok := t.parts[exprKey(e)]
		return expr.TimeRange{LowMicros: more, HighMicros: more}, ok
	})
	if ok && !r.Exact() {
		r.LowMicros, r.HighMicros = wholeMillis(r.LowMicros), -wholeMillis(-r.HighMicros)
	}
	return r, ok
}

// wholeMillis rounds down, as watermarks are whole milliseconds.
func wholeMillis(micros int64) int64 {
	if rest := micros % 1000; rest < 0 {
		return micros - rest - 1000
	}
	return micros - micros%1000
}

// settleSide derives when the rows of a side may go, and returns the key that tells it, -1
// for a range or none.
func (j *Join) settleSide(s *JoinTimes, own, other *timedSide) (key int) {
	best := evictRule{key: -1}
	for i := range own.keys {
		if r, ok := j.evictRule(i, own, other); ok && (best.key < 0 || r.betterThan(best)) {
			best = r
		}
	}
	if best.key >= 0 {
		*s = best.times
	}
	if best.known || own.time == nil || other.time == nil {
		return best.key
	}
	if bound, equal := lowerBound(j.bounds, own.first+own.at, other.first+other.at); bound != nil {
		*s = JoinTimes{Time: own.time, Evict: own.time, BoundMicros: *bound, HoldMicros: min(0, *bound), derived: equal}
		return -1
	}
	return best.key
}

// evictRule is when rows of a side may go by one key.
type evictRule struct {
	times JoinTimes
	key   int
	// known and exact say what the key tells about the event time of the side itself; bare, that
	// the key is the event time of both sides. With exact, bound is that of the event time.
	known, exact, bare bool
	bound              int64
}

// betterThan prefers rules by which the side's own event time is known, of these the one by
// which rows go first, and keys that are the time.
func (r evictRule) betterThan(o evictRule) bool {
	switch {
	case r.exact != o.exact:
		return r.exact
	case r.known != o.known:
		return r.known
	case r.bound == o.bound:
		return r.bare && !o.bare
	case r.exact:
		return r.bound > o.bound
	}
	return r.bound == 0
}

func (j *Join) evictRule(key int, own, other *timedSide) (r evictRule, ok bool) {
	far, ok := other.rangeOf(other.keys[key])
	if !ok {
		return r, false
	}
	r.key, r.bound = key, -far.HighMicros
	r.times = JoinTimes{Time: own.time, BoundMicros: -far.HighMicros, NullStays: j.NullSafe[key], derived: true}
	var err error
	if r.times.Evict, err = expr.BindCast(own.keys[key], types.Of(types.Timestamp), false, Span{}); err != nil {
		return r, false
	}
	near, known := own.rangeOf(own.keys[key])
	if r.known = known; !known {
		return r, true
	}
	r.times.HoldMicros = min(0, near.LowMicros-far.HighMicros)
	if r.exact = near.Exact(); r.exact {
		r.bound += near.LowMicros
		if _, plain := own.keys[key].(*expr.Column); !plain {
			r.times.Evict, r.times.BoundMicros = own.time, r.bound
		}
		r.bare = near.LowMicros == 0 && far == expr.TimeRange{}
	}
	return r, true
}

// settleOneSided derives the times of an inner join of which one side alone has a watermark.
// Where an equality tells the time of that side, the rows of one key go from both sides
// when it gets no more of them; a row of the other side that comes later is late.
func (j *Join) settleOneSided(left, right *timedSide) {
	marked, plain := left, right
	times, others := &j.State.Left, &j.State.Right
	if right.watermarked() {
		marked, plain, times, others = right, left, others, times
	}
	key := j.settleSide(others, plain, marked)
	if key < 0 {
		return
	}
	others.NullStays = false
	late := others.Evict
	if others.BoundMicros != 0 {
		e, err := plusMicros(late, -others.BoundMicros, Span{})
		if err != nil {
			return
		}
		late = e
	}
	others.Time, others.byPartner = late, true
	evict, err := expr.BindCast(marked.keys[key], types.Of(types.Timestamp), false, Span{})
	if err != nil {
		return
	}
	times.Evict, times.BoundMicros, times.derived = evict, others.BoundMicros, true
	near, _ := marked.rangeOf(marked.keys[key])
	if near.Exact() {
		times.Evict, times.BoundMicros = marked.time, others.BoundMicros+near.LowMicros
	}
	times.HoldMicros = min(0, near.LowMicros+others.BoundMicros)
	if others.BoundMicros == 0 && times.BoundMicros == 0 {
		j.State.KeyTime = key
	}
}

// lowerBound returns by how much the watermark must pass the time of a row of side own
// before no row of the other side can match it: the smallest over all conditions
// own.t > other.t + c. Microseconds, on whole milliseconds as Spark rounds. equal says that
// it comes from an equality.
func lowerBound(bounds []comparison, own, other int) (least *int64, equal bool) {
	for _, b := range bounds {
		if b.columns() != 2 || b.terms[own] != -1 || b.terms[other] != 1 {
			continue
		}
		v := wholeMillis(b.micros)
		if b.orEqual {
			v -= 1000
		}
		if least == nil || v < *least {
			least, equal = &v, b.equal
		}
	}
	return least, equal
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

// overEventTime writes an expression that a sub-query computes from its event time over the event
// time itself, where the sub-query has that too: `ts - INTERVAL '10' MINUTE AS before`. Only
// then is it known what the watermark says about it.
func overEventTime(n Node, e expr.Expr) expr.Expr {
	over, ok := overPlain(n, e)
	if !ok {
		return e
	}
	_, ok = expr.TimeRangeOf(over, func(e expr.Expr) (expr.TimeRange, bool) {
		c, is := e.(*expr.Column)
		return expr.TimeRange{}, is && n.Columns()[c.Index].Mark.closes()
	})
	if !ok {
		return e
	}
	return over
}

// overPlain writes an expression over columns that the projections below do not compute.
func overPlain(n Node, e expr.Expr) (expr.Expr, bool) {
	switch n := n.(type) {
	case *Filter, *Watermark, *Dedup:
		return overPlain(n.Inputs()[0], e)
	case *Project:
		below, ok := overPlain(n.Input, moved(e, func(c *expr.Column) expr.Expr { return n.Exprs[c.Index] }))
		if !ok || expr.IsVolatile(below) {
			return nil, false
		}
		for _, i := range columnsOf(below) {
			ok = ok && n.passes(i) >= 0
		}
		if !ok {
			return nil, false
		}
		return moved(below, func(c *expr.Column) expr.Expr { return ref(n, n.passes(c.Index)) }), true
	}
	return e, true
}

// passes returns which column of a projection is column i of its input, -1 for none.
func (n *Project) passes(i int) int {
	return slices.IndexFunc(n.Exprs, func(e expr.Expr) bool {
		c, ok := e.(*expr.Column)
		return ok && c.Index == i
	})
}
