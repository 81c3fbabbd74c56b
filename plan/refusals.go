package plan

import (
	"fmt"
	"strings"

	"ssql/sql/types"
)

// watermarkAbove returns the watermark between the root and a node; nil without.
func watermarkAbove(n, target Node) *WatermarkDef {
	for _, in := range n.Inputs() {
		if w, ok := n.(*Watermark); ok && contains(in, target) {
			return w.Def
		}
		if w := watermarkAbove(in, target); w != nil {
			return w
		}
	}
	return nil
}

func contains(n, target Node) bool {
	if n == target {
		return true
	}
	for _, in := range n.Inputs() {
		if contains(in, target) {
			return true
		}
	}
	return false
}

// watermarkAgain finds a watermark over rows that have one. Over an aggregation it
// comes too late: the aggregation closes its groups by the watermark below it.
func watermarkAgain(_ *checker, n Node) *fault {
	w, ok := n.(*Watermark)
	if !ok {
		return nil
	}
	if a, ok := findNode[*Aggregate](w.Input); ok {
		return &fault{w.Def.Span, fmt.Sprintf("the watermark on %q stands behind the aggregation, which must see it", w.Def.Column),
			watermarkHint(a.Input)}
	}
	if below, ok := findNode[*Watermark](w.Input); ok {
		return &fault{w.Def.Span, fmt.Sprintf("the rows have a watermark already, on %q of %s", below.Def.Column, below.Def.Relation),
			"leave out one of the two"}
	}
	return nil
}

// eventTimes returns one column for each different event time of a node. The parts of
// one window are one event time.
func eventTimes(n Node) []Column {
	var out []Column
	for _, c := range n.Columns() {
		if !c.Mark.isEventTime() {
			continue
		}
		known := false
		for _, have := range out {
			known = known || sameWindow(have.Mark, c.Mark)
		}
		if !known {
			out = append(out, c)
		}
	}
	return out
}

// twoEventTimes finds a deduplication or a side of a join with two event times: which
// of them decides what is late?
func twoEventTimes(_ *checker, n Node) *fault {
	var inputs []Node
	switch n := n.(type) {
	case *Dedup:
		inputs = n.Inputs()
	case *Join:
		if n.Static {
			return nil
		}
		inputs = n.Inputs()
	case *AsOf:
		if n.Static {
			return nil
		}
		inputs = n.Inputs()
	case *Aggregate:
		return twoEventKeys(n)
	}
	for _, in := range inputs {
		if t := eventTimes(in); len(t) > 1 {
			a, b := qualifiedName(t[0]), qualifiedName(t[1])
			return &fault{spanOf(n), fmt.Sprintf("two event times reach this operator, %q and %q", a, b),
				fmt.Sprintf("leave one of them out of the sub-query below, or make it an ordinary column: CAST(%s AS VARCHAR)", t[1].Name)}
		}
	}
	return nil
}

// twoEventKeys finds a grouping by two event times.
func twoEventKeys(a *Aggregate) *fault {
	var names []string
	if a.Window != nil && a.Mark != nil {
		names = append(names, "the window")
	}
	for i, k := range a.Keys {
		m := a.Cols[len(a.Cols)-len(a.Aggs)-len(a.Keys)+i].Mark
		if m.isEventTime() || m.closes() && m.Part == WindowEnd {
			names = append(names, fmt.Sprintf("%q", columnName(k)))
		}
	}
	if len(names) < 2 {
		return nil
	}
	return &fault{a.Span, fmt.Sprintf("the groups have two event times, %s and %s", names[0], names[1]), "group by one of them"}
}

func sessionUngrouped(_ *checker, n Node) *fault {
	w, ok := n.(*WindowAssign)
	if !ok || w.Spec.Kind != Session {
		return nil
	}
	if len(w.PartitionBy) > 0 {
		return &fault{w.Span, "the aggregation over this SESSION must group by window_start, window_end and its PARTITION BY columns, and use the window for nothing else",
			"GROUP BY window_start, window_end, " + keysText(w.PartitionBy)}
	}
	return &fault{w.Span, "a session is known when it is over, so it only exists in an aggregation that groups by it",
		"group by the window and by whose session it is: GROUP BY window_start, window_end, " + sessionKey(w)}
}

