package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// The checks of this file look at what is held back and at what came out.

// checkState looks at what the operators hold, and at what it waits for.
func (x *Examination) checkState() []Finding {
	n, held := x.open()
	if x.Plan == nil || x.past.newest == nil || n == 0 && x.past.closed == 0 {
		return nil
	}
	f := Finding{Check: "state", Found: sqlerr.CountOf(n, held) + " open"}
	if x.past.closed > 0 {
		f.Found += ", " + sqlerr.Number(x.past.closed) + " closed"
	}
	next := x.past.newest.NextClose
	switch {
	case x.life.rowsOut == 0 && x.noGroupPasses(n):
		f.Verdict = "groups are complete and none of them comes out: HAVING, or a condition over the aggregation, leaves none"
		f.Fixes = []string{"leave HAVING out to see the groups"}
	case n == 0 || !x.Plan.HoldsBack():
	case !next.IsZero():
		f.Found += "; the next comes out when the watermark reaches " + timeText(next.UnixMicro())
		f.Verdict, f.Fixes = x.waiting(n, held)
	case x.hasStreamJoin():
		f.Verdict, f.Fixes = x.unmatched(n)
	}
	return []Finding{f}
}

// waiting is the verdict for results that wait for the watermark.
func (x *Examination) waiting(n int64, held string) (verdict string, fixes []string) {
	where := "which has not moved yet"
	if at, moved := x.watermark(); moved {
		where = fmt.Sprintf("which is at %s since %s", timeText(at), x.past.moved.at())
	}
	next := x.past.newest.NextClose.UnixMicro()
	verdict = fmt.Sprintf("%s for the watermark, %s; the next comes out when it reaches %s", countWaits(n, held), where, timeText(next))
	name, then := sql.IdentText(x.Row.Name), ""
	if !x.Running && !x.Held {
		then = ", then START QUERY " + name
		fixes = []string{"SET end_of_input = 'flush', then START QUERY " + name + ", if nothing else comes: what is open comes out"}
	}
	fixes = append([]string{"it takes " + x.closingEvent(next) + then}, fixes...)
	fixes = append(fixes, x.smallerDelays()...)
	fixes = append(fixes,
		"EMIT ON WINDOW CLOSE TIMEOUT INTERVAL '1' MINUTE in the query: what is open closes when nothing comes for so long")
	if x.aggregates() {
		fixes = append(fixes, "EMIT ON UPDATE in the query, which shows results before they are final")
	}
	return verdict, fixes
}

// isStream reports whether a relation of the plan is a stream that it reads.
func (x *Examination) isStream(relation string) bool {
	return slices.ContainsFunc(x.Plan.Sources, func(s plan.SourceRef) bool { return strings.EqualFold(s.Stream, relation) })
}

// smallerDelays are the statements that let results out earlier, by half of each delay.
func (x *Examination) smallerDelays() []string {
	var out []string
	for _, w := range x.Plan.Watermarks {
		half := w.DelayMicros / 2
		switch {
		case half == 0:
		case x.isStream(w.Relation):
			out = append(out, fmt.Sprintf("ALTER STREAM %s SET WATERMARK FOR %s AS %[2]s - INTERVAL '%s', if rows do not come so late",
				sql.IdentText(w.Relation), sql.IdentText(w.Column), plan.DurationText(half)))
		default:
			out = append(out, fmt.Sprintf("a smaller delay in WATERMARK %s DELAY OF INTERVAL '%s' of the query, if rows do not come so late", sql.IdentText(w.Column), plan.DurationText(half)))
		}
	}
	return out
}

// countWaits is the subject of a sentence with its verb: 2 windows wait.
func countWaits(n int64, held string) string {
	if n == 1 {
		return sqlerr.CountOf(n, held) + " waits"
	}
	return sqlerr.CountOf(n, held) + " wait"
}

func (x *Examination) aggregates() bool {
	return x.planHas(func(n plan.Node) bool { _, ok := n.(*plan.Aggregate); return ok })
}

