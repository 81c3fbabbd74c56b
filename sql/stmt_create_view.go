package sql

// CreateView is CREATE [MATERIALIZED] VIEW [IF NOT EXISTS] name [(cols)] [WITH (..)] AS
// query. A materialized view is a result table with the query that keeps it.
type CreateView struct {
	Node
	OrReplace, IfNotExists bool
	Materialized           bool
	Streaming              bool // written STREAMING TABLE: rows are appended where they can be
	Name                   Name
	Columns                []Ident
	Options                []Option // of the query of a materialized view
	Query                  *Query
}

// createMaterializedView parses CREATE MATERIALIZED VIEW name [(cols)] [WITH (..)] AS
// query. Databricks' OR REFRESH is OR REPLACE: a changed query goes on where its state allows it.
func (p *parser) createMaterializedView() (Statement, error) {
	s := &CreateView{Materialized: true}
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE") || p.accept("OR", "REFRESH")
	if err := p.expect("MATERIALIZED", "VIEW"); err != nil {
		return nil, err
	}
	if err := p.viewHead(s); err != nil {
		return nil, err
	}
	var err error
	if s.Options, err = p.viewClauses(); err != nil {
		return nil, err
	}
	return p.viewQuery(s)
}

// createView parses CREATE [TEMPORARY] VIEW .. AS query once the query turned out to
// read a stream.
func (p *parser) createView() (Statement, error) {
	s := &CreateView{}
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE")
	if lo := p.pos; p.accept("TEMPORARY") || p.accept("TEMP") {
		p.changesNothing("TEMPORARY", lo)
	}
	if err := p.expect("VIEW"); err != nil {
		return nil, err
	}
	if err := p.viewHead(s); err != nil {
		return nil, err
	}
	return p.viewQuery(s)
}

// viewHead consumes [IF NOT EXISTS] name [(cols)].
func (p *parser) viewHead(s *CreateView) error {
	var err error
	if s.IfNotExists, err = p.ifNotExists(); err != nil {
		return err
	}
	if s.Name, err = p.qualifiedName("the name of the view"); err != nil {
		return err
	}
	if p.cur().isOp("(") {
		s.Columns, err = p.nameList("the name of a column")
	}
	return err
}

func (p *parser) viewQuery(s *CreateView) (Statement, error) {
	if err := p.expect("AS"); err != nil {
		return nil, err
	}
	var err error
	if s.Query, err = p.query(); err != nil {
		return nil, err
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *CreateView) print(p *printer) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "))
	switch {
	case s.Streaming:
		p.put("STREAMING TABLE ")
	case s.Materialized:
		p.put("MATERIALIZED VIEW ")
	default:
		p.put("VIEW ")
	}
	p.put(when(s.IfNotExists, "IF NOT EXISTS "))
	p.name(s.Name)
	if len(s.Columns) > 0 {
		p.put(" ")
		p.columnList(s.Columns)
	}
	if len(s.Options) > 0 {
		p.put(" WITH ")
		p.options(s.Options)
	}
	p.put(" AS ")
	p.query(s.Query)
}
