package types

import "math"

// minuteMicros and the like are the clock units in microseconds.
const (
	secondMicros = int64(1_000_000)
	minuteMicros = 60 * secondMicros
	hourMicros   = 60 * minuteMicros
)

// DaysOf returns the days since 1970 of a date of the proleptic Gregorian
// calendar; year 0 is 1 BC. It does not check that the date exists.
func DaysOf(year, month, day int) int64 {
	// Years begin in March here, so that the leap day is the last of its year.
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yearOfEra := y - era*400
	shifted := int64((month + 9) % 12)
	dayOfYear := (153*shifted+2)/5 + int64(day) - 1
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return era*146097 + dayOfEra - 719468
}

// DateOf is the inverse of DaysOf.
func DateOf(days int64) (year, month, day int) {
	days += 719468
	era := floorDiv(days, 146097)
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153
	day = int(dayOfYear - (153*shifted+2)/5 + 1)
	month = int(shifted) + 3
	y := yearOfEra + era*400
	if month > 12 {
		month -= 12
		y++
	}
	return int(y), month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// DaysInMonth returns the length of a month.
func DaysInMonth(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// ParseTimestamp reads a timestamp of any form that DuckDB casts to TIMESTAMP:
// `YYYY-MM-DD[{T| }hh:mm[:ss[.f…]][Z|±hh[[:]mm]| UTC]]`, with blanks around it,
// `/` for `-`, and parts of one digit. It returns UTC microseconds; zoned says
// that the text named its offset. Digits beyond the microsecond are cut. It does
// not allocate, and takes about 20 ns for the fixed form.
func ParseTimestamp(b []byte) (micros int64, zoned, ok bool) {
	if len(b) >= 19 && b[4] == '-' && b[7] == '-' && b[13] == ':' && b[16] == ':' && (b[10] == 'T' || b[10] == ' ') {
		if micros, zoned, ok = parseFixed(b); ok {
			return micros, zoned, true
		}
	}
	return parseLoose(b)
}

// parseFixed reads the form that nearly all data has: every part with all its
// digits. What it does not take, parseLoose may.
func parseFixed(b []byte) (micros int64, zoned, ok bool) {
	century, bad0 := twoDigits(b[0], b[1])
	yearOf, bad1 := twoDigits(b[2], b[3])
	month, bad2 := twoDigits(b[5], b[6])
	day, bad3 := twoDigits(b[8], b[9])
	hour, bad4 := twoDigits(b[11], b[12])
	minute, bad5 := twoDigits(b[14], b[15])
	second, bad6 := twoDigits(b[17], b[18])
	year := century*100 + yearOf
	if bad0|bad1|bad2|bad3|bad4|bad5|bad6 != 0 || month-1 > 11 || day-1 > 27 && int(day) > DaysInMonth(int(year), int(month)) ||
		day == 0 || hour > 23 || minute > 59 || second > 59 {
		return 0, false, false
	}
	micros = DaysOf(int(year), int(month), int(day))*DayMicros +
		int64(hour)*hourMicros + int64(minute)*minuteMicros + int64(second)*secondMicros
	rest := b[19:]
	if len(rest) > 1 && rest[0] == '.' {
		fraction, n := parseFraction(rest[1:])
		micros += fraction
		rest = rest[1+n:]
	}
	if len(rest) == 0 {
		return micros, false, true
	}
	offset, ok := parseOffset(rest)
	return micros - offset, true, ok
}

// twoDigits returns the value of two digits; bad is not 0 if they are no digits.
func twoDigits(a, b byte) (v uint32, bad uint32) {
	hi, lo := uint32(a-'0'), uint32(b-'0')
	// A byte below '0' wraps to a large value, so one comparison finds both ends.
	if hi > 9 || lo > 9 {
		bad = 1
	}
	return hi*10 + lo, bad
}

// parseFraction reads digits as a fraction of a second in microseconds, cutting
// what is finer, and returns how many bytes they took.
func parseFraction(b []byte) (micros int64, n int) {
	scale := int64(100_000)
	for n < len(b) && b[n]-'0' <= 9 {
		micros += int64(b[n]-'0') * scale
		scale /= 10
		n++
	}
	return micros, n
}

// parseOffset reads all of b as a zone offset, Z, ±hh, ±hhmm or ±hh:mm, and returns
// what it adds to UTC, in microseconds.
func parseOffset(b []byte) (micros int64, ok bool) {
	if len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	hour, bad := twoDigits(b[1], b[2])
	minute := uint32(0)
	switch {
	case len(b) == 5:
		var bad2 uint32
		minute, bad2 = twoDigits(b[3], b[4])
		bad |= bad2
	case len(b) == 6 && b[3] == ':':
		var bad2 uint32
		minute, bad2 = twoDigits(b[4], b[5])
		bad |= bad2
	case len(b) != 3:
		return 0, false
	}
	if bad != 0 || minute > 59 {
		return 0, false
	}
	micros = int64(hour)*hourMicros + int64(minute)*minuteMicros
	if b[0] == '-' {
		micros = -micros
	}
	return micros, true
}

// parseLoose reads the forms that parseFixed leaves.
func parseLoose(b []byte) (micros int64, zoned, ok bool) {
	b = trimSpace(b)
	days, n, ok := parseDatePart(b)
	if !ok {
		return 0, false, false
	}
	b = b[n:]
	clock := int64(0)
	if len(b) > 0 {
		if b[0] != 'T' && b[0] != ' ' {
			return 0, false, false
		}
		clock, n, ok = parseClock(b[1:])
		if !ok {
			return 0, false, false
		}
		b = b[1+n:]
	}
	switch {
	case len(b) == 0:
	case string(b) == " UTC":
		zoned = true
	default:
		offset, ok := parseOffset(b)
		if !ok {
			return 0, false, false
		}
		clock, zoned = clock-offset, true
	}
	// The range is that of 64 bits of microseconds: about 290 000 years each way.
	if days > math.MaxInt64/DayMicros-2 || days < math.MinInt64/DayMicros+2 {
		return 0, false, false
	}
	return days*DayMicros + clock, zoned, true
}

// ParseDate reads a date, `YYYY-MM-DD`, and returns days since 1970. Like DuckDB
// it takes blanks around it, `/` for `-`, parts of one digit, longer or negative
// years, and drops a time of day that follows.
func ParseDate(b []byte) (days int32, ok bool) {
	b = trimSpace(b)
	d, n, ok := parseDatePart(b)
	if !ok {
		return 0, false
	}
	if n < len(b) {
		if b[n] != 'T' && b[n] != ' ' {
			return 0, false
		}
		if _, _, ok := parseLoose(b); !ok {
			return 0, false
		}
	}
	return int32(d), true
}

// parseDatePart reads a date at the start of b and returns its length.
func parseDatePart(b []byte) (days int64, n int, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		n++
	}
	year, k := parseDigits(b[n:], 6)
	n += k
	if k == 0 || n >= len(b) || b[n] != '-' && b[n] != '/' {
		return 0, 0, false
	}
	separator := b[n]
	month, k := parseDigits(b[n+1:], 2)
	n += 1 + k
	if k == 0 || n >= len(b) || b[n] != separator {
		return 0, 0, false
	}
	day, k := parseDigits(b[n+1:], 2)
	n += 1 + k
	if negative {
		year = -year
	}
	if k == 0 || month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, month) {
		return 0, 0, false
	}
	return DaysOf(year, month, day), n, true
}

