package expr

import (
	"strings"

	"ssql/sql/types"
)

// timeFields is what strptime has read of a text.
type timeFields struct {
	year, month, day     int64
	hour, minute, second int64
	micros, offset       int64 // offset: of the zone, in microseconds
	yearDay              int64 // 0 when not given
	half                 byte  // 'A' or 'P' for %p, 0 without
}

// parseTime reads a whole text; blanks around it do not matter.
func parseTime(s string, tokens []token) (us int64, ok bool) {
	f := timeFields{year: 1900, month: 1, day: 1}
	s = strings.TrimSpace(s)
	for _, t := range tokens {
		if t.code == 0 {
			if s, ok = skipText(s, t.text); !ok {
				return 0, false
			}
			continue
		}
		if s, ok = f.read(strings.TrimLeft(s, " "), t.code); !ok {
			return 0, false
		}
	}
	if s != "" {
		return 0, false
	}
	return f.micro()
}

// skipText takes the literal text of a format off s; any run of blanks is one.
func skipText(s, text string) (rest string, ok bool) {
	for len(text) > 0 {
		if text[0] == ' ' {
			s, text = strings.TrimLeft(s, " "), strings.TrimLeft(text, " ")
			continue
		}
		if s == "" || s[0] != text[0] {
			return s, false
		}
		s, text = s[1:], text[1:]
	}
	return s, true
}

// read takes one code off s.
func (f *timeFields) read(s string, code byte) (rest string, ok bool) {
	number := func(v *int64, digits int, least, most int64) (string, bool) {
		n := 0
		for *v = 0; n < len(s) && n < digits && s[n] >= '0' && s[n] <= '9'; n++ {
			*v = *v*10 + int64(s[n]-'0')
		}
		return s[n:], n > 0 && *v >= least && *v <= most
	}
	switch code {
	case 'Y', 'G':
		return number(&f.year, 4, 0, 9999)
	case 'y':
		rest, ok = number(&f.year, 2, 0, 99)
		f.year += 1900
		if f.year < 1969 {
			f.year += 100
		}
		return rest, ok
	case 'm':
		return number(&f.month, 2, 1, 12)
	case 'd':
		return number(&f.day, 2, 1, 31)
	case 'H':
		return number(&f.hour, 2, 0, 23)
	case 'I':
		return number(&f.hour, 2, 1, 12)
	case 'M':
		return number(&f.minute, 2, 0, 59)
	case 'S':
		return number(&f.second, 2, 0, 59)
	case 'f':
		return number(&f.micros, 6, 0, 999_999)
	case 'n':
		rest, ok = number(&f.micros, 9, 0, 999_999_999)
		f.micros /= 1000
		return rest, ok
	case 'g':
		rest, ok = number(&f.micros, 3, 0, 999)
		f.micros *= 1000
		return rest, ok
	case 'j':
		return number(&f.yearDay, 3, 1, 366)
	}
	return f.readWord(s, code, number)
}

// readWord takes a code off s that is no number of its own.
func (f *timeFields) readWord(s string, code byte, number func(*int64, int, int64, int64) (string, bool)) (rest string, ok bool) {
	var ignored int64
	switch code {
	case 'b':
		f.month, rest, ok = readName(s, monthNames[:], 3)
		f.month++
		return rest, ok
	case 'B':
		f.month, rest, ok = readName(s, monthNames[:], 0)
		f.month++
		return rest, ok
	case 'a':
		_, rest, ok = readName(s, dayNames[:], 3)
		return rest, ok
	case 'A':
		_, rest, ok = readName(s, dayNames[:], 0)
		return rest, ok
	case 'p':
		if len(s) < 2 || s[1]|0x20 != 'm' || s[0]|0x20 != 'a' && s[0]|0x20 != 'p' {
			return s, false
		}
		f.half = s[0] &^ 0x20
		return s[2:], true
	case 'z':
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '+' || s[n] == '-' || s[n] == ':' || s[n] == 'Z') {
			n++
		}
		f.offset, ok = types.ParseOffset(bytesOf(s[:n]))
		return s[n:], ok
	case 'Z':
		n := 0
		for n < len(s) && s[n] != ' ' {
			n++
		}
		loc, err := loadZone(s[:n])
		if err != nil {
			return s, false
		}
		days, ok := f.days()
		f.offset = days*types.DayMicros - fromWall(days*types.DayMicros, &zoneCache{loc: loc})
		return s[n:], ok
	case 'w', 'u':
		return number(&ignored, 1, 0, 7)
	}
	return number(&ignored, 2, 0, 53) // the weeks %U, %W and %V say nothing without a weekday
}

// readName takes a name off s, of its first letters when short is set.
func readName(s string, names []string, short int) (index int64, rest string, ok bool) {
	for i, name := range names {
		if short > 0 {
			name = name[:short]
		}
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			return int64(i), s[len(name):], true
		}
	}
	return 0, s, false
}

// days returns the date.
func (f *timeFields) days() (int64, bool) {
	if f.yearDay > 0 {
		return types.DaysOf(int(f.year), 1, 1) + f.yearDay - 1, true
	}
	days, err := dateOf(f.year, f.month, f.day)
	return days, err == nil
}

// micro returns the instant.
func (f *timeFields) micro() (int64, bool) {
	days, ok := f.days()
	hour := f.hour
	if f.half != 0 {
		hour %= 12
		if f.half == 'P' {
			hour += 12
		}
	}
	return days*types.DayMicros + ((hour*60+f.minute)*60+f.second)*1_000_000 + f.micros - f.offset, ok
}