func sessionGlobal(_ *checker, n Node) *fault {
	a, ok := n.(*Aggregate)
	if !ok || a.Window == nil || a.Window.Kind != Session || len(a.Keys) > 0 {
		return nil
	}
	return &fault{a.Span, "a session needs a key: whose session is it?", "add the key to GROUP BY, such as a user or a device"}
}

// statefulAfter finds an operator whose input are groups that change: it would drop
// the later versions as late, or count every version.
func statefulAfter(c *checker, n Node) *fault {
	var kind string
	switch n := n.(type) {
	case *Aggregate:
		kind = "aggregation"
	case *Dedup:
		if n.EventKey < 0 && !n.Within {
			return nil
		}
		kind = "deduplication"
	case *TopN:
		kind = "ROW_NUMBER()"
	default:
		return nil
	}
	below := c.changing(n.Inputs()[0])
	if below == nil {
		return nil
	}
	what := "aggregation"
	if _, ok := below.(*TopN); ok {
		what = "ROW_NUMBER()"
	}
	hint := "use EMIT ON WINDOW CLOSE (append mode), in which groups come once and final; or write the inner query to a table and query that"
	if _, ok := overChanges(n, c.output.Mode); ok && !c.output.retraction {
		hint += "; or SET retraction = 'on', which takes the old rows back"
	}
	return &fault{spanOf(n), fmt.Sprintf("in %s mode the rows of the %s below change, and this %s cannot take a row back", c.output.Mode, what, kind), hint}
}

func sessionUpdate(c *checker, n Node) *fault {
	a, ok := n.(*Aggregate)
	if !ok || a.Window == nil || a.Window.Kind != Session || c.output.Mode != types.Update {
		return nil
	}
	return &fault{a.Span, "sessions have no update mode: a row may join two sessions that came out already",
		"use append mode, in which a session comes out when it is over, or complete mode"}
}

// neverFinal finds an aggregation in append mode whose groups could change for ever.
func neverFinal(c *checker, n Node) *fault {
	a, ok := n.(*Aggregate)
	if !ok || c.output.Mode != types.Append || a.Mark.closes() {
		return nil
	}
	l := lostEventTime(a)
	if w := watermarkAbove(c.output.Root, a); w != nil {
		l.why = fmt.Sprintf("the watermark on %q stands behind the aggregation, which cannot see it", w.Column)
	}
	return &fault{a.Span, "in append mode a group comes out once, when it is final, and " + l.why, l.hint}
}

// externalOpen finds an aggregate that DuckDB folds, which needs all rows of a group at once,
// over groups that are shown before all their rows are there, or kept for ever.
func externalOpen(c *checker, n Node) *fault {
	a, ok := n.(*Aggregate)
	if !ok || c.output.Mode == types.Append && a.Mark.closes() {
		return nil
	}
	for _, call := range a.Aggs {
		if call.External == "" {
			continue
		}
		text := fmt.Sprintf("%s(...) is DuckDB's, which needs all rows of a group at once, and ", call.External)
		if a.Mark.closes() {
			return &fault{call.Span, text + fmt.Sprintf("in %s mode a group comes out before they are there", c.output.Mode),
				"use EMIT ON WINDOW CLOSE (SET output_mode = 'append'), or an aggregate that runs in ssql itself (SHOW FUNCTIONS lists them)"}
		}
		return &fault{call.Span, text + "these groups never close", windowHint(a)}
	}
	return nil
}

// windowHint says how the groups of an aggregation would close.
func windowHint(a *Aggregate) string {
	for _, c := range a.visible {
		if c.Mark.isEventTime() {
			return fmt.Sprintf("group by a window over the event time: GROUP BY window(%s, '5 minutes'), ...", c.Name)
		}
	}
	if w, ok := findNode[*Watermark](a.Input); ok {
		return lostHint(a.Input, w)
	}
	return watermarkHint(a.Input) + ", and group by a window over it"
}

