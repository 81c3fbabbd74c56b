package settings

import (
	"fmt"
	"strings"
	"time"

	"ssql/exec"
	"ssql/sql"
)

// parseTrigger reads the setting trigger. What auto is, Trigger says.
func parseTrigger(text string) (exec.Trigger, error) {
	switch strings.ToLower(strings.ReplaceAll(text, " ", "_")) {
	case "auto":
		return exec.Trigger{}, nil
	case "available_now", "availablenow":
		return exec.Trigger{Kind: exec.AvailableNow}, nil
	case "once":
		return exec.Trigger{Kind: exec.Once}, nil
	}
	v, err := sql.ParseInterval(text)
	if err != nil {
		return exec.Trigger{}, err
	}
	micros, fixed := v.FixedMicros()
	if !fixed || micros < 0 {
		return exec.Trigger{}, fmt.Errorf("an interval of fixed length from 0 up is needed")
	}
	return exec.Trigger{Kind: exec.ProcessingTime, Interval: time.Duration(micros) * time.Microsecond}, nil
}

// Trigger returns when the batches of a query run: as it says, else all that is there
// once where the statement waits, and at the prompt at the interval of EMIT ... EVERY, as
// fast as data comes without one.
func Trigger(v Values, everyMicros int64, wait bool) exec.Trigger {
	text := v.Get("trigger")
	if text == "auto" {
		if wait {
			return exec.Trigger{Kind: exec.AvailableNow}
		}
		return exec.Trigger{Kind: exec.ProcessingTime, Interval: time.Duration(everyMicros) * time.Microsecond}
	}
	// The text was checked when it was set.
	t, _ := parseTrigger(text)
	return t
}
