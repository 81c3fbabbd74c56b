package sql

// createQuery parses CREATE [OR REPLACE] QUERY [IF NOT EXISTS] name [WITH (..)] AS INSERT ..
// and Databricks' CREATE FLOW.
func (p *parser) createQuery() (Statement, error) {
	s := &CreateQuery{}
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE")
	if at := p.pos; p.accept("FLOW") {
		p.spelling(aliasCreateFlow, at)
	} else if err := p.expect("QUERY"); err != nil {
		return nil, err
	}
	var err error
	if s.IfNotExists, err = p.ifNotExists(); err != nil {
		return nil, err
	}
	if s.Name, err = p.name("the name of the query"); err != nil {
		return nil, err
	}
	if p.accept("WITH") {
		if s.Options, err = p.optionList(); err != nil {
			return nil, err
		}
		if err := checkOptions(s.Options); err != nil {
			return nil, err
		}
	}
	if err := p.expect("AS"); err != nil {
		return nil, err
	}
	if !p.at("INSERT") {
		return nil, p.unexpected("INSERT INTO table SELECT ..")
	}
	insert, err := p.insert()
	if err != nil {
		return nil, err
	}
	s.Insert = insert
	if insert.Values != nil {
		return nil, unsupported(insert.Span, "a query cannot insert constant rows").WithHint("write INSERT INTO .. VALUES as a statement of its own")
	}
	s.Node = p.node(0)
	return s, nil
}
