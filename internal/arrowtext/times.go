package arrowtext

import (
	"bytes"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

const secondMicros = 1_000_000

// times is textValues for dates, times and intervals; nil for any other array.
func (s Style) times(a arrow.Array) Cell {
	switch a := a.(type) {
	case *array.Date32:
		return func(dst []byte, row int) []byte { return types.AppendDate(dst, int32(a.Value(row))) }
	case *array.Timestamp:
		return s.timestamps(a)
	case *array.Time32:
		return clocks(a.DataType(), func(row int) int64 { return int64(a.Value(row)) })
	case *array.Time64:
		return clocks(a.DataType(), func(row int) int64 { return int64(a.Value(row)) })
	case *array.Duration:
		return clocks(a.DataType(), func(row int) int64 { return int64(a.Value(row)) })
	case *array.MonthDayNanoInterval:
		return func(dst []byte, row int) []byte { return types.AppendInterval(dst, types.IntervalOf(a.Value(row))) }
	}
	return nil
}

// clocks writes 23:59:59.5, down to microseconds.
func clocks(t arrow.DataType, value func(row int) int64) Cell {
	perSecond := unitsPerSecond(t.(arrow.TemporalWithUnit).TimeUnit())
	return func(dst []byte, row int) []byte {
		v := value(row)
		micros := v/perSecond*secondMicros + v%perSecond*secondMicros/perSecond
		return types.AppendInterval(dst, types.Interval{Micros: micros})
	}
}

func unitsPerSecond(unit arrow.TimeUnit) int64 {
	switch unit {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1000
	case arrow.Microsecond:
		return secondMicros
	}
	return 1000 * secondMicros
}

// timestamps writes times of any unit in UTC, with as many digits behind the second as
// they have. Rows that follow each other often share their second, which is written once.
func (s Style) timestamps(a *array.Timestamp) Cell {
	t := a.DataType().(*arrow.TimestampType)
	perSecond := unitsPerSecond(t.Unit)
	end := ""
	switch {
	case s.ISOTimes:
		end = "Z"
	case t.TimeZone != "":
		end = "+00"
	}
	cached := int64(math.MinInt64)
	var text []byte // of the second
	var rest string // that follows the fraction
	return func(dst []byte, row int) []byte {
		v := int64(a.Value(row))
		if v == math.MaxInt64 || v == -math.MaxInt64 {
			return types.AppendTimestamp(dst, v) // infinite
		}
		fraction := v % perSecond
		if fraction < 0 {
			fraction += perSecond
		}
		if second := v - fraction; second != cached || text == nil {
			cached = second
			text, rest = s.second(text[:0], second/perSecond, end)
		}
		dst = append(dst, text...)
		if fraction > 0 {
			dst = appendFraction(dst, fraction, perSecond)
		}
		return append(dst, rest...)
	}
}

// second writes a time of whole seconds; rest is what follows behind the fraction, which
// is end but for a year before Christ: ISO 8601 has no text for it, so it stays DuckDB's.
func (s Style) second(dst []byte, seconds int64, end string) (text []byte, rest string) {
	dst = types.AppendTimestamp(dst, seconds*secondMicros)
	if !s.ISOTimes {
		return dst, end
	}
	if bytes.HasSuffix(dst[:len(dst)-len(" 15:04:05")], []byte(")")) {
		return dst, ""
	}
	dst[len(dst)-len(" 15:04:05")] = 'T'
	return dst, end
}

// appendFraction appends .5: a part of a second, counted in perSecond, without trailing
// zeros.
func appendFraction(dst []byte, part, perSecond int64) []byte {
	dst = append(dst, '.')
	for part > 0 {
		perSecond /= 10
		dst = append(dst, byte('0'+part/perSecond))
		part %= perSecond
	}
	return dst
}