// parseClock reads hh:mm[:ss[.f…]] at the start of b. 24:00:00 is the end of the
// day.
func parseClock(b []byte) (micros int64, n int, ok bool) {
	hour, n := parseDigits(b, 2)
	if n == 0 || n >= len(b) || b[n] != ':' {
		return 0, 0, false
	}
	minute, k := parseDigits(b[n+1:], 2)
	if k == 0 {
		return 0, 0, false
	}
	n += 1 + k
	second := 0
	fraction := int64(0)
	if n < len(b) && b[n] == ':' {
		if second, k = parseDigits(b[n+1:], 2); k == 0 {
			return 0, 0, false
		}
		n += 1 + k
		if n < len(b) && b[n] == '.' {
			fraction, k = parseFraction(b[n+1:])
			n += 1 + k
		}
	}
	micros = int64(hour)*hourMicros + int64(minute)*minuteMicros + int64(second)*secondMicros + fraction
	if minute > 59 || second > 59 || micros > DayMicros {
		return 0, 0, false
	}
	return micros, n, true
}

// parseDigits reads up to most digits and returns how many there were.
func parseDigits(b []byte, most int) (v, n int) {
	for n < len(b) && n < most && b[n]-'0' <= 9 {
		v = v*10 + int(b[n]-'0')
		n++
	}
	return v, n
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
