package plan

import (
	"ssql/plan/expr"
	"ssql/sql/types"
)

// windowKey takes the parts of one window out of the group expressions and makes
// them the first two keys, start and end; the other expressions are returned.
// Whichever parts GROUP BY names, all are known above: `GROUP BY window_start` is
// enough.
func (g *grouping) windowKey(x *exprBinder, items []value) ([]value, error) {
	var first *value
	for i := range items {
		if isWindowPart(items[i].mark) {
			first = &items[i]
			break
		}
	}
	if first == nil {
		return items, nil
	}
	var rest []value
	var named []value
	for _, v := range items {
		if isWindowPart(v.mark) && sameWindow(v.mark, first.mark) {
			named = append(named, v)
		} else {
			rest = append(rest, v)
		}
	}
	w := &windowParts{g: g, x: x, mark: first.mark}
	w.collect(named)
	if err := w.complete(); err != nil {
		return nil, err
	}
	return rest, w.register()
}

// isWindowPart reports whether a mark is of a window, with or without watermark.
func isWindowPart(m *Mark) bool { return m != nil && m.Part != Instant }

// sameWindow reports whether two marks are of the same window of the same rows.
func sameWindow(a, b *Mark) bool { return a.Watermark == b.Watermark && a.Window == b.Window }

// windowParts gathers how the parts of a window can be reached below an aggregation.
type windowParts struct {
	g          *grouping
	x          *exprBinder
	mark       *Mark
	start, end expr.Expr
	structs    []expr.Expr // columns that hold the window as a struct
	times      []expr.Expr
	starts     []expr.Expr // every expression that is the start, and so on
	ends       []expr.Expr
}

// collect sorts the named parts, and the columns of the same window beside them, by
// what they are.
func (w *windowParts) collect(named []value) {
	add := func(v value) {
		switch v.mark.Part {
		case WindowStart:
			w.starts = append(w.starts, v.Expr)
		case WindowEnd:
			w.ends = append(w.ends, v.Expr)
		case WindowTime:
			w.times = append(w.times, v.Expr)
		case WindowStruct:
			w.structs = append(w.structs, v.Expr)
		}
	}
	for _, v := range named {
		add(v)
	}
	for i, c := range w.g.rows.node.Columns() {
		if isWindowPart(c.Mark) && sameWindow(c.Mark, w.mark) {
			add(value{Expr: ref(w.g.rows.node, i), mark: c.Mark})
		}
	}
}

// complete finds start and end, from one another if need be.
func (w *windowParts) complete() error {
	span := w.g.agg.Span
	for _, s := range w.structs {
		start, err := expr.BindField(s, "start", span)
		if err != nil {
			return err
		}
		end, err := expr.BindField(s, "end", span)
		if err != nil {
			return err
		}
		w.starts, w.ends = append(w.starts, start), append(w.ends, end)
		t, err := minusMicro(end, span)
		if err != nil {
			return err
		}
		w.times = append(w.times, t)
	}
	fixed := w.mark.Window != nil && (w.mark.Window.Kind == Tumble || w.mark.Window.Kind == Hop)
	var err error
	if len(w.ends) == 0 && len(w.times) > 0 {
		w.end, err = plusMicros(w.times[0], 1, span)
	} else if len(w.ends) == 0 && fixed {
		w.end, err = plusMicros(w.starts[0], w.mark.Window.SizeMicros, span)
	} else if len(w.ends) > 0 {
		w.end = w.ends[0]
	}
	if err != nil {
		return err
	}
	if len(w.starts) > 0 {
		w.start = w.starts[0]
	} else if fixed {
		w.start, err = plusMicros(w.end, -w.mark.Window.SizeMicros, span)
	}
	return err
}

func plusMicros(e expr.Expr, micros int64, span Span) (expr.Expr, error) {
	return expr.BindBinary("+", e, expr.NewLiteral(types.Of(types.IntervalKind), types.Interval{Micros: micros}), span)
}

// register adds the keys and says what each part is above the aggregation.
func (w *windowParts) register() error {
	g, span := w.g, w.g.agg.Span
	add := func(e expr.Expr, name string, p Part) value {
		m := w.mark.part(p)
		index := len(g.agg.Keys)
		g.agg.Keys = append(g.agg.Keys, e)
		g.agg.Cols = append(g.agg.Cols, Column{Field: types.Field{Name: name, Type: e.Type(), Nullable: true}, Mark: m})
		return value{Expr: &expr.Column{Index: index, Name: name, T: e.Type(), Null: true}, mark: m}
	}
	var start, end value
	if w.start != nil {
		start = add(w.start, "window_start", WindowStart)
	}
	if w.end != nil {
		end = add(w.end, "window_end", WindowEnd)
		if w.mark.closes() {
			g.agg.EventKey, g.agg.Mark = len(g.agg.Keys)-1, end.mark
		}
	}
	for _, e := range w.starts {
		g.results[exprKey(e)] = start
	}
	for _, e := range w.ends {
		g.results[exprKey(e)] = end
	}
	if w.end == nil {
		return nil
	}
	t, err := minusMicro(end.Expr, span)
	if err != nil {
		return err
	}
	for _, e := range w.times {
		g.results[exprKey(e)] = value{Expr: t, mark: w.mark.part(WindowTime)}
	}
	if w.start == nil {
		return nil
	}
	return w.registerStruct(start, end)
}

// registerStruct makes the window as a struct known, also under the name that a call
// of window() has in the block.
func (w *windowParts) registerStruct(start, end value) error {
	s, err := expr.BindStruct([]string{"start", "end"}, []expr.Expr{start.Expr, end.Expr})
	if err != nil {
		return err
	}
	mark := w.mark.part(WindowStruct)
	for _, a := range w.g.rows.windows {
		below, err := w.x.windowStruct(a.call)
		if err != nil {
			return err
		}
		if sameWindow(below.mark, w.mark) {
			w.g.results[exprKey(below.Expr)] = value{Expr: s, mark: mark}
		}
	}
	for _, e := range w.structs {
		if _, ok := w.g.results[exprKey(e)]; ok {
			continue
		}
		// A struct column can be NULL, behind an outer join; so is the group's then.
		null, err := expr.BindIsTest(end.Expr, "NULL", false, Span{})
		if err != nil {
			return err
		}
		v, err := expr.BindCase(nil, []expr.Expr{null}, []expr.Expr{expr.NewLiteral(s.Type(), nil)}, s, w.g.agg.Span)
		if err != nil {
			return err
		}
		w.g.results[exprKey(e)] = value{Expr: v, mark: mark}
	}
	return nil
}
