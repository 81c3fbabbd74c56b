package session

import (
	"fmt"
	"strings"
	"time"

	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// The checks of this file look at event times and at the watermark that they move.

// Times that nobody means: an epoch in another unit than was declared is far off.
var (
	earliestPlausible = time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	futurePlausible   = 36 * time.Hour
)

func (x *examination) checkTimes() []finding {
	if x.plan == nil || x.past.latest == nil || len(x.plan.Watermarks) == 0 {
		return nil
	}
	latest := x.past.latest
	newest := latest.EventTime["max"]
	f := finding{check: "event times", found: fmt.Sprintf("up to %s, in batch %d", timeText(newest.UnixMicro()), latest.BatchID)}
	name := sql.IdentText(x.row.Name)
	w := x.plan.Watermarks[0]
	ahead := newest.Sub(latest.Timestamp.Time)
	switch hours := wholeHours(ahead.Microseconds()); {
	case newest.UnixMicro() < earliestPlausible:
		f.verdict = "event times are near 1970, as seconds are when they are read as milliseconds"
		f.fixes = []string{"declare the unit: ts AS to_timestamp(seconds), or epoch_ms(milliseconds)"}
	case ahead > futurePlausible:
		f.found += ", in the future"
		f.verdict = x.whenLate(fmt.Sprintf("a row of batch %d is of %s, in the future: it has moved the watermark there, and everything before is late",
			latest.BatchID, timeText(newest.UnixMicro())))
		f.fixes = []string{
			fmt.Sprintf("find it: SELECT * FROM %s WHERE %s > now() + INTERVAL '1 day'", x.firstStream(), sql.IdentText(w.Column)),
			fmt.Sprintf("keep such rows out with the option max_future = '1 hour' of stream %s, then RESET QUERY %s", x.firstStream(), name),
		}
	case hours > 0:
		f.found += ", " + sqlerr.CountOf(hours, "hour") + " ahead of the clock of that batch"
		f.verdict = x.ifSilent(fmt.Sprintf("event times are %s ahead of the clock: they look like local times that are read as UTC", sqlerr.CountOf(hours, "hour")))
		f.fixes = []string{"source_timezone = 'Area/City' in the options of stream " + x.firstStream()}
	}
	return []finding{f}
}

// firstStream is the first stream that the query reads.
func (x *examination) firstStream() string { return sql.IdentText(x.plan.Sources[0].Stream) }

// whenLate returns a verdict for a query that loses rows.
func (x *examination) whenLate(verdict string) string {
	if x.life.rowsLate == 0 && x.life.rowsOut > 0 {
		return ""
	}
	return verdict
}

func (x *examination) checkLate() []finding {
	l := &x.life
	if l.rowsLate+l.rowsPartlyLate == 0 {
		return nil
	}
	f := finding{check: "late", found: sqlerr.CountOf(l.rowsLate, "row") + " behind the watermark"}
	if l.rowsPartlyLate > 0 {
		f.found += " and " + sqlerr.Number(l.rowsPartlyLate) + " in part"
	}
	if x.late.any {
		f.found += ", by " + durationText(x.late.least)
		if x.late.most != x.late.least {
			f.found += " to " + durationText(x.late.most)
		}
	}
	if x.past.lateSince == nil {
		f.found += "; they are in ssql.late_rows"
		return []finding{f}
	}
	f.verdict = "every row since " + x.past.lateSince.at() + " was behind the watermark when it came"
	if x.late.any && x.plan != nil && len(x.plan.Watermarks) > 0 {
		delay := x.plan.Watermarks[0].DelayMicros
		if hours := wholeHours(x.late.least + delay); hours > 0 && hours == wholeHours(x.late.most+delay) {
			f.fixes = append(f.fixes, fmt.Sprintf("source_timezone = 'Area/City' in the options of stream %s, if its times are local ones: they are %s behind", x.firstStream(), sqlerr.CountOf(hours, "hour")))
		}
		f.fixes = append(f.fixes, x.longerDelay(x.plan.Watermarks[0], x.late.most+delay))
	}
	f.fixes = append(f.fixes, "SHOW LATE ROWS FOR "+sql.IdentText(x.row.Name))
	return []finding{f}
}

// longerDelay is the statement that lets a watermark wait for rows that come so late.
func (x *examination) longerDelay(w *plan.WatermarkDef, delayMicros int64) string {
	if !x.isStream(w.Relation) {
		return fmt.Sprintf("WATERMARK %s DELAY OF INTERVAL '%s' in the query would have waited for them", sql.IdentText(w.Column), plan.DurationText(delayMicros))
	}
	return fmt.Sprintf("ALTER STREAM %s SET WATERMARK FOR %s AS %[2]s - INTERVAL '%s', which would have waited for them",
		sql.IdentText(w.Relation), sql.IdentText(w.Column), plan.DurationText(delayMicros))
}

// checkWatermark says where the watermark is, since when, and which input holds it back.
func (x *examination) checkWatermark() []finding {
	if x.plan == nil || x.past.newest == nil || len(x.plan.Watermarks) == 0 {
		return nil
	}
	f := finding{check: "watermark", found: "has not moved yet"}
	if at, moved := x.watermark(); moved {
		f.found = fmt.Sprintf("at %s since %s", timeText(at), x.past.moved.at())
	}
	if len(x.plan.Watermarks) == 1 {
		w := x.plan.Watermarks[0]
		at, _ := x.watermark()
		switch newest, ok := x.newestTime(0); {
		case !ok:
		case at > newest-w.DelayMicros:
			f.found += fmt.Sprintf(": moved there by force, ahead of the newest %s, %s", eventName(w), timeText(newest))
		default:
			f.found += fmt.Sprintf(": %s behind the newest %s, %s", delayText(w), eventName(w), timeText(newest))
		}
		return []finding{f}
	}
	if hours := x.hoursApart(); hours != "" {
		f.found += "; " + hours
	}
	return append([]finding{f}, x.eachInput()...)
}

// eachInput is a row for each input that the watermark is made of.
func (x *examination) eachInput() []finding {
	slowest := x.slowest()
	var out []finding
	for id, w := range x.past.newest.Watermarks {
		def := x.plan.Watermarks[id]
		f := finding{check: "watermark of " + sql.IdentText(def.Relation)}
		newest, any := x.newestTime(id)
		switch {
		case !any:
			f.found = "has no row"
		default:
			f.found = fmt.Sprintf("%s, %s behind its newest %s", timeText(nodeMicros(w)), delayText(def), timeText(newest))
		}
		if w.Idle {
			f.found += "; idle, nobody waits for it"
		}
		if id == slowest {
			f.found += "; holds the query back"
			f.verdict, f.fixes = x.heldBack(id, any)
		}
		out = append(out, f)
	}
	return out
}

// slowest returns the input that holds the watermark of the query back, -1 if none does.
func (x *examination) slowest() int {
	if x.plan.Policy != plan.MinPolicy {
		return -1
	}
	least, differs := -1, false
	for id, w := range x.past.newest.Watermarks {
		if w.Idle {
			continue
		}
		if least >= 0 && nodeMicros(w) != nodeMicros(x.past.newest.Watermarks[least]) {
			differs = true
		}
		if least < 0 || nodeMicros(w) < nodeMicros(x.past.newest.Watermarks[least]) {
			least = id
		}
	}
	if !differs {
		return -1
	}
	return least
}

// heldBack is the verdict for an input that the watermark waits for, if something waits
// for the watermark, or the input has given nothing to a query that gives nothing.
func (x *examination) heldBack(id int, any bool) (verdict string, fixes []string) {
	streams := x.streamsOf(id)
	stream := sql.IdentText(x.plan.Watermarks[id].Relation)
	if len(streams) > 0 {
		stream = sql.IdentText(streams[0])
	}
	fixes = []string{
		"bring it rows",
		fmt.Sprintf("ALTER STREAM %s SET (idle_timeout = '1 minute'), after which the watermark no longer waits for it", stream),
	}
	if !any {
		return x.ifSilent(fmt.Sprintf("stream %s has delivered nothing and holds the watermark of the query back", stream)), fixes
	}
	if x.past.newest.NextClose.IsZero() {
		return "", nil
	}
	last := "earlier than the progress that is kept"
	for i, in := range x.inputs {
		if p := x.lastInput(i); p != nil && len(streams) > 0 && in.name == streams[0] {
			last = "in " + p.at()
		}
	}
	return fmt.Sprintf("stream %s holds the watermark of the query back: it has delivered its newest rows %s, up to %s",
		stream, last, x.newestText(id)), fixes
}

func (x *examination) newestText(id int) string {
	at, _ := x.newestTime(id)
	return timeText(at)
}

// hoursApart says that the event times of two inputs differ by whole hours.
func (x *examination) hoursApart() string {
	for a := range x.plan.Watermarks {
		for b := range x.plan.Watermarks {
			left, ok := x.newestTime(a)
			right, too := x.newestTime(b)
			if hours := wholeHours(left - right); ok && too && hours > 0 {
				return fmt.Sprintf("%s is %s ahead of %s: is one of them a local time (source_timezone)?",
					eventName(x.plan.Watermarks[a]), sqlerr.CountOf(hours, "hour"), eventName(x.plan.Watermarks[b]))
			}
		}
	}
	return ""
}

// closingEvent names the event that brings the watermark to a time, "" when more than one
// input makes the watermark.
func (x *examination) closingEvent(micros int64) string {
	if len(x.plan.Watermarks) == 1 {
		w := x.plan.Watermarks[0]
		return fmt.Sprintf("an event of %s at %s or later", sql.IdentText(w.Relation), timeText(micros+w.DelayMicros))
	}
	var events []string
	for id, w := range x.plan.Watermarks {
		if x.past.newest != nil && id < len(x.past.newest.Watermarks) && nodeMicros(x.past.newest.Watermarks[id]) >= micros {
			continue // it is there already
		}
		events = append(events, fmt.Sprintf("an event of %s at %s or later", sql.IdentText(w.Relation), timeText(micros+w.DelayMicros)))
	}
	return strings.Join(events, " and ")
}
