package sql

// dropStream parses DROP STREAM [IF EXISTS] name.
func (p *parser) dropStream() (Statement, error) {
	p.take()
	p.take()
	s := &DropStream{IfExists: p.ifExists()}
	var err error
	if s.Name, err = p.name("the name of the stream"); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}
