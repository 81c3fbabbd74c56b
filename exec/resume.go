package exec

import (
	"bytes"
	"context"
	"fmt"

	"ssql/sources"
)

// resumePlanned moves the sources behind the batch that a restart found planned, before
// anyone looks for more. If the limits of a batch have become lower than what it reads, it
// is planned again, as the beginning of what it was: that is how a user gets past a batch
// that is too large. What is left comes in the batches after it.
//
// That is right only if nobody has any of the batch, and nobody can get it by the old plan any
// more. The first was asked of every place of the sink; what was staged there
// went when the sink was opened. The second is the lock of the checkpoint, and the
// generation: a sink refuses an older run behind a newer one, and where the older came first
// its marker has another digest than the plan (E_REPLAY_MISMATCH). Watermarks, time and seed stay:
// they come from the batches before.
func (q *Query) resumePlanned(ctx context.Context, t Trigger) error {
	p := q.pending
	if p == nil {
		return nil
	}
	if p.unsent && t.Kind != Once {
		if err := q.cutPlanned(ctx, p, q.limits(t)); err != nil {
			return err
		}
	}
	return q.advance(p)
}

// cutPlanned makes a batch smaller that was planned and not stored.
func (q *Query) cutPlanned(ctx context.Context, p *planned, limits sources.Limits) error {
	smaller := *p.plan
	smaller.Ranges = append([]sources.Range(nil), p.plan.Ranges...)
	cut := false
	for i, s := range q.cfg.Sources {
		c, ok := s.(sources.Cutter)
		if !ok || !reads(smaller.Ranges[i]) {
			continue
		}
		r, err := c.Cut(ctx, smaller.Ranges[i], limits)
		if err != nil {
			return fmt.Errorf("making batch %d smaller: %w", smaller.Batch, err)
		}
		cut = cut || !bytes.Equal(r, smaller.Ranges[i])
		smaller.Ranges[i] = r
	}
	if !cut {
		return nil
	}
	smaller.Generation, smaller.Definition = q.run, q.cfg.Definition
	p.plan, p.digest = &smaller, 0
	p.durable, p.replay, p.again = false, false, true
	q.resume.Pending = false
	q.notice(fmt.Sprintf("batch %d was planned and not stored; it is planned again, smaller, by the limits of a batch as they are now", smaller.Batch))
	return nil
}
