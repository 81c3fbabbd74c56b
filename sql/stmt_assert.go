package sql

// Assert is ASSERT condition [WITHIN d]: the script goes on only if DuckDB finds the
// condition true. The condition is DuckDB's, and not parsed here.
type Assert struct {
	Node
	Condition   string // its text
	ConditionAt Span
	// Actual is the query in brackets that the condition begins with, as in
	// ASSERT (SELECT ..) = 3: its value is shown when the condition fails. "" if the
	// condition is something else.
	Actual       string
	WithinMicros int64 // how long to wait for it to become true
}

// assert parses ASSERT condition [WITHIN d].
func (p *parser) assert() (Statement, error) {
	p.take()
	if p.cur().kind == tokEnd {
		return nil, p.unexpected("a condition such as (SELECT count(*) FROM t) = 3")
	}
	if p.at("VALUES") && p.peek(1).isName() {
		return p.assertRows()
	}
	s := &Assert{}
	lo := p.pos
	if p.cur().isOp("(") {
		s.Actual = p.slice(p.spanOf(lo, min(p.matching(lo)+1, len(p.toks)-1)))
	}
	p.skipTo("WITHIN")
	s.ConditionAt = p.spanFrom(lo)
	s.Condition = p.slice(s.ConditionAt)
	var err error
	if p.accept("WITHIN") {
		if s.WithinMicros, err = p.positiveMicros("WITHIN"); err != nil {
			return nil, err
		}
	}
	s.Node = p.node(0)
	return s, nil
}

// skipTo consumes everything up to a word outside of brackets, or the end.
func (p *parser) skipTo(word string) {
	for p.cur().kind != tokEnd && !p.at(word) {
		// A bracket is taken as a whole: the word in it is not ours.
		end := p.pos
		if p.cur().opensBracket() {
			end = p.matching(p.pos)
		}
		for p.pos <= end && p.cur().kind != tokEnd {
			p.take()
		}
	}
}

func (s *Assert) print(p *printer) {
	p.put("ASSERT ", s.Condition)
	if s.WithinMicros > 0 {
		p.put(" WITHIN ", microsText(s.WithinMicros))
	}
}
