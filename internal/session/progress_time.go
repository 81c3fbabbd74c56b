package session

import (
	"encoding/json"
	"fmt"
	"time"

	"ssql/sql/types"
)

// progressTime is a time of a stored progress. It may be of any year, where encoding/json reads
// those of four digits only: seconds that are read as milliseconds give year 58136.
type progressTime struct{ time.Time }

// UnmarshalJSON reads what exec.Progress writes.
func (t *progressTime) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	micros, ok := progressMicros(s)
	if !ok {
		return fmt.Errorf("%q is no time", s)
	}
	t.Time = time.UnixMicro(micros).UTC()
	return nil
}

// progressMicros reads a time of a progress.
func progressMicros(text string) (micros int64, ok bool) {
	micros, _, ok = types.ParseTimestamp([]byte(text))
	return micros, ok
}
