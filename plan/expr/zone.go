package expr

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// bindTimezone binds timezone(zone, ts), which is also ts AT TIME ZONE zone. A TIMESTAMP is
// an instant in UTC; the result is the wall time in the zone, a TIMESTAMP again.
func bindTimezone(b *binding) (Expr, error) { return b.zoned(1, 0, toWall) }

// bindFromUTC binds Spark's from_utc_timestamp(ts, zone): the wall time of an instant.
func bindFromUTC(b *binding) (Expr, error) { return b.zoned(0, 1, toWall) }

// bindToUTC binds Spark's to_utc_timestamp(ts, zone): the instant of a wall time.
func bindToUTC(b *binding) (Expr, error) { return b.zoned(0, 1, fromWall) }

func (b *binding) zoned(at, zoneAt int, move func(us int64, z *zoneCache) int64) (Expr, error) {
	ts, err := b.instant(at)
	if err != nil {
		return nil, err
	}
	zone, err := b.arg(zoneAt, tVarchar)
	if err != nil {
		return nil, err
	}
	if name, ok := literalText(zone); ok {
		if _, err := loadZone(name); err != nil {
			err.Span = b.span
			return nil, err
		}
	}
	args := make([]Expr, 2)
	args[at], args[zoneAt] = ts, zone
	return b.call(tTimestamp, func(f *frame, args []vec) (arrow.Array, error) {
		times, zones := read[int64](args[at]), read[string](args[zoneAt])
		out := make([]int64, f.rows)
		var cache zoneCache
		for i := range out {
			if !f.valid.has(i) {
				continue
			}
			if name := zones.at(i); cache.loc == nil || cache.name != name {
				loc, err := loadZone(name)
				if err != nil {
					return nil, f.fail(i, err)
				}
				cache = zoneCache{name: name, loc: loc}
			}
			out[i] = move(times.at(i), &cache)
		}
		return newValues(f.arrow, out, f.valid), nil
	}, args...), nil
}

// zoneCache keeps the offset of the last time asked for, and how long it holds.
type zoneCache struct {
	name         string
	loc          *time.Location
	from, to     int64 // microseconds; the offset holds in [from, to)
	offsetMicros int64
}

// offset returns what the zone adds to UTC at an instant.
func (z *zoneCache) offset(us int64) int64 {
	if us >= z.from && us < z.to {
		return z.offsetMicros
	}
	t := time.UnixMicro(us).In(z.loc)
	_, seconds := t.Zone()
	start, end := t.ZoneBounds()
	z.from, z.to = us, us+1
	if !start.IsZero() {
		z.from = start.UnixMicro()
	}
	if !end.IsZero() {
		z.to = end.UnixMicro()
	} else if start.IsZero() {
		z.from, z.to = -1<<62, 1<<62 // one offset for ever
	}
	z.offsetMicros = int64(seconds) * 1_000_000
	return z.offsetMicros
}

func toWall(us int64, z *zoneCache) int64 { return us + z.offset(us) }

// fromWall takes the earlier of two instants with the same wall time, and moves a
// wall time that the zone leaves out by the length of the gap, as Spark does.
func fromWall(us int64, z *zoneCache) int64 {
	before := z.offset(us - types.DayMicros)
	after := z.offset(us + types.DayMicros)
	if first := us - max(before, after); z.offset(first) == max(before, after) {
		return first
	}
	if second := us - min(before, after); z.offset(second) == min(before, after) {
		return second
	}
	return us - before
}

// loadZone returns the zone of an IANA name, UTC, or an offset such as +02:00.
func loadZone(name string) (*time.Location, *sqlerr.Error) {
	if loc, ok := types.LoadZone(name); ok {
		return loc, nil
	}
	return nil, sqlerr.New(codeParameter, "time zone %q does not exist", name).WithHint("write a name such as 'Europe/Berlin', or an offset such as '+02:00'")
}
