package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
)

// ExplainKind is what EXPLAIN shows.
type ExplainKind uint8

// The kinds.
const (
	// ExplainFull is the tree with the columns, the event time and the state of every node.
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
	case ranked && o.Mode == Update:
		return "the first rows of a key come out again whenever they change"
	case ranked:
		return "the first rows of a key come out once, when they are final"
	case !aggregated && o.Mode == Complete:
		return "the whole result in every batch"
	case !aggregated:
		return "every row of the result is new and stays"
	case o.Mode == Update:
		return "a group comes out again whenever it changes"
	case o.Mode == Complete:
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
			fmt.Fprintf(&e.out, "%s   columns: %s\n", pad, columnsText(n.Columns()))
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

func columnsText(cols []Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = c.Name + " " + c.Type.String()
		if !c.Nullable {
			parts[i] += " NOT NULL"
		}
		parts[i] += markText(c.Mark)
	}
	return strings.Join(parts, ", ")
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
		return "Scan " + n.Stream
	case *StaticScan:
		return "Table " + describeTable(n)
	case *Watermark:
		return fmt.Sprintf("Watermark %d on %s", n.Def.ID, n.Cols[n.Index].Name)
	case *Filter:
		return "Filter " + plainText(n.Cond.String())
	case *Project:
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
		return fmt.Sprintf("Expand to %d grouping sets of %s", len(n.Sets), exprsText(n.Keys))
	case *TopN:
		text := fmt.Sprintf("First %d by %s for each %s", n.Count, sortText(n.Order), exprsText(n.Keys))
		if n.Change != nil {
			text += ", old rows taken back"
		}
		return text
	case *Changes:
		return n.describe()
	case *Unnest:
		return "Unnest " + plainText(n.List.String())
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
		text += " by " + exprsText(n.Keys)
	}
	if n.Live != nil {
		text += " where " + plainText(n.Live.String())
	}
	return text
}

func describeTable(n *StaticScan) string { return n.Table + ", as it is at the start of each batch" }

func projectText(n *Project) string {
	parts := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		parts[i] = n.Cols[i].Name
		if c, ok := e.(*expr.Column); !ok || c.Name != n.Cols[i].Name {
			parts[i] += " = " + plainText(e.String())
		}
	}
	return strings.Join(parts, ", ")
}

// specText is a window over a time: "tumble(ts, 5 minutes)".
func specText(w *WindowSpec, time expr.Expr) string {
	parts := []string{columnName(time)}
	switch {
	case w.Kind == Session && w.Gap != nil:
		parts = append(parts, "gap "+plainText(w.Gap.String()))
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
		keys = append(keys, plainText(k.String()))
	}
	calls := make([]string, len(n.Aggs))
	for i, a := range n.Aggs {
		calls[i] = plainText(a.Text)
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

func exprsText(list []expr.Expr) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = plainText(e.String())
	}
	return strings.Join(parts, ", ")
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
		parts[i] = plainText(k.Expr.String())
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
		parts = append(parts, exprText(n.LeftKeys[i], left)+op+exprText(n.RightKeys[i], right))
	}
	if n.LeftFilter != nil {
		parts = append(parts, exprText(n.LeftFilter, left))
	}
	if n.RightFilter != nil {
		parts = append(parts, exprText(n.RightFilter, right))
	}
	if n.Residual != nil {
		parts = append(parts, exprText(n.Residual, both))
	}
	if len(parts) == 0 {
		return text
	}
	return text + " on " + strings.Join(parts, " and ")
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

// exprText is an expression for people, with columns named by a function.
func exprText(e expr.Expr, name func(*expr.Column) string) string {
	return plainText(moved(e, func(c *expr.Column) expr.Expr {
		return &expr.Column{Index: c.Index, Name: name(c), T: c.T, Null: c.Null}
	}).String())
}
