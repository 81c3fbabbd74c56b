package sql

import "slices"

// Assert is ASSERT condition [WITHIN d]: the script goes on only if DuckDB finds the
// condition true. The condition is DuckDB's, and not parsed here.
type Assert struct {
	Node
	Condition   string // its text
	ConditionAt Span
	// Actual is the first query in brackets that is a value of the condition, as in
	// ASSERT (SELECT ..) = 3: its value is shown when the condition fails. "" without one.
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
	p.skipTo("WITHIN")
	s.Actual = p.firstValue(lo, p.pos)
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

// firstValue returns the first query in brackets between two tokens whose value stands in a
// condition, "" without one: that of EXISTS, IN and the quantifiers has none.
func (p *parser) firstValue(from, to int) string {
	for i := from; i < to; i++ {
		if !p.toks[i].isOp("(") {
			continue
		}
		end := min(p.matching(i)+1, len(p.toks)-1)
		next, before := p.toks[i+1], token{}
		if i > from {
			before = p.toks[i-1]
		}
		isQuery := next.is("SELECT") || next.is("WITH") || next.is("FROM")
		if isQuery && !slices.ContainsFunc([]string{"EXISTS", "IN", "ANY", "ALL", "SOME"}, before.is) {
			return p.slice(p.spanOf(i, end))
		}
		i = end - 1
	}
	return ""
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
