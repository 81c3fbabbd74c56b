package plan

import (
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
)

// Verdict is whether a query may carry on from the checkpoint of an older definition.
type Verdict struct {
	Compatible bool
	Diffs      []Diff   // what forbids it; empty if Compatible
	Notices    []string // what changed and may change, each from the next new batch on
}

// Diff is one difference that the kept state cannot follow.
type Diff struct {
	Operator string // "aggregate", "join 2", or "" for the query as a whole
	What     string // "grouping keys", "window", ...
	Old, New string
	Advice   string
}

// codeIncompatible is the code of a definition that a checkpoint cannot follow.
const codeIncompatible = "E_CKPT_INCOMPATIBLE"

// Error returns the refusal of an incompatible definition; nil for a compatible one.
func (v *Verdict) Error() *sqlerr.Error {
	if v.Compatible {
		return nil
	}
	d := v.Diffs[0]
	err := sqlerr.New(codeIncompatible, "the query is not the one its checkpoint was made by: %s", d.text())
	if len(v.Diffs) > 1 {
		lines := make([]string, 0, len(v.Diffs)-1)
		for _, more := range v.Diffs[1:] {
			lines = append(lines, "Also "+more.text()+".")
		}
		err = err.WithDetail("%s", strings.Join(lines, "\n"))
	}
	return err.WithHint("%s", d.Advice)
}

func (d Diff) text() string {
	of := ""
	if d.Operator != "" {
		of = " of the " + d.Operator
	}
	return fmt.Sprintf("the %s%s: was %s, is now %s", d.What, of, orNone(d.Old), orNone(d.New))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// Advices, by what changed.
const (
	adviceState  = "start the new definition under another name (CREATE QUERY other AS ...), or forget what this one has kept: DROP QUERY, then create it again"
	adviceSink   = "write into another table, or add the column to a query of its own; the rows written so far have the old columns"
	adviceSource = "a checkpoint knows how far each of its sources was read; start the query under another name to read other ones; the same files in another place are ALTER STREAM s SET LOCATION 'path'"
	adviceMode   = "rows written so far follow the old mode; start the query under another name, into another table"
	adviceTarget = "the rows written so far are in the old table; start the query under another name, or with a checkpoint of its own"
	adviceOutput = "the outputs of a statement set share a checkpoint: start the new set under another name (CREATE QUERY other AS EXECUTE STATEMENT SET ...), or give the INSERT a query of its own"
)

// Compare says whether the definition of new may carry on with the state of old.
func Compare(old, new *Print) *Verdict {
	c := &comparer{parameters: old.Version > 2, bounds: old.Version > 3, named: old.named() && new.named()}
	if c.named {
		old, new = c.unions(old, new)
	}
	matched := c.outputs(old.Outputs, new.Outputs)
	if matched {
		for i := range old.Outputs {
			c.differ(c.label(old, i), "output mode", old.Outputs[i].Mode, new.Outputs[i].Mode, adviceMode)
		}
	}
	c.whole(old, new)
	if matched {
		for i := range old.Outputs {
			o, n, label := old.Outputs[i], new.Outputs[i], c.label(old, i)
			c.differ(label, "result columns", columnsLine(o.Columns), columnsLine(n.Columns), adviceSink)
			c.operators(label, o.Operators, n.Operators)
		}
	}
	c.notices(old, new)
	return &Verdict{Compatible: len(c.diffs) == 0, Diffs: c.diffs, Notices: c.notes}
}

type comparer struct {
	parameters bool // the old print has those of aggregates
	bounds     bool // the old print has those of joins
	named      bool // the sources of both have names: they may come and go
	diffs      []Diff
	notes      []string
}

func (c *comparer) differ(operator, what, old, new, advice string) {
	if old != new {
		c.diffs = append(c.diffs, Diff{operator, what, old, new, advice})
	}
}

// label names an output where there are several; "" for the only one.
func (c *comparer) label(p *Print, i int) string {
	if len(p.Outputs) < 2 {
		return ""
	}
	return fmt.Sprintf("output %q", p.Outputs[i].Target)
}

// outputs matches the outputs by their targets, and reports whether each has its match at
// its place, since the state is kept in that order.
func (c *comparer) outputs(old, new []PrintOutput) bool {
	if len(old) == 1 && len(new) == 1 {
		if old[0].Target != "" && !sameTarget(old[0].Target, new[0].Target) {
			c.differ("", "result table", old[0].Target, new[0].Target, adviceTarget)
		}
		return true
	}
	lacks := func(list []PrintOutput, target string) bool {
		return !slices.ContainsFunc(list, func(o PrintOutput) bool { return sameTarget(o.Target, target) })
	}
	before := len(c.diffs)
	for _, o := range old {
		if lacks(new, o.Target) {
			c.differ("", fmt.Sprintf("output %q", o.Target), "in "+o.Mode+" mode", "", adviceOutput)
		}
	}
	for _, n := range new {
		if lacks(old, n.Target) {
			c.differ("", fmt.Sprintf("output %q", n.Target), "", "in "+n.Mode+" mode", adviceOutput)
		}
	}
	if len(c.diffs) > before {
		return false
	}
	if len(old) == len(new) && !slices.EqualFunc(old, new, func(a, b PrintOutput) bool { return sameTarget(a.Target, b.Target) }) {
		c.differ("", "order of the outputs", targetsLine(old), targetsLine(new), "name the tables as before, with or without their schema")
		return false
	}
	return len(old) == len(new)
}

func targetsLine(list []PrintOutput) string {
	targets := make([]string, len(list))
	for i, o := range list {
		targets[i] = o.Target
	}
	return strings.Join(targets, ", ")
}

// sameTarget reports whether two names may be those of one table: a schema or database
// that only one of them has says nothing.
func sameTarget(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// whole compares what belongs to the query: sources and watermarks.
func (c *comparer) whole(old, new *Print) {
	sources := func(p *Print) string {
		var out []string
		for _, s := range p.Sources {
			out = append(out, s.Stream+" ("+s.ID+")")
		}
		return strings.Join(out, ", ")
	}
	if old.named() || new.named() {
		c.sources(old, new)
		return
	}
	c.differ("", "sources", sources(old), sources(new), adviceSource)
	watermarks := func(p *Print) string {
		var out []string
		for _, w := range p.Watermarks {
			out = append(out, w.Column)
		}
		return strings.Join(out, ", ")
	}
	c.differ("", "watermark columns", watermarks(old), watermarks(new), adviceState)
}

func columnsLine(cols []PrintColumn) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = c.Name + " " + c.Type
	}
	return strings.Join(parts, ", ")
}

