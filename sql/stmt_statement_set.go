package sql

// StatementSet is EXECUTE STATEMENT SET BEGIN insert; .. END: one query with a target
// for each INSERT, which reads its sources once.
type StatementSet struct {
	Node
	Inserts []*Insert
}

// statementSet parses EXECUTE STATEMENT SET BEGIN insert; .. END, and BEGIN STATEMENT
// SET and BEGIN QUERY SET with a semicolon behind them. Behind EXPLAIN Flink leaves
// EXECUTE out.
func (p *parser) statementSet() (Statement, error) {
	lo := p.pos
	s := &StatementSet{}
	if p.accept("EXECUTE", "STATEMENT", "SET") || p.accept("STATEMENT", "SET") {
		if err := p.expect("BEGIN"); err != nil {
			return nil, err
		}
	} else {
		for range 3 { // BEGIN STATEMENT SET, BEGIN QUERY SET
			p.take()
		}
		p.spelling(aliasStatementSet, lo)
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

// atInserts reports whether what a query does follows: INSERT or EXECUTE STATEMENT SET.
func (p *parser) atInserts() bool { return p.at("INSERT") || p.at("EXECUTE") }

// inserts consumes INSERT INTO .. SELECT .. or EXECUTE STATEMENT SET BEGIN .. END.
func (p *parser) inserts() ([]*Insert, error) {
	if p.at("EXECUTE") {
		if !p.peek(1).is("STATEMENT") {
			p.take()
			return nil, p.unexpected("STATEMENT SET BEGIN .. END")
		}
		set, err := p.statementSet()
		if err != nil {
			return nil, err
		}
		return set.(*StatementSet).Inserts, nil
	}
	if p.at("AUTO", "CDC") || p.at("APPLY", "CHANGES") {
		return nil, unsupported(p.spanOf(p.pos, p.pos+2), "AUTO CDC (Databricks) is not supported").
			WithHint("keep the latest row of each key: AS INSERT INTO t SELECT * FROM s QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts DESC) = 1 EMIT ON UPDATE")
	}
	if !p.at("INSERT") {
		return nil, p.unexpected("INSERT INTO table SELECT .. or EXECUTE STATEMENT SET BEGIN .. END")
	}
	in, err := p.insert()
	if err != nil {
		return nil, err
	}
	if in.Values != nil {
		return nil, unsupported(in.Span, "a query cannot insert constant rows").WithHint("write INSERT INTO .. VALUES as a statement of its own")
	}
	return []*Insert{in}, nil
}

func (s *StatementSet) print(p *printer) { p.statementSet(s.Inserts) }
