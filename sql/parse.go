package sql

import (
	"sort"
	"strings"

	"ssql/internal/sqlerr"
)

// statementRule is one statement of ssql: the words that it begins with and its
// parser, which finds the cursor at the first of them.
type statementRule struct {
	words string
	parse func(p *parser) (Statement, error)
}

// statementRules is the table of statements, sorted by words. OR REPLACE and
// OR REFRESH behind CREATE do not count. Adding a statement is a row here, a file
// stmt_*.go and a row of the dispatch table of internal/session.
func statementRules() []statementRule {
	return []statementRule{
		{"ALTER MATERIALIZED VIEW", (*parser).alterQuery},
		{"ALTER QUERY", (*parser).alterQuery},
		{"ALTER SINK", (*parser).alterSink},
		{"ALTER SOURCE", (*parser).alterStream},
		{"ALTER STREAM", (*parser).alterStream},
		{"ALTER TABLE", (*parser).alterTable},
		{"ASSERT", (*parser).assert},
		{"AWAIT", (*parser).await},
		{"BEGIN QUERY SET", (*parser).statementSet},
		{"BEGIN STATEMENT SET", (*parser).statementSet},
		{"CANCEL JOB", (*parser).queryVerb},
		{"CANCEL JOBS", (*parser).queryVerb},
		{"CHECKPOINT QUERY", (*parser).queryVerb},
		{"CREATE EXTERNAL STREAM", (*parser).createStream},
		{"CREATE FLOW", (*parser).createQuery},
		{"CREATE MATERIALIZED TABLE", (*parser).createMaterializedTable},
		{"CREATE MATERIALIZED VIEW", (*parser).createMaterializedView},
		{"CREATE QUERY", (*parser).createQuery},
		{"CREATE SINK", (*parser).createSink},
		{"CREATE SOURCE", (*parser).createStream},
		{"CREATE STREAM", (*parser).createStream},
		{"CREATE STREAMING TABLE", (*parser).createStreamingTable},
		{"CREATE TABLE", (*parser).createTable},
		{"CREATE TEMP TABLE", (*parser).createTable},
		{"CREATE TEMP VIEW", (*parser).undecided},
		{"CREATE TEMPORARY TABLE", (*parser).createTable},
		{"CREATE TEMPORARY VIEW", (*parser).undecided},
		{"CREATE VIEW", (*parser).undecided},
		{"DESC", (*parser).describe},
		{"DESCRIBE", (*parser).describe},
		{"DIAGNOSE", (*parser).diagnose},
		{"DROP MATERIALIZED VIEW", (*parser).dropView},
		{"DROP QUERY", (*parser).queryVerb},
		{"DROP SINK", (*parser).dropSink},
		{"DROP SOURCE", (*parser).dropStream},
		{"DROP STREAM", (*parser).dropStream},
		{"DROP TABLE", (*parser).dropTable},
		{"DROP VIEW", (*parser).dropView},
		{"EXECUTE STATEMENT SET", (*parser).statementSet},
		{"EXPLAIN", (*parser).explain},
		{"FROM", (*parser).undecided},
		{"INSERT", (*parser).undecided},
		{"LIST", (*parser).show},
		{"PAUSE", (*parser).queryVerb},
		{"PEEK", (*parser).peekStatement},
		{"PRINT", (*parser).peekStatement},
		{"REFRESH MATERIALIZED VIEW", (*parser).refresh},
		{"RESET", (*parser).reset},
		{"RESTART QUERY", (*parser).queryVerb},
		{"RESUME", (*parser).queryVerb},
		{"RUN SCRIPT", (*parser).runScript},
		{"SELECT", (*parser).undecided},
		{"SET", (*parser).set},
		{"SHOW", (*parser).show},
		{"START QUERY", (*parser).queryVerb},
		{"STATEMENT SET", (*parser).statementSet},
		{"STOP JOB", (*parser).queryVerb},
		{"STOP QUERY", (*parser).queryVerb},
		{"TERMINATE", (*parser).queryVerb},
		{"UNSET", (*parser).reset},
		{"VALUES", (*parser).undecided},
		{"WHY", (*parser).diagnose},
		{"WITH", (*parser).undecided},
	}
}

// duckdbStatements are the first words of statements that only DuckDB has, sorted.
var duckdbStatements = []string{
	"ABORT", "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "COMMENT", "COMMIT", "COPY", "CREATE",
	"DEALLOCATE", "DELETE", "DETACH", "DROP", "END", "EXECUTE", "EXPORT", "FORCE", "IMPORT", "INSTALL", "LOAD",
	"PIVOT", "PIVOT_LONGER", "PIVOT_WIDER", "PRAGMA", "PREPARE", "RENAME", "ROLLBACK", "START", "SUMMARIZE", "TABLE",
	"TRUNCATE", "UNPIVOT", "UPDATE", "USE", "VACUUM",
}

// ParseStatement parses one statement as Split returns it. A query or INSERT comes
// back as *Undecided, since only a catalog can say whether it is about a stream;
// statements that are only DuckDB's come back as *Passthrough, unread.
func ParseStatement(piece Piece, limits Limits) (Statement, error) {
	p, err := newParser(piece.Text, piece.Span.Start, limits)
	if err != nil {
		return nil, err
	}
	return p.statement()
}

