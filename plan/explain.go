package plan

import (
	"fmt"
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
		line("watermark %d: %q of %s, %s behind its latest value%s", w.ID, w.Column, w.Relation, durationText(w.DelayMicros)+w.delaysText(), w.limitsText())
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

// delaysText says what the delay of a watermark is made of, "" where EMIT adds nothing.
func (w *WatermarkDef) delaysText() string {
	if w.EmitMicros == 0 || w.EmitMicros == w.DelayMicros {
		return ""
	}
	return fmt.Sprintf(" (%s by the watermark + %s by EMIT WITH DELAY or GRACE PERIOD)", durationText(w.DelayMicros-w.EmitMicros), durationText(w.EmitMicros))
}

// lateness says how late a row may be altogether where two clauses say it.
func lateness(p *Plan) (out []string) {
	for _, w := range p.Watermarks {
		if text := w.delaysText(); text != "" {
			out = append(out, fmt.Sprintf("a row of %s may be %s late altogether%s", w.Relation, durationText(w.DelayMicros), text))
		}
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
			fmt.Fprintf(&e.out, "%s-> %s, as above\n", strings.Repeat("   ", depth), n.describe())
		}
		return
	}
	state := n.keeps(e.output.Mode)
	shown := e.kind != ExplainState || state != ""
	if shown {
		pad := strings.Repeat("   ", depth)
		fmt.Fprintf(&e.out, "%s-> %s\n", pad, n.describe())
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
