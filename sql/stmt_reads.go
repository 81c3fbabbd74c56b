package sql

import (
	"slices"
	"strings"
)

// Reads are the relations that a statement reads which ssql does not read as a whole: a
// statement of DuckDB's such as SUMMARIZE and PIVOT, or a query in syntax that only DuckDB
// has.
type Reads struct {
	Queries []*Query    // in brackets or up to the end, as large as they can be read
	Tables  []TableExpr // outside of them: names, paths and windows
}

// overRelation are DuckDB's statements with a relation behind their first word.
var overRelation = []string{"COPY", "PIVOT", "PIVOT_LONGER", "PIVOT_WIDER", "SUMMARIZE", "TABLE", "UNPIVOT"}

// IsOverRelation reports whether the first word of a statement is one of DuckDB's that read a
// relation or query.
func IsOverRelation(word string) bool { return slices.Contains(overRelation, strings.ToUpper(word)) }

// undecidedOver parses a statement of DuckDB's as far as the names of what it reads.
func (p *parser) undecidedOver() (Statement, error) {
	u := &Undecided{}
	scan := refScan{parser: p, out: u, ctes: map[string][]*cteScope{}}
	scan.runOver(p.pos)
	u.Node = p.restNode()
	return u, nil
}

// runOver is run for a statement of DuckDB's: a relation follows its first word. What COPY
// writes to or reads from is none.
func (s *refScan) runOver(pos int) {
	whole := s.parser
	if whole.toks[pos].is("COPY") {
		short := *whole
		for i := pos + 1; i < len(whole.toks)-1; i++ {
			t := whole.toks[i]
			if t.opensBracket() {
				i = whole.matching(i)
				continue
			}
			if t.is("TO") || t.is("FROM") {
				short.toks = append(slices.Clone(whole.toks[:i]), token{kind: tokEnd, start: t.start, end: t.start})
				break
			}
		}
		s.parser = &short
	}
	next := whole.toks[pos+1]
	isQuery := next.is("SELECT") || next.is("WITH") || next.is("FROM") || next.is("VALUES")
	s.scan(pos+1, refLevel{expects: !isQuery})
	s.parser = whole
}

// Reads finds what the statement reads, as far as only ssql can: the caller knows that it
// reads a stream. The error is that of a window which cannot be read.
func (u *Undecided) Reads(limits Limits) (*Reads, error) {
	p, err := newParser(u.Text, u.Span.Start, limits)
	if err != nil {
		return nil, err
	}
	if len(p.hints) > 0 { // DuckDB would take it for a comment, and it may change results
		return nil, unsupported(p.hints[0].span(), "a hint in a statement that DuckDB runs over a stream is not supported").WithHint("leave it out")
	}
	r := &Reads{}
	var inside []Span
	for i := 0; i < len(p.toks)-1; i++ {
		if !p.queryBegins(i) {
			continue
		}
		end := p.queryEnd(i)
		q := p.queryBetween(i, end, limits)
		if q == nil {
			continue // its parts may do
		}
		r.Queries = append(r.Queries, q)
		inside = append(inside, q.Span)
		i = end - 1
	}
	within := func(s Span) bool {
		return slices.ContainsFunc(inside, func(in Span) bool { return in.Start <= s.Start && s.End <= in.End })
	}
	scan := refScan{parser: p, out: &Undecided{}, ctes: map[string][]*cteScope{}}
	if IsOverRelation(p.toks[0].text) {
		scan.runOver(0)
	} else {
		scan.run(0)
	}
	slices.SortFunc(scan.factors, func(a, b Span) int { return a.Start - b.Start })
	for _, at := range scan.factors {
		if within(at) {
			continue
		}
		inside = append(inside, at)
		t, err := tableBetween(p.slice(at), at.Start, limits)
		if err != nil {
			return nil, err
		}
		r.Tables = append(r.Tables, t)
	}
	return r, nil
}

// queryBegins reports whether a query may begin at token i: in a bracket, behind AS, or as
// the operand of a statement.
func (p *parser) queryBegins(i int) bool {
	t := p.toks[i]
	if !t.is("SELECT") && !t.is("WITH") && !t.is("FROM") {
		return false
	}
	if i == 0 {
		return true
	}
	before := p.toks[i-1]
	return before.isOp("(") || before.is("AS") || i == 1 && (IsOverRelation(before.text) || before.is("DESCRIBE"))
}

// queryEnd returns the token behind a query that begins at token i: the bracket that closes
// around it, or the end.
func (p *parser) queryEnd(i int) int {
	for ; i < len(p.toks)-1; i++ {
		if p.toks[i].opensBracket() {
			i = p.matching(i)
		} else if p.toks[i].closesBracket() || p.toks[i].isOp(";") {
			return i
		}
	}
	return i
}

// queryBetween parses the tokens from i up to end as a query, nil if they are none.
func (p *parser) queryBetween(i, end int, limits Limits) *Query {
	if end <= i {
		return nil
	}
	span := p.toks[i].span().To(p.toks[end-1].span())
	inner, err := newParser(p.slice(span), span.Start, limits)
	if err != nil {
		return nil
	}
	q, err := inner.query()
	if err != nil || inner.finish() != nil {
		return nil
	}
	return q
}

// tableBetween parses what stands in FROM from a place on.
func tableBetween(text string, start int, limits Limits) (TableExpr, error) {
	const before = "SELECT * FROM "
	p, err := newParser(before+text, start-len(before), limits)
	if err != nil {
		return nil, err
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	s, ok := q.Body.(*Select)
	if !ok {
		return nil, syntaxError(q.Span, "expected a relation")
	}
	return s.From, nil
}

// NullOrder is what stands in a text without saying so: in ascending order NULL comes first,
// and in descending order last.
type NullOrder struct {
	At   int // in the text
	Text string
}

// NullOrders returns the places of a query in which DuckDB has to be told where NULL is in an
// order.
func NullOrders(text string) []NullOrder {
	toks, fault := lex(text, 0)
	if fault != nil {
		return nil
	}
	closing := closingBrackets(toks)
	var out []NullOrder
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].is("ORDER") && toks[i+1].is("BY") {
			out = append(out, nullOrders(toks, closing, i+2)...)
		}
	}
	return out
}

// orderEnders are the words behind ORDER BY and its keys.
var orderEnders = []string{"LIMIT", "OFFSET", "FETCH", "ROWS", "RANGE", "GROUPS", "EMIT", "UNION", "EXCEPT", "INTERSECT", "USING", "SEPARATOR", "IGNORE", "RESPECT"}

// nullOrders reads the keys of one ORDER BY from token i on.
func nullOrders(toks []token, closing []int, i int) []NullOrder {
	var out []NullOrder
	said := false
	for key := i; i < len(toks); i++ {
		t := toks[i]
		ends := t.kind == tokEnd || t.isOp(",") || t.isOp(";") || t.closesBracket() || slices.ContainsFunc(orderEnders, t.is)
		switch {
		case t.opensBracket():
			i = closing[i]
		case t.is("NULLS"):
			said = true
		case ends && i == key:
			return out
		case ends:
			if last := toks[i-1]; !said {
				out = append(out, NullOrder{last.end, map[bool]string{true: " NULLS LAST", false: " NULLS FIRST"}[last.is("DESC")]})
			}
			if !t.isOp(",") {
				return out
			}
			key, said = i+1, false
		}
	}
	return out
}
