package exec

import "sync"

// lookouts are those who wait until a running query has looked at its sources and found
// nothing to do.
type lookouts struct {
	mu      sync.Mutex
	waiting []chan struct{}
	wake    chan struct{} // of capacity 1: ends the pause between two looks
}

// CaughtUp returns a channel that is closed when Run has looked at the sources after the
// call, has run every batch that was due, and has found nothing more. It asks for that
// look at once, whatever the trigger's interval. The channel stays open when Run ends
// before. It may be called from any goroutine.
func (q *Query) CaughtUp() <-chan struct{} {
	done := make(chan struct{})
	q.lookouts.mu.Lock()
	q.lookouts.waiting = append(q.lookouts.waiting, done)
	q.lookouts.mu.Unlock()
	select {
	case q.lookouts.wake <- struct{}{}:
	default: // it is awake already
	}
	return done
}

// take returns those who have begun to wait since the last call.
func (l *lookouts) take() []chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.waiting
	l.waiting = nil
	return waiting
}
