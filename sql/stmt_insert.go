package sql

// Insert is INSERT INTO target [(cols) | BY NAME] query, or VALUES into a
// memory stream. Exactly one of Query and Values is set.
type Insert struct {
	Node
	Target  Name
	Columns []Ident
	ByName  bool
	Query   *Query
	Values  [][]Expr
}

// insert parses INSERT INTO [TABLE] target [(cols) | BY NAME] query | VALUES ..
func (p *parser) insert() (*Insert, error) {
	lo := p.pos
	p.take()
	if p.at("OR") || p.at("OVERWRITE") {
		word := p.cur()
		return nil, unsupported(word.span(), "INSERT %s is not supported for a query on a stream", word.text).
			WithHint("the output mode decides how rows replace others: CREATE QUERY q WITH (output_mode = 'complete') AS INSERT INTO ..")
	}
	if err := p.expect("INTO"); err != nil {
		return nil, err
	}
	if p.at("ONCE") && p.peek(1).isName() && !p.atInsertBody(1) {
		return nil, unsupported(p.cur().span(), "INSERT INTO ONCE (Databricks) is not supported").
			WithHint("leave ONCE out: WITH (trigger = 'available_now') in front of AS ends the query with what is there")
	}
	p.acceptWordBeforeName("TABLE")
	s := &Insert{}
	var err error
	if s.Target, err = p.qualifiedName("the name of the table"); err != nil {
		return nil, err
	}
	s.ByName = p.accept("BY", "NAME")
	if !s.ByName && p.cur().isOp("(") && !p.beginsQuery(p.pos) {
		if s.Columns, err = p.nameList("the name of a column"); err != nil {
			return nil, err
		}
	}
	if p.at("VALUES") {
		s.Values, err = p.valueRows()
	} else {
		s.Query, err = p.query()
	}
	if err != nil {
		return nil, err
	}
	s.Node = p.node(lo)
	return s, nil
}

// atInsertBody reports whether the token n places ahead may stand behind the target of an
// INSERT.
func (p *parser) atInsertBody(n int) bool {
	t := p.peek(n)
	return t.is("BY") || t.is("FROM") || t.is("SELECT") || t.is("TABLE") || t.is("VALUES") || t.is("WITH")
}

// acceptWordBeforeName consumes a word that may stand in front of a name, unless it
// is the name.
func (p *parser) acceptWordBeforeName(word string) bool {
	if p.at(word) && p.peek(1).isName() && !p.peek(1).is("SELECT") && !p.peek(1).is("VALUES") && !p.peek(1).is("BY") {
		p.take()
		return true
	}
	return false
}

func (s *Insert) print(p *printer) {
	p.put("INSERT INTO ")
	p.name(s.Target)
	if s.ByName {
		p.put(" BY NAME")
	}
	if len(s.Columns) > 0 {
		p.put(" ")
		p.columnList(s.Columns)
	}
	p.put(" ")
	if s.Query != nil {
		p.query(s.Query)
		return
	}
	p.put("VALUES ")
	p.list(len(s.Values), func(i int) {
		p.put("(")
		p.exprs(s.Values[i])
		p.put(")")
	})
}
