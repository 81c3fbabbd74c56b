package sql

// DropTable is DROP TABLE [IF EXISTS] name: of a table of the database, or of what CREATE
// TABLE of another engine has made, a stream, a sink or a materialized view.
type DropTable struct {
	Node
	IfExists bool
	Name     Ident
}

// dropTable parses DROP TABLE; what is not one name and the end is DuckDB's.
func (p *parser) dropTable() (Statement, error) {
	p.take()
	p.take()
	s := &DropTable{IfExists: p.ifExists()}
	if p.cur().isName() {
		s.Name = p.take().ident()
	}
	if p.cur().kind != tokEnd || s.Name.Name == "" {
		return &Passthrough{Node: p.restNode(), First: "DROP"}, nil
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *DropTable) print(p *printer) { p.drop("TABLE", s.IfExists, s.Name) }
