package diagnose

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

func (x *Examination) checkTimes() []Finding {
	if x.Plan == nil || x.past.latest == nil || len(x.Plan.Watermarks) == 0 {
		return nil
	}
	latest := x.past.latest
	newest := latest.EventTime["max"]
	f := Finding{Check: "event times", Found: fmt.Sprintf("up to %s, in batch %d", timeText(newest.UnixMicro()), latest.BatchID)}
	name := sql.IdentText(x.Row.Name)
	w := x.Plan.Watermarks[0]
	ahead := newest.Sub(latest.Timestamp.Time)
	switch hours := wholeHours(ahead.Microseconds()); {
	case newest.UnixMicro() < earliestPlausible:
		f.Verdict = "event times are near 1970, as seconds are when they are read as milliseconds"
		f.Fixes = []string{"declare the unit: ts AS to_timestamp(seconds), or epoch_ms(milliseconds)"}
	case ahead > futurePlausible:
		f.Found += ", in the future"
		f.Verdict = x.whenLate(fmt.Sprintf("a row of batch %d is of %s, in the future: it has moved the watermark there, and everything before is late",
			latest.BatchID, timeText(newest.UnixMicro())))
		f.Fixes = []string{
			fmt.Sprintf("find it: SELECT * FROM %s WHERE %s > now() + INTERVAL '1 day'", x.firstStream(), sql.IdentText(w.Column)),
			fmt.Sprintf("keep such rows out with the option max_future = '1 hour' of stream %s, then RESET QUERY %s", x.firstStream(), name),
		}
	case hours > 0:
		f.Found += ", " + sqlerr.CountOf(hours, "hour") + " ahead of the clock of that batch"
		f.Verdict = x.ifSilent(fmt.Sprintf("event times are %s ahead of the clock: they look like local times that are read as UTC", sqlerr.CountOf(hours, "hour")))
		f.Fixes = []string{"source_timezone = 'Area/City' in the options of stream " + x.firstStream()}
	}
	return []Finding{f}
}

// firstStream is the first stream that the query reads.
func (x *Examination) firstStream() string { return sql.IdentText(x.Plan.Sources[0].Stream) }

// whenLate returns a verdict for a query that loses rows.
func (x *Examination) whenLate(verdict string) string {
	if x.life.rowsLate == 0 && x.life.rowsOut > 0 {
		return ""
	}
	return verdict
}

func (x *Examination) checkLate() []Finding {
	l := &x.life
	if l.rowsLate+l.rowsPartlyLate == 0 {
		return nil
	}
	f := Finding{Check: "late", Found: sqlerr.CountOf(l.rowsLate, "row") + " behind the watermark"}
	if l.rowsPartlyLate > 0 {
		f.Found += " and " + sqlerr.Number(l.rowsPartlyLate) + " in part"
	}
	if x.late.any {
		f.Found += ", by " + durationText(x.late.least)
		if x.late.most != x.late.least {
			f.Found += " to " + durationText(x.late.most)
		}
	}
	if x.past.lateSince == nil {
		f.Found += "; they are in ssql.late_rows"
		return []Finding{f}
	}
	f.Verdict = "every row since " + x.past.lateSince.at() + " was behind the watermark when it came"
	if x.late.any && x.Plan != nil && len(x.Plan.Watermarks) > 0 {
		delay := x.Plan.Watermarks[0].DelayMicros
		if hours := wholeHours(x.late.least + delay); hours > 0 && hours == wholeHours(x.late.most+delay) {
			f.Fixes = append(f.Fixes, fmt.Sprintf("source_timezone = 'Area/City' in the options of stream %s, if its times are local ones: they are %s behind", x.firstStream(), sqlerr.CountOf(hours, "hour")))
		}
		f.Fixes = append(f.Fixes, x.longerDelay(x.Plan.Watermarks[0], x.late.most+delay))
	}
	f.Fixes = append(f.Fixes, "SHOW LATE ROWS FOR "+sql.IdentText(x.Row.Name))
	return []Finding{f}
}

