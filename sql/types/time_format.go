package types

import "strings"

// TimeFormat is a compiled format of strftime and strptime with DuckDB's codes: those of
// C, with %- for numbers without leading zeros, %f for microseconds, %g for milliseconds
// and %n for nanoseconds; these three read what there is as a fraction, from the left.
// Formats named epoch_s, epoch_ms, epoch_us and epoch_ns are
// numbers since 1970.
type TimeFormat struct {
	Codes []TimeCode
	// Text is the format as it was written.
	Text string

	unit EpochUnit
}

// TimeCode is one piece of a format: literal text, or a code.
type TimeCode struct {
	Code  byte // 0 for text
	Plain bool // written with %-
	Text  string
}

// timeCodes are the codes that a format may have.
const timeCodes = "aAwudbBmyYGHIpMSfngzZjUWVcxX%"

// timeCodesLong are the codes that are short for others.
var timeCodesLong = map[byte]string{'c': "%Y-%m-%d %H:%M:%S", 'x': "%Y-%m-%d", 'X': "%H:%M:%S"}

// epochFormats are the formats that are numbers.
var epochFormats = map[string]EpochUnit{"epoch_s": EpochSeconds, "epoch_ms": EpochMillis, "epoch_us": EpochMicros, "epoch_ns": EpochNanos}

// ParseTimeFormat compiles a format. bad is the part that is no code, "" if all is well.
func ParseTimeFormat(format string) (f *TimeFormat, bad string) {
	codes, bad := parseCodes(format)
	return &TimeFormat{Codes: codes, Text: format}, bad
}

// ParseColumnFormat compiles what a column is declared to be written in: the name of a
// unit of numbers, or a format, which must have a code.
func ParseColumnFormat(format string) (f *TimeFormat, bad string) {
	if unit, ok := epochFormats[strings.ToLower(format)]; ok {
		return &TimeFormat{Text: format, unit: unit}, ""
	}
	if !strings.Contains(format, "%") {
		if format == "" {
			format = "''"
		}
		return nil, format
	}
	return ParseTimeFormat(format)
}

// parseCodes divides a format; %c, %x and %X stand for what they are short for.
func parseCodes(format string) (codes []TimeCode, bad string) {
	var text []byte // a format may come from a row, and be as long as its line
	flush := func() {
		if len(text) > 0 {
			codes = append(codes, TimeCode{Text: string(text)})
			text = text[:0]
		}
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text = append(text, format[i])
			continue
		}
		i++
		plain := i < len(format) && format[i] == '-'
		if plain {
			i++
		}
		code := byte(0)
		if i < len(format) {
			code = format[i]
		}
		if code == '%' && !plain {
			text = append(text, '%')
			continue
		}
		known := code != 0 && strings.IndexByte(timeCodes, code) >= 0
		if !known || plain && strings.IndexByte("dmyHIMSj", code) < 0 {
			return nil, format[:min(i+1, len(format))]
		}
		flush()
		if long := timeCodesLong[code]; long != "" {
			parts, _ := parseCodes(long)
			codes = append(codes, parts...)
			continue
		}
		codes = append(codes, TimeCode{Code: code, Plain: plain})
	}
	flush()
	return codes, ""
}
