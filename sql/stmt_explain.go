package sql

import "strings"

// explainKinds are the kinds of EXPLAIN, sorted.
var explainKinds = []string{"ANALYZE", "COMPATIBILITY", "LOGICAL", "PHYSICAL", "STATE"}

// explain parses EXPLAIN [kind] [FORMAT TEXT|JSON] statement | QUERY name. What
// stands behind EXPLAIN and is only DuckDB's makes the whole statement DuckDB's.
func (p *parser) explain() (Statement, error) {
	s := &Explain{}
	p.take()
	for _, kind := range explainKinds {
		if p.at(kind) {
			s.Kind = strings.ToUpper(p.take().text)
			break
		}
	}
	if p.accept("FORMAT") {
		if !p.atAny("TEXT", "JSON") {
			return nil, p.unexpected("TEXT or JSON")
		}
		s.Format = strings.ToUpper(p.take().text)
	}
	if p.at("QUERY") {
		p.take()
		name, err := p.name("the name of a query")
		if err != nil {
			return nil, err
		}
		s.Name = &name
		s.Node = p.node(0)
		return s, nil
	}
	if p.at("EXPLAIN") {
		return nil, p.unexpected("a statement")
	}
	if p.cur().kind == tokEnd || p.cur().isOp("(") && s.Kind == "" && s.Format == "" && !p.beginsQuery(p.pos) {
		return &Passthrough{Node: p.restNode(), First: "EXPLAIN"}, nil
	}
	// The target is parsed as a statement of its own, so that its text and its
	// positions are what they would be without EXPLAIN.
	span := Span{Start: p.cur().start, End: p.toks[len(p.toks)-1].start}
	target, err := ParseStatement(Piece{Span: span, Text: p.slice(span)}, p.limits)
	if err != nil {
		return nil, err
	}
	s.Target = target
	s.Node = p.restNode()
	if _, ok := target.(*Passthrough); ok {
		return &Passthrough{Node: s.Node, First: "EXPLAIN"}, nil
	}
	return s, nil
}
