package exec

import (
	"context"
	"fmt"
	"time"

	"ssql/sources"
)

// Run runs batches until the trigger ends, Stop is called, ctx is done or a batch
// fails. After a failure the query must be closed and opened again: its state in
// memory may be ahead of the checkpoint.
//
// What the triggers run (docs/SEMANTICS.md, Triggers and batches), each after the batch that a restart found
// planned:
//
//	ProcessingTime(0)  batch after batch, and a look at the sources every Poll
//	ProcessingTime(i)  one batch at once and at every multiple of i since 1970. A batch
//	                   that takes longer is followed at once by the next, which is
//	                   said, and then the multiples hold again
//	Once               one batch with all that is there, whatever the limits; without
//	                   new rows the closing batch that is due, if any (D2)
//	AvailableNow       what was there at the start, within the limits, and what comes out
//	                   of a pipe until it ends; then the closing batches, and with
//	                   FlushAtEnd everything that is open
func (q *Query) Run(ctx context.Context, t Trigger) error {
	if q.broken != nil {
		return q.broken
	}
	q.broken = q.loop(ctx, t)
	return q.broken
}

// loop drives the trigger. While batch n is being committed (the sink on one core,
// its fsync), batch n+1 is already executed on the others: an execution changes
// nothing outside memory, and is thrown away if the commit fails.
func (q *Query) loop(ctx context.Context, t Trigger) error {
	if err := q.resumePlanned(ctx, t); err != nil {
		return err
	}
	if t.Kind == AvailableNow {
		thaw, err := q.freeze(ctx)
		if err != nil {
			return err
		}
		defer thaw()
	}
	ahead := t.Kind == AvailableNow || t.Kind == ProcessingTime && t.Interval == 0
	var asked []chan struct{} // CaughtUp, from before the look
	for {
		start := q.cfg.Clock.Now()
		asked = append(asked, q.lookouts.take()...)
		p, err := q.due(ctx, t)
		if err != nil {
			return err
		}
		if p != nil {
			if err := q.runFrom(ctx, p, t, ahead); err != nil {
				return err
			}
		} else {
			for _, done := range asked {
				close(done)
			}
			asked = nil
		}
		if t.Kind == AvailableNow && p == nil && !q.stopping() && len(q.pipes) > 0 {
			if err := q.more(ctx); err != nil {
				return err
			}
			continue
		}
		if t.Kind == Once || t.Kind == AvailableNow && p == nil || q.stopping() {
			return nil
		}
		if len(asked) > 0 {
			continue // somebody waits for what is left
		}
		pause := q.pause(t, start, p != nil)
		if pause <= 0 {
			continue
		}
		if done, err := q.wait(ctx, pause); done || err != nil {
			return err
		}
	}
}

// freeze holds the end of the sources still; thaw undoes it.
func (q *Query) freeze(ctx context.Context) (thaw func(), err error) {
	var frozen []sources.Freezer
	q.pipes = nil
	thaw = func() {
		for _, f := range frozen {
			f.Thaw()
		}
	}
	for _, s := range q.cfg.Sources {
		if p, ok := s.(sources.Pipe); ok {
			if !q.wantsAll() {
				q.pipes = append(q.pipes, p)
				continue
			}
			if err := q.tellWait(ctx, p, s.Description()); err != nil {
				thaw()
				return nil, err
			}
		}
		f, ok := s.(sources.Freezer)
		if !ok {
			continue
		}
		if err := f.Freeze(ctx); err != nil {
			thaw()
			return nil, fmt.Errorf("looking for new input of %s: %w", s.Description(), err)
		}
		frozen = append(frozen, f)
	}
	if err := q.more(ctx); err != nil {
		thaw()
		return nil, err
	}
	return thaw, nil
}

// runFrom runs batch p and, with ahead, those that follow without a pause.
func (q *Query) runFrom(ctx context.Context, p *planned, t Trigger, ahead bool) error {
	var before *commitJob
	for p != nil {
		res, err := q.executePlanned(ctx, p)
		// The failure of the earlier batch is the one to tell: the later batch was run on
		// trust in it.
		if e := q.await(before); e != nil {
			return e
		}
		if err != nil {
			return err
		}
		var following *planned
		if ahead && !q.stopping() {
			if following, err = q.due(ctx, t); err != nil {
				// The batch is executed and nothing speaks against it.
				if e := q.await(q.startCommit(ctx, p, res, nil)); e != nil {
					return e
				}
				return err
			}
		}
		before = q.startCommit(ctx, p, res, following)
		p = following
	}
	return q.await(before)
}

// pause returns how long to wait for the next trigger when the last one began at
// start; ran says that it ran a batch.
func (q *Query) pause(t Trigger, start time.Time, ran bool) time.Duration {
	if t.Kind != ProcessingTime || t.Interval == 0 && ran {
		return 0
	}
	if t.Interval == 0 {
		return q.cfg.Poll
	}
	now := q.cfg.Clock.Now()
	if took := now.Sub(start); took > t.Interval && !q.behind {
		q.behind = true
		q.cfg.OnNotice(fmt.Sprintf("falling behind: a batch took %s, longer than the trigger's interval of %s; the next one starts at once",
			took.Round(time.Millisecond), t.Interval))
	}
	return nextBoundary(start, t.Interval).Sub(now)
}

// nextBoundary returns the first multiple of the interval since 1970 after a time.
func nextBoundary(after time.Time, interval time.Duration) time.Time {
	micros, step := after.UnixMicro(), max(interval.Microseconds(), 1)
	rest := micros % step
	if rest < 0 {
		rest += step
	}
	return time.UnixMicro(micros - rest + step)
}

// wait waits; done says that the query is to end.
func (q *Query) wait(ctx context.Context, d time.Duration) (done bool, err error) {
	var passed <-chan time.Time
	if w, ok := q.cfg.Clock.(Waiter); ok {
		passed = w.After(d)
	} else {
		timer := time.NewTimer(d)
		defer timer.Stop()
		passed = timer.C
	}
	select {
	case <-ctx.Done():
		return true, ctx.Err()
	case <-q.stop:
		return true, nil
	case <-passed:
		return false, nil
	case <-q.lookouts.wake:
		return false, nil
	}
}
