package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"ssql/checkpoint"
	"ssql/sources"
)

// offsetPair is where a source stood before and after a batch, for progress.
type offsetPair struct{ start, end json.RawMessage }

// due returns the next batch to run, nil if there is none (docs/SEMANTICS.md, Watermarks):
// the one that a restart found planned; else one with new rows; else one without
// rows if the watermark has moved so that an operator closes something.
//
// New rows come before a closing batch also at a start. So a query that is killed
// in the middle of a backlog goes on with the very batches it would have run, and
// a closing batch that was pending runs when nothing else is there (D2).
func (q *Query) due(ctx context.Context, t Trigger) (*planned, error) {
	if p := q.pending; p != nil {
		q.pending = nil
		return p, nil
	}
	if q.stopping() || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	start := time.Now()
	ranges, any, err := q.look(ctx, t)
	if err != nil {
		return nil, err
	}
	now := q.now()
	q.tellIdle(q.idleNodes(now, ranges))
	watermark := q.wm.without(q.idle)
	var p *planned
	if any || q.wantsClosingBatch(watermark) {
		p = q.newPlan(ranges, watermark)
	} else if reason := q.forced(t, now); reason != "" {
		p = q.planForced(reason)
	}
	if p == nil {
		return nil, nil
	}
	p.started, p.latestOffset = start, time.Since(start)
	return p, q.advance(p)
}

// look asks every source what there is to read.
func (q *Query) look(ctx context.Context, t Trigger) (ranges []sources.Range, any bool, err error) {
	ranges = make([]sources.Range, len(q.cfg.Sources))
	for i, s := range q.cfg.Sources {
		r, err := s.Next(ctx, q.limits(t))
		if err != nil {
			return nil, false, fmt.Errorf("looking for new input of %s: %w", s.Description(), err)
		}
		if r != nil {
			ranges[i], any = r, true
		}
	}
	return ranges, any, nil
}

// limits are the batch limits; trigger once reads everything, as in Spark.
func (q *Query) limits(t Trigger) sources.Limits {
	if t.Kind != Once {
		return q.cfg.Limits
	}
	if q.cfg.Limits != (sources.Limits{}) {
		q.notice("trigger once reads all that is there in one batch: the limits of a batch do not hold")
	}
	return sources.Limits{Unlimited: true}
}

// wantsClosingBatch reports whether an operator has something to close at the new
// watermark. After a batch that changed nothing it is false: E has not moved.
func (q *Query) wantsClosingBatch(watermarkMicros int64) bool {
	if !q.cfg.NoDataBatches || q.next == 0 {
		return false
	}
	last, next := q.propagate(q.late), q.propagate(watermarkMicros)
	for _, b := range q.states {
		if b.state.WantsBatch(next[b.index], last[b.index]) {
			return true
		}
	}
	return false
}

// now returns the time that a batch planned now would have: the clock's, but never
// before that of an earlier batch.
func (q *Query) now() int64 { return max(q.nowMicros, q.cfg.Clock.Now().UnixMicro()) }

// newPlan pins the next batch.
func (q *Query) newPlan(ranges []sources.Range, watermarkMicros int64) *planned {
	p := &checkpoint.Plan{
		Batch: q.next, Generation: q.run, NowMicros: q.now(),
		WatermarkMicros: watermarkMicros, LateMicros: q.late,
		Seed: seed(q.id, q.next), Definition: q.cfg.Definition, Idle: q.idle, Names: q.names,
	}
	p.Ranges = append(p.Ranges, ranges...)
	q.entered(p)
	return &planned{plan: p, started: time.Now()}
}

// entered brings the clock, the watermark and the idle inputs of the query to those of
// a batch that is planned, now or by the log.
func (q *Query) entered(p *checkpoint.Plan) {
	q.next, q.nowMicros, q.late = p.Batch+1, p.NowMicros, p.WatermarkMicros
	q.wm.global = max(q.wm.global, p.WatermarkMicros)
	q.idle = p.Idle
	q.arrived.note(p)
}

// seed derives the seed of a batch's random numbers from the query and the batch, so
// that a batch whose PLAN record was lost in a crash draws the same ones again.
func seed(id string, batch int64) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d", id, batch)
	return int64(h.Sum64())
}

// advance moves the sources behind a planned batch.
func (q *Query) advance(p *planned) error {
	for i, s := range q.cfg.Sources {
		pair := offsetPair{start: s.Offset()}
		if r := p.plan.Ranges[i]; reads(r) {
			if err := s.Advance(r); err != nil {
				return fmt.Errorf("moving %s to the end of batch %d: %w", s.Description(), p.plan.Batch, err)
			}
		}
		pair.end = s.Offset()
		p.offsets = append(p.offsets, pair)
	}
	return nil
}
