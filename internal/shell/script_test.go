package shell

import (
	"errors"
	"io"
	"testing"
	"time"

	"ssql/internal/session"
)

// A signal that comes when a statement is about to end finds one that runs, whose interrupt nobody hears
// any more: the next line, which may never come, is not waited for.
func TestRunStdinEndsWithoutAnotherLine(t *testing.T) {
	in, _ := io.Pipe()
	s := &Shell{cfg: Config{Stdin: in}}
	s.busy.Add(1)
	if !s.End() {
		t.Fatal("nothing runs")
	}
	s.busy.Add(-1)
	ended := make(chan error, 1)
	go func() { ended <- s.RunStdin(t.Context(), "") }()
	select {
	case err := <-ended:
		if !errors.Is(err, session.ErrInterrupted) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for a line")
	}
}
