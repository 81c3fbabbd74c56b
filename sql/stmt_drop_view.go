package sql

// DropView is DROP [MATERIALIZED] VIEW [IF EXISTS] name. With a materialized view its
// query and its table go.
type DropView struct {
	Node
	Materialized bool
	IfExists     bool
	Name         Name
}

// dropView parses DROP VIEW; what is not one name and the end is DuckDB's.
func (p *parser) dropView() (Statement, error) {
	p.take()
	s := &DropView{Materialized: p.accept("MATERIALIZED")}
	p.take()
	s.IfExists = p.ifExists()
	var err error
	if s.Name, err = p.qualifiedName("the name of the view"); err != nil {
		return nil, err
	}
	if p.cur().kind != tokEnd && !s.Materialized {
		return &Passthrough{Node: p.restNode(), First: "DROP"}, nil
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *DropView) print(p *printer) {
	p.put("DROP ", when(s.Materialized, "MATERIALIZED "), "VIEW ", when(s.IfExists, "IF EXISTS "))
	p.name(s.Name)
}
