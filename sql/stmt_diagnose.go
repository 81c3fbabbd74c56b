package sql

// Diagnose is DIAGNOSE [QUERY] name, WHY [QUERY] name or WHY NO OUTPUT [FOR] name.
type Diagnose struct {
	Node
	Name Ident
}

// diagnose parses DIAGNOSE [QUERY] name, WHY [QUERY] name and WHY NO OUTPUT [FOR] name.
func (p *parser) diagnose() (Statement, error) {
	if !p.accept("WHY", "NO", "OUTPUT") {
		p.take()
	}
	p.acceptWordBeforeName("FOR")
	p.acceptWordBeforeName("QUERY")
	s := &Diagnose{}
	var err error
	if s.Name, err = p.name("the name of a query"); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *Diagnose) print(p *printer) {
	p.put("DIAGNOSE QUERY ")
	p.ident(s.Name)
}