// statement parses from the cursor to the end.
func (p *parser) statement() (Statement, error) {
	head := p.head()
	if err := p.foreignStatement(head); err != nil {
		return nil, err
	}
	if p.cur().kind == tokIdent && IsOverRelation(p.cur().text) {
		return p.undecidedOver()
	}
	for _, r := range statementRules() {
		if head != r.words && !strings.HasPrefix(head, r.words+" ") {
			continue
		}
		s, err := r.parse(p)
		if err != nil {
			return nil, err
		}
		if len(p.aliases) > 0 {
			s.spelled(p.aliases)
		}
		return s, p.finish()
	}
	return p.passthrough()
}

// head returns the first words of the statement, upper case, without OR REPLACE.
func (p *parser) head() string {
	if p.cur().isOp("(") {
		return "SELECT"
	}
	words := []string{}
	for i := p.pos; i < len(p.toks) && p.toks[i].kind == tokIdent && len(words) < 3; i++ {
		if p.toks[i].is("OR") && len(words) == 1 {
			i++
			continue
		}
		words = append(words, strings.ToUpper(p.toks[i].text))
	}
	return strings.Join(words, " ")
}

// passthrough hands a statement to DuckDB, unless its first word begins no
// statement at all.
func (p *parser) passthrough() (Statement, error) {
	t := p.cur()
	word := strings.ToUpper(t.text)
	i := sort.SearchStrings(duckdbStatements, word)
	if t.kind != tokIdent || i == len(duckdbStatements) || duckdbStatements[i] != word {
		return nil, p.notAStatement()
	}
	return &Passthrough{Node: p.restNode(), First: word}, nil
}

// notAStatement is the error for a first word that begins no statement.
func (p *parser) notAStatement() error {
	t := p.cur()
	if t.kind == tokEnd {
		return p.unexpected("a statement")
	}
	err := sqlerr.At(t.span(), codeSyntax, "syntax error at or near %q, expected a statement", t.text)
	words := append([]string{}, duckdbStatements...)
	for _, r := range statementRules() {
		words = append(words, strings.Fields(r.words)[0])
	}
	if near := sqlerr.Nearest(t.text, words); near != "" && t.kind == tokIdent {
		return err.WithHint("did you mean %s?", near)
	}
	return err
}

// restNode consumes everything up to the end and returns the node of the whole
// statement.
func (p *parser) restNode() Node {
	for p.cur().kind != tokEnd {
		p.take()
	}
	return p.node(0)
}

// node returns the node of the statement that began at token lo and ends at the
// cursor.
func (p *parser) node(lo int) Node {
	span := p.spanFrom(lo)
	return Node{Span: span, Text: p.slice(span)}
}

// Parse reads the whole of a query or INSERT that turned out to be about a stream.
// It returns a *SelectStatement or an *Insert. A statement of DuckDB's over a relation stays
// one, as a *Passthrough.
func (u *Undecided) Parse(limits Limits) (Statement, error) {
	if words, _ := Words(u.Text); len(words) > 0 && IsOverRelation(words[0].Text) {
		return &Passthrough{Node: u.Node, First: strings.ToUpper(words[0].Text)}, nil
	}
	p, err := newParser(u.Text, u.Span.Start, limits)
	if err != nil {
		return nil, err
	}
	s, err := p.queryStatement()
	if err != nil {
		return nil, err
	}
	s.spelled(p.aliases)
	return s, p.finish()
}

// queryStatement consumes a query or an INSERT.
func (p *parser) queryStatement() (Statement, error) {
	lo := p.pos
	switch {
	case p.at("INSERT"):
		return p.insert()
	case p.at("CREATE") && p.tableWordAhead():
		return p.createTableAs()
	case p.at("CREATE"):
		return p.createView()
	}
	if p.at("WITH") && p.insertBehindWith() {
		return nil, syntaxError(p.cur().span(), "WITH stands behind INSERT INTO t, before SELECT")
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return &SelectStatement{Node: p.node(lo), Query: q}, nil
}

// tableWordAhead tells CREATE TABLE from CREATE VIEW.
func (p *parser) tableWordAhead() bool {
	for _, t := range p.toks[p.pos:] {
		if t.is("TABLE") || t.is("VIEW") {
			return t.is("TABLE")
		}
	}
	return false
}

// insertBehindWith reports whether WITH .. INSERT was written, PostgreSQL's order.
func (p *parser) insertBehindWith() bool {
	depth := 0
	for _, t := range p.toks[p.pos:] {
		switch {
		case t.isOp("("):
			depth++
		case t.isOp(")"):
			depth--
		case depth == 0 && t.is("SELECT"):
			return false
		case depth == 0 && t.is("INSERT"):
			return true
		}
	}
	return false
}

// ParseQueryText parses a text that is one query, with or without a semicolon.
// Spans count from the start of the text.
func ParseQueryText(text string) (*Query, error) {
	p, err := newParser(text, 0, WidestLimits())
	if err != nil {
		return nil, err
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	for p.acceptOp(";") {
	}
	return q, p.finish()
}

// ParseExprText parses a text that is one expression. Spans count from the start of
// the text.
func ParseExprText(text string) (Expr, error) {
	p, err := newParser(text, 0, WidestLimits())
	if err != nil {
		return nil, err
	}
	e, err := p.standaloneExpr()
	if err != nil {
		return nil, err
	}
	return e, p.finish()
}
