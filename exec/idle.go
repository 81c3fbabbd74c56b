package exec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ssql/checkpoint"
	"ssql/exec/op"
	"ssql/plan"
	"ssql/sources"
)

// arrivals is when the sources last delivered something, by the clock of the batches.
// It follows from the PLAN records, so a restart knows it: the time for which the
// query was stopped counts, because a source that has nothing when it is looked at
// again has delivered nothing meanwhile.
type arrivals struct {
	// First is the time of the first batch; Newest, by source, that of the newest batch
	// that reads the source, First before one.
	First  int64   `json:"first"`
	Newest []int64 `json:"newest"`
}

// noBatch is First before the first batch.
const noBatch = int64(-1)

func newArrivals(sourceCount int) arrivals {
	return arrivals{First: noBatch, Newest: make([]int64, sourceCount)}
}

// note takes a planned batch.
func (a *arrivals) note(p *checkpoint.Plan) {
	if a.First == noBatch {
		a.First = p.NowMicros
		for i := range a.Newest {
			a.Newest[i] = p.NowMicros
		}
	}
	for i, r := range p.Ranges {
		if reads(r) {
			a.Newest[i] = p.NowMicros
		}
	}
}

// silentFor returns for how long none of the sources has delivered anything.
func (a *arrivals) silentFor(sourceIDs []int, nowMicros int64) time.Duration {
	if a.First == noBatch {
		return 0
	}
	last := a.First
	for _, s := range sourceIDs {
		last = max(last, a.Newest[s])
	}
	return time.Duration(nowMicros-last) * time.Microsecond
}

// reads reports whether a range of a PLAN has something to read.
func reads(r sources.Range) bool { return r != nil && string(r) != "null" }

// watermarkSources returns, by ID of the watermark nodes, the sources below them.
func watermarkSources(roots []*breaker, count int) [][]int {
	out := make([][]int, count)
	note := func(t tree) {
		p, ok := t.(*pipe)
		if !ok {
			return
		}
		for _, s := range p.stages {
			w, ok := s.(*op.Watermark)
			if !ok {
				continue
			}
			visit(p.in, func(t tree) {
				if s, ok := t.(*scan); ok && !slices.Contains(out[w.ID], s.source) {
					out[w.ID] = append(out[w.ID], s.source)
				}
			})
		}
	}
	for _, root := range roots {
		visit(root, note)
	}
	return out
}

// idleTimeout returns after how long without input a watermark node is idle; 0: never.
// The option of the stream comes before that of the query.
func (q *Query) idleTimeout(id int) time.Duration {
	if micros := q.wm.defs[id].IdleMicros; micros > 0 {
		return time.Duration(micros) * time.Microsecond
	}
	return q.cfg.IdleTimeout
}

// idleNodes returns the watermark nodes that are idle at a time when the sources have
// these ranges to read.
func (q *Query) idleNodes(nowMicros int64, ranges []sources.Range) []int {
	var idle []int
	for id, below := range q.nodeSources {
		limit := q.idleTimeout(id)
		if limit == 0 || q.arrived.silentFor(below, nowMicros) < limit {
			continue
		}
		if !slices.ContainsFunc(below, func(s int) bool { return reads(ranges[s]) }) {
			idle = append(idle, id)
		}
	}
	return idle
}

// tellIdle says which inputs became idle and which came back. Only where several
// inputs make one watermark does it matter.
func (q *Query) tellIdle(idle []int) {
	before := q.idle
	q.idle = idle
	if len(q.wm.nodes) < 2 || q.wm.policy != plan.MinPolicy {
		return
	}
	for _, id := range idle {
		if !slices.Contains(before, id) {
			q.cfg.OnNotice(fmt.Sprintf("%s has delivered nothing for %s and is idle: the watermark no longer waits for it (idle_timeout)",
				q.inputName(id), plan.DurationText(q.idleTimeout(id).Microseconds())))
		}
	}
	for _, id := range before {
		if !slices.Contains(idle, id) {
			q.cfg.OnNotice(fmt.Sprintf("%s delivers again: the watermark waits for it as before", q.inputName(id)))
		}
	}
}

// inputName names the streams below a watermark node.
func (q *Query) inputName(id int) string {
	var names []string
	for _, s := range q.nodeSources[id] {
		names = append(names, fmt.Sprintf("stream %q", q.cfg.Plan.Sources[s].Stream))
	}
	return strings.Join(names, " with ")
}
