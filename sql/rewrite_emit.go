package sql

import "strings"

// emitFollowers are the words one of which must stand behind EMIT: elsewhere emit
// is a column or an alias.
var emitFollowers = []string{"AFTER", "CHANGELOG", "CHANGES", "COMPLETE", "EVERY", "FINAL", "PERIODIC", "TIMEOUT", "UPDATE"}

// emitAt reports whether an EMIT clause begins at pos.
func (p *parser) emitAt(pos int) bool {
	if !p.toks[pos].is("EMIT") {
		return false
	}
	next := p.toks[pos+1]
	if next.is("WITH") {
		return p.toks[pos+2].is("DELAY")
	}
	if next.is("LAST") {
		return p.toks[pos+2].kind == tokDuration || p.toks[pos+2].is("INTERVAL")
	}
	if next.is("ON") {
		// FROM a JOIN b emit ON emit.x = a.x has an alias that is called emit.
		return p.wordsAt(pos+2, "WINDOW", "CLOSE") || p.wordsAt(pos+2, "WINDOW") && p.toks[pos+3].kind == tokEnd ||
			p.wordsAt(pos+2, "UPDATE") && !p.toks[pos+3].isOp(".")
	}
	for _, w := range emitFollowers {
		if next.is(w) {
			return true
		}
	}
	return false
}

// emitClause consumes EMIT ON WINDOW CLOSE | ON UPDATE | COMPLETE, with WITH DELAY d,
// EVERY d and TIMEOUT d behind or alone, and its spellings of ksqlDB and Proton.
func (p *parser) emitClause() (*Emit, error) {
	lo := p.pos
	p.take()
	e := &Emit{}
	if err := p.emitMode(e, lo); err != nil {
		return nil, err
	}
	for p.atAny("EVERY", "PERIODIC", "TIMEOUT", "AND") || p.at("WITH", "DELAY") || p.at("WITH", "BATCH") {
		if p.accept("AND") && !p.atAny("EVERY", "PERIODIC", "TIMEOUT", "DELAY") {
			return nil, p.unexpected("EVERY, TIMEOUT or DELAY")
		}
		if err := p.emitTime(e, lo); err != nil {
			return nil, err
		}
	}
	if e.EveryMicros > 0 && e.Mode == "update" {
		p.accept("ON", "UPDATE") // EMIT PERIODIC d ON UPDATE
	}
	if *e == (Emit{}) {
		return nil, p.unexpected("ON WINDOW CLOSE, ON UPDATE, COMPLETE, EVERY or TIMEOUT")
	}
	e.Span = p.spanFrom(lo)
	return e, nil
}

// limitChanges makes ksqlDB's EMIT CHANGES LIMIT n of rows that are not grouped a LIMIT:
// each of them is a change that is never taken back, which update mode does not know.
func (p *parser) limitChanges(q *Query) {
	s, ok := q.Body.(*Select)
	if !ok || s.GroupBy != nil || q.Limit == nil || q.Emit == nil || !q.Emit.changes {
		return
	}
	p.noteAlias(aliasRules[aliasLimitChanges], q.Emit.Span)
	q.Emit.Mode = ""
	if q.Emit.EveryMicros == 0 && q.Emit.Timeout == 0 && q.Emit.DelayMicros == 0 {
		q.Emit = nil
	}
}

// emitMode consumes which rows come out.
func (p *parser) emitMode(e *Emit, lo int) error {
	switch {
	case p.accept("ON", "WINDOW", "CLOSE"):
		e.Mode = "close"
	case p.accept("ON", "WINDOW"):
		return p.unexpected("CLOSE")
	case p.accept("FINAL"):
		e.Mode = "close"
		p.spelling(aliasEmitFinal, lo)
	case p.accept("ON", "UPDATE"), p.accept("UPDATE"):
		e.Mode = "update"
	case p.accept("CHANGES"):
		e.Mode, e.changes = "update", true
		p.spelling(aliasEmitChanges, lo)
	case p.accept("CHANGELOG"):
		e.Mode = "update"
		p.spelling(aliasEmitChangelog, lo)
	case p.accept("COMPLETE"):
		e.Mode = "complete"
	case p.accept("AFTER"):
		if !p.accept("WINDOW", "CLOSE") && !p.accept("SESSION", "CLOSE") && !p.accept("WATERMARK") {
			return p.unexpected("WINDOW CLOSE")
		}
		e.Mode = "close"
		p.spelling(aliasEmitAfter, lo)
	case p.at("PERIODIC"):
		e.Mode = "update"
	case p.at("LAST"):
		return unsupported(p.cur().span(), "EMIT LAST (Proton) is not supported").WithHint("use a window of that length: FROM HOP(s, ts, slide, size)")
	}
	return nil
}

// emitTime consumes one of WITH DELAY d, WITH BATCH d, EVERY d, PERIODIC d and
// TIMEOUT d.
func (p *parser) emitTime(e *Emit, lo int) error {
	p.accept("WITH")
	word := strings.ToUpper(p.take().text)
	micros, err := p.positiveMicros(word)
	if err != nil {
		return err
	}
	target := &e.EveryMicros
	switch word {
	case "TIMEOUT":
		target = &e.Timeout
	case "DELAY":
		target = &e.DelayMicros
	case "PERIODIC":
		p.spelling(aliasEmitPeriodic, lo)
	case "BATCH":
		p.spelling(aliasEmitUpdateBatch, lo)
	}
	if *target != 0 {
		return syntaxError(p.spanFrom(lo), "EMIT says %s twice", word)
	}
	*target = micros
	return nil
}

// positiveMicros consumes a duration of a fixed length above zero.
func (p *parser) positiveMicros(what string) (int64, error) {
	v, err := p.duration()
	if err != nil {
		return 0, err
	}
	micros, fixed := v.Value.FixedMicros()
	if !fixed {
		return 0, syntaxError(v.Span, "%s must have a fixed length, months have none", what)
	}
	if micros <= 0 {
		return 0, syntaxError(v.Span, "%s must be longer than zero", what)
	}
	return micros, nil
}

// joinsWithoutGroups reports whether a query joins and does not aggregate. To ksqlDB its
// rows are changes like any others; here they are appended, never updated.
func joinsWithoutGroups(q *Query) bool {
	s, ok := q.Body.(*Select)
	if !ok || s.GroupBy != nil {
		return false
	}
	_, joins := s.From.(*Join)
	return joins
}

// withoutMode returns the clause without its mode; nil if nothing else is in it.
func (e *Emit) withoutMode() *Emit {
	e.Mode = ""
	if e.EveryMicros == 0 && e.Timeout == 0 && e.DelayMicros == 0 {
		return nil
	}
	return e
}
