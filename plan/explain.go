package plan

import (
	"fmt"
	"slices"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// ExplainKind is what EXPLAIN shows.
type ExplainKind uint8

// The kinds.
const (
	// ExplainFull is the tree with the state of every node, and the columns where they change.
	ExplainFull ExplainKind = iota
	// ExplainLogical is the tree with its columns.
	ExplainLogical
	// ExplainState lists what is kept and when it leaves.
	ExplainState
)

// Explain describes a plan: the output mode of each output and why, the watermarks, and
// the trees, the result first. The text is for people; nothing may parse it.
func Explain(p *Plan, kind ExplainKind) string {
	e := &explainer{kind: kind}
	for _, line := range headLines(p) {
		e.out.WriteString(line + "\n")
	}
	for _, o := range p.Outputs {
		if e.output = o; len(p.Outputs) > 1 {
			e.out.WriteString(o.Target + ":\n")
		}
		e.stateful = false
		e.node(o.Root, 0)
		if kind == ExplainState && !e.stateful {
			e.out.WriteString("no state is kept\n")
		}
	}
	return e.out.String()
}

// headLines say what holds for a whole plan: output modes and why, and the watermarks.
func headLines(p *Plan) []string {
	var out []string
	line := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, o := range p.Outputs {
		of := ""
		if len(p.Outputs) > 1 {
			of = o.Target + ": "
		}
		line("%soutput mode %s: %s", of, o.Mode, modeReason(o))
	}
	for _, w := range p.Watermarks {
		line("watermark %d: %q of %s, %s behind its latest value%s", w.ID, w.Column, w.Relation, durationText(w.DelayMicros), w.limitsText())
	}
	if len(p.Watermarks) > 1 {
		words := map[Policy]string{MinPolicy: "the slowest", MaxPolicy: "the fastest"}
		line("watermark of the query: that of %s input", words[p.Policy])
	}
	if micros := p.TimeoutMicros(); micros > 0 {
		line("what is open is closed when nothing comes for %s (EMIT ... TIMEOUT)", durationText(micros))
	}
	return out
}

// modeReason says what the output mode means for this result.
func modeReason(o *Output) string {
	a, aggregated := findNode[*Aggregate](o.Root)
	_, ranked := findNode[*TopN](o.Root)
	switch {
	case ranked && o.Mode == types.Update:
		return "the first rows of a key come out again whenever they change"
	case ranked:
		return "the first rows of a key come out once, when they are final"
	case !aggregated && o.Mode == types.Complete:
		return "the whole result in every batch"
	case !aggregated:
		return "every row of the result is new and stays"
	case o.Mode == types.Update:
		return "a group comes out again whenever it changes"
	case o.Mode == types.Complete:
		return "all groups come out in every batch, and none is ever removed"
	case a.Window != nil || hasWindowKey(a):
		return "a group comes out once, when the watermark has reached the end of its window"
	}
	return "a group comes out once, when the watermark has reached its event time"
}

type explainer struct {
	output   *Output // whose tree is shown
	kind     ExplainKind
	out      strings.Builder
	stateful bool
	shared   int // the Number of the last Shared that was shown
}

func (e *explainer) node(n Node, depth int) {
	if e.repeats(n) {
		if e.kind != ExplainState {
			fmt.Fprintf(&e.out, "%s-> %s, as above\n", strings.Repeat("   ", depth), describe(n))
		}
		return
	}
	state := e.state(n)
	shown := e.kind != ExplainState || state != ""
	if shown {
		pad := strings.Repeat("   ", depth)
		fmt.Fprintf(&e.out, "%s-> %s\n", pad, describe(n))
		if e.kind != ExplainState {
			for _, line := range columnLines(n, depth == 0) {
				fmt.Fprintf(&e.out, "%s   %s\n", pad, line)
			}
		}
		if state != "" && e.kind != ExplainLogical {
			fmt.Fprintf(&e.out, "%s   state: %s\n", pad, state)
			e.stateful = true
		}
		depth++
	}
	for _, in := range n.Inputs() {
		e.node(in, depth)
	}
}

// repeats reports whether a node is one that was shown at another place.
func (e *explainer) repeats(n Node) bool {
	s, ok := n.(*Shared)
	if !ok {
		return false
	}
	again := s.Number <= e.shared
	e.shared = max(e.shared, s.Number)
	return again
}

// columnLines say what the columns of a node are: all of them for the result and for what
// is read, else those that the inputs do not have so. Of a watermark its line says which.
func columnLines(n Node, all bool) []string {
	if all || len(n.Inputs()) == 0 {
		return []string{"columns: " + strings.Join(columnTexts(n.Columns()), ", ")}
	}
	if _, ok := n.(*Watermark); ok {
		return nil
	}
	names, texts := map[string]bool{}, map[string]bool{}
	for _, in := range n.Inputs() {
		for i, text := range columnTexts(in.Columns()) {
			names[in.Columns()[i].Name], texts[text] = true, true
		}
	}
	var added, changed []string
	for i, text := range columnTexts(n.Columns()) {
		switch {
		case texts[text]:
		case names[n.Columns()[i].Name]:
			changed = append(changed, text)
		default:
			added = append(added, text)
		}
	}
	var lines []string
	if len(added) > 0 {
		lines = append(lines, "new columns: "+strings.Join(added, ", "))
	}
	if len(changed) > 0 {
		lines = append(lines, "changed columns: "+strings.Join(changed, ", "))
	}
	return lines
}

func columnTexts(cols []Column) []string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = c.Name + " " + c.Type.String()
		if !c.Nullable {
			parts[i] += " NOT NULL"
		}
		parts[i] += markText(c.Mark)
	}
	return parts
}

