package shell

import (
	"context"
	"fmt"
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

// interruptible runs f and answers Ctrl-C meanwhile: the first asks the session to
// stop what runs, a query after its batch is committed, and says so; the second gives the
// batch up, which is safe because it is run again from the checkpoint.
func (s *Shell) interruptible(ctx context.Context, f func(ctx context.Context) error) error {
	if s.cfg.Interrupts == nil {
		return f(ctx)
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