// operators compares the stateful operators of an output in their order. label names the
// output, "" for the only one.
func (c *comparer) operators(label string, old, new []PrintOperator) {
	kinds := func(ops []PrintOperator) string {
		parts := make([]string, len(ops))
		for i, o := range ops {
			parts[i] = o.Kind
		}
		return strings.Join(parts, ", ")
	}
	if kinds(old) != kinds(new) {
		c.differ(label, "stateful operators", kinds(old), kinds(new), adviceState)
		return
	}
	for i := range old {
		name := old[i].Kind
		if len(old) > 1 {
			name = fmt.Sprintf("%s (operator %d)", name, i+1)
		}
		if label != "" {
			name += " of " + label
		}
		c.operator(name, old[i], new[i])
	}
}

func (c *comparer) operator(name string, old, new PrintOperator) {
	keys := map[string]string{"aggregate": "grouping keys", "join": "join keys"}[old.Kind]
	if keys == "" {
		keys = "keys"
	}
	c.differ(name, "window", old.Window.text(), new.Window.text(), adviceState)
	c.differ(name, keys, columnsLine(old.Keys), columnsLine(new.Keys), adviceState)
	c.differ(name, "grouping sets", old.Sets, new.Sets, adviceState)
	c.differ(name, "aggregates", columnsLine(old.Aggregates), columnsLine(new.Aggregates), adviceState)
	if c.parameters {
		c.differ(name, "parameters", strings.Join(old.Parameters, ", "), strings.Join(new.Parameters, ", "), adviceState)
	}
	c.differ(name, "type", old.Join, new.Join, adviceState)
	c.differ(name, "condition", strings.Join(old.Condition, " AND "), strings.Join(new.Condition, " AND "), adviceState)
	bounds := strings.Join(old.Bounds, ", ")
	if !c.bounds && len(new.Bounds) > 0 {
		bounds = "by the times in the keys (an older version of ssql)"
	}
	c.differ(name, "time bounds", bounds, strings.Join(new.Bounds, ", "), adviceState)
	c.differ(name, "kept columns", columnsLine(old.Kept), columnsLine(new.Kept), adviceState)
	c.differ(name, "order", old.Order, new.Order, adviceState)
	within := map[bool]string{true: "within the watermark", false: "for ever"}
	c.differ(name, "memory of keys", within[old.Within], within[new.Within], adviceState)
	if !c.named || len(old.Watermarks) == 0 || len(new.Watermarks) == 0 {
		c.differ(name, "watermarks", strings.Join(old.Watermarks, ", "), strings.Join(new.Watermarks, ", "), adviceState)
	}
}

