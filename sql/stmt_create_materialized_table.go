package sql

import "strings"

// createMaterializedTable parses Flink's CREATE [OR ALTER] MATERIALIZED TABLE name [clauses]
// [FRESHNESS ..] [REFRESH_MODE ..] [START_MODE ..] AS query: a materialized view.
func (p *parser) createMaterializedTable() (Statement, error) {
	lo := p.pos
	s := &CreateView{Materialized: true}
	p.take()
	s.OrReplace = p.accept("OR", "ALTER") || p.accept("OR", "REPLACE")
	if err := p.expect("MATERIALIZED", "TABLE"); err != nil {
		return nil, err
	}
	if err := p.viewHead(s); err != nil {
		return nil, err
	}
	for {
		at := p.pos
		options, err := p.viewClauses()
		if err != nil {
			return nil, err
		}
		s.Options = append(s.Options, options...)
		if err := p.refreshClause(); err != nil {
			return nil, err
		}
		if p.pos == at {
			break
		}
	}
	p.spelling(aliasMaterializedTable, lo)
	if err := checkOptions(s.Options); err != nil {
		return nil, err
	}
	return p.viewQuery(s)
}

// refreshClause consumes FRESHNESS, REFRESH_MODE or START_MODE, if one of them is there. The
// query of a materialized view runs all the time and begins with the first row; what says
// something else is refused.
func (p *parser) refreshClause() error {
	lo := p.pos
	switch {
	case p.accept("FRESHNESS"):
		p.acceptOp("=")
		if _, err := p.duration(); err != nil {
			return err
		}
		p.noteAlias(Alias{Engine: "Flink", Written: "FRESHNESS = d", Canonical: "nothing: rows come as soon as there is input, or as often as WITH (trigger = '30 seconds') says"}, p.spanFrom(lo))
	case p.accept("REFRESH_MODE"):
		p.acceptOp("=")
		mode, err := p.name("CONTINUOUS")
		if err != nil {
			return err
		}
		if !strings.EqualFold(mode.Name, "CONTINUOUS") {
			return unsupported(p.spanFrom(lo), "REFRESH_MODE = %s (Flink) is not supported: the query of a materialized view goes on with what is new", strings.ToUpper(mode.Name)).
				WithHint("write REFRESH_MODE = CONTINUOUS, or leave it out; DROP MATERIALIZED VIEW and CREATE compute all rows again")
		}
		p.changesNothing("REFRESH_MODE", lo)
	case p.accept("START_MODE"):
		return p.startMode(lo)
	}
	return nil
}

// startMode consumes = FROM_BEGINNING behind START_MODE, which began at token lo. Sources have
// no place to start from but their beginning; the query says which rows it wants.
func (p *parser) startMode(lo int) error {
	p.acceptOp("=")
	word, err := p.name("FROM_BEGINNING")
	if err != nil {
		return err
	}
	if p.cur().isOp("(") {
		p.pos = p.matching(p.pos)
		p.take()
	}
	mode := strings.TrimPrefix(strings.ToUpper(word.Name), "RESUME_OR_")
	refused := unsupported(p.spanFrom(lo), "START_MODE = %s (Flink) is not supported: a query begins with the first row of its streams", strings.ToUpper(word.Name))
	switch mode {
	case "FROM_BEGINNING":
		p.noteAlias(Alias{Engine: "Flink", Written: "START_MODE = FROM_BEGINNING", Canonical: "nothing: a query begins with the first row, and goes on where it stopped"}, p.spanFrom(lo))
		return nil
	case "FROM_NOW":
		return refused.WithHint("leave it out, and say in the query where its rows begin: WHERE ts >= TIMESTAMP '2026-01-31 12:00:00', the time of now as a constant")
	case "FROM_TIMESTAMP":
		return refused.WithHint("leave it out, and say in the query where its rows begin: WHERE ts >= TIMESTAMP '2026-01-31 12:00:00'")
	}
	return syntaxError(word.Span, "expected FROM_BEGINNING, FROM_NOW, FROM_TIMESTAMP or RESUME_OR_ in front of one of them, found %q", word.Name)
}
