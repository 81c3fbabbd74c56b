package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ssql/exec"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// diagnosisCheck is one look at a query: what it found, "" if it does not concern the
// query, and the verdict if this is why nothing comes out.
type diagnosisCheck struct {
	name string
	look func(x *examination) (found, verdict string)
}

// diagnosisChecks are in the order in which a row travels. The first verdict counts.
var diagnosisChecks = []diagnosisCheck{
	{"running", (*examination).checkRunning},
	{"input", (*examination).checkInput},
	{"readable", (*examination).checkReadable},
	{"event times", (*examination).checkTimes},
	{"filter", (*examination).checkFilter},
	{"late rows", (*examination).checkLate},
	{"inputs", (*examination).checkInputs},
	{"output", (*examination).checkOutput},
	{"waiting", (*examination).checkWaiting},
}

// storedProgress is what the diagnosis reads of a row of ssql.progress.
type storedProgress struct {
	BatchID        int64                    `json:"batchId"`
	EventTime      map[string]string        `json:"eventTime"`
	StateOperators []exec.OperatorProgress  `json:"stateOperators"`
	Watermarks     []exec.WatermarkProgress `json:"watermarks"`
}

// progressTime is how progress writes times.
const progressTime = "2006-01-02T15:04:05.000Z"

func readProgress(text string) (*storedProgress, error) {
	p := &storedProgress{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("reading stored progress: %w", err)
	}
	return p, nil
}

func (x *examination) checkRunning() (found, verdict string) {
	name := identText(x.row.name)
	switch {
	case x.bindErr != nil:
		return "the definition no longer fits the database", placeText(x.bindErr) + "; make what is missing again, or DROP QUERY " + name
	case x.running:
		return "runs, " + count(x.batches, "batch") + " so far", ""
	case x.row.state == stateCreated && x.batches == 0:
		return "was never started", fmt.Sprintf("the query was never started: START QUERY %s", name)
	case x.row.state == stateFailed:
		reason := x.failure
		if first, _, more := strings.Cut(reason, "\n"); more {
			reason = first
		}
		return "failed after " + count(x.batches, "batch"), fmt.Sprintf("the query failed: %s; put it right and START QUERY %s, which runs the same batch again", reason, name)
	case x.row.state == stateStopped:
		return "stopped after " + count(x.batches, "batch"), x.ifSilent(fmt.Sprintf("the query is stopped: START QUERY %s goes on", name))
	}
	return string(x.row.state) + " after " + count(x.batches, "batch") + ": it has read what was there", ""
}

// ifSilent returns a verdict for a query that has never given a row.
func (x *examination) ifSilent(verdict string) string {
	if x.life.rowsOut > 0 {
		return ""
	}
	return verdict
}

// streams names what the query reads.
func (x *examination) streams() string {
	if x.plan == nil {
		return "its streams"
	}
	var names []string
	for _, ref := range x.plan.Sources {
		names = append(names, ref.Stream)
	}
	return strings.Join(names, " and ")
}

func (x *examination) checkInput() (found, verdict string) {
	if x.bindErr != nil {
		return "", ""
	}
	if x.life.rowsRead == 0 {
		return "no row has been read of " + x.streams(),
			fmt.Sprintf("no row has arrived: look with PEEK %s, and with DESCRIBE EXTENDED %s at its path and options", x.plan.Sources[0].Stream, x.plan.Sources[0].Stream)
	}
	return count(x.life.rowsRead, "row") + " read of " + x.streams(), ""
}

func (x *examination) checkReadable() (found, verdict string) {
	switch {
	case x.life.rowsRead == 0:
		return "", ""
	case x.life.rowsBad == 0:
		return "every row", ""
	case x.life.rowsBad == x.life.rowsRead:
		return "no row: " + x.lastBad, fmt.Sprintf("no row can be read, the newest because of %s; SHOW BAD ROWS FOR %s lists them, the declaration of the stream must fit them", x.lastBad, identText(x.row.name))
	}
	return fmt.Sprintf("all but %s, the newest because of %s", count(x.life.rowsBad, "row"), x.lastBad), ""
}

// Times that nobody means: an epoch in another unit than was declared is far off.
var (
	earliestPlausible = time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	futurePlausible   = 36 * time.Hour
)

func (x *examination) checkTimes() (found, verdict string) {
	at, ok := x.watermark()
	if !ok || x.plan == nil || len(x.plan.Watermarks) == 0 {
		return "", ""
	}
	switch {
	case at > x.now.Add(futurePlausible).UnixMicro():
		return "the watermark " + timeText(at) + " is in the future", x.whenLate("a row from the future has moved the watermark to " + timeText(at) +
			", and everything before is late; give the stream max_future = '1 hour' and RESET QUERY " + identText(x.row.name))
	case at < earliestPlausible:
		return "the watermark " + timeText(at) + " is near 1970",
			"event times are near 1970, as seconds are when they are read as milliseconds; declare the unit: ts AS to_timestamp(seconds), or epoch_ms(milliseconds)"
	}
	return "the newest batch ran with the watermark " + timeText(at), ""
}

// whenLate returns a verdict for a query that loses rows.
func (x *examination) whenLate(verdict string) string {
	if x.life.rowsLate == 0 && x.life.rowsOut > 0 {
		return ""
	}
	return verdict
}

