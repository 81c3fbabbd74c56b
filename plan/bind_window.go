package plan

import (
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// windowArgs is a window as written, in whatever spelling.
type windowArgs struct {
	kind                WindowKind
	time                sql.Expr // nil: the only watermark column
	size, slide, offset sql.Expr // size is the gap of a session
	name                string   // as the user called it, for messages
	input               string   // the first argument of a table function, for messages; "" of window(...)
	slideFirst          bool     // Flink's order of arguments: slide, then size
	span                Span
}

// windowCall is a bound window. The columns of WindowAssign start at column first of
// the scope's node once it is assigned.
type windowCall struct {
	spec  *WindowSpec
	time  value
	first int
	span  Span
}

// windowName is one function that means a window, or a part of the window of the
// block it stands in.
type windowName struct {
	kind       WindowKind
	slideFirst bool
	part       Part
	alias      string // what the window is called as a column
}

// windowNames are the spellings of windows in expressions: Spark's, and the group
// windows that Flink had before its table functions.
var windowNames = map[string]windowName{
	"window":           {Tumble, false, WindowStruct, "window"},
	"session_window":   {Session, false, WindowStruct, "session_window"},
	"tumble":           {Tumble, true, WindowStruct, "window"},
	"hop":              {Hop, true, WindowStruct, "window"},
	"cumulate":         {Cumulate, true, WindowStruct, "window"},
	"session":          {Session, true, WindowStruct, "window"},
	"tumble_start":     {Tumble, true, WindowStart, ""},
	"tumble_end":       {Tumble, true, WindowEnd, ""},
	"tumble_rowtime":   {Tumble, true, WindowTime, ""},
	"hop_start":        {Hop, true, WindowStart, ""},
	"hop_end":          {Hop, true, WindowEnd, ""},
	"hop_rowtime":      {Hop, true, WindowTime, ""},
	"cumulate_start":   {Cumulate, true, WindowStart, ""},
	"cumulate_end":     {Cumulate, true, WindowEnd, ""},
	"cumulate_rowtime": {Cumulate, true, WindowTime, ""},
	"session_start":    {Session, true, WindowStart, ""},
	"session_end":      {Session, true, WindowEnd, ""},
	"session_rowtime":  {Session, true, WindowTime, ""},
}

func isWindowCall(name string) bool { _, ok := windowNames[name]; return ok }

// callArgs sorts the arguments of a window call by meaning. Without a time argument
// (Arroyo's tumble(interval)) the first one is already a duration.
func callArgs(e *sql.Call, span Span) (*windowArgs, error) {
	name := strings.ToLower(e.Name.Name)
	w := windowNames[name]
	out := &windowArgs{kind: w.kind, name: e.Name.Name, slideFirst: w.slideFirst, span: span}
	args := e.Args
	if len(args) > 0 && !isDuration(args[0]) {
		out.time, args = args[0], args[1:]
	}
	want := map[WindowKind]int{Tumble: 1, Hop: 2, Cumulate: 2, Session: 1}[w.kind]
	most := want + 1 // an offset
	if name == "window" {
		most = 3
	} else if w.kind == Session {
		most = 1
	}
	if len(args) < want || len(args) > most {
		return nil, sqlerr.At(span, codeWindowArgs, "%s takes a time column and %s", e.Name.Name, argumentWords(name, w)).
			WithHint("for example %s", exampleCall(name, w))
	}
	switch {
	case name == "window" && len(args) > 1:
		// Spark slides a window by giving its second duration.
		out.kind = Hop
		out.size, out.slide = args[0], args[1]
		if len(args) > 2 {
			out.offset = args[2]
		}
	case want == 2:
		out.slide, out.size = args[0], args[1]
		if len(args) > 2 {
			out.offset = args[2]
		}
	default:
		out.size = args[0]
		if len(args) > 1 {
			out.offset = args[1]
		}
	}
	return out, nil
}

func argumentWords(name string, w windowName) string {
	switch {
	case name == "window":
		return "a size, and optionally a slide and an offset"
	case w.kind == Session:
		return "a gap"
	case w.kind == Tumble:
		return "a size, and optionally an offset"
	}
	return "a slide and a size, and optionally an offset"
}

func exampleCall(name string, w windowName) string {
	switch {
	case name == "window":
		return "window(ts, '10 minutes')"
	case w.kind == Session, w.kind == Tumble:
		return name + "(ts, INTERVAL '10' MINUTE)"
	}
	return name + "(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"
}

// bindWindow binds a window over a scope.
func (x *exprBinder) bindWindow(w *windowArgs) (*windowCall, error) {
	t, err := x.windowInstant(w)
	if err != nil {
		return nil, err
	}
	spec, err := x.windowSpec(w)
	if err != nil {
		return nil, err
	}
	return &windowCall{spec: spec, time: t, first: -1, span: w.span}, nil
}

// windowInstant returns the instant that decides which window a row falls in. A
// window over a window column is over its last microsecond (docs/SEMANTICS.md, Windows).
func (x *exprBinder) windowInstant(w *windowArgs) (value, error) {
	if w.time == nil {
		return x.onlyEventTime(w)
	}
	t, err := x.bind(w.time)
	if err != nil {
		return value{}, err
	}
	if t.mark != nil && t.mark.Part == WindowStruct {
		return x.lastInstant(t, x.b.at(w.time.Pos()))
	}
	if t.kind() != types.Timestamp {
		return value{}, x.notTimestamp(w, t)
	}
	return t, nil
}

// notTimestamp refuses a window over something that is no instant, with the column
// definition that would make it one.
func (x *exprBinder) notTimestamp(w *windowArgs, t value) error {
	text, name := w.name, "x"
	if c, ok := w.time.(*sql.ColumnRef); ok {
		name = dotted(c.Parts)
		text = name
	}
	err := sqlerr.At(x.b.at(w.time.Pos()), codeWindowTime, "a window needs a TIMESTAMP, but %q is %s", text, t.Expr.Type())
	for _, c := range x.scope.cols {
		if c.Mark.isEventTime() && c.Type.Kind == types.Timestamp {
			return err.WithHint("the event time is %s: write %s", c.Name, w.call(sql.IdentText(c.Name), w.slide, w.size))
		}
	}
	return err.WithHint("declare a column in CREATE STREAM and use it: %s", eventTimeColumn(name, t.kind()))
}

// onlyEventTime is the time of a window that names none.
func (x *exprBinder) onlyEventTime(w *windowArgs) (value, error) {
	var found []scopeColumn
	for _, c := range x.scope.cols {
		if c.Mark.isEventTime() && c.Type.Kind == types.Timestamp {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0].value(), nil
	case 0:
		return value{}, sqlerr.At(w.span, codeWindowArgs, "%s names no time column, and no column here has a watermark", w.name).
			WithHint("name the column: %s, or declare WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE in CREATE STREAM", w.withTime(x.scope))
	}
	return value{}, sqlerr.At(w.span, codeWindowArgs, "%s names no time column, and both %q and %q have a watermark", w.name,
		qualifiedName(found[0].Column), qualifiedName(found[1].Column)).WithHint("name the column that the window is over")
}

// windowSpec checks the durations of a window.
func (x *exprBinder) windowSpec(w *windowArgs) (*WindowSpec, error) {
	if w.kind == Session {
		return x.sessionSpec(w)
	}
	size, err := x.duration(w.size, "size")
	if err != nil {
		return nil, err
	}
	spec := &WindowSpec{Kind: w.kind, SizeMicros: size, SlideMicros: size}
	if w.slide != nil {
		if spec.SlideMicros, err = x.duration(w.slide, "slide"); err != nil {
			return nil, err
		}
	}
	if w.offset != nil {
		if spec.OffsetMicros, err = x.duration(w.offset, "offset"); err != nil {
			return nil, err
		}
	}
	if err := x.checkSpec(w, spec); err != nil {
		return nil, err
	}
	if err := x.checkWindows(w, spec); err != nil {
		return nil, err
	}
	if spec.Kind == Hop && spec.SlideMicros == spec.SizeMicros {
		spec.Kind = Tumble
	}
	return spec, nil
}

func (x *exprBinder) checkSpec(w *windowArgs, spec *WindowSpec) error {
	step := map[WindowKind]string{Hop: "slide", Cumulate: "step"}[w.kind]
	switch {
	case spec.SizeMicros <= 0:
		return sqlerr.At(x.b.at(w.size.Pos()), codeWindowRange, "the size of a window must be positive, found %s", durationText(spec.SizeMicros))
	case spec.SlideMicros <= 0:
		return sqlerr.At(x.b.at(w.slide.Pos()), codeWindowRange, "the %s of a window must be positive, found %s", step, durationText(spec.SlideMicros))
	case spec.SlideMicros > spec.SizeMicros:
		return x.longSlide(w, spec, step)
	case w.kind == Cumulate && spec.SizeMicros%spec.SlideMicros != 0:
		return sqlerr.At(x.b.at(w.size.Pos()), codeWindowRelation, "the size of CUMULATE must be a multiple of its step, found %s and %s",
			durationText(spec.SizeMicros), durationText(spec.SlideMicros))
	case spec.OffsetMicros >= spec.SlideMicros || spec.OffsetMicros <= -spec.SlideMicros:
		return sqlerr.At(x.b.at(w.offset.Pos()), codeWindowRelation, "the offset of a window must be shorter than %s, found %s",
			durationText(spec.SlideMicros), durationText(spec.OffsetMicros)).
			WithHint("windows repeat every %s, so an offset of %s is the same as %s", durationText(spec.SlideMicros),
				durationText(spec.OffsetMicros), durationText(spec.OffsetMicros%spec.SlideMicros))
	}
	return nil
}

// longSlide refuses a slide longer than the size. Engines disagree on the order of
// the two, so the likely cause is that they were swapped.
func (x *exprBinder) longSlide(w *windowArgs, spec *WindowSpec, step string) error {
	return sqlerr.At(x.b.at(w.slide.Pos()), codeWindowRelation, "the %s of %s is longer than the window: %s > %s",
		step, w.name, durationText(spec.SlideMicros), durationText(spec.SizeMicros)).
		WithHint("did you swap the two? write %s", w.swapped())
}

// sessionSpec binds the gap of a session: a constant, or an expression of type
// INTERVAL or text that is an interval.
func (x *exprBinder) sessionSpec(w *windowArgs) (*WindowSpec, error) {
	if w.offset != nil {
		return nil, sqlerr.At(x.b.at(w.offset.Pos()), codeWindowArgs, "a session window has a gap only, no offset")
	}
	if isDuration(w.size) {
		gap, err := x.duration(w.size, "gap")
		if err != nil {
			return nil, err
		}
		if gap <= 0 {
			return nil, sqlerr.At(x.b.at(w.size.Pos()), codeWindowRange, "the gap of a session must be positive, found %s", durationText(gap))
		}
		return &WindowSpec{Kind: Session, SizeMicros: gap}, nil
	}
	gap, err := x.scalar(w.size)
	if err != nil {
		return nil, err
	}
	switch gap.Type().Kind {
	case types.IntervalKind:
	case types.Varchar:
		if gap, err = expr.BindCast(gap, types.Of(types.IntervalKind), false, x.b.at(w.size.Pos())); err != nil {
			return nil, err
		}
	default:
		return nil, sqlerr.At(x.b.at(w.size.Pos()), codeWindowArgs, "the gap of a session must be an INTERVAL, found %s", gap.Type())
	}
	return &WindowSpec{Kind: Session, Gap: gap}, nil
}

// lastInstant returns the last microsecond of a window column: end - 1 µs.
func (x *exprBinder) lastInstant(w value, span Span) (value, error) {
	end, err := expr.BindField(w.Expr, "end", span)
	if err != nil {
		return value{}, err
	}
	t, err := minusMicro(end, span)
	return value{Expr: t, mark: w.mark.part(WindowTime)}, err
}

func minusMicro(e expr.Expr, span Span) (expr.Expr, error) {
	return expr.BindBinary("-", e, expr.NewLiteral(types.Of(types.IntervalKind), types.Interval{Micros: 1}), span)
}

// windowTime binds window_time(w).
func (x *exprBinder) windowTime(e *sql.Call) (value, error) {
	if c, ok := e.Args[0].(*sql.ColumnRef); ok && len(c.Parts) == 1 && x.group == nil {
		if found, _ := x.scope.find(c.Parts); len(found) == 0 {
			if w := x.scope.window(c.Parts[0].Name); w != nil {
				return x.windowPart(w, WindowTime), nil
			}
		}
	}
	v, err := x.bind(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if v.mark == nil || v.mark.Part != WindowStruct {
		return value{}, sqlerr.At(x.b.at(e.Args[0].Pos()), codeWindowArgs, "window_time needs a window column, found %s", v.Expr.Type()).
			WithHint("give it the column that window(...) or session_window(...) made")
	}
	return x.lastInstant(v, x.b.at(e.Span))
}

// windowValue binds a call of a window function where the block has assigned that
// window already.
func (x *exprBinder) windowValue(e *sql.Call) (value, error) {
	args, err := callArgs(e, x.b.at(e.Span))
	if err != nil {
		return value{}, err
	}
	if x.rows && len(x.scope.windows) == 0 {
		return value{}, sqlerr.At(args.span, codeMisplaced, "%s may not stand in %s", e.Name.Name, x.clause).
			WithHint("select it in a sub-query, and put the condition around that: SELECT * FROM (SELECT *, %s AS w FROM s) WHERE w.start > now()", sql.ExprText(e))
	}
	w, err := x.bindWindow(args)
	if err != nil {
		return value{}, err
	}
	part := windowNames[strings.ToLower(e.Name.Name)].part
	for _, a := range x.scope.windows {
		if !a.call.spec.equal(w.spec) || exprKey(a.call.time.Expr) != exprKey(w.time.Expr) {
			continue
		}
		if part == WindowStruct {
			return x.windowStruct(a.call)
		}
		return x.windowPart(a.call, part), nil
	}
	return value{}, sqlerr.At(args.span, codeMisplaced, "%s is not the window of the GROUP BY", e.Name.Name).
		WithHint("write the same window in GROUP BY and in the select list, or use `window`, `window.start` and `window.end`")
}

// windowPart returns one of the columns that WindowAssign made.
func (x *exprBinder) windowPart(w *windowCall, p Part) value {
	index := w.first + int(p-WindowStart)
	c := x.scope.node.Columns()[index]
	return value{Expr: &expr.Column{Index: index, Name: c.Name, T: c.Type, Null: c.Nullable}, mark: c.Mark}
}

// windowStruct returns Spark's struct window{start, end}.
func (x *exprBinder) windowStruct(w *windowCall) (value, error) {
	start, end := x.windowPart(w, WindowStart), x.windowPart(w, WindowEnd)
	s, err := expr.BindStruct([]string{"start", "end"}, []expr.Expr{start.Expr, end.Expr})
	if err != nil {
		return value{}, err
	}
	return value{Expr: s, mark: start.mark.part(WindowStruct), window: w}, nil
}

// aliasOf returns what the window of a call is known as beside it: `window` or
// `session_window`.
func aliasOf(e *sql.Call) string { return windowNames[strings.ToLower(e.Name.Name)].alias }
