package sql

import (
	"slices"
	"strings"
)

// createTable parses CREATE TABLE as far as it is not DuckDB's: with a connector it is a
// stream or sink of Flink, Arroyo or RisingWave, with a watermark or APPEND ONLY a stream in memory,
// and AS query of a stream a materialized view. All else is a table of DuckDB.
func (p *parser) createTable() (Statement, error) {
	kind := p.tableKind()
	switch kind {
	case duckdbTable:
		return &Passthrough{Node: p.restNode(), First: "CREATE"}, nil
	case queryTable:
		return p.undecided()
	}
	s := &CreateStream{}
	lo := p.pos
	if err := p.tableHead(s); err != nil {
		return nil, err
	}
	if err := p.declaration(s); err != nil {
		return nil, err
	}
	if p.at("LIKE") {
		return nil, unsupported(p.cur().span(), "LIKE (Flink) is not supported in CREATE TABLE").WithHint("write the columns out; SHOW CREATE STREAM s shows those of another stream")
	}
	if p.at("AS") {
		return p.streamAs(s, lo)
	}
	if p.cur().kind != tokEnd {
		return nil, p.unexpected("the end of the statement")
	}
	if kind == connectorTable && p.hasWord("KAFKA_TOPIC") {
		return nil, unsupported(s.Name.Span, "CREATE TABLE over a topic (ksqlDB) is not supported: it holds the latest row of each key").
			WithHint("CREATE STREAM %s .., then CREATE MATERIALIZED VIEW v AS SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts DESC) = 1", s.Name.Name, s.Name.Name)
	}
	if _, i := optionText(s.Options, "connector"); i < 0 {
		if kind == connectorTable || len(s.Options) > 0 {
			return nil, syntaxError(s.Name.Span, "table %q has options but no connector", s.Name.Name).
				WithHint("a table of the database has no WITH; a stream says where its rows come from: WITH (connector = 'files', path = ..)")
		}
		at := s.Name.Span
		s.Options = []Option{{Key: Ident{Name: "connector", Span: at}, Value: "memory", ValueAt: at}}
		if kind == appendTable {
			p.spelling(aliasAppendOnly, lo)
		} else {
			p.spelling(aliasMemoryTable, lo)
		}
	} else {
		s.ByUse = true
	}
	return p.streamOrSink(s)
}

// createTableAs parses CREATE TABLE name [(cols)] AS query once the query turned out to
// read a stream: a materialized view.
func (p *parser) createTableAs() (Statement, error) {
	lo := p.pos
	s := &CreateStream{}
	if err := p.tableHead(s); err != nil {
		return nil, err
	}
	v := &CreateView{OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Materialized: true, Name: Name{s.Name}}
	var err error
	if p.cur().isOp("(") {
		if v.Columns, err = p.nameList("the name of a column"); err != nil {
			return nil, err
		}
	}
	if at := p.pos; p.accept("USING") { // Spark's file format of the table
		if _, err := p.name("a format"); err != nil {
			return nil, err
		}
		p.changesNothing("USING", at)
	}
	p.spelling(aliasCreateTableAs, lo)
	st, err := p.viewQuery(v)
	if err == nil {
		p.selectWindowKeys(v.Query)
	}
	return st, err
}

// selectWindowKeys adds WINDOWSTART and WINDOWEND to the columns of a table of ksqlDB over
// windows, behind those that it groups by: they are keys of such a table, selected or not.
func (p *parser) selectWindowKeys(q *Query) {
	s, ok := q.Body.(*Select)
	if !ok {
		return
	}
	w, ok := s.From.(*WindowRef)
	if !ok || !w.suffix || s.GroupBy == nil {
		return
	}
	at := 0
	for i, item := range s.Items {
		c, isColumn := item.Expr.(*ColumnRef)
		if isColumn && strings.EqualFold(c.Parts[0].Name, "window_start") {
			return
		}
		if isColumn && at == i && slices.ContainsFunc(s.GroupBy.Items, func(k Expr) bool { return strings.EqualFold(ExprText(k), ExprText(c)) }) {
			at = i + 1
		}
	}
	bound := func(name, alias string) SelectItem {
		ref := &ColumnRef{Parts: []Ident{{Name: name, Span: w.Span}}, Span: w.Span}
		return SelectItem{Expr: ref, Alias: &Ident{Name: alias, Span: w.Span}, Text: name}
	}
	s.Items = slices.Insert(slices.Clone(s.Items), at, bound("window_start", "WINDOWSTART"), bound("window_end", "WINDOWEND"))
	q.Text = QueryText(q) // the words that stand there are fewer
	p.noteAlias(aliasRules[aliasKsqlTable], w.Span)
}

