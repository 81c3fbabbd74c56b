package exec

import (
	"encoding/json"
	"fmt"
	"time"

	"ssql/sql/types"
)

// ProgressTime is a time of a stored progress. It may be of any year, where encoding/json reads
// those of four digits only: seconds that are read as milliseconds give year 58136.
type ProgressTime struct{ time.Time }

// UnmarshalJSON reads what Progress writes.
func (t *ProgressTime) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	micros, ok := ProgressMicros(s)
	if !ok {
		return fmt.Errorf("%q is no time", s)
	}
	t.Time = time.UnixMicro(micros).UTC()
	return nil
}

// ProgressMicros reads a time of a progress.
func ProgressMicros(text string) (micros int64, ok bool) {
	micros, _, ok = types.ParseTimestamp([]byte(text))
	return micros, ok
}
