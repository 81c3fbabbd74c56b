package oracle

import (
	"slices"

	"ssql/plan"
)

// startMicros is where the event times of most cases begin: 2024-03-10 12:00:00.
const startMicros = 1710072000e6

// rowsMax is the most rows of a case.
const rowsMax = 400

// rows draws the rows of all streams and cuts them into batches.
func (g *gen) rows() {
	c := g.c
	n := one(g, 0, 3, 10, 40, 100, 100, 200, rowsMax)
	if g.p.Streams > 1 {
		n = one(g, 3, 40, 100, 200, rowsMax) // partners have to meet
	}
	n -= g.IntN(n/2 + 1)
	nulls := make([]float64, rowsMax)
	for i := range nulls {
		nulls[i] = one(g, 0, 0, 0.1, 0.5)
	}
	starts := []int64{startMicros, startMicros, startMicros, startMicros, 30e6, 951782390e6, 4102444790e6}
	if c.Late {
		// The watermark starts at 1970: what is before is late.
		starts = append(starts, -10e6, -86400e6*365)
	}
	k := &clock{
		gen:  g,
		at:   one(g, starts...),
		step: one[int64](g, 100e3, 500e3, 1e6, 3e6),
		unit: one[int64](g, 1e6, 1e6, 1e3, 1),
		top:  make([]int64, len(c.Streams)),
	}
	size := n/40 + 1 + g.IntN(n/4+1)
	for at, count := 0, 0; at < n; at += count {
		count = one(g, size, size, g.IntN(size)+1)
		f := Feed{Rows: make([][]Row, len(c.Streams)), Hold: g.IntN(5) == 0}
		for range min(count, n-at) {
			i := g.IntN(len(c.Streams))
			f.Rows[i] = append(f.Rows[i], g.row(c.Streams[i], k.draw(i), nulls))
		}
		if g.IntN(10) == 0 {
			f.Rows[g.IntN(len(f.Rows))] = nil // one stream is silent
		}
		if slices.ContainsFunc(f.Rows, func(r []Row) bool { return len(r) > 0 }) {
			c.Feeds = append(c.Feeds, f)
			k.endBatch()
		}
	}
	if len(c.Feeds) > 0 {
		c.Feeds[len(c.Feeds)-1].Hold = false
	}
}

func (g *gen) row(s *Stream, at Value, nulls []float64) Row {
	r := Row{at}
	for i, c := range s.Cols[1:] {
		if g.Float64() < nulls[i] {
			r = append(r, nil)
		} else {
			r = append(r, c.Domain.draw(g.Rand))
		}
	}
	return r
}

// clock draws event times that go forward with some disorder.
type clock struct {
	*gen
	at, step, unit int64
	top            []int64 // by stream: the greatest time so far, 0 before the first row
	late           int64   // the watermark that the next batch has
}

// endBatch moves the watermark.
func (k *clock) endBatch() {
	k.late = -1
	for i, s := range k.c.Streams {
		mark := max(0, floorMillis(k.top[i])-max(0, s.DelayMicros))
		if k.late < 0 || k.c.Policy == plan.MinPolicy && mark < k.late || k.c.Policy == plan.MaxPolicy && mark > k.late {
			k.late = mark
		}
	}
}

// edge returns a time at which a row is just late, or just not: at the watermark, or a
// window, a bound of a join or a delay away from it, or next to that.
func (k *clock) edge(stream int) Value {
	away := []int64{0, max(0, k.c.Streams[stream].DelayMicros)}
	for _, w := range k.c.Query.windows() {
		away = append(away, w.Size, w.Slide, w.Wide)
	}
	anyRel(k.c.Query.From, func(r Rel) bool {
		if j, ok := r.(*Join); ok {
			for _, b := range j.Bounds {
				away = append(away, b.Micros, -b.Micros)
			}
		}
		return false
	})
	t := k.late - away[k.IntN(len(away))] + one[int64](k.gen, 0, 0, 0, 1, -1, 1000, -1000)
	k.top[stream] = max(k.top[stream], t)
	return t
}

// draw returns an event time of a stream, or NULL.
func (k *clock) draw(stream int) Value {
	if k.IntN(60) == 0 {
		return nil
	}
	k.at += k.Int64N(2*k.step + 1)
	delay := max(0, k.c.Streams[stream].DelayMicros)
	back := k.Int64N(delay + 1)
	if k.c.Late && k.IntN(6) == 0 {
		back = k.Int64N(3*delay + 20e6)
	}
	t := k.at - back
	if k.c.Late && k.late > 0 && k.IntN(6) == 0 {
		return k.edge(stream)
	}
	if !k.c.Late {
		// Not at the watermark either: the rows there are late for keys of event time.
		t = max(t, k.top[stream]-delay+1e3)
	}
	t -= ((t % k.unit) + k.unit) % k.unit
	if !k.c.Late && t <= k.top[stream]-delay {
		t += k.unit
	}
	if t > k.top[stream] || k.top[stream] == 0 {
		k.top[stream] = t
	}
	return t
}