// longerDelay is the statement that lets a watermark wait for rows that come so late.
func (x *Examination) longerDelay(w *plan.WatermarkDef, delayMicros int64) string {
	if !x.isStream(w.Relation) {
		return fmt.Sprintf("WATERMARK %s DELAY OF INTERVAL '%s' in the query would have waited for them", sql.IdentText(w.Column), plan.DurationText(delayMicros))
	}
	return fmt.Sprintf("ALTER STREAM %s SET WATERMARK FOR %s AS %[2]s - INTERVAL '%s', which would have waited for them",
		sql.IdentText(w.Relation), sql.IdentText(w.Column), plan.DurationText(delayMicros))
}

// checkWatermark says where the watermark is, since when, and which input holds it back.
func (x *Examination) checkWatermark() []Finding {
	if x.Plan == nil || x.past.newest == nil || len(x.Plan.Watermarks) == 0 {
		return nil
	}
	f := Finding{Check: "watermark", Found: "has not moved yet"}
	if at, moved := x.watermark(); moved {
		f.Found = fmt.Sprintf("at %s since %s", timeText(at), x.past.moved.at())
	}
	if len(x.Plan.Watermarks) == 1 {
		w := x.Plan.Watermarks[0]
		at, _ := x.watermark()
		switch newest, ok := x.newestTime(0); {
		case !ok:
		case at > newest-w.DelayMicros:
			f.Found += fmt.Sprintf(": moved there by force, ahead of the newest %s, %s", eventName(w), timeText(newest))
		default:
			f.Found += fmt.Sprintf(": %s behind the newest %s, %s", delayText(w), eventName(w), timeText(newest))
		}
		return []Finding{f}
	}
	if hours := x.hoursApart(); hours != "" {
		f.Found += "; " + hours
	}
	return append([]Finding{f}, x.eachInput()...)
}

// eachInput is a row for each input that the watermark is made of.
func (x *Examination) eachInput() []Finding {
	slowest := x.slowest()
	var out []Finding
	for id, w := range x.past.newest.Watermarks {
		def := x.Plan.Watermarks[id]
		f := Finding{Check: "watermark of " + sql.IdentText(def.Relation)}
		newest, any := x.newestTime(id)
		switch {
		case !any:
			f.Found = "has no row"
		default:
			f.Found = fmt.Sprintf("%s, %s behind its newest %s", timeText(nodeMicros(w)), delayText(def), timeText(newest))
		}
		if w.Idle {
			f.Found += "; idle, nobody waits for it"
		}
		if id == slowest {
			f.Found += "; holds the query back"
			f.Verdict, f.Fixes = x.heldBack(id, any)
		}
		out = append(out, f)
	}
	return out
}

// slowest returns the input that holds the watermark of the query back, -1 if none does.
func (x *Examination) slowest() int {
	if x.Plan.Policy != plan.MinPolicy {
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
func (x *Examination) heldBack(id int, any bool) (verdict string, fixes []string) {
	streams := x.streamsOf(id)
	stream := sql.IdentText(x.Plan.Watermarks[id].Relation)
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

func (x *Examination) newestText(id int) string {
	at, _ := x.newestTime(id)
	return timeText(at)
}

// hoursApart says that the event times of two inputs differ by whole hours.
func (x *Examination) hoursApart() string {
	for a := range x.Plan.Watermarks {
		for b := range x.Plan.Watermarks {
			left, ok := x.newestTime(a)
			right, too := x.newestTime(b)
			if hours := wholeHours(left - right); ok && too && hours > 0 {
				return fmt.Sprintf("%s is %s ahead of %s: is one of them a local time (source_timezone)?",
					eventName(x.Plan.Watermarks[a]), sqlerr.CountOf(hours, "hour"), eventName(x.Plan.Watermarks[b]))
			}
		}
	}
	return ""
}

// closingEvent names the event that brings the watermark to a time, "" when more than one
// input makes the watermark.
func (x *Examination) closingEvent(micros int64) string {
	if len(x.Plan.Watermarks) == 1 {
		w := x.Plan.Watermarks[0]
		return fmt.Sprintf("an event of %s at %s or later", sql.IdentText(w.Relation), timeText(micros+w.DelayMicros))
	}
	var events []string
	for id, w := range x.Plan.Watermarks {
		if x.past.newest != nil && id < len(x.past.newest.Watermarks) && nodeMicros(x.past.newest.Watermarks[id]) >= micros {
			continue // it is there already
		}
		events = append(events, fmt.Sprintf("an event of %s at %s or later", sql.IdentText(w.Relation), timeText(micros+w.DelayMicros)))
	}
	return strings.Join(events, " and ")
}
