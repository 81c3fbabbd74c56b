package sql

import "strings"

// CreateStreamingTable is Databricks' CREATE [OR REFRESH] STREAMING TABLE without AS: a table
// that flows write to. Without columns it has those of the first of them.
type CreateStreamingTable struct {
	Node
	OrRefresh, IfNotExists bool
	Name                   Name
	Columns                []ColumnDef // nil: not declared
}

// createStreamingTable parses CREATE [OR REFRESH] STREAMING TABLE name [(cols)] [clauses]
// [AS query]. With AS it is a materialized view that appends rows.
func (p *parser) createStreamingTable() (Statement, error) {
	lo := p.pos
	s := &CreateStreamingTable{}
	p.take()
	replace := p.accept("OR", "REPLACE")
	s.OrRefresh = p.accept("OR", "REFRESH")
	if err := p.expect("STREAMING", "TABLE"); err != nil {
		return nil, err
	}
	var err error
	if s.IfNotExists, err = p.ifNotExists(); err != nil {
		return nil, err
	}
	if s.Name, err = p.qualifiedName("the name of the table"); err != nil {
		return nil, err
	}
	if len(s.Name) > 1 && strings.EqualFold(s.Name[0].Name, "ssql") {
		return nil, unsupported(s.Name.Pos(), "schema ssql is ssql's own: no table of yours can be in it").WithHint("leave the schema out")
	}
	replace = replace || s.OrRefresh // the new definition goes on where its state allows it
	if p.cur().isOp("(") && p.listsNames() {
		return p.streamingView(&CreateView{OrReplace: replace, IfNotExists: s.IfNotExists, Name: s.Name}, lo)
	}
	declared := &CreateStream{}
	at := p.pos
	if p.cur().isOp("(") {
		if err := p.streamElements(declared); err != nil {
			return nil, err
		}
		if err := p.checkTableColumns(s, declared); err != nil {
			return nil, err
		}
	}
	columns := p.spanFrom(at)
	options, err := p.viewClauses()
	if err != nil {
		return nil, err
	}
	switch {
	case p.at("AS") && declared.Columns != nil:
		return nil, unsupported(columns, "columns with types beside AS (Databricks) are not supported: the types are those of the query").
			WithHint("leave the types out, and CAST(.. AS ..) the columns of the query")
	case p.at("AS"):
		p.spelling(aliasStreamingTable, lo)
		v := &CreateView{Materialized: true, Streaming: true, OrReplace: replace, IfNotExists: s.IfNotExists, Name: s.Name, Options: options}
		return p.viewQuery(v)
	case options != nil:
		return nil, syntaxError(options[0].Key.Span, "option %q belongs to a query, and a streaming table without AS has none", options[0].Key.Name).
			WithHint("CREATE FLOW f WITH (..) AS INSERT INTO %s BY NAME SELECT ..", s.Name)
	}
	p.spelling(aliasStreamingTableOnly, lo)
	s.Node = p.node(0)
	return s, nil
}

// listsNames tells (a, b) from (a INT, b INT).
func (p *parser) listsNames() bool {
	return p.peek(1).isName() && (p.peek(2).isOp(",") || p.peek(2).isOp(")"))
}

// streamingView consumes (cols) [clauses] AS query of a streaming table.
func (p *parser) streamingView(v *CreateView, lo int) (Statement, error) {
	v.Materialized, v.Streaming = true, true
	var err error
	if v.Columns, err = p.nameList("the name of a column"); err != nil {
		return nil, err
	}
	if v.Options, err = p.viewClauses(); err != nil {
		return nil, err
	}
	p.spelling(aliasStreamingTable, lo)
	return p.viewQuery(v)
}

// viewClauses consumes what stands between the columns of a streaming table or
// materialized view and AS. Those of a table in files have no meaning in DuckDB's.
func (p *parser) viewClauses() ([]Option, error) {
	s := &CreateStream{}
	for {
		lo, had := p.pos, len(s.Options)
		switch {
		case p.accept("USING"):
			if _, err := p.name("a format"); err != nil {
				return nil, err
			}
			p.changesNothing("USING", lo)
		case p.at("PARTITIONED", "BY"), p.at("CLUSTER", "BY"):
			word := p.cur().text
			p.take()
			p.take()
			if !p.accept("AUTO") {
				if _, err := p.nameList("the name of a column"); err != nil {
					return nil, err
				}
			}
			p.changesNothing(strings.ToUpper(word)+" BY", lo)
		case p.atAny("SCHEDULE", "TRIGGER"):
			return nil, unsupported(p.cur().span(), "%s (Databricks) is not supported: the query runs all the time", strings.ToUpper(p.cur().text)).
				WithHint("WITH (trigger = '1 hour') lets it run so often")
		default:
			if err := p.declarationClauses(s); err != nil {
				return nil, err
			}
			if len(s.Options) == had && p.pos == lo {
				return s.Options, checkOptions(s.Options)
			}
		}
	}
}

// checkTableColumns gives a streaming table the columns that were declared, which can be no
// others than those of a table.
func (p *parser) checkTableColumns(s *CreateStreamingTable, declared *CreateStream) error {
	if err := checkColumns(declared.Columns); err != nil {
		return err
	}
	for _, w := range declared.Watermarks {
		return syntaxError(w.Span, "a streaming table has no watermark: the streams have it that its flows read").
			WithHint("write it in the query of the flow: FROM STREAM s WATERMARK %s DELAY OF INTERVAL '10' MINUTE", w.Column.Name)
	}
	for _, c := range declared.Columns {
		if !c.isRead() || c.Format != nil {
			return syntaxError(c.Span, "column %q of a streaming table has a name and a type", c.Name.Name).
				WithHint("compute it in the query of the flow: SELECT .. AS %s", c.Name.Name)
		}
	}
	if declared.keyAt != (Span{}) {
		return unsupported(declared.keyAt, "a streaming table is not held to a PRIMARY KEY: rows of one key come as they are").
			WithHint("write PRIMARY KEY .. NOT ENFORCED")
	}
	s.Columns = declared.Columns
	return nil
}

func (s *CreateStreamingTable) print(p *printer) {
	p.put("CREATE ", when(s.OrRefresh, "OR REFRESH "), "STREAMING TABLE ", when(s.IfNotExists, "IF NOT EXISTS "))
	p.name(s.Name)
	p.elements(s.Columns, nil)
}

// Table returns the CREATE TABLE of DuckDB that makes it.
func (s *CreateStreamingTable) Table() string {
	var p printer
	p.put("CREATE TABLE ")
	p.name(s.Name)
	p.elements(s.Columns, nil)
	return p.String()
}
