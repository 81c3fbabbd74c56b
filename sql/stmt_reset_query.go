package sql

// ResetQuery is RESET QUERY name [KEEP OUTPUT | TRUNCATE OUTPUT] [FORCE]: the query
// forgets what it has read, and begins again at its next start.
type ResetQuery struct {
	Node
	Name     Ident
	Truncate bool // the rows of its table go, too
	Force    bool
}

// resetQuery parses RESET QUERY.
func (p *parser) resetQuery() (Statement, error) {
	p.take()
	p.take()
	s := &ResetQuery{}
	var err error
	if s.Name, err = p.name("the name of a query"); err != nil {
		return nil, err
	}
	switch {
	case p.accept("TRUNCATE"):
		s.Truncate = true
		err = p.expect("OUTPUT")
	case p.accept("KEEP"):
		err = p.expect("OUTPUT")
	}
	if err != nil {
		return nil, err
	}
	s.Force = p.accept("FORCE")
	s.Node = p.node(0)
	return s, nil
}

func (s *ResetQuery) print(p *printer) {
	p.put("RESET QUERY ")
	p.ident(s.Name)
	p.put(when(s.Truncate, " TRUNCATE OUTPUT"), when(s.Force, " FORCE"))
}
