package sql

import "strings"

// Describe is DESCRIBE [EXTENDED] name, or DESCRIBE query.
type Describe struct {
	Node
	Extended bool
	Query    Statement // nil for a name; else an Undecided
	Name     Name
}

// describe parses DESCRIBE [EXTENDED] name | query. DESCRIBE without anything is DuckDB's.
func (p *parser) describe() (Statement, error) {
	word := p.take()
	s := &Describe{}
	s.Extended = p.acceptWordBeforeName("EXTENDED")
	if !p.cur().isName() || p.atAny("SELECT", "FROM", "WITH", "VALUES", "INSERT", "TABLE") && p.peek(1).kind != tokEnd {
		return p.describeQuery(s, word)
	}
	for _, kind := range []string{"STREAM", "QUERY", "SINK", "VIEW", "TABLE"} {
		if p.acceptWordBeforeName(kind) {
			break
		}
	}
	var err error
	if s.Name, err = p.qualifiedName("a name"); err != nil {
		return nil, err
	}
	s.Extended = p.accept("EXTENDED") || s.Extended
	s.Node = p.node(0)
	return s, nil
}

func (s *Describe) print(p *printer) {
	p.put("DESCRIBE ", when(s.Extended, "EXTENDED "))
	if s.Query != nil {
		s.Query.print(p)
	} else {
		p.name(s.Name)
	}
}

// describeQuery parses the query of DESCRIBE, which may read a stream. Anything else is
// DuckDB's.
func (p *parser) describeQuery(s *Describe, word token) (Statement, error) {
	span := Span{Start: p.cur().start, End: p.toks[len(p.toks)-1].start}
	isQuery := p.beginsQuery(p.pos) || p.atAny("SELECT", "FROM", "WITH", "VALUES")
	s.Node = p.restNode()
	if isQuery {
		target, err := ParseStatement(Piece{Span: span, Text: p.slice(span)}, p.limits)
		if err != nil {
			return nil, err
		}
		s.Query = target
		_, isQuery = target.(*Undecided)
	}
	if !isQuery {
		return &Passthrough{Node: s.Node, First: strings.ToUpper(word.text)}, nil
	}
	return s, nil
}
