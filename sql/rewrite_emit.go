package sql

import "strings"

// emitFollowers are the words one of which must stand behind EMIT: elsewhere emit
// is a column or an alias.
var emitFollowers = []string{"AFTER", "CHANGES", "COMPLETE", "EVERY", "FINAL", "ON", "PERIODIC", "TIMEOUT", "UPDATE"}

// emitAt reports whether an EMIT clause begins at pos.
func (p *parser) emitAt(pos int) bool {
	if !p.toks[pos].is("EMIT") {
		return false
	}
	next := p.toks[pos+1]
	if next.is("ON") {
		// FROM a JOIN b emit ON emit.x = a.x has an alias that is called emit.
		return p.wordsAt(pos+2, "WINDOW", "CLOSE") || p.wordsAt(pos+2, "UPDATE") && !p.toks[pos+3].isOp(".")
	}
	for _, w := range emitFollowers {
		if next.is(w) {
			return true
		}
	}
	return false
}

// emitClause consumes EMIT in every spelling of sql-and-shell.md §1.3:
// ON WINDOW CLOSE, ON UPDATE, COMPLETE, CHANGES, FINAL, AFTER WINDOW CLOSE [WITH
// DELAY d], PERIODIC d, with EVERY d and TIMEOUT d behind or alone.
func (p *parser) emitClause() (*Emit, error) {
	lo := p.pos
	p.take()
	e := &Emit{}
	switch {
	case p.accept("ON", "WINDOW", "CLOSE"), p.accept("FINAL"):
		e.Mode = "close"
	case p.accept("ON", "UPDATE"), p.accept("UPDATE"), p.accept("CHANGES"):
		e.Mode = "update"
	case p.accept("COMPLETE"):
		e.Mode = "complete"
	case p.accept("AFTER"):
		if err := p.emitAfter(e); err != nil {
			return nil, err
		}
	case p.at("PERIODIC"):
		e.Mode = "update"
	}
	for p.atAny("EVERY", "PERIODIC", "TIMEOUT", "AND") {
		if p.accept("AND") && !p.atAny("EVERY", "PERIODIC", "TIMEOUT") {
			return nil, p.unexpected("EVERY or TIMEOUT")
		}
		word := strings.ToUpper(p.take().text)
		micros, err := p.positiveMicros(word)
		if err != nil {
			return nil, err
		}
		if word == "TIMEOUT" {
			e.Timeout = micros
		} else {
			e.EveryMicros = micros
		}
	}
	if e.Mode == "" && e.EveryMicros == 0 && e.Timeout == 0 {
		return nil, p.unexpected("ON WINDOW CLOSE, ON UPDATE, COMPLETE, EVERY or TIMEOUT")
	}
	e.Span = p.spanFrom(lo)
	return e, nil
}

// emitAfter consumes WINDOW CLOSE | SESSION CLOSE | WATERMARK [WITH DELAY d].
func (p *parser) emitAfter(e *Emit) error {
	switch {
	case p.accept("WINDOW", "CLOSE"), p.accept("SESSION", "CLOSE"), p.accept("WATERMARK"):
		e.Mode = "close"
	default:
		return p.unexpected("WINDOW CLOSE")
	}
	if !p.accept("WITH", "DELAY") && !p.accept("DELAY") {
		return nil
	}
	var err error
	e.DelayMicros, err = p.positiveMicros("DELAY")
	return err
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
