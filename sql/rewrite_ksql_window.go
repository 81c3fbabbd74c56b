package sql

import "strings"

// ksqlWindowAhead reports whether the block at the cursor has ksqlDB's clause
// WINDOW TUMBLING (..), which changes what GROUP BY and WINDOWSTART mean.
func (p *parser) ksqlWindowAhead() bool {
	for i := p.pos; i < len(p.toks)-1; i++ {
		switch t := p.toks[i]; {
		case t.opensBracket():
			i = p.matching(i)
		case t.closesBracket(), t.is("UNION"), t.is("INTERSECT"), t.is("QUALIFY"), t.isOp(";"):
			return false
		case t.is("WINDOW") && isKsqlWindow(p.toks[i+1]) && p.toks[i+2].isOp("("):
			return true
		}
	}
	return false
}

func isKsqlWindow(t token) bool { return t.is("TUMBLING") || t.is("HOPPING") || t.is("SESSION") }

// windowBound returns the column that ksqlDB's WINDOWSTART or WINDOWEND at pos stands
// for.
func (p *parser) windowBound(pos int) (string, bool) {
	t := p.toks[pos]
	if !t.is("WINDOWSTART") && !t.is("WINDOWEND") {
		return "", false
	}
	for r := p.rewrite; r != nil; r = r.block {
		if r.ksqlWindow {
			return map[bool]string{true: "window_start", false: "window_end"}[t.is("WINDOWSTART")], true
		}
	}
	return "", false
}

// windowSuffix consumes ksqlDB's WINDOW TUMBLING (SIZE 5 MINUTES), HOPPING (SIZE ..,
// ADVANCE BY ..) and SESSION (5 MINUTES) behind a relation. GRACE PERIOD is the delay
// that EMIT adds to the watermark.
func (p *parser) windowSuffix(lo int, ref TableExpr) (TableExpr, error) {
	at := p.pos
	p.take()
	word := p.take()
	w := &WindowRef{Input: ref, suffix: true}
	if t, ok := ref.(*TableRef); ok { // FROM s x WINDOW ..: the alias names the whole
		w.Alias, t.Alias = t.Alias, nil
	}
	switch {
	case word.is("TUMBLING"):
		w.Kind = Tumble
	case word.is("HOPPING"):
		w.Kind = Hop
	case word.is("SESSION"):
		w.Kind = Session
	default:
		p.pos--
		return nil, p.unexpected("TUMBLING, HOPPING or SESSION")
	}
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	for {
		if err := p.windowProperty(w); err != nil {
			return nil, err
		}
		if !p.acceptOp(",") {
			break
		}
	}
	if err := p.expectOp(")"); err != nil {
		return nil, err
	}
	w.Span = p.spanFrom(lo)
	if w.Size == nil || w.Kind == Hop && w.Slide == nil {
		return nil, syntaxError(w.Span, "WINDOW %s lacks SIZE or ADVANCE BY", strings.ToUpper(word.text))
	}
	p.spelling(map[WindowKind]aliasID{Tumble: aliasKsqlTumbling, Hop: aliasKsqlHopping, Session: aliasKsqlSession}[w.Kind], at)
	return w, nil
}

// windowProperty consumes one of SIZE d, ADVANCE BY d, RETENTION d, GRACE PERIOD d
// and, in a session, the bare gap.
func (p *parser) windowProperty(w *WindowRef) error {
	at := p.pos
	var target *Expr
	switch {
	case p.accept("SIZE"):
		target = &w.Size
	case p.accept("ADVANCE", "BY"):
		target = &w.Slide
	case p.at("RETENTION"):
		return unsupported(p.cur().span(), "RETENTION (ksqlDB) is not supported").WithHint("leave it out: state leaves with the watermark")
	case p.at("GRACE"):
		return p.gracePeriod()
	case w.Kind == Session && w.Size == nil:
		target = &w.Size
	default:
		return p.unexpected("SIZE, ADVANCE BY or GRACE PERIOD")
	}
	v, err := p.duration()
	if err != nil {
		return err
	}
	if *target != nil {
		return syntaxError(p.spanFrom(at), "the window has this property already")
	}
	*target = v
	return nil
}

// gracePeriod consumes GRACE PERIOD d of a window or a join.
func (p *parser) gracePeriod() error {
	at := p.pos
	if err := p.expect("GRACE", "PERIOD"); err != nil {
		return err
	}
	v, err := p.duration()
	if err != nil {
		return err
	}
	if micros, fixed := v.Value.FixedMicros(); !fixed || micros < 0 {
		return syntaxError(v.Span, "GRACE PERIOD must have a fixed length that is not negative")
	}
	if p.grace != nil {
		return syntaxError(p.spanFrom(at), "the query has a GRACE PERIOD already")
	}
	p.grace = v
	p.spelling(aliasGracePeriod, at)
	return nil
}

// takeGrace gives a query the delay of the GRACE PERIOD inside of it.
func (p *parser) takeGrace(q *Query) {
	if p.grace == nil {
		return
	}
	micros, _ := p.grace.Value.FixedMicros()
	if q.Emit == nil && micros > 0 {
		q.Emit = &Emit{Span: p.grace.Span}
	}
	if micros > 0 {
		q.Emit.DelayMicros += micros
	}
	p.grace = nil
}

// checkWindow refuses ksqlDB's WINDOW where it has no GROUP BY to add its keys to.
func (g *groupShape) checkWindow() error {
	switch {
	case g.window == nil || g.present && !g.all && !g.grouped:
		return nil
	case !g.present:
		return syntaxError(*g.window, "WINDOW (ksqlDB) needs GROUP BY").
			WithHint("FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) gives every row its window_start and window_end")
	}
	return unsupported(g.span, "GROUP BY ALL and grouping sets cannot stand with WINDOW (ksqlDB)").
		WithHint("write FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) and group by window_start")
}

// windowKeys are the keys that WINDOW adds.
func (g *groupShape) windowKeys() []Expr {
	if g.window == nil {
		return nil
	}
	key := func(name string) Expr {
		return &ColumnRef{Parts: []Ident{{Name: name, Span: *g.window}}, Span: *g.window}
	}
	return []Expr{key("window_start"), key("window_end")}
}