// distinctUnbounded finds DISTINCT in an aggregate of groups that stay for ever: every
// value ever seen would have to be kept (D9: exact, bounded by the window).
func distinctUnbounded(c *checker, n Node) *fault {
	a, ok := n.(*Aggregate)
	if !ok || c.output.Mode == types.Complete || a.Mark.closes() {
		return nil
	}
	for _, call := range a.Aggs {
		if call.Distinct {
			return &fault{a.Span, fmt.Sprintf("%s would have to keep every value for ever, for its groups never close", call.Label),
				"group by a window of an event time with a watermark, or use approx_count_distinct(...)"}
		}
	}
	return nil
}

func withinWithout(_ *checker, n Node) *fault {
	d, ok := n.(*Dedup)
	if !ok || !d.Within || d.EventTime >= 0 {
		return nil
	}
	return &fault{d.Span, "WITHIN WATERMARK needs a watermark on the input of the deduplication", watermarkHint(d.Input)}
}

func dedupComplete(c *checker, n Node) *fault {
	d, ok := n.(*Dedup)
	if !ok || c.output.Mode != types.Complete {
		return nil
	}
	if c.aboveIs(c.output.Root, d, false) {
		return nil
	}
	return &fault{d.Span, "complete mode needs an aggregation above the deduplication", "leave out EMIT COMPLETE (SET output_mode = 'append')"}
}

// aboveIs reports whether an aggregation stands between the root and target.
func (c *checker) aboveIs(n, target Node, seen bool) bool {
	if n == target {
		return seen
	}
	_, is := n.(*Aggregate)
	for _, in := range n.Inputs() {
		if c.aboveIs(in, target, seen || is) {
			return true
		}
	}
	return false
}

// rankUnlimited finds a row number of all rows of a key: one new row changes all behind
// it.
func rankUnlimited(_ *checker, n Node) *fault {
	t, ok := n.(*TopN)
	if !ok || t.Count >= 0 {
		return nil
	}
	return &fault{t.Span, "the number of a row changes with every row before it, so ROW_NUMBER() needs a limit",
		fmt.Sprintf("compare it with a constant, here or around the sub-query: QUALIFY %s <= 10", t.numberText())}
}

func topNNeverFinal(c *checker, n Node) *fault {
	t, ok := n.(*TopN)
	if !ok || c.output.Mode != types.Append || t.ByTime || t.EventKey >= 0 {
		return nil
	}
	hint := "use EMIT ON UPDATE, in which the rows of a key come again when they change"
	if times := eventColumns(t.Input); len(times) > 0 {
		name := t.Input.Columns()[times[0]].Name
		hint += fmt.Sprintf("; or keep the earliest row by event time: QUALIFY row_number() OVER (PARTITION BY %s ORDER BY %s) = 1; or partition by a window over %s too", keysText(t.Keys), name, name)
	} else {
		hint += "; or " + watermarkHint(t.Input) + " and order by it"
	}
	return &fault{t.Span, "in append mode a row comes out once, when it is final, and a better row for the same key could always come", hint}
}

func topNComplete(c *checker, n Node) *fault {
	t, ok := n.(*TopN)
	if !ok || c.output.Mode != types.Complete {
		return nil
	}
	return &fault{t.Span, "ROW_NUMBER() has no complete mode", "use EMIT ON UPDATE, in which the rows of a key come again when they change"}
}

func sortRefused(c *checker, n Node) *fault {
	s, ok := n.(*Sort)
	if !ok {
		return nil
	}
	_, aggregated := findNode[*Aggregate](s.Input)
	if aggregated && c.output.Mode == types.Complete {
		return nil
	}
	f := &fault{s.Span, "ORDER BY needs the whole result, which a stream never has", "write the result to a table and sort when you read it: SELECT * FROM t ORDER BY ..."}
	if aggregated {
		f.text = fmt.Sprintf("ORDER BY needs the whole result, and %s mode gives it in parts", c.output.Mode)
		f.hint = "use EMIT COMPLETE (SET output_mode = 'complete'), or sort when you read the table"
	}
	return f
}

func limitUpdate(c *checker, n Node) *fault {
	l, ok := n.(*Limit)
	if !ok || c.output.Mode != types.Update {
		return nil
	}
	return &fault{l.Span, "LIMIT has no update mode: a row that came out could not be taken back when another takes its place",
		"use EMIT ON WINDOW CLOSE (append mode), in which the first rows ever come; or write the result to a table and limit when you read it"}
}

