package sql

// CreateQuery is CREATE [OR REPLACE] QUERY [IF NOT EXISTS] name [WITH (...)] AS INSERT ...
// or AS EXECUTE STATEMENT SET ...
type CreateQuery struct {
	Node
	OrReplace, IfNotExists bool
	Name                   Ident
	Options                []Option
	Inserts                []*Insert // one, or those of the statement set
	// AsView says that it was written as RisingWave's CREATE SINK .. INTO t without
	// append-only: unless EMIT says another mode, t has the rows of now, like a view.
	AsView bool
}

// createQuery parses CREATE [OR REPLACE] QUERY [IF NOT EXISTS] name [WITH (..)] AS INSERT ..
// or AS EXECUTE STATEMENT SET .., and Databricks' CREATE FLOW.
func (p *parser) createQuery() (Statement, error) {
	s := &CreateQuery{}
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE")
	flow := p.at("FLOW")
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
	if at := p.pos; flow && p.accept("COMMENT") {
		if _, err = p.str("text"); err != nil {
			return nil, err
		}
		p.changesNothing("COMMENT", at)
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
	if s.Inserts, err = p.inserts(); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *CreateQuery) print(p *printer) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), when(s.AsView, "SINK "), when(!s.AsView, "QUERY "), when(s.IfNotExists, "IF NOT EXISTS "))
	p.ident(s.Name)
	if s.AsView {
		p.put(" INTO ")
		p.name(s.Inserts[0].Target)
	}
	if s.Options != nil {
		p.put(" WITH ")
		p.options(s.Options)
	}
	p.put(" AS ")
	if s.AsView {
		p.query(s.Inserts[0].Query)
		return
	}
	p.inserts(s.Inserts)
}
