package exec

import (
	"context"
	"fmt"
	"time"

	"ssql/checkpoint"
	"ssql/exec/op"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sources"
	"ssql/sql/types"
)

// forced returns why what is open is to be closed although no event time says so; ""
// if it is not. It is asked when nothing else is due.
func (q *Query) forced(t Trigger, nowMicros int64) string {
	if !q.cfg.Plan.HoldsBack() {
		return ""
	}
	if limit := q.cfg.Plan.TimeoutMicros(); limit > 0 {
		all := make([]int, len(q.cfg.Sources))
		for i := range all {
			all[i] = i
		}
		if q.arrived.silentFor(all, nowMicros) >= time.Duration(limit)*time.Microsecond {
			return checkpoint.ForcedTimeout
		}
	}
	if q.cfg.FlushAtEnd && t.Kind == AvailableNow && len(q.pipes) == 0 {
		return checkpoint.ForcedEnd
	}
	return ""
}

// planForced pins a batch without rows whose watermark closes everything that is open,
// and nothing beyond it: rows of later windows are not late. Nil if nothing is open.
//
// Behind it an operator that got rows from one that closed may be open still; then
// another such batch follows.
func (q *Query) planForced(reason string) *planned {
	micros, ok := q.openUntil()
	if !ok || micros <= q.wm.global {
		return nil
	}
	p := q.newPlan(make([]sources.Range, len(q.cfg.Sources)), micros)
	p.plan.Forced = reason
	return p
}

// openUntil returns the least global watermark at which no operator holds anything
// back, in whole milliseconds as all watermarks are; ok is false when nothing is held.
func (q *Query) openUntil() (micros int64, ok bool) {
	// A join holds the watermark of the operators above it back by a constant, which
	// shows at any watermark that is large enough.
	const far = int64(1) << 60
	above := q.propagate(far)
	for _, b := range q.states {
		o, is := b.state.(op.Opener)
		if !is || above[b.index] == 0 || q.cfg.Plan.Outputs[b.output].Mode != types.Append {
			continue // without a watermark it never closes, and the other modes hold nothing back
		}
		if until, open := o.OpenUntil(); open {
			micros, ok = max(micros, until+far-above[b.index]), true
		}
	}
	return wholeMillis(micros), ok
}

// wholeMillis returns the first watermark from a time on: watermarks are whole
// milliseconds.
func wholeMillis(micros int64) int64 {
	if rest := micros % 1000; rest > 0 {
		micros += 1000 - rest
	}
	return micros
}

// Flush closes everything that is open with batches without rows, as end_of_input =
// 'flush' does. Rows that come later for what was closed are late.
func (q *Query) Flush(ctx context.Context) error {
	if q.broken != nil {
		return q.broken
	}
	for q.cfg.Plan.HoldsBack() {
		p := q.planForced(checkpoint.ForcedEnd)
		if p == nil {
			break
		}
		if q.broken = q.runFrom(ctx, p, Trigger{Kind: Once}, false); q.broken != nil {
			break
		}
	}
	return q.broken
}

// tellForced says that a forced batch was committed.
func (q *Query) tellForced(res *result) {
	why := ""
	switch res.plan.Forced {
	case checkpoint.ForcedTimeout:
		why = fmt.Sprintf("nothing arrived for %s (EMIT ... TIMEOUT)", plan.DurationText(q.cfg.Plan.TimeoutMicros()))
	case checkpoint.ForcedEnd:
		why = "the input has ended (end_of_input = 'flush')"
	}
	if why == "" || q.log == nil {
		return // what has no checkpoint sees no later row
	}
	q.cfg.OnNotice(fmt.Sprintf("%s: batch %d closed what was open and wrote %s; the watermark went from %s to %s, and rows up to there that come later are late",
		why, res.plan.Batch, sqlerr.CountOf(int(res.rowsOut), "row"), types.FormatTimestamp(res.plan.LateMicros), types.FormatTimestamp(res.plan.WatermarkMicros)))
}

// tellUseless says which options have no effect on this query.
func (q *Query) tellUseless() {
	p := q.cfg.Plan
	for _, o := range p.Outputs {
		if o.TimeoutMicros > 0 && o.Mode != types.Append {
			q.notice(fmt.Sprintf("EMIT ... TIMEOUT has no effect in %s mode, which holds no result back", o.Mode))
		}
	}
	if len(p.Watermarks) == 1 && q.idleTimeout(0) > 0 {
		q.notice("idle_timeout has no effect on a query with one input; EMIT ... TIMEOUT closes what is open when nothing comes")
	}
}