// tableHead consumes CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS] name.
func (p *parser) tableHead(s *CreateStream) error {
	p.take()
	s.OrReplace = p.accept("OR", "REPLACE")
	if !p.accept("TEMPORARY") {
		p.accept("TEMP")
	}
	if err := p.expect("TABLE"); err != nil {
		return err
	}
	var err error
	if s.IfNotExists, err = p.ifNotExists(); err != nil {
		return err
	}
	s.Name, err = p.name("the name of the table")
	return err
}

// tableKind is what CREATE TABLE makes.
type tableKind uint8

const (
	duckdbTable    tableKind = iota
	queryTable               // AS query, without options
	connectorTable           // WITH (..)
	watermarkTable           // a WATERMARK among the columns
	appendTable              // APPEND ONLY behind the columns, without a WATERMARK
)

// tableKind looks ahead on tokens: a statement of DuckDB must get there unread.
func (p *parser) tableKind() tableKind {
	kind := duckdbTable
	for i := p.pos; i < len(p.toks)-1; i++ {
		t := p.toks[i]
		switch {
		case t.isOp("("):
			end := p.matching(i)
			if p.watermarkWithin(i, end) && kind == duckdbTable {
				kind = watermarkTable
			}
			i = end
		case t.is("WITH") && p.toks[i+1].isOp("("):
			return connectorTable
		case p.wordsAt(i, "APPEND", "ONLY") && kind == duckdbTable && p.toks[i-1].isOp(")"):
			kind = appendTable
		case t.is("AS") && kind == duckdbTable:
			return queryTable
		}
	}
	return kind
}

// watermarkWithin reports whether WATERMARK FOR is an element of the brackets.
func (p *parser) watermarkWithin(open, end int) bool {
	for i := open + 1; i < end; i++ {
		if p.toks[i].opensBracket() {
			i = p.matching(i)
			continue
		}
		if p.wordsAt(i, "WATERMARK", "FOR") {
			return true
		}
	}
	return false
}

// hasWord reports whether the statement holds a word, bare or in quotes.
func (p *parser) hasWord(word string) bool {
	for _, t := range p.toks {
		if t.is(word) || t.kind == tokString && strings.EqualFold(stringValue(t.text), word) {
			return true
		}
	}
	return false
}

// streamAs consumes AS query behind CREATE STREAM of ksqlDB and behind the options of
// CREATE TABLE. Options say that the rows go out: a sink with its query. Without them a
// stream of a query is a view.
func (p *parser) streamAs(s *CreateStream, lo int) (Statement, error) {
	p.take()
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	if len(s.Options) > 0 {
		p.spelling(aliasSinkAs, lo)
		return &CreateSink{Node: p.node(0), OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Name: s.Name, Columns: s.Columns, Options: s.Options, Query: q}, nil
	}
	if s.Columns != nil || s.Watermarks != nil {
		return nil, syntaxError(s.Name.Span, "the columns of %q are those of its query", s.Name.Name)
	}
	p.spelling(aliasStreamAs, lo)
	if q.Emit != nil && q.Emit.Mode == "update" {
		q.Emit = nil // a view does not say when rows come out; who reads it does
	}
	return &CreateView{Node: p.node(0), OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Name: Name{s.Name}, Query: q}, nil
}
