package types

import (
	"strings"
	"time"
)

// MonthNames and DayNames are the names in formats; weeks begin with Sunday.
var (
	MonthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December"}
	DayNames = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// timeFields is what a format has read of a text.
type timeFields struct {
	year, month, day     int64
	hour, minute, second int64
	micros, offset       int64 // offset: of the zone, in microseconds
	yearDay              int64 // 0 when not given
	half                 byte  // 'A' or 'P' for %p, 0 without
	zoned                bool
	zone                 *time.Location // of %Z; nil without
}

// Parse reads a whole text; blanks around it do not matter. zoned reports that the text
// names its zone, or is an instant by itself; otherwise micros is a wall clock.
func (f *TimeFormat) Parse(text string) (micros int64, zoned, ok bool) {
	text = strings.TrimSpace(text)
	if f.unit != NoEpoch {
		micros, ok = ParseEpoch([]byte(text), f.unit)
		return micros, true, ok
	}
	t := timeFields{year: 1900, month: 1, day: 1}
	for _, c := range f.Codes {
		if c.Code == 0 {
			if text, ok = skipText(text, c.Text); !ok {
				return 0, false, false
			}
			continue
		}
		if text, ok = t.read(strings.TrimLeft(text, " "), c.Code); !ok {
			return 0, false, false
		}
	}
	if text != "" {
		return 0, false, false
	}
	micros, ok = t.instant()
	return micros, t.zoned, ok
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
		return f.fraction(s, 6)
	case 'g':
		return f.fraction(s, 3)
	case 'n':
		return f.fraction(s, 9)
	case 'j':
		return number(&f.yearDay, 3, 1, 366)
	}
	return f.readWord(s, code, number)
}

// fraction takes the digits of a fraction of a second off s: `251` is a quarter of one,
// whatever its code counts.
func (f *timeFields) fraction(s string, digits int) (rest string, ok bool) {
	n := 0
	for n < len(s) && n < digits && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	f.micros, _ = parseFraction([]byte(s[:n]))
	return s[n:], n > 0
}

// readWord takes a code off s that is no number of its own.
func (f *timeFields) readWord(s string, code byte, number func(*int64, int, int64, int64) (string, bool)) (rest string, ok bool) {
	var ignored int64
	switch code {
	case 'b':
		f.month, rest, ok = readName(s, MonthNames[:], 3)
		f.month++
		return rest, ok
	case 'B':
		f.month, rest, ok = readName(s, MonthNames[:], 0)
		f.month++
		return rest, ok
	case 'a':
		_, rest, ok = readName(s, DayNames[:], 3)
		return rest, ok
	case 'A':
		_, rest, ok = readName(s, DayNames[:], 0)
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
		f.offset, ok = parseOffset([]byte(s[:n]))
		f.zoned = true
		return s[n:], ok
	case 'Z':
		n := 0
		for n < len(s) && s[n] != ' ' {
			n++
		}
		f.zone, ok = LoadZone(s[:n])
		f.zoned = true
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
	if first := DaysOf(int(f.year), 1, 1); f.yearDay > 0 {
		return first + f.yearDay - 1, first+f.yearDay-1 < DaysOf(int(f.year)+1, 1, 1)
	}
	if f.day > int64(DaysInMonth(int(f.year), int(f.month))) {
		return 0, false
	}
	return DaysOf(int(f.year), int(f.month), int(f.day)), true
}

// instant returns the time in UTC.
func (f *timeFields) instant() (int64, bool) {
	days, ok := f.days()
	hour := f.hour
	if f.half != 0 {
		hour %= 12
		if f.half == 'P' {
			hour += 12
		}
	}
	wall := days*DayMicros + ((hour*60+f.minute)*60+f.second)*1_000_000 + f.micros
	if f.zone != nil {
		return InstantIn(f.zone, wall), ok
	}
	return wall - f.offset, ok
}
