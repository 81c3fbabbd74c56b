package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"

	"ssql/checkpoint"
	"ssql/sources"
)

// offsetPair is where a source stood before and after a batch, for progress.
type offsetPair struct{ start, end json.RawMessage }

// due returns the next batch to run, nil if there is none (spark-semantics §1.3):
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
	ranges := make([]sources.Range, len(q.cfg.Sources))
	any := false
	for i, s := range q.cfg.Sources {
		r, err := s.Next(ctx, q.limits(t))
		if err != nil {
			return nil, fmt.Errorf("looking for new input of %s: %w", s.Description(), err)
		}
		if r != nil {
			ranges[i], any = r, true
		}
	}
	if !any && !q.wantsClosingBatch() {
		return nil, nil
	}
	p := q.newPlan(ranges, q.wm.global)
	return p, q.advance(p)
}

// limits are the batch limits; trigger once reads everything, as in Spark.
func (q *Query) limits(t Trigger) sources.Limits {
	if t.Kind == Once {
		return sources.Limits{}
	}
	return q.cfg.Limits
}

// wantsClosingBatch reports whether an operator has something to close at the new
// watermark. After a batch that changed nothing it is false: E has not moved.
func (q *Query) wantsClosingBatch() bool {
	if !q.cfg.NoDataBatches || q.next == 0 {
		return false
	}
	n := len(q.states)
	last, next := propagate(q.root, q.late, n), propagate(q.root, q.wm.global, n)
	for _, b := range q.states {
		if b.state.WantsBatch(next[b.index], last[b.index]) {
			return true
		}
	}
	return false
}

// newPlan pins the next batch.
func (q *Query) newPlan(ranges []sources.Range, watermarkMicros int64) *planned {
	now := max(q.nowMicros, q.cfg.Clock.Now().UnixMicro())
	q.nowMicros = now
	p := &checkpoint.Plan{
		Batch: q.next, Generation: q.run, NowMicros: now,
		WatermarkMicros: watermarkMicros, LateMicros: q.late,
		Seed: seed(q.id, q.next), Definition: q.cfg.Definition,
	}
	p.Ranges = append(p.Ranges, ranges...)
	q.next++
	q.late = watermarkMicros
	return &planned{plan: p}
}

// seed derives the seed of a batch's random numbers; it is written to the log, so
// it need not be derivable again.
func seed(id string, batch int64) int64 {
	var h maphash.Hash
	h.WriteString(id)
	return int64(h.Sum64()) ^ batch
}

// advance moves the sources behind a planned batch.
func (q *Query) advance(p *planned) error {
	for i, s := range q.cfg.Sources {
		pair := offsetPair{start: s.Offset()}
		if r := p.plan.Ranges[i]; r != nil && string(r) != "null" {
			if err := s.Advance(r); err != nil {
				return fmt.Errorf("moving %s to the end of batch %d: %w", s.Description(), p.plan.Batch, err)
			}
		}
		pair.end = s.Offset()
		p.offsets = append(p.offsets, pair)
	}
	return nil
}
