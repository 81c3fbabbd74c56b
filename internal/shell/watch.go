package shell

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// ranPiece is the statement that .watch repeats.
type ranPiece struct {
	src   *sqlerr.Source
	dir   string
	piece sql.Piece
}

// watchSeconds is the pause of .watch without one.
const watchSeconds = 2.0

// dotWatch runs the last statement again and again, until Ctrl-C, an error, or a number
// of times.
func dotWatch(s *Shell, ctx context.Context, _ string, args []string) error {
	if s.ran == nil {
		return dotError("there is no statement to repeat: .watch runs the last one again")
	}
	seconds, times := watchSeconds, 0
	var err error
	if len(args) > 0 {
		if seconds, err = strconv.ParseFloat(args[0], 64); err != nil || seconds < 0 || seconds > 86400 {
			return dotError("expected seconds, found %q", args[0])
		}
	}
	if len(args) > 1 {
		if times, err = strconv.Atoi(args[1]); err != nil || times < 1 {
			return dotError("expected how many times, found %q", args[1])
		}
	}
	again := *s.ran
	pause := time.Duration(seconds * float64(time.Second))
	for n := 1; ; n++ {
		if s.cfg.Terminal {
			fmt.Fprintf(s.stdout(), "%s, every %s, Ctrl-C ends\n", time.Now().Format(time.TimeOnly), pause)
		}
		if err := s.runPiece(ctx, again.src, again.dir, again.piece); err != nil {
			return err
		}
		if n == times {
			return nil
		}
		stopped := s.interruptible(ctx, func(ctx context.Context) error { return sleep(ctx, pause) })
		if stopped != nil {
			return nil // that is how it is left
		}
	}
}

// sleep waits; the error says that it was interrupted.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return session.ErrInterrupted
	}
}
