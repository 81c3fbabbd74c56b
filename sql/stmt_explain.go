package sql

import "strings"

// Explain is EXPLAIN [kind] [FORMAT f] statement, or EXPLAIN [kind] QUERY name.
type Explain struct {
	Node
	Kind   string // "", LOGICAL, PHYSICAL, STATE, COMPATIBILITY
	Format string // "", TEXT, JSON
	Target Statement
	Name   *Ident
}

// explainKinds are the kinds of EXPLAIN, sorted.
var explainKinds = []string{"ANALYZE", "COMPATIBILITY", "LOGICAL", "PHYSICAL", "STATE"}

// explain parses EXPLAIN [kind] [FORMAT TEXT|JSON] statement | QUERY name, also with
// RisingWave's list of options in brackets. What stands behind EXPLAIN and is only
// DuckDB's makes the whole statement DuckDB's.
func (p *parser) explain() (Statement, error) {
	s := &Explain{}
	p.take()
	var err error
	if p.cur().isOp("(") && !p.beginsQuery(p.pos) {
		err = p.explainList(s)
	} else {
		err = p.explainOptions(s)
	}
	if err != nil {
		return nil, err
	}
	lo := p.pos
	if p.accept("PLAN", "FOR") {
		p.spelling(aliasExplainPlan, lo)
	}
	if p.cur().isName() && p.peek(1).kind == tokEnd && !p.at("QUERY") { // no statement is a single word
		p.spelling(aliasExplainQuery, lo)
		return p.explainQuery(s)
	}
	if p.accept("QUERY") {
		return p.explainQuery(s)
	}
	if p.at("EXPLAIN") {
		return nil, p.unexpected("a statement")
	}
	// The target is parsed as a statement of its own, so that its text and its
	// positions are what they would be without EXPLAIN.
	span := Span{Start: p.cur().start, End: p.toks[len(p.toks)-1].start}
	target, err := ParseStatement(Piece{Span: span, Text: p.slice(span)}, p.limits)
	if err != nil {
		return nil, err
	}
	s.Target = target
	p.aliases = append(p.aliases, target.Foreign()...)
	s.Node = p.restNode()
	if _, ok := target.(*Passthrough); ok {
		return &Passthrough{Node: s.Node, First: "EXPLAIN"}, nil
	}
	return s, nil
}

// explainQuery consumes the name of a query.
func (p *parser) explainQuery(s *Explain) (Statement, error) {
	name, err := p.name("the name of a query")
	if err != nil {
		return nil, err
	}
	s.Name = &name
	s.Node = p.node(0)
	return s, nil
}

// explainOptions consumes [kind] [FORMAT f].
func (p *parser) explainOptions(s *Explain) error {
	for _, kind := range explainKinds {
		if p.at(kind) {
			s.Kind = strings.ToUpper(p.take().text)
			break
		}
	}
	if !p.accept("FORMAT") {
		return nil
	}
	if !p.atAny("TEXT", "JSON") {
		return p.unexpected("TEXT or JSON")
	}
	s.Format = strings.ToUpper(p.take().text)
	return nil
}

// explainList consumes ( option, .. ): kinds, TYPE kind, FORMAT f, and VERBOSE and
// TRACE, which change nothing.
func (p *parser) explainList(s *Explain) error {
	p.take()
	for {
		at := p.pos
		if !p.accept("VERBOSE") && !p.accept("TRACE") {
			p.accept("TYPE")
			if err := p.explainOptions(s); err != nil {
				return err
			}
			if p.pos == at {
				return p.unexpected(strings.Join(explainKinds, ", ") + " or FORMAT")
			}
		}
		if !p.acceptOp(",") {
			return p.expectOp(")")
		}
	}
}

func (s *Explain) print(p *printer) {
	p.put("EXPLAIN ")
	if s.Kind != "" {
		p.put(s.Kind, " ")
	}
	if s.Format != "" {
		p.put("FORMAT ", s.Format, " ")
	}
	if s.Name != nil {
		p.put("QUERY ")
		p.ident(*s.Name)
		return
	}
	s.Target.print(p)
}
