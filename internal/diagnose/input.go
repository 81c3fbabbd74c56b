package diagnose

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// The checks of this file follow a row from its source to where conditions leave it
// out; those of time.go and output.go go on from there.

func (x *Examination) checkRunning() []Finding {
	f := Finding{Check: "running"}
	name, so := sql.IdentText(x.Row.Name), sqlerr.CountOf(x.batches, "batch")
	switch {
	case x.BindErr != nil:
		f.Found = "the definition no longer fits the streams and tables"
		f.Verdict = "the query cannot run: " + placeText(x.BindErr)
		f.Fixes = append(boundFixes(x.BindErr), "make again what is missing or has changed, or DROP QUERY "+name)
	case x.Lost != nil:
		f.Found = "cannot go on: its checkpoint is not here"
		f.Verdict, f.Fixes = placeText(x.Lost), boundFixes(x.Lost)
	case x.Running:
		f.Found = "runs, " + so + " so far" + x.doing()
	case x.Held:
		f.Found = "runs in another process, " + so + " so far"
	case x.Row.State == catalog.Running:
		f.Found = "was running, " + so + ", and its process is gone"
		f.Verdict, f.Fixes = "the process that ran the query has ended", []string{"START QUERY " + name + ", which goes on where it stopped"}
	case x.Row.State == catalog.Created && x.batches == 0:
		f.Found = "was never started"
		f.Verdict, f.Fixes = "the query was never started", []string{"START QUERY " + name}
	case x.Row.State == catalog.Failed:
		reason, _, _ := strings.Cut(x.failure, "\n")
		f.Found = "failed after " + so
		f.Verdict = "the query failed: " + reason
		f.Fixes = []string{"put it right and START QUERY " + name + ", which runs the same batch again; SHOW ERRORS FOR " + name + " has the whole message"}
	case x.Row.State == catalog.Stopped:
		f.Found = "stopped after " + so
		f.Verdict = x.ifSilent("the query is stopped")
		f.Fixes = []string{"START QUERY " + name + ", which goes on where it stopped"}
	default:
		f.Found = string(x.Row.State) + " after " + so + ": it has read what was there"
	}
	return []Finding{f}
}

// boundFixes returns the hint of an error of the planner.
func boundFixes(err error) []string {
	var known *sqlerr.Error
	if !errors.As(err, &known) {
		return nil
	}
	return strings.Split(known.Hint, "\n")
}

// doing says what a running query is at.
func (x *Examination) doing() string {
	switch a := x.Activity; {
	case a != nil:
		return fmt.Sprintf("; batch %d runs since %s", a.Batch, durationText(time.Since(a.Since).Microseconds()))
	case x.Every > 0:
		next := x.Now.Truncate(x.Every).Add(x.Every)
		return fmt.Sprintf("; the next starts at %s, every %s", timeText(next.UnixMicro()), durationText(x.Every.Microseconds()))
	}
	return "; it waits for input"
}

// ifSilent returns a verdict for a query that has never given a row.
func (x *Examination) ifSilent(verdict string) string {
	if x.life.rowsOut > 0 {
		return ""
	}
	return verdict
}

// checkInput looks at each source: what was read of it, and what there is.
func (x *Examination) checkInput() []Finding {
	if x.BindErr != nil {
		return nil
	}
	var out []Finding
	for i, in := range x.inputs {
		f := Finding{Check: "input " + in.name}
		read := x.lastInput(i)
		switch {
		case read != nil:
			f.Found = fmt.Sprintf("the newest %s read by %s", sqlerr.CountOf(read.Sources[i].NumInputRows, "row"), read.at())
		case x.life.rowsRead == 0:
			f.Found = "no row read"
		default:
			f.Found = x.nothingOf(i)
		}
		if in.sight.Found != "" {
			f.Found += "; " + in.sight.Found
		}
		if x.life.rowsRead == 0 {
			f.Verdict, f.Fixes = x.nothingRead(in)
		}
		out = append(out, f)
	}
	if x.life.rowsRead > 0 {
		out = append(out, Finding{Check: "read", Found: sqlerr.CountOf(x.life.rowsRead, "row")})
	}
	return out
}

// lastInput returns the newest batch that read something of a source, nil if none is
// known.
func (x *Examination) lastInput(i int) *batchProgress {
	if i >= len(x.past.input) {
		return nil
	}
	return x.past.input[i]
}

// nothingOf says that no kept progress has a row of a source.
func (x *Examination) nothingOf(i int) string {
	if x.past.first == nil || x.past.first.BatchID == 0 {
		return "no row read"
	}
	return "no row read since " + x.past.first.at()
}

