package expr

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// strftime and strptime take DuckDB's format codes: those of C, with %- for numbers
// without leading zeros, %f for microseconds and %g for milliseconds.

// token is one piece of a format: literal text, or a code.
type token struct {
	code  byte // 0 for text
	plain bool // written with %-
	text  string
}

// formatCodes are the codes that a format may have; %n is
// nanoseconds.
const formatCodes = "aAwudbBmyYGHIpMSfngzZjUWVcxX%"

// parseFormat divides a format; %c, %x and %X stand for what they are short for.
func parseFormat(format string) ([]token, *sqlerr.Error) {
	var tokens []token
	text := ""
	flush := func() {
		if text != "" {
			tokens = append(tokens, token{text: text})
			text = ""
		}
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text += format[i : i+1]
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
			text += "%"
			continue
		}
		long := map[byte]string{'c': "%Y-%m-%d %H:%M:%S", 'x': "%Y-%m-%d", 'X': "%H:%M:%S"}[code]
		known := code != 0 && indexByte(formatCodes, code) >= 0
		if !known || plain && indexByte("dmyHIMSj", code) < 0 {
			return nil, sqlerr.New(codeParameter, "expected a format code such as %%Y, %%m, %%d, %%H, %%M or %%S, found %q", format[:min(i+1, len(format))])
		}
		flush()
		if long != "" {
			parts, _ := parseFormat(long)
			tokens = append(tokens, parts...)
			continue
		}
		tokens = append(tokens, token{code: code, plain: plain})
	}
	flush()
	return tokens, nil
}

