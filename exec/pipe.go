package exec

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ssql/exec/op"
	"ssql/sources"
	"ssql/sql/types"
)

// wantsAll reports whether the result is one of all rows: what keeps nothing for a next
// start shows its groups once, whatever a pipe gives at one moment. A LIMIT wants no more
// rows than it says.
func (q *Query) wantsAll() bool {
	if q.log != nil || q.cfg.EachBatch {
		return false
	}
	for _, out := range q.cfg.Plan.Outputs {
		if out.Mode != types.Append {
			return true
		}
	}
	return slices.ContainsFunc(q.states, func(b *breaker) bool {
		_, limit := b.state.(*op.Limit)
		return !limit
	})
}

// more waits until the pipes have new input for a batch. Those that have ended are none any
// more. Stop ends the waiting.
func (q *Query) more(ctx context.Context) error {
	if len(q.pipes) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-q.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	var open []sources.Pipe
	for _, p := range q.pipes {
		ended, err := p.More(ctx)
		if err != nil && q.stopping() {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for new input: %w", err)
		}
		if !ended {
			open = append(open, p)
		}
	}
	q.pipes = open
	return nil
}

// waitTold is how long a query waits for the end of its input before it says so.
const waitTold = 2 * time.Second

// tellWait says what a query waits for, if the input does not end soon.
func (q *Query) tellWait(ctx context.Context, p sources.Pipe, name string) error {
	ended, err := p.EndsWithin(ctx, waitTold)
	if err != nil || ended {
		return err
	}
	tell := q.cfg.OnWait
	if tell == nil {
		tell = q.cfg.OnNotice
	}
	tell(fmt.Sprintf("waiting for the end of %s: the result is one of all its rows", name))
	return nil
}
