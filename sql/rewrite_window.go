package sql

import (
	"strings"
)

// windowParameter is one argument of a window function by its name in Flink.
type windowParameter struct {
	name     string
	optional bool
}

// windowFunctions are the window table functions with their arguments behind the
// relation and the time column, in order. HOP takes the slide first, as in Flink and
// RisingWave.
var windowFunctions = []struct {
	name   string
	kind   WindowKind
	params []windowParameter
}{
	{"CUMULATE", Cumulate, []windowParameter{{"STEP", false}, {"SIZE", false}, {"OFFSET", true}}},
	{"HOP", Hop, []windowParameter{{"SLIDE", false}, {"SIZE", false}, {"OFFSET", true}}},
	{"SESSION", Session, []windowParameter{{"GAP", false}}},
	{"TUMBLE", Tumble, []windowParameter{{"SIZE", false}, {"OFFSET", true}}},
}

// windowArgument is one argument behind the relation.
type windowArgument struct {
	name string // of a named argument, upper case
	e    Expr
	at   Span
}

// windowTable consumes TUMBLE, HOP, CUMULATE or SESSION in its own spelling, in
// RisingWave's and in Flink's, positional or named.
func (p *parser) windowTable() (TableExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	lo := p.pos
	word := p.take()
	w := &WindowRef{}
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	if err := p.windowInput(w); err != nil {
		return nil, err
	}
	var args []windowArgument
	for p.acceptOp(",") {
		if p.at("PARTITION", "BY") {
			if err := p.windowPartition(w); err != nil {
				return nil, err
			}
			continue
		}
		a, err := p.windowArgument()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	if err := p.expectOp(")"); err != nil {
		return nil, err
	}
	w.Span = p.spanFrom(lo)
	return w, p.bindWindow(w, word, args)
}

// windowInput consumes the relation: [DATA =>] [TABLE] rel [PARTITION BY (..)].
func (p *parser) windowInput(w *WindowRef) error {
	if p.at("DATA") && p.peek(1).isOp("=>") {
		p.take()
		p.take()
	}
	lo := p.pos
	ref, err := p.plainTable()
	if err != nil {
		return err
	}
	if w.Input, err = p.tableSuffixes(lo, ref); err != nil {
		return err
	}
	if p.at("PARTITION", "BY") {
		return p.windowPartition(w)
	}
	return nil
}

// windowPartition consumes PARTITION BY (a, b) or PARTITION BY a, b up to the end
// of the call.
func (p *parser) windowPartition(w *WindowRef) error {
	p.take()
	p.take()
	bracket := p.acceptOp("(")
	for {
		e, err := p.standaloneExpr()
		if err != nil {
			return err
		}
		w.PartitionBy = append(w.PartitionBy, e)
		// Without brackets the next argument of the window ends the list.
		if !p.cur().isOp(",") || !bracket && (p.peek(1).is("DESCRIPTOR") || p.peek(1).is("INTERVAL") || p.peek(2).isOp("=>")) {
			break
		}
		p.take()
	}
	if bracket {
		return p.expectOp(")")
	}
	return nil
}

// windowArgument consumes one argument: a duration, DESCRIPTOR(c) or an expression,
// with or without a name.
func (p *parser) windowArgument() (windowArgument, error) {
	var a windowArgument
	if p.cur().isName() && (p.peek(1).isOp("=>") || p.peek(1).isOp(":=")) {
		a.name = strings.ToUpper(p.take().ident().Name)
		p.take()
	}
	lo := p.pos
	var err error
	switch t := p.cur(); {
	case t.is("DESCRIPTOR") && p.peek(1).isOp("("):
		p.spelling(aliasTableWindow, lo)
		p.take()
		p.take()
		at := p.pos
		id, err := p.name("the name of a column")
		if err != nil {
			return a, err
		}
		a.e = &ColumnRef{Parts: []Ident{id}, Span: p.spanFrom(at)}
		if err := p.expectOp(")"); err != nil {
			return a, err
		}
	case t.kind == tokDuration, p.atDurationString():
		a.e, err = p.duration()
	default:
		a.e, err = p.standaloneExpr()
	}
	a.at = p.spanFrom(lo)
	return a, err
}

// atDurationString reports whether a whole argument at the cursor is a string.
func (p *parser) atDurationString() bool {
	return p.cur().kind == tokString && (p.peek(1).isOp(",") || p.peek(1).isOp(")"))
}

// bindWindow puts the arguments where they belong. The time column may be left out;
// an interval in its place is the first duration.
func (p *parser) bindWindow(w *WindowRef, word token, args []windowArgument) error {
	for _, f := range windowFunctions {
		if !word.is(f.name) {
			continue
		}
		w.Kind = f.kind
		params := f.params
		if len(args) == 0 || args[0].name == "" && !isDuration(args[0].e) || args[0].name == "TIMECOL" {
			params = append([]windowParameter{{"TIMECOL", true}}, params...)
		}
		for i, a := range args {
			name := a.name
			if name == "" {
				if i >= len(params) {
					return syntaxError(a.at, "%s has no argument %d behind the relation", f.name, i+1).
						WithHint("write %s", windowUsage(f.kind))
				}
				name = params[i].name
			}
			if !w.set(f.kind, name, a.e) {
				return syntaxError(a.at, "%s has no argument %s, or it is given twice", f.name, name).
					WithHint("write %s", windowUsage(f.kind))
			}
		}
		for _, param := range params {
			if !param.optional && w.argument(f.kind, param.name) == nil {
				return syntaxError(w.Span, "%s lacks its argument %s", f.name, param.name).
					WithHint("write %s", windowUsage(f.kind))
			}
		}
		return nil
	}
	return p.internal(p.pos, "no window is called %q", word.text)
}

func isDuration(e Expr) bool {
	_, ok := e.(*Interval)
	return ok
}

// field returns where an argument is held; nil when the kind has none of that name.
func (w *WindowRef) field(kind WindowKind, name string) *Expr {
	switch {
	case name == "TIMECOL":
		return &w.Time
	case name == "SIZE" && kind != Session, name == "GAP" && kind == Session:
		return &w.Size
	case name == "SLIDE" && kind == Hop, name == "STEP" && kind == Cumulate:
		return &w.Slide
	case name == "OFFSET" && kind != Session:
		return &w.Offset
	}
	return nil
}

func (w *WindowRef) argument(kind WindowKind, name string) Expr { return *w.field(kind, name) }

// set stores an argument; false when there is none of that name or it is taken.
func (w *WindowRef) set(kind WindowKind, name string, e Expr) bool {
	at := w.field(kind, name)
	if at == nil || *at != nil {
		return false
	}
	*at = e
	return true
}

func windowUsage(kind WindowKind) string {
	switch kind {
	case Hop:
		return "HOP(s, ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE): slide, then size"
	case Cumulate:
		return "CUMULATE(s, ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE): step, then size"
	case Session:
		return "SESSION(s, ts, INTERVAL '5' MINUTE): each key of GROUP BY has sessions of its own"
	}
	return "TUMBLE(s, ts, INTERVAL '5' MINUTE)"
}

// dedupTable consumes DEDUP(rel, KEY (a, b) [WITHIN WATERMARK]).
func (p *parser) dedupTable() (TableExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	lo := p.pos
	p.take()
	p.take()
	input, err := p.tableRef()
	if err != nil {
		return nil, err
	}
	d := &DedupRef{Input: input}
	if err := p.expectOp(","); err != nil {
		return nil, err
	}
	if err := p.expect("KEY"); err != nil {
		return nil, err
	}
	if d.Keys, err = p.nameList("the name of a column"); err != nil {
		return nil, err
	}
	p.acceptOp(",")
	if p.accept("WITHIN") {
		if err := p.expect("WATERMARK"); err != nil {
			return nil, err
		}
		d.Within = true
	}
	if err := p.expectOp(")"); err != nil {
		return nil, err
	}
	d.Span = p.spanFrom(lo)
	return d, nil
}
