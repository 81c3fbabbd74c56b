package shell

import (
	"context"
	"fmt"

	"ssql/internal/session"
)

// forgetInterrupts drops those that came at the prompt, where the line editor has
// answered them.
func (s *Shell) forgetInterrupts() {
	for {
		select {
		case <-s.cfg.Interrupts:
		default:
			return
		}
	}
}

// End asks the shell to leave once the running statement has ended, and reports whether one
// runs: then an interrupt ends it as Ctrl-C would. It may be called from any goroutine.
func (s *Shell) End() (busy bool) {
	s.ending.Store(true)
	return s.busy.Load() > 0
}

// Restore gives the terminal back as it was before the prompt.
func (s *Shell) Restore() {
	if restore := s.restore.Load(); restore != nil {
		(*restore)()
	}
}

// interruptible runs f and answers Ctrl-C meanwhile: the first asks the session to
// stop what runs, a query after its batch is committed, and says so; the second gives the
// batch up, which is safe because it is run again from the checkpoint.
func (s *Shell) interruptible(ctx context.Context, f func(ctx context.Context) error) error {
	if s.cfg.Interrupts == nil {
		return f(ctx)
	}
	s.busy.Add(1)
	defer s.busy.Add(-1)
	if s.ending.Load() {
		return session.ErrInterrupted // nothing new begins
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		for stopping := false; ; {
			select {
			case <-done:
				return
			case <-s.cfg.Interrupts:
			}
			told := ""
			if !stopping {
				told = s.cfg.Session.Interrupt()
			}
			if told == "" {
				cancel()
				return
			}
			stopping = true
			s.writeLock.Lock()
			fmt.Fprintln(s.stderr(), told)
			s.writeLock.Unlock()
		}
	}()
	return f(ctx)
}
