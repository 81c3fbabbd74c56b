package sql

// Set is SET key = value; with an empty key it lists every setting.
type Set struct {
	Node
	Option  *Option
	Nothing bool // a setting of another engine, with the value that holds here anyway
}

// Reset is RESET key, or RESET for all keys.
type Reset struct {
	Node
	Key     *Ident
	Nothing bool // a setting of another engine that is the same always
}

// set parses SET, SET key = value, SET key TO value and SET TIME ZONE value. SET VARIABLE, SET GLOBAL and
// the like are DuckDB's.
func (p *parser) set() (Statement, error) {
	p.take()
	s := &Set{}
	if p.cur().kind == tokEnd {
		s.Node = p.node(0)
		return s, nil
	}
	if p.atAny("GLOBAL", "LOCAL", "SESSION", "SCHEMA", "VARIABLE") && p.peek(1).isName() {
		return &Passthrough{Node: p.restNode(), First: "SET"}, nil
	}
	o, err := p.settingOption()
	if err != nil {
		return nil, err
	}
	if s.Nothing, err = p.translateSetting(&o.Key, o.Value); err != nil {
		return nil, err
	}
	s.Option = &o
	s.Node = p.node(0)
	return s, nil
}

// settingOption consumes key = value, also PostgreSQL's TIME ZONE value.
func (p *parser) settingOption() (Option, error) {
	lo := p.pos
	if !p.accept("TIME", "ZONE") {
		return p.option()
	}
	at := p.spanFrom(lo)
	o := Option{Key: Ident{Name: "timezone", Span: at}, ValueAt: p.cur().span()}
	if p.cur().kind != tokString && !p.cur().isName() {
		return o, p.unexpected("a zone in single quotes")
	}
	if t := p.take(); t.kind == tokString {
		o.Value = stringValue(t.text)
	} else {
		o.Value = t.text
	}
	return o, nil
}

// reset parses RESET, RESET key and RESET QUERY name.
func (p *parser) reset() (Statement, error) {
	if p.at("RESET", "QUERY") && p.peek(2).kind != tokEnd {
		return p.resetQuery()
	}
	if lo := p.pos; p.take().is("UNSET") {
		p.spelling(aliasUnset, lo)
	}
	if p.atAny("GLOBAL", "LOCAL", "SESSION", "SCHEMA", "VARIABLE") && p.peek(1).isName() {
		return &Passthrough{Node: p.restNode(), First: "RESET"}, nil
	}
	if p.at("ALL") && p.peek(1).kind == tokEnd {
		p.take() // PostgreSQL's word for all of them
	}
	s := &Reset{}
	if p.cur().kind != tokEnd {
		key, err := p.optionKey()
		if err != nil {
			return nil, err
		}
		if s.Nothing, err = p.translateSetting(&key, nil); err != nil {
			return nil, err
		}
		s.Key = &key
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *Set) print(p *printer) {
	p.put("SET")
	if s.Option != nil {
		p.put(" ")
		p.option(*s.Option)
	}
}

func (s *Reset) print(p *printer) {
	p.put("RESET")
	if s.Key != nil {
		p.put(" ", optionKeyText(s.Key.Name))
	}
}
