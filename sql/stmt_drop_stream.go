package sql

// DropStream is DROP STREAM [IF EXISTS] name.
type DropStream struct {
	Node
	IfExists bool
	Cascade  bool // with the queries and views that read it
	Name     Ident
}

// dropStream parses DROP STREAM [IF EXISTS] name [CASCADE | RESTRICT] and RisingWave's DROP SOURCE.
func (p *parser) dropStream() (Statement, error) {
	p.take()
	lo := p.pos
	if p.take().is("SOURCE") {
		p.spelling(aliasDropSource, lo)
	}
	s := &DropStream{IfExists: p.ifExists()}
	var err error
	if s.Name, err = p.streamName("the name of the stream"); err != nil {
		return nil, err
	}
	if s.Cascade = p.accept("CASCADE"); !s.Cascade {
		p.accept("RESTRICT") // what is done without it
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *DropStream) print(p *printer) {
	p.put("DROP STREAM ", when(s.IfExists, "IF EXISTS "))
	p.ident(s.Name)
	p.put(when(s.Cascade, " CASCADE"))
}
