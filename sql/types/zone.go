package types

import (
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on every machine and need none installed
)

// LoadZone returns the zone of an IANA name, UTC, or an offset such as +02:00.
func LoadZone(name string) (*time.Location, bool) {
	if micros, ok := parseOffset([]byte(name)); ok {
		return time.FixedZone(strings.Clone(name), int(micros/1_000_000)), true
	}
	// "Local" would read the settings of the machine.
	if name == "" || strings.EqualFold(name, "local") {
		return nil, false
	}
	zone, err := time.LoadLocation(strings.Clone(name)) // it is kept, and perhaps part of a buffer
	return zone, err == nil
}

// InstantIn returns the UTC time of a wall clock in a zone, both in microseconds.
// As in Java and so in Spark, a wall time that happens twice is the earlier one,
// and one that is skipped moves on by the length of the gap.
func InstantIn(zone *time.Location, wallMicros int64) int64 {
	offsetAt := func(micros int64) int64 {
		_, seconds := time.UnixMicro(micros).In(zone).Zone()
		return int64(seconds) * 1_000_000
	}
	before, after := offsetAt(wallMicros-DayMicros), offsetAt(wallMicros+DayMicros)
	if before == after || offsetAt(wallMicros-before) == before {
		return wallMicros - before
	}
	if offsetAt(wallMicros-after) == after {
		return wallMicros - after
	}
	return wallMicros - before
}