func indexByte(s string, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// formatCache parses the format of a row unless the row before had the same.
type formatCache struct {
	format string
	tokens []token
}

func (c *formatCache) get(format string) ([]token, error) {
	if c.tokens != nil && c.format == format {
		return c.tokens, nil
	}
	tokens, err := parseFormat(format)
	if err != nil {
		return nil, err
	}
	c.format, c.tokens = format, tokens
	return tokens, nil
}

// checkFormat refuses a constant format that cannot be read.
func (b *binding) checkFormat(e Expr) error {
	format, ok := literalText(e)
	if !ok {
		return nil
	}
	if _, err := parseFormat(format); err != nil {
		err.Span = b.span
		return err
	}
	return nil
}

// bindStrftime binds strftime(time, format), in either order.
func bindStrftime(b *binding) (Expr, error) {
	if k := b.args[1].Type().Kind; k == types.Date || k == types.Timestamp {
		b.args = []Expr{b.args[1], b.args[0]}
	}
	ts, err := b.instant(0)
	if err != nil {
		return nil, err
	}
	format, err := b.arg(1, tVarchar)
	if err != nil {
		return nil, err
	}
	if err := b.checkFormat(format); err != nil {
		return nil, err
	}
	return b.call(tVarchar, func(f *frame, args []vec) (arrow.Array, error) {
		times, formats := read[int64](args[0]), read[string](args[1])
		var cache formatCache
		return eachText(f, func(dst []byte, i int) ([]byte, error) {
			tokens, err := cache.get(formats.at(i))
			if err != nil {
				return dst, err
			}
			return formatTime(dst, times.at(i), tokens), nil
		})
	}, ts, format), nil
}

func formatTime(dst []byte, us int64, tokens []token) []byte {
	days := floorDiv(us, types.DayMicros)
	clock := us - days*types.DayMicros
	for _, t := range tokens {
		if t.code == 0 {
			dst = append(dst, t.text...)
			continue
		}
		dst = appendCode(dst, t, days, clock)
	}
	return dst
}

func appendCode(dst []byte, t token, days, clock int64) []byte {
	year, month, day := types.DateOf(days)
	hour, minute, second, micros := clock/3_600_000_000, clock/60_000_000%60, clock/1_000_000%60, clock%1_000_000
	width := func(v int64, digits int) []byte {
		if t.plain {
			digits = 1
		}
		return appendPadded(dst, v, digits)
	}
	switch t.code {
	case 'a':
		return append(dst, dayNames[weekday(days)][:3]...)
	case 'A':
		return append(dst, dayNames[weekday(days)]...)
	case 'w':
		return width(weekday(days), 1)
	case 'u':
		return width(floorMod(days+3, 7)+1, 1)
	case 'd':
		return width(int64(day), 2)
	case 'b':
		return append(dst, monthNames[month-1][:3]...)
	case 'B':
		return append(dst, monthNames[month-1]...)
	case 'm':
		return width(int64(month), 2)
	case 'y':
		return width(floorMod(int64(year), 100), 2)
	case 'Y':
		return width(int64(year), 4)
	case 'G':
		isoYear, _ := isoWeek(days)
		return width(isoYear, 4)
	case 'H':
		return width(hour, 2)
	case 'I':
		return width((hour+11)%12+1, 2)
	case 'p':
		return append(dst, [...]string{"AM", "PM"}[hour/12]...)
	case 'M':
		return width(minute, 2)
	case 'S':
		return width(second, 2)
	case 'f':
		return width(micros, 6)
	case 'n':
		return width(micros*1000, 9)
	case 'g':
		return width(micros/1000, 3)
	case 'z':
		return append(dst, "+00"...)
	case 'j':
		return width(dayOfYear(days), 3)
	case 'U':
		return width((dayOfYear(days)+6-weekday(days))/7, 2)
	case 'W':
		return width((dayOfYear(days)+6-floorMod(days+3, 7))/7, 2)
	case 'V':
		_, week := isoWeek(days)
		return width(week, 2)
	}
	return dst // %Z: a TIMESTAMP has no zone to name
}

func appendPadded(dst []byte, v int64, digits int) []byte {
	if v < 0 {
		dst = append(dst, '-')
		v = -v
	}
	text := strconv.AppendInt(nil, v, 10)
	for n := len(text); n < digits; n++ {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// bindStrptime binds strptime(text, format) with a format or a list of them, and,
// with try, try_strptime, which gives NULL on a text that fits none.
func bindStrptime(try bool) binder {
	return func(b *binding) (Expr, error) {
		text, err := b.arg(0, tVarchar)
		if err != nil {
			return nil, err
		}
		formats := b.args[1]
		if formats.Type().Kind != types.List {
			format, err := b.arg(1, tVarchar)
			if err != nil {
				return nil, err
			}
			if err := b.checkFormat(format); err != nil {
				return nil, err
			}
			if formats, err = BindList([]Expr{format}, b.span); err != nil {
				return nil, err
			}
		}
		if !formats.Type().Equal(types.ListOf(tVarchar)) {
			return nil, b.mismatch(1, "a format or a list of formats")
		}
		k := func(f *frame, args []vec) (arrow.Array, error) { return parseTimes(f, args, try) }
		if try {
			return b.partial(tTimestamp, k, text, formats), nil
		}
		return b.call(tTimestamp, k, text, formats), nil
	}
}

func parseTimes(f *frame, args []vec, try bool) (arrow.Array, error) {
	texts := read[string](args[0])
	lists := args[1].arr.(*array.List)
	formats := stringValues(lists.ListValues())
	caches := make(map[string][]token)
	out := make([]int64, f.rows)
	for i := range out {
		if !f.valid.has(i) {
			continue
		}
		start, end := lists.ValueOffsets(args[1].row(i))
		us, err := parseFirst(texts.at(i), formats[start:end], caches)
		if err != nil && try {
			err = errNull
		}
		if err != nil {
			if err = f.settle(i, err); err != nil {
				return nil, err
			}
		}
		out[i] = us
	}
	return newValues(f.arrow, out, f.valid), nil
}

// parseFirst reads a text by the first format that fits.
func parseFirst(text string, formats []string, caches map[string][]token) (int64, error) {
	for _, format := range formats {
		tokens, ok := caches[format]
		if !ok {
			parsed, err := parseFormat(format)
			if err != nil {
				return 0, err
			}
			tokens = parsed
			caches[format] = tokens
		}
		if us, ok := parseTime(text, tokens); ok {
			return us, nil
		}
	}
	format := ""
	if len(formats) > 0 {
		format = formats[0]
	}
	return 0, sqlerr.New(codeDatetime, "expected a time in the format %q, found %q", format, text).WithHint("use try_strptime to get NULL instead")
}
