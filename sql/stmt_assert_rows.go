package sql

// AssertRows is ASSERT VALUES table [(columns)] [VALUES] (..), (..) [WITHIN d]: the script
// goes on only if the table has these rows and no others, in any order. The rows are
// DuckDB's, and not parsed here.
type AssertRows struct {
	Node
	Table        Name
	Columns      []Ident // nil: all columns of the table
	Rows         string  // their text, brackets included
	RowsAt       Span
	WithinMicros int64 // how long to wait for it to become true
}

// assertRows parses what follows ASSERT.
func (p *parser) assertRows() (Statement, error) {
	p.take()
	s := &AssertRows{}
	var err error
	if s.Table, err = p.qualifiedName("the name of a table"); err != nil {
		return nil, err
	}
	if p.cur().isOp("(") && p.tokenAfter(p.matching(p.pos)).is("VALUES") {
		if s.Columns, err = p.nameList("the name of a column"); err != nil {
			return nil, err
		}
	}
	p.accept("VALUES")
	if !p.cur().isOp("(") {
		return nil, p.unexpected("a row in brackets, such as (1, 'a')")
	}
	lo := p.pos
	p.skipTo("WITHIN")
	s.RowsAt = p.spanFrom(lo)
	s.Rows = p.slice(s.RowsAt)
	if p.accept("WITHIN") {
		if s.WithinMicros, err = p.positiveMicros("WITHIN"); err != nil {
			return nil, err
		}
	}
	s.Node = p.node(0)
	return s, nil
}

// tokenAfter returns the token behind the i-th, the last one at the end.
func (p *parser) tokenAfter(i int) token { return p.toks[min(i+1, len(p.toks)-1)] }

func (s *AssertRows) print(p *printer) {
	p.put("ASSERT VALUES ")
	p.name(s.Table)
	if s.Columns != nil {
		p.put(" ")
		p.columnList(s.Columns)
	}
	p.put(" VALUES ", s.Rows)
	if s.WithinMicros > 0 {
		p.put(" WITHIN ", microsText(s.WithinMicros))
	}
}
