package session

import (
	"fmt"
	"slices"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/plan"
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
	return heldRows(j.plan, j.query.StateProgress()), heldNoun(j.plan)
}

// heldRows counts what the operators of a plan hold. Of a statement set some of whose
// outputs wait for the watermark, what the others keep is no matter of waiting.
func heldRows(p *plan.Plan, operators []exec.OperatorProgress) int64 {
	waits := map[string]bool{}
	for _, o := range p.Outputs {
		waits[o.Target] = o.Mode == types.Append
	}
	n := int64(0)
	for _, o := range operators {
		if o.Output == "" || waits[o.Output] || !p.HoldsBack() {
			n += o.NumRowsTotal
		}
	}
	return n
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

// heldNoun is what the state of a plan consists of: windows, where nothing but the window
// is a key, rows, where nothing is grouped, or groups.
func heldNoun(p *plan.Plan) string {
	noun := ""
	for _, o := range p.Outputs {
		if p.HoldsBack() && o.Mode != types.Append {
			continue // see heldRows
		}
		held := "row"
		if onlyWindows(o.Root) {
			held = "window"
		} else if hasAggregate(o.Root) {
			held = "group"
		}
		if noun != "" && noun != held {
			return "group" // of both kinds
		}
		noun = held
	}
	return noun
}

func hasAggregate(n plan.Node) bool {
	if _, ok := n.(*plan.Aggregate); ok {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), hasAggregate)
}

// onlyWindows reports whether the groups of a tree are its windows.
func onlyWindows(root plan.Node) bool {
	windows := false
	var visit func(n plan.Node) bool
	visit = func(n plan.Node) bool {
		switch n := n.(type) {
		case *plan.Aggregate:
			if n.Window == nil || len(n.Keys) > 0 {
				return false
			}
			windows = true
		case *plan.Dedup, *plan.Join:
			return false
		}
		for _, in := range n.Inputs() {
			if !visit(in) {
				return false
			}
		}
		return true
	}
	return visit(root) && windows
}