func (x *Examination) hasStreamJoin() bool {
	return x.planHas(func(n plan.Node) bool { j, ok := n.(*plan.Join); return ok && !j.Static })
}

// unmatched is the verdict for rows of a join that have found no partner.
func (x *Examination) unmatched(n int64) (verdict string, fixes []string) {
	if x.life.rowsOut > 0 {
		return "", nil
	}
	verdict = sqlerr.CountOf(n, "row") + " of the join wait for a partner, and no pair has matched so far"
	if n == 1 {
		verdict = "1 row of the join waits for a partner, and no pair has matched so far"
	}
	if apart := x.hoursApart(); apart != "" {
		fixes = append(fixes, apart)
	}
	fixes = append(fixes, "compare the keys of both sides: their case, blanks and types")
	for _, in := range x.inputs {
		fixes = append(fixes, "PEEK "+sql.IdentText(in.name))
	}
	return verdict, fixes
}

// checkOutput says where the rows are that came out, or why none can.
func (x *Examination) checkOutput() []Finding {
	if x.life.rowsRead == 0 {
		return nil
	}
	var out []Finding
	for i := range x.outputs {
		out = append(out, x.outputFinding(&x.outputs[i]))
	}
	return out
}

// outputFinding looks at one output.
func (x *Examination) outputFinding(o *outputSight) Finding {
	f := Finding{Check: "output" + o.of, Found: sqlerr.CountOf(o.life.rowsOut, "row") + " written, in mode " + o.mode}
	if o.life.rowsOut == 0 {
		f.Found = "no row so far, in mode " + o.mode
		f.Verdict, f.Fixes = x.droppedBehind()
		return f
	}
	if !o.table {
		f.Verdict = fmt.Sprintf("nothing stands in the way: %s written to sink %s", sqlerr.CountOf(o.life.rowsOut, "row"), o.target)
		return f
	}
	f.Found += fmt.Sprintf("; table %s has %s now", o.target, sqlerr.CountOf(o.stored, "row"))
	switch {
	case x.limitReached():
		f.Verdict = "LIMIT is reached: no more rows come out"
	case o.stored == 0 && o.mode == types.Append.String():
		f.Verdict = fmt.Sprintf("table %s is empty although rows were written: it was emptied or made anew", o.target)
		f.Fixes = []string{"RESET QUERY " + sql.IdentText(x.Row.Name) + " TRUNCATE OUTPUT FORCE, which computes all of it again"}
	default:
		f.Verdict = fmt.Sprintf("nothing stands in the way: SELECT * FROM %s shows %s", o.target, sqlerr.CountOf(o.stored, "row"))
	}
	return f
}

// noGroupPasses reports whether groups are complete of a query that has given no row.
func (x *Examination) noGroupPasses(open int64) bool {
	if !x.aggregates() || len(x.past.newest.StateOperators) != 1 {
		return false
	}
	return x.past.closed > 0 || open > 0 && !x.Plan.HoldsBack()
}

// droppedBehind is the verdict for rows that were used and gave no result.
func (x *Examination) droppedBehind() (verdict string, fixes []string) {
	table := ""
	x.planHas(func(n plan.Node) bool {
		if t, ok := n.(*plan.StaticScan); ok {
			table = t.Table
		}
		return table != ""
	})
	switch {
	case table != "":
		return "no row has a match in the table that the query joins",
			[]string{"compare the keys of PEEK " + x.firstStream() + " with those of " + table}
	case x.hasStreamJoin():
		return "no pair of rows has matched, and rows that can match no more are forgotten",
			[]string{"compare the keys and the times of both sides", "a wider range of times in ON, or a longer delay of the watermarks"}
	}
	return "", nil
}

// limitReached reports whether a LIMIT of the query lets nothing more out.
func (x *Examination) limitReached() bool {
	return x.Plan != nil && x.Plan.HoldsBack() && x.planHas(func(n plan.Node) bool {
		l, ok := n.(*plan.Limit)
		return ok && x.life.rowsOut >= l.Count
	})
}