// nothingRead says why a query has read nothing of a source.
func (x *Examination) nothingRead(in inputSight) (verdict string, fixes []string) {
	name := sql.IdentText(in.name)
	look := []string{"PEEK " + name, "DESCRIBE EXTENDED " + name + ", which shows its path and options"}
	switch {
	case in.sight.Empty:
		fix := in.sight.Fix
		if option, ok := strings.CutPrefix(fix, "path = "); ok {
			fix = fmt.Sprintf("ALTER STREAM %s SET (path = %s)", name, option)
		}
		return "no row has arrived: " + in.sight.Found, append([]string{fix}, look...)
	case x.Activity != nil:
		return "the first batch has not ended yet", nil
	case x.Running && x.Every > 0 && x.batches == 0:
		return "the first batch has not started yet" + strings.TrimPrefix(x.doing(), ";"), nil
	}
	return "no row has arrived", look
}

func (x *Examination) checkReadable() []Finding {
	l := &x.life
	if l.rowsRead == 0 {
		return nil
	}
	f := Finding{Check: "readable", Found: "every row"}
	if l.rowsBad == 0 {
		return []Finding{f}
	}
	newest := x.bad.reason
	if x.bad.column != "" {
		newest = fmt.Sprintf("column %q: %s", x.bad.column, newest)
	}
	if newest == "" {
		newest = "a reason that was not kept (bad_records = 'drop')"
	}
	f.Found = fmt.Sprintf("all but %s; the newest because of %s", sqlerr.CountOf(l.rowsBad, "row"), newest)
	if l.rowsBad == l.rowsRead {
		f.Found = "no row; the newest because of " + newest
		f.Verdict = "no row can be read: " + newest
		f.Fixes = append(x.badFixes(), "SHOW BAD ROWS FOR "+sql.IdentText(x.Row.Name)+", which lists them with their text")
	}
	return []Finding{f}
}

// badFixes proposes what would make bad rows readable.
func (x *Examination) badFixes() []string {
	stream := "the stream"
	if len(x.inputs) == 1 {
		stream = "stream " + sql.IdentText(x.inputs[0].name)
	}
	raw := strings.TrimSpace(x.bad.raw)
	switch {
	case x.bad.nullTimes > 0 && x.bad.nullTimes == x.life.rowsBad:
		return []string{fmt.Sprintf("correct the name of column %q in %s, or its expression: no row has a value there", x.bad.column, stream)}
	case x.bad.future > 0 && x.bad.future == x.life.rowsBad:
		return []string{"source_timezone = 'Area/City' if the times are local ones, or a longer max_future, in the options of " + stream}
	case strings.Contains(x.bad.reason, `"{`) && strings.HasPrefix(raw, "{"):
		return []string{"format = 'json' in the options of " + stream + ": the rows look like JSON"}
	case x.bad.column == "" && strings.ContainsAny(raw, ",;\t|"):
		return []string{"format = 'csv', with its delimiter, in the options of " + stream + ": the rows look like CSV"}
	case strings.Contains(x.bad.reason, "TIMESTAMP"):
		return []string{fmt.Sprintf("say how it is written, in the declaration of %s: %s TIMESTAMP FORMAT '%%d/%%m/%%Y %%H:%%M:%%S'", stream, sql.IdentText(x.bad.column))}
	}
	return []string{"make the declaration of " + stream + " fit its rows"}
}

func (x *Examination) checkFilter() []Finding {
	var out []Finding
	for i := range x.outputs {
		o := &x.outputs[i]
		if o.life.rowsFiltered == 0 {
			continue
		}
		f := Finding{Check: "conditions" + o.of, Found: sqlerr.CountOf(o.life.rowsFiltered, "row") + " left out"}
		if o.life.rowsFiltered >= o.life.rowsRead-o.life.rowsBad {
			f.Found = "no row passes"
			f.Verdict, f.Fixes = "WHERE"+o.of+" leaves no row", []string{"compare its constants with PEEK " + sql.IdentText(x.inputs[0].name)}
		}
		out = append(out, f)
	}
	return out
}

// wholeHours returns how many hours a difference in microseconds is, if it is nearly a
// whole number of hours that time zones differ by; 0 if not.
func wholeHours(micros int64) int64 {
	const hour, near, most = int64(time.Hour / time.Microsecond), int64(5 * time.Minute / time.Microsecond), 14
	hours := (micros + hour/2) / hour
	if off := micros - hours*hour; off > near || off < -near || hours < 1 || hours > most {
		return 0
	}
	return hours
}

// delayText shows the delay of a watermark.
func delayText(w *plan.WatermarkDef) string {
	return durationText(w.DelayMicros)
}

// newestTime returns the greatest event time of an input, in UTC microseconds, from its
// watermark; ok is false before its first row.
func (x *Examination) newestTime(id int) (micros int64, ok bool) {
	if x.past.newest == nil || id >= len(x.past.newest.Watermarks) {
		return 0, false
	}
	at := nodeMicros(x.past.newest.Watermarks[id])
	return at + x.Plan.Watermarks[id].DelayMicros, x.past.newest.Watermarks[id].Watermark != ""
}

// eventName is the event time of an input in words: ts of stream s.
func eventName(w *plan.WatermarkDef) string {
	return types.QuoteIdent(w.Column) + " of " + sql.IdentText(w.Relation)
}
