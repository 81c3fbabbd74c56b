package cell

import "time"

// InstantIn returns the UTC time of a wall clock in a zone, both in microseconds.
// As in Java and so in Spark, a wall time that happens twice is the earlier one,
// and one that is skipped moves on by the length of the gap.
func InstantIn(zone *time.Location, wallMicros int64) int64 {
	offsetAt := func(micros int64) int64 {
		_, seconds := time.UnixMicro(micros).In(zone).Zone()
		return int64(seconds) * 1_000_000
	}
	const day = 24 * 60 * 60 * 1_000_000
	before, after := offsetAt(wallMicros-day), offsetAt(wallMicros+day)
	if before == after || offsetAt(wallMicros-before) == before {
		return wallMicros - before
	}
	if offsetAt(wallMicros-after) == after {
		return wallMicros - after
	}
	return wallMicros - before
}