func offsetRefused(_ *checker, n Node) *fault {
	l, ok := n.(*Limit)
	if !ok || l.Offset == 0 {
		return nil
	}
	return &fault{l.Span, "OFFSET has no streaming form: rows that were left out once would have to come later", "write the result to a table and select from that"}
}

// lost says why an aggregation sees no event time, and what to do.
type lost struct{ why, hint string }

// lostEventTime follows the event time from the streams up to an aggregation.
func lostEventTime(a *Aggregate) lost {
	w, ok := findNode[*Watermark](a.Input)
	if !ok {
		return lost{"no watermark says when that is", fixes(a.Input)}
	}
	on := fmt.Sprintf("%q", w.Def.Column)
	name := ""
	for _, c := range a.visible {
		if name == "" && c.Mark.isEventTime() {
			name = c.Name
		}
	}
	if name == "" {
		return lost{fmt.Sprintf("the watermark is on %s, which does not reach the aggregation", on), lostHint(a.Input, w)}
	}
	if a.Time != nil || hasWindowKey(a) {
		return lost{fmt.Sprintf("the watermark is on %q, but the window is over %s", name, timeText(a)),
			fmt.Sprintf("group by a window over %s: window(%s, '5 minutes')", name, name)}
	}
	return lost{fmt.Sprintf("no group key has event time: the watermark is on %q", name),
		fmt.Sprintf("group by a window too: GROUP BY window(%s, '5 minutes'), ...; or use EMIT ON UPDATE, in which groups come again when they change", name)}
}

func hasWindowKey(a *Aggregate) bool {
	for _, c := range a.Cols[:len(a.Cols)-len(a.Aggs)] {
		if isWindowPart(c.Mark) {
			return true
		}
	}
	return false
}

func timeText(a *Aggregate) string {
	if a.Time != nil {
		return strings.Trim(a.Time.String(), `"`)
	}
	if w, ok := findNode[*WindowAssign](a.Input); ok {
		return strings.Trim(w.Time.String(), `"`)
	}
	return "another column"
}

// lostHint says at which node the event time went.
func lostHint(n Node, w *Watermark) string {
	for {
		ins := n.Inputs()
		if len(ins) != 1 {
			break
		}
		if p, ok := n.(*Project); ok && len(eventColumns(p)) == 0 && len(eventColumns(p.Input)) > 0 {
			at := eventColumns(p.Input)[0]
			name := p.Input.Columns()[at].Name
			for i, e := range p.Exprs {
				for _, used := range columnsOf(e) {
					if used == at && isWindowPart(p.Cols[i].Mark) {
						return fmt.Sprintf("the start and the end of a window are ordinary timestamps: use window_time(%s), the last instant of the window", name)
					}
					if used == at {
						return fmt.Sprintf("column %q is computed from %q and no longer event time: pass %s on as it is (a rename keeps it) and compute from it outside",
							p.Cols[i].Name, name, name)
					}
				}
			}
			return fmt.Sprintf("the sub-query leaves %q out: add it to its select list", name)
		}
		if a, ok := n.(*Aggregate); ok && !a.Mark.closes() {
			return "the aggregation below has no event time among its keys either: group it by a window"
		}
		n = ins[0]
	}
	return fmt.Sprintf("pass %q on through every sub-query, and group by a window over it", w.Def.Column)
}

// fixes are the three ways to give an aggregation an answer.
func fixes(n Node) string {
	return watermarkHint(n) + ", and group by a window over it; or use EMIT ON UPDATE, in which groups come again when they change; or EMIT COMPLETE, in which the whole result comes again"
}

// watermarkHint is the declaration that a stream below n lacks.
func watermarkHint(n Node) string {
	s, ok := findNode[*Scan](n)
	if !ok {
		return "declare a watermark on the stream: WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE"
	}
	column := "event_time"
	for _, c := range n.Columns() {
		if c.Type.Kind == types.Timestamp {
			column = c.Name
			break
		}
	}
	for _, f := range s.stored {
		if f.Type.Kind == types.Timestamp {
			column = f.Name
			break
		}
	}
	return fmt.Sprintf("declare a watermark in CREATE STREAM %s: WATERMARK FOR %s AS %s - INTERVAL '10' MINUTE", s.Stream, column, column)
}
