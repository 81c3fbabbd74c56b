package sql

import "strings"

// CreateSink is CREATE SINK [IF NOT EXISTS] name [(cols)] WITH (...) [AS query], also
// RisingWave's FROM v and Flink's and Arroyo's CREATE TABLE of a sink.
type CreateSink struct {
	Node
	OrReplace, IfNotExists bool
	Name                   Ident
	Columns                []ColumnDef // nil: the columns of what is inserted
	Options                []Option
	Query                  *Query // a query of the same name that fills it; nil without
}

// createSink parses CREATE SINK [IF NOT EXISTS] name [(cols)] WITH (..) [AS query] and
// RisingWave's order: CREATE SINK name FROM v | AS query WITH (..) FORMAT f ENCODE e.
// CREATE SINK name INTO t is a query that inserts into t.
func (p *parser) createSink() (Statement, error) {
	s := &CreateStream{}
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE")
	if err := p.expect("SINK"); err != nil {
		return nil, err
	}
	var err error
	if s.IfNotExists, err = p.ifNotExists(); err != nil {
		return nil, err
	}
	if s.Name, err = p.name("the name of the sink"); err != nil {
		return nil, err
	}
	var target Name
	if p.accept("INTO") {
		if target, err = p.qualifiedName("the name of a table"); err != nil {
			return nil, err
		}
	}
	q, err := p.sinkQuery()
	if err != nil {
		return nil, err
	}
	if err := p.declaration(s); err != nil {
		return nil, err
	}
	if q == nil {
		if q, err = p.sinkQuery(); err != nil {
			return nil, err
		}
	}
	_, appends := optionText(s.Options, "type")
	if err := p.sinkType(s); err != nil {
		return nil, err
	}
	if target != nil {
		return p.sinkIntoTable(s, target, q, appends < 0)
	}
	if len(s.Options) == 0 {
		return nil, p.unexpected("WITH (connector = .., ..)")
	}
	for _, c := range s.Columns {
		if c.NotNull {
			return nil, unsupported(c.Span, "NOT NULL on column %q of a sink is not supported: nothing holds the rows to it", c.Name.Name).
				WithHint("leave NOT NULL out, and keep such rows out in the query: WHERE %s IS NOT NULL", c.Name.Name)
		}
	}
	return &CreateSink{Node: p.node(0), OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Name: s.Name, Columns: s.Columns, Options: s.Options, Query: q}, nil
}

// sinkType takes RisingWave's type of a sink, which says how rows change.
func (p *parser) sinkType(s *CreateStream) error {
	var o *Option
	if s.Options, o = takeOption(s.Options, "type"); o == nil {
		return nil
	}
	if text, _ := o.Value.(string); !strings.EqualFold(text, "append-only") {
		return unsupported(o.ValueAt, "type %q of a sink (RisingWave) is not supported", text).
			WithHint("end the query with EMIT ON UPDATE; a sink of files then has FORMAT DEBEZIUM ENCODE JSON")
	}
	p.noteAlias(aliasRules[aliasSinkType], o.Key.Span)
	return nil
}

// sinkQuery consumes FROM v or AS query; nil when neither is there.
func (p *parser) sinkQuery() (*Query, error) {
	lo := p.pos
	switch {
	case p.accept("AS"):
		return p.query()
	case p.accept("FROM"):
		at := p.pos
		name, err := p.qualifiedName("the name of a stream or view")
		if err != nil {
			return nil, err
		}
		p.spelling(aliasSinkFrom, lo)
		span := p.spanFrom(at)
		body := &Select{Items: []SelectItem{{Expr: &Star{Span: span}, Text: "*"}}, From: &TableRef{Name: name, Span: span}, Span: span}
		q := &Query{Body: body, Span: span}
		q.Text = QueryText(q) // the words that stand there are no query
		return q, nil
	}
	return nil, nil
}

// sinkIntoTable is RisingWave's CREATE SINK q INTO t: a named query.
func (p *parser) sinkIntoTable(s *CreateStream, target Name, q *Query, asView bool) (Statement, error) {
	if q == nil {
		return nil, p.unexpected("FROM v or AS query")
	}
	if len(s.Options) == 0 {
		s.Options = nil
	}
	n := p.node(0)
	return &CreateQuery{Node: n, OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Name: s.Name, Options: s.Options,
		Inserts: []*Insert{{Node: n, Target: target, Query: q}}, AsView: asView}, nil
}

func (s *CreateSink) print(p *printer) {
	p.put("CREATE ", when(s.OrReplace, "OR REPLACE "), "SINK ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.ident(s.Name)
	p.elements(s.Columns, nil)
	p.put(" WITH ")
	p.options(s.Options)
	if s.Query != nil {
		p.put(" AS ")
		p.query(s.Query)
	}
}
