package types

// EpochUnit is the unit of numbers since 1970.
type EpochUnit uint8

// The units.
const (
	NoEpoch EpochUnit = iota
	EpochSeconds
	EpochMillis
	EpochMicros
	EpochNanos
)

// ParseEpoch reads a number since 1970, exactly to the microsecond; what is finer is cut
// towards the past, as times of day are. ok is false for what is no number, or beyond what
// a TIMESTAMP can be.
func ParseEpoch(number []byte, unit EpochUnit) (micros int64, ok bool) {
	scale := [...]int32{EpochSeconds: 6, EpochMillis: 3, EpochMicros: 0, EpochNanos: 0}[unit]
	v, ok := ParseDecimal(number, DigitsMax, scale)
	micros = int64(v.LowBits())
	if !ok || v.HighBits() != micros>>63 {
		return 0, false
	}
	if unit != EpochNanos {
		return micros, true
	}
	nanos := micros
	if micros = nanos / 1000; nanos%1000 < 0 {
		micros--
	}
	return micros, true
}
