package expr

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// strftime and strptime take the format codes of types.TimeFormat, which are DuckDB's.

// timeFormat compiles a format.
func timeFormat(format string) (*types.TimeFormat, *sqlerr.Error) {
	f, bad := types.ParseTimeFormat(format)
	if bad != "" {
		return nil, sqlerr.New(codeParameter, "expected a format code such as %%Y, %%m, %%d, %%H, %%M or %%S, found %q", bad)
	}
	return f, nil
}

// formatCache parses the format of a row unless the row before had the same.
type formatCache struct {
	format string
	parsed *types.TimeFormat
}

func (c *formatCache) get(format string) (*types.TimeFormat, error) {
	if c.parsed != nil && c.format == format {
		return c.parsed, nil
	}
	parsed, err := timeFormat(format)
	if err != nil {
		return nil, err
	}
	c.format, c.parsed = format, parsed
	return parsed, nil
}

// checkFormat refuses a constant format that cannot be read.
func (b *binding) checkFormat(e Expr) error {
	format, ok := literalText(e)
	if !ok {
		return nil
	}
	if _, err := timeFormat(format); err != nil {
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
			format, err := cache.get(formats.at(i))
			if err != nil {
				return dst, err
			}
			return formatTime(dst, times.at(i), format.Codes), nil
		})
	}, ts, format), nil
}

func formatTime(dst []byte, us int64, codes []types.TimeCode) []byte {
	days := floorDiv(us, types.DayMicros)
	clock := us - days*types.DayMicros
	for _, t := range codes {
		if t.Code == 0 {
			dst = append(dst, t.Text...)
			continue
		}
		dst = appendCode(dst, t, days, clock)
	}
	return dst
}

func appendCode(dst []byte, t types.TimeCode, days, clock int64) []byte {
	year, month, day := types.DateOf(days)
	hour, minute, second, micros := clock/3_600_000_000, clock/60_000_000%60, clock/1_000_000%60, clock%1_000_000
	width := func(v int64, digits int) []byte {
		if t.Plain {
			digits = 1
		}
		return appendPadded(dst, v, digits)
	}
	switch t.Code {
	case 'a':
		return append(dst, types.DayNames[weekday(days)][:3]...)
	case 'A':
		return append(dst, types.DayNames[weekday(days)]...)
	case 'w':
		return width(weekday(days), 1)
	case 'u':
		return width(floorMod(days+3, 7)+1, 1)
	case 'd':
		return width(int64(day), 2)
	case 'b':
		return append(dst, types.MonthNames[month-1][:3]...)
	case 'B':
		return append(dst, types.MonthNames[month-1]...)
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
	caches := make(map[string]*types.TimeFormat)
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
func parseFirst(text string, formats []string, caches map[string]*types.TimeFormat) (int64, error) {
	for _, format := range formats {
		parsed, ok := caches[format]
		if !ok {
			var err *sqlerr.Error
			if parsed, err = timeFormat(format); err != nil {
				return 0, err
			}
			caches[format] = parsed
		}
		if us, _, ok := parsed.Parse(text); ok {
			return us, nil
		}
	}
	format := ""
	if len(formats) > 0 {
		format = formats[0]
	}
	return 0, sqlerr.New(codeDatetime, "expected a time in the format %q, found %q", format, text).WithHint("use try_strptime to get NULL instead")
}
