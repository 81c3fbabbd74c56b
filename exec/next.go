package exec

import "ssql/exec/op"

// NextClose returns the least watermark of the query at which a result that is held now
// comes out; ok is false when none is held, or none waits for a watermark. It may be
// called when Run has returned, also after Close.
func (q *Query) NextClose() (micros int64, ok bool) {
	// See openUntil: joins below an operator hold its watermark back by a constant.
	const far = int64(1) << 60
	above := q.propagate(far)
	for _, b := range q.states {
		o, is := b.state.(op.NextCloser)
		if !is || above[b.index] == 0 {
			continue
		}
		if at, held := o.NextClose(); held {
			if at += far - above[b.index]; !ok || at < micros {
				micros, ok = at, true
			}
		}
	}
	return micros, ok
}
