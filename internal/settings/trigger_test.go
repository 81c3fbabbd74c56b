package settings

import (
	"testing"
	"time"

	"ssql/exec"
)

func TestTriggers(t *testing.T) {
	for _, c := range []struct {
		text  string
		every time.Duration // EMIT ... EVERY
		wait  bool
		want  exec.Trigger
	}{
		{"auto", 0, true, exec.Trigger{Kind: exec.AvailableNow}},
		{"auto", 0, false, exec.Trigger{Kind: exec.ProcessingTime}},
		{"auto", time.Minute, true, exec.Trigger{Kind: exec.AvailableNow}},
		{"auto", time.Minute, false, exec.Trigger{Kind: exec.ProcessingTime, Interval: time.Minute}},
		{"once", time.Minute, false, exec.Trigger{Kind: exec.Once}},
		{"2 minutes", time.Minute, true, exec.Trigger{Kind: exec.ProcessingTime, Interval: 2 * time.Minute}},
	} {
		if got := Trigger(Values{"trigger": c.text}, c.every.Microseconds(), c.wait); got != c.want {
			t.Errorf("%q, wait %v: got %v, want %v", c.text, c.wait, got, c.want)
		}
	}
}