// partNames are the parts of event time in words.
var partNames = [...]string{Instant: "event time", WindowStart: "window start", WindowEnd: "window end", WindowTime: "event time", WindowStruct: "window"}

// markText says what a column is to the watermark.
func markText(m *Mark) string {
	if m == nil {
		return ""
	}
	what := partNames[m.Part]
	if m.Watermark == nil {
		return " <" + what + ", no watermark>"
	}
	return fmt.Sprintf(" <%s, watermark %d>", what, m.Watermark.ID)
}

// describe is a node on one line.
func describe(n Node) string {
	switch n := n.(type) {
	case *Scan:
		return "Scan " + n.Stream + readingText(n.Reading)
	case *StaticScan:
		return "Table " + describeTable(n)
	case *Watermark:
		return fmt.Sprintf("Watermark %d on %s", n.Def.ID, n.Cols[n.Index].Name)
	case *Filter:
		return "Filter " + expr.Readable(n.Cond)
	case *Project:
		if n.Computed && slices.ContainsFunc(n.Exprs, expr.CanFail) {
			return "Project " + projectText(n) + "; a row for which that fails is a bad row"
		}
		return "Project " + projectText(n)
	case *WindowAssign:
		return "Window " + specText(n.Spec, n.Time)
	case *Aggregate:
		return "Aggregate " + aggregateText(n)
	case *Dedup:
		return "Deduplicate by " + namesOf(n.Input.Columns(), n.Keys)
	case *Join:
		return n.describe()
	case *AsOf:
		return n.describe()
	case *Union:
		return "Union"
	case *Sort:
		return "Sort by " + sortText(n.Keys)
	case *Limit:
		return fmt.Sprintf("Limit %d", n.Count)
	case *Expand:
		return fmt.Sprintf("Expand to %d grouping sets of %s", len(n.Sets), exprList(n.Keys, expr.Readable))
	case *TopN:
		text := fmt.Sprintf("First %d by %s for each %s", n.Count, sortText(n.Order), exprList(n.Keys, expr.Readable))
		if n.Change != nil {
			text += ", old rows taken back"
		}
		return text
	case *Changes:
		return n.describe()
	case *Unnest:
		return "Unnest " + expr.Readable(n.List)
	case *Shared:
		return fmt.Sprintf("Shared rows %d", n.Number)
	}
	return fmt.Sprintf("%T", n)
}

func (n *Changes) describe() string {
	text := "Changes"
	if n.Whole {
		text = "Result, deleted where it is no more,"
	}
	if len(n.Keys) > 0 {
		text += " by " + exprList(n.Keys, expr.Readable)
	}
	if n.Live != nil {
		text += " where " + expr.Readable(n.Live)
	}
	return text
}

