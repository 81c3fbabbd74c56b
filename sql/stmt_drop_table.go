package sql

import "strings"

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
	at := p.pos
	if p.cur().isName() {
		s.Name = p.take().ident()
	}
	if strings.EqualFold(s.Name.Name, "ssql") && p.cur().isOp(".") && p.peek(1).isName() {
		// A query that writes to it would find no table, at its next batch.
		p.take()
		name := p.take().text
		return nil, unsupported(p.spanFrom(at), "table ssql.%s is one of ssql's own, which queries write to and start from: it is not dropped", name).
			WithHint("SELECT * FROM ssql.%s shows what it has; DROP QUERY q forgets what a query has left there", name)
	}
	if p.cur().kind != tokEnd || s.Name.Name == "" {
		return &Passthrough{Node: p.restNode(), First: "DROP"}, nil
	}
	s.Node = p.node(0)
	return s, nil
}

func (s *DropTable) print(p *printer) { p.drop("TABLE", s.IfExists, s.Name) }