func (w *PrintWindow) text() string {
	if w == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %s over %s", w.Kind, durationText(w.SizeMicros), w.Over)
	if w.Gap != "" {
		text = fmt.Sprintf("%s with gap %s over %s", w.Kind, w.Gap, w.Over)
	}
	if w.SlideMicros != 0 && w.SlideMicros != w.SizeMicros {
		text += " every " + durationText(w.SlideMicros)
	}
	if w.OffsetMicros != 0 {
		text += " offset " + durationText(w.OffsetMicros)
	}
	return text
}

// notices says what changed and may change.
func (c *comparer) notices(old, new *Print) {
	for i, w := range old.Watermarks {
		n := new.watermark(i, w)
		if n != nil && n.Column == w.Column && n.DelayMicros != w.DelayMicros {
			c.notes = append(c.notes, fmt.Sprintf("the delay of the watermark on %s is now %s, was %s; the watermark never moves back", w.Column,
				durationText(n.DelayMicros), durationText(w.DelayMicros)))
		}
	}
	for i, s := range old.Sources {
		if n := new.source(i, s); n != nil && n.Options != s.Options {
			c.notes = append(c.notes, fmt.Sprintf("stream %q is now read %s, was read %s", n.Stream, optionsOrNone(n.Options), optionsOrNone(s.Options)))
		}
	}
	if old.Policy != new.Policy {
		c.notes = append(c.notes, fmt.Sprintf("the watermark of several inputs is now the %s, was the %s", new.Policy, old.Policy))
	}
	if old.ANSI != new.ANSI {
		c.notes = append(c.notes, map[bool]string{
			true:  "a division by zero is now an error, was infinity or NULL",
			false: "a division by zero is now infinity or NULL, was an error",
		}[new.ANSI])
	}
	for i := range min(len(old.Outputs), len(new.Outputs)) {
		label := c.label(new, i)
		if label != "" {
			label += ": "
		}
		c.stateless(label, old.Outputs[i].Stateless, new.Outputs[i].Stateless)
	}
}

// stateless says how the conditions and computed columns of an output changed.
func (c *comparer) stateless(label string, old, new []string) {
	gone, added := difference(old, new), difference(new, old)
	for i := 0; i < max(len(gone), len(added)); i++ {
		switch {
		case i >= len(gone):
			c.notes = append(c.notes, label+"new: "+added[i])
		case i >= len(added):
			c.notes = append(c.notes, label+"no longer: "+gone[i])
		default:
			c.notes = append(c.notes, fmt.Sprintf("%s%s, was %s", label, added[i], gone[i]))
		}
	}
}

// difference returns the lines of a that b lacks, each as often as it lacks it.
func difference(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var out []string
	for _, s := range a {
		if left[s] > 0 {
			left[s]--
			continue
		}
		out = append(out, s)
	}
	return out
}