func describeTable(n *StaticScan) string { return n.Table + ", as it is at the start of each batch" }

func projectText(n *Project) string {
	parts := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		parts[i] = expr.Readable(e)
		if name := n.Cols[i].Name; parts[i] != name {
			parts[i] += " AS " + name
		}
	}
	return strings.Join(parts, ", ")
}

// specText is a window over a time: "tumble(ts, 5 minutes)".
func specText(w *WindowSpec, time expr.Expr) string {
	parts := []string{columnName(time)}
	switch {
	case w.Kind == Session && w.Gap != nil:
		parts = append(parts, "gap "+expr.Readable(w.Gap))
	case w.Kind == Session:
		parts = append(parts, "gap "+durationText(w.SizeMicros))
	default:
		parts = append(parts, "size "+durationText(w.SizeMicros))
	}
	switch w.Kind {
	case Hop:
		parts = append(parts, "slide "+durationText(w.SlideMicros))
	case Cumulate:
		parts = append(parts, "step "+durationText(w.SlideMicros))
	}
	if w.OffsetMicros != 0 {
		parts = append(parts, "offset "+durationText(w.OffsetMicros))
	}
	return w.Kind.String() + "(" + strings.Join(parts, ", ") + ")"
}

func aggregateText(n *Aggregate) string {
	var keys []string
	if n.Window != nil {
		keys = append(keys, specText(n.Window, n.Time))
	}
	for _, k := range n.Keys {
		keys = append(keys, expr.Readable(k))
	}
	calls := make([]string, len(n.Aggs))
	for i, a := range n.Aggs {
		calls[i] = a.Label
	}
	text := strings.Join(calls, ", ")
	if len(keys) > 0 {
		text = strings.TrimSpace(text + " by " + strings.Join(keys, ", "))
	}
	if n.Change != nil {
		text += ", old rows taken back"
	}
	return text
}

func namesOf(cols []Column, indexes []int) string {
	parts := make([]string, len(indexes))
	for i, k := range indexes {
		parts[i] = cols[k].Name
	}
	return strings.Join(parts, ", ")
}

func sortText(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = expr.Readable(k.Expr)
		if k.Desc {
			parts[i] += " DESC"
		}
		if k.NullsFirst == k.Desc {
			parts[i] += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
	}
	return strings.Join(parts, ", ")
}

// describe shows kind and condition of a join.
func (n *Join) describe() string {
	text := [...]string{Inner: "Inner join", LeftOuter: "Left join", RightOuter: "Right join", FullOuter: "Full join",
		LeftSemi: "Semi join", LeftAnti: "Anti join"}[n.Kind]
	if n.Static {
		text += " with a table"
	}
	left, right := sided(0, "left."), sided(0, "right.")
	both := sided(len(n.Left.Columns()), "right.")
	var parts []string
	for i := range n.LeftKeys {
		op := " = "
		if n.NullSafe[i] {
			op = " <=> "
		}
		parts = append(parts, conditionText(n.LeftKeys[i], left)+op+conditionText(n.RightKeys[i], right))
	}
	if n.LeftFilter != nil {
		parts = append(parts, conditionText(n.LeftFilter, left))
	}
	if n.RightFilter != nil {
		parts = append(parts, conditionText(n.RightFilter, right))
	}
	if n.Residual != nil {
		parts = append(parts, conditionText(n.Residual, both))
	}
	if len(parts) == 0 {
		return text
	}
	return text + " on " + strings.Join(parts, " AND ")
}

// sided names columns by their side: those before the first with left, the others with
// prefix.
func sided(first int, prefix string) func(*expr.Column) string {
	return func(c *expr.Column) string {
		if c.Index < first {
			return "left." + c.Name
		}
		return prefix + c.Name
	}
}

// conditionText is one condition of a join for people, with columns named by a function.
func conditionText(e expr.Expr, name func(*expr.Column) string) string {
	return expr.ReadableConjunct(named(e, name))
}

// named is an expression with columns named by a function.
func named(e expr.Expr, name func(*expr.Column) string) expr.Expr {
	return moved(e, func(c *expr.Column) expr.Expr {
		return &expr.Column{Index: c.Index, Name: name(c), T: c.T, Null: c.Null}
	})
}
