package sql

import "strings"

// Describe is DESCRIBE [EXTENDED] name.
type Describe struct {
	Node
	Extended bool
	Name     Name
}

// describe parses DESCRIBE [EXTENDED] name. DESCRIBE of a query, and without anything,
// is DuckDB's.
func (p *parser) describe() (Statement, error) {
	word := p.take()
	s := &Describe{}
	s.Extended = p.acceptWordBeforeName("EXTENDED")
	if !p.cur().isName() || p.atAny("SELECT", "FROM", "WITH", "VALUES", "INSERT", "TABLE") && p.peek(1).kind != tokEnd {
		return &Passthrough{Node: p.restNode(), First: strings.ToUpper(word.text)}, nil
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
	p.name(s.Name)
}
