package session

import (
	"fmt"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// summary says what a run did: every row read is in one of the counts.
func (j *job) summary() string {
	t, _ := j.snapshot()
	if t.batches == 0 {
		return j.row.Name + ": nothing new to read"
	}
	line := fmt.Sprintf("%s: %s, %s read", j.row.Name, sqlerr.CountOf(t.batches, "batch"), sqlerr.CountOf(t.rowsRead, "row"))
	if t.outputs == nil {
		line += " = " + became(t.rowsUsed, t.rowsPartlyLate, t.rowsFiltered, t.rowsLate, t.rowsBad, t.rowsOut, t.rowsDeleted)
	}
	if n, what := j.open(); n > 0 {
		line += fmt.Sprintf(", %s open", sqlerr.CountOf(n, what))
	}
	if t.last.HasWatermark && t.last.WatermarkMicros > 0 { // 1970 is where it starts
		line += "; watermark " + types.FormatTimestamp(t.last.WatermarkMicros)
	}
	if t.rowsBad > 0 && j.keepsBad {
		line += "; bad rows are in ssql.bad_rows"
	}
	for _, o := range t.outputs {
		line += fmt.Sprintf("\n  %s: %s read = %s", o.Target, sqlerr.Number(o.NumInputRows), became(o.RowsUsed, o.RowsPartlyLate, o.RowsFiltered, o.RowsLate, o.RowsBad, o.NumOutputRows, o.NumDeletedRows))
	}
	return line
}

// became says what became of the rows that were read.
func became(used, partlyLate, filtered, late, bad, written, deleted int64) string {
	usedText := sqlerr.Number(used) + " used"
	if partlyLate > 0 {
		usedText += fmt.Sprintf(" (%s of them partly late)", sqlerr.Number(partlyLate))
	}
	text := fmt.Sprintf("%s + %s filtered + %s late + %s bad, %s written",
		usedText, sqlerr.Number(filtered), sqlerr.Number(late), sqlerr.Number(bad), sqlerr.CountOf(written, "row"))
	if deleted > 0 {
		text += fmt.Sprintf(", %s deleted", sqlerr.Number(deleted))
	}
	return text
}

// open returns how many groups the state of the query still holds, and what they are.
func (j *job) open() (n int64, what string) {
	return exec.HeldRows(j.plan, j.query.StateProgress()), exec.HeldNoun(j.plan)
}

// openNote explains windows that are held at the end of the input: how many there are, and
// which event would let the next one out. "" if nothing waits for a watermark.
func (j *job) openNote() string {
	n, what := j.open()
	end, waits := j.query.NextClose()
	if n == 0 || !waits {
		return ""
	}
	verb := "stay"
	if n == 1 {
		verb = "stays"
	}
	note := fmt.Sprintf("query %q: %s %s open; the next one closes when the watermark reaches %s",
		j.row.Name, sqlerr.CountOf(n, what), verb, types.FormatTimestamp(end))
	if len(j.plan.Watermarks) != 1 {
		return note
	}
	w := j.plan.Watermarks[0]
	return note + fmt.Sprintf(", with an event of %s at %s or later", w.Relation, types.FormatTimestamp(end+w.DelayMicros))
}