func (x *examination) checkFilter() (found, verdict string) {
	l := &x.life
	switch {
	case l.rowsRead == 0 || l.rowsFiltered == 0:
		return "", ""
	case l.rowsFiltered == l.rowsRead-l.rowsBad:
		return "no row passes", "WHERE leaves no row: compare its constants with PEEK " + x.plan.Sources[0].Stream
	}
	return count(l.rowsFiltered, "row") + " left out by conditions", ""
}

func (x *examination) checkLate() (found, verdict string) {
	l := &x.life
	switch {
	case l.rowsLate == 0:
		return "", ""
	case l.rowsLate == l.rowsRead-l.rowsBad-l.rowsFiltered:
		return "every row was late", fmt.Sprintf("every row was behind the watermark: SHOW LATE ROWS FOR %s; a longer delay of the watermark waits longer", identText(x.row.name))
	}
	return count(l.rowsLate, "row") + " behind the watermark, kept in ssql.late_rows", ""
}

// checkInputs looks for the input that holds the watermark back.
func (x *examination) checkInputs() (found, verdict string) {
	if x.progress == nil || len(x.progress.Watermarks) < 2 {
		return "", ""
	}
	var parts []string
	slowest, silent := "", ""
	least := ""
	for _, w := range x.progress.Watermarks {
		switch {
		case w.Idle:
			parts = append(parts, w.Column+" is idle")
		case w.Watermark == "":
			parts = append(parts, w.Column+" has no row")
			silent = w.Column
		default:
			parts = append(parts, w.Column+" is at "+w.Watermark)
			if least == "" || w.Watermark < least {
				least, slowest = w.Watermark, w.Column
			}
		}
	}
	found = strings.Join(parts, ", ")
	if silent != "" && x.plan != nil && x.plan.Policy == plan.MinPolicy {
		relation, _, _ := strings.Cut(silent, ".")
		return found, x.ifSilent(fmt.Sprintf("%s has delivered nothing and holds the watermark of the query back; bring it rows, or give the stream %s an idle_timeout", silent, relation))
	}
	if slowest != "" {
		found += "; " + slowest + " holds the others back"
	}
	return found, ""
}

func (x *examination) checkOutput() (found, verdict string) {
	if x.life.rowsRead == 0 {
		return "", ""
	}
	if x.life.rowsOut == 0 {
		return "no row so far, in mode " + x.row.mode, ""
	}
	return count(x.life.rowsOut, "row") + " written, in mode " + x.row.mode, ""
}

// checkWaiting looks at what is held until the watermark has come far enough.
func (x *examination) checkWaiting() (found, verdict string) {
	n, held := x.open()
	if n == 0 || x.plan == nil {
		return "", ""
	}
	found = count(n, held) + " open"
	if x.row.mode != "append" {
		return found, ""
	}
	if len(x.plan.Watermarks) == 0 {
		return found, ""
	}
	at, moved := x.watermark()
	where := "the watermark has not moved yet"
	if moved {
		where = "the watermark is at " + timeText(at)
	}
	w := x.plan.Watermarks[0]
	delay := sql.IntervalText(types.Interval{Micros: w.DelayMicros})
	needed := fmt.Sprintf("it follows the newest %s of %s, %s behind", w.Column, w.Relation, delay)
	if e := x.ending; e != nil && e.waits && !x.running {
		found += "; the next comes out when the watermark reaches " + timeText(e.nextMicros)
		needed = fmt.Sprintf("the next %s comes out when it reaches %s", held, timeText(e.nextMicros))
		needed += x.closingEvent(e.nextMicros)
	} else if end, ok := x.nextEnd(at); ok && moved {
		needed = fmt.Sprintf("a %s comes out when it reaches the end of its window, at %s the earliest", held, timeText(end))
		needed += x.closingEvent(end)
	}
	return found, fmt.Sprintf("%s waiting for the watermark: %s, and %s; EMIT ON UPDATE shows results before they are final",
		count(n, held)+isOrAre(n), where, needed)
}

// closingEvent names the event that brings the watermark to a time, "" when more than one
// input makes the watermark.
func (x *examination) closingEvent(micros int64) string {
	if len(x.plan.Watermarks) != 1 {
		return ""
	}
	w := x.plan.Watermarks[0]
	return fmt.Sprintf(": an event of %s at %s or later does it", w.Relation, timeText(micros+w.DelayMicros))
}

// nextEnd returns the first end of a window after a watermark; ok is false for a plan
// without windows of a fixed length.
func (x *examination) nextEnd(watermark int64) (micros int64, ok bool) {
	spec := fixedWindow(x.plan.Outputs[0].Root)
	if spec == nil {
		return 0, false
	}
	first := spec.OffsetMicros
	if spec.Kind == plan.Hop {
		first += spec.SizeMicros // a hop starts at a multiple of its slide, and need not end at one
	}
	past := (watermark - first) % spec.SlideMicros
	if past < 0 {
		past += spec.SlideMicros
	}
	return watermark - past + spec.SlideMicros, true
}

// fixedWindow returns the window nearest to the result that has a fixed length.
func fixedWindow(n plan.Node) *plan.WindowSpec {
	if a, ok := n.(*plan.Aggregate); ok && a.Window != nil && a.Window.Kind != plan.Session {
		return a.Window
	}
	for _, in := range n.Inputs() {
		if spec := fixedWindow(in); spec != nil {
			return spec
		}
	}
	return nil
}

func isOrAre(n int64) string {
	if n == 1 {
		return " is"
	}
	return " are"
}
