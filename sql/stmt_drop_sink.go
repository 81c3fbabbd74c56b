package sql

// DropSink is DROP SINK [IF EXISTS] name. The files that it wrote stay.
type DropSink struct {
	Node
	IfExists bool
	Name     Ident
}

// dropSink parses DROP SINK.
func (p *parser) dropSink() (Statement, error) {
	p.take()
	p.take()
	s := &DropSink{IfExists: p.ifExists()}
	var err error
	if s.Name, err = p.name("the name of the sink"); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *DropSink) print(p *printer) { p.drop("SINK", s.IfExists, s.Name) }
