package sql

// statementSet parses EXECUTE STATEMENT SET BEGIN insert; .. END, and BEGIN STATEMENT
// SET and BEGIN QUERY SET with a semicolon behind them.
func (p *parser) statementSet() (Statement, error) {
	lo := p.pos
	s := &StatementSet{}
	if p.accept("EXECUTE", "STATEMENT", "SET") {
		if err := p.expect("BEGIN"); err != nil {
			return nil, err
		}
	} else {
		for range 3 { // BEGIN STATEMENT SET, BEGIN QUERY SET
			p.take()
		}
	}
	p.acceptOp(";")
	for !p.at("END") {
		if !p.at("INSERT") {
			return nil, p.unexpected("INSERT INTO table SELECT .. or END")
		}
		in, err := p.insert()
		if err != nil {
			return nil, err
		}
		if in.Values != nil {
			return nil, unsupported(in.Span, "a statement set cannot insert constant rows").WithHint("write INSERT INTO .. VALUES as a statement of its own")
		}
		s.Inserts = append(s.Inserts, in)
		if !p.acceptOp(";") && !p.at("END") {
			return nil, p.unexpected(`";"`)
		}
	}
	if len(s.Inserts) == 0 {
		return nil, p.unexpected("INSERT INTO table SELECT ..")
	}
	p.take()
	s.Node = p.node(lo)
	return s, nil
}
