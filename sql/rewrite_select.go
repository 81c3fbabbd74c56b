package sql

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// selectShape is what a SELECT block has beside the expressions that TiDB reads.
type selectShape struct {
	items   []itemShape
	group   groupShape
	sel     Select
	clauses map[string][]piece // the text for TiDB, by clause
}

// itemShape is one column of a select list beside its expression.
type itemShape struct {
	alias *Ident
	text  string
}

// skeletonClauses are the clauses of the text for TiDB in its order.
var skeletonClauses = []string{"SELECT", "FROM", "WHERE", "GROUP BY", "HAVING"}

// selectBlock consumes one SELECT block, also one that begins with FROM as DuckDB
// has it, and converts it.
func (p *parser) selectBlock() (*Select, error) {
	var out *Select
	err := p.isolated(func() error {
		p.block = nil
		p.ksqlWindow = p.ksqlWindowAhead()
		lo := p.pos
		s := &selectShape{clauses: map[string][]piece{}}
		if err := p.blockClauses(s); err != nil {
			return err
		}
		for _, clause := range skeletonClauses {
			if text := s.clauses[clause]; text != nil {
				p.emit(clause, text[0].tok)
				p.out = append(p.out, text...)
			}
		}
		tree, c, err := p.parseSkeleton()
		if err != nil {
			return err
		}
		s.sel.Span = p.spanFrom(lo)
		if out, err = c.selectBlock(tree, s); err != nil {
			return err
		}
		return c.finish()
	})
	return out, err
}

// clause rewrites one clause into its own text.
func (p *parser) clause(s *selectShape, name string, run func() error) error {
	outer := p.out
	p.out = nil
	err := run()
	s.clauses[name] = p.out
	p.out = outer
	return err
}

// blockClauses consumes the clauses of a block in their order.
func (p *parser) blockClauses(s *selectShape) error {
	fromFirst := p.at("FROM")
	if fromFirst {
		if err := p.fromClause(s); err != nil {
			return err
		}
	}
	if err := p.selectList(s, fromFirst); err != nil {
		return err
	}
	if !fromFirst && p.at("FROM") {
		if err := p.fromClause(s); err != nil {
			return err
		}
	}
	if p.accept("WHERE") {
		if err := p.clause(s, "WHERE", func() error { return p.expr(levelAny) }); err != nil {
			return err
		}
	}
	if p.at("GROUP", "BY") {
		if err := p.groupBy(s); err != nil {
			return err
		}
	}
	if p.accept("HAVING") {
		if err := p.clause(s, "HAVING", func() error { return p.expr(levelAny) }); err != nil {
			return err
		}
	}
	if p.at("WINDOW") && p.ksqlWindow && p.peek(2).isOp("(") {
		return unsupported(p.spanOf(p.pos, p.pos+2), "WINDOW (ksqlDB) behind a join is not supported").
			WithHint("join in a sub-query and window that: FROM TUMBLE((SELECT .. FROM a JOIN b ..), ts, INTERVAL '5' MINUTE)")
	}
	if p.at("WINDOW") && p.peek(1).isName() && p.peek(2).is("AS") {
		p.take()
		if err := p.windowClause(); err != nil {
			return err
		}
	}
	var err error
	if p.accept("QUALIFY") {
		s.sel.Qualify, err = p.standaloneExpr()
	}
	return err
}

func (p *parser) fromClause(s *selectShape) error {
	at := p.take().span()
	if p.ksqlWindow {
		s.group.window = &at
	}
	return p.clause(s, "FROM", p.tableList)
}

// selectList consumes SELECT [DISTINCT [ON (..)]] items. Behind a leading FROM it
// may be missing: SELECT *.
func (p *parser) selectList(s *selectShape, fromFirst bool) error {
	if fromFirst && !p.at("SELECT") {
		at := p.last()
		return p.clause(s, "SELECT", func() error {
			p.operand(p.pos, &Star{Span: at.span()})
			s.items = []itemShape{{text: "*"}}
			return nil
		})
	}
	if err := p.expect("SELECT"); err != nil {
		return err
	}
	if p.at("DISTINCT") {
		p.take()
		s.sel.Distinct = true
		if p.at("ON") && p.peek(1).isOp("(") {
			p.take()
			p.take()
			var err error
			if s.sel.DistinctOn, err = p.exprList(); err != nil {
				return err
			}
		}
	} else if p.at("ALL") && p.peek(1).kind != tokOp && !p.peek(1).is("FROM") {
		p.take()
	}
	return p.clause(s, "SELECT", func() error { return p.selectItems(s) })
}

// selectItems consumes the columns; a comma may stand behind the last, as in DuckDB.
func (p *parser) selectItems(s *selectShape) error {
	for {
		if err := p.selectItem(s); err != nil {
			return err
		}
		if !p.acceptOp(",") {
			return nil
		}
		if p.at("FROM") && !p.peek(1).isOp(".") {
			return nil
		}
		p.comma()
	}
}

func (p *parser) selectItem(s *selectShape) error {
	lo := p.pos
	if p.cur().isOp("*") || p.cur().isName() && p.peek(1).isOp(".") && p.peek(2).isOp("*") {
		star, err := p.star()
		if err != nil {
			return err
		}
		p.operand(lo, star)
		s.items = append(s.items, itemShape{text: p.slice(p.spanFrom(lo))})
		return nil
	}
	if err := p.expr(levelAny); err != nil {
		return err
	}
	item := itemShape{text: p.slice(p.spanFrom(lo))}
	_, isBound := p.windowBound(lo)
	isBound = isBound && p.pos == lo+1
	var err error
	if item.alias, err = p.alias("the name of a column"); err != nil {
		return err
	}
	if item.alias == nil && isBound { // the result column keeps its name
		item.alias = &Ident{Name: p.last().text, Span: p.last().span()}
	}
	s.items = append(s.items, item)
	return nil
}

// alias consumes [AS] name; nil when there is none.
func (p *parser) alias(what string) (*Ident, error) {
	if p.accept("AS") {
		if t := p.cur(); t.kind == tokString {
			p.take()
			return &Ident{Name: stringValue(t.text), Quoted: true, Span: t.span()}, nil
		}
		id, err := p.name(what)
		return &id, err
	}
	if !p.cur().isName() || p.cur().kind == tokIdent && p.beginsClause() {
		return nil, nil
	}
	if p.cur().kind == tokIdent && p.peek(1).kind == tokIdent && p.atForeignWords() {
		return nil, p.foreignClause(p.pos) // else ARRAY JOIN would be an alias and a join
	}
	id := p.take().ident()
	return &id, nil
}

// star consumes * or t.* with EXCLUDE and REPLACE; EXCEPT is Spark's word for
// EXCLUDE.
func (p *parser) star() (*Star, error) {
	lo := p.pos
	s := &Star{}
	if p.cur().isName() {
		id := p.take().ident()
		s.Table = &id
		p.take()
	}
	p.take()
	if p.at("EXCLUDE") || p.at("EXCEPT") && p.peek(1).isOp("(") && !p.beginsQuery(p.pos+1) {
		p.take()
		if p.cur().isOp("(") {
			var err error
			if s.Exclude, err = p.nameList("the name of a column"); err != nil {
				return nil, err
			}
		} else {
			id, err := p.name("the name of a column")
			if err != nil {
				return nil, err
			}
			s.Exclude = []Ident{id}
		}
	}
	if p.at("REPLACE") && p.peek(1).isOp("(") {
		p.take()
		p.take()
		if err := p.starReplace(s); err != nil {
			return nil, err
		}
	}
	s.Span = p.spanFrom(lo)
	return s, nil
}

func (p *parser) starReplace(s *Star) error {
	for {
		lo := p.pos
		e, err := p.standaloneExpr()
		if err != nil {
			return err
		}
		text := p.slice(p.spanFrom(lo))
		p.accept("AS")
		id, err := p.name("the name of a column")
		if err != nil {
			return err
		}
		s.Replace = append(s.Replace, SelectItem{Expr: e, Alias: &id, Text: text})
		if !p.acceptOp(",") {
			return p.expectOp(")")
		}
	}
}

// clauseStart is a word that begins a clause behind a column or a table and so is
// no alias there. A condition tells the clause from an alias of that name.
type clauseStart struct {
	word string
	when func(p *parser) bool
}

// clauseStarts is the table of such words, sorted.
func clauseStarts() []clauseStart {
	return []clauseStart{
		{"AND", always}, {"ANTI", nextIsWord("JOIN")}, {"AS", always}, {"ASC", always}, {"ASOF", nextIsWord("JOIN", "LEFT")},
		{"AT", nextIsWord("TIME")}, {"BETWEEN", always}, {"CLUSTER", nextIsWord("BY")}, {"CONNECT", nextIsWord("BY")},
		{"CROSS", nextIsWord("JOIN")}, {"DELAY", nextIsWord("OF")}, {"DESC", always}, {"DISTRIBUTE", nextIsWord("BY")},
		{"DO", always}, {"ELSE", always}, {"EMIT", func(p *parser) bool { return p.emitAt(p.pos) }}, {"END", func(p *parser) bool { return p.caseDepth > 0 }},
		{"ESCAPE", always}, {"EXCEPT", nextIsQuery}, {"FETCH", nextIsWord("FIRST", "NEXT")}, {"FOR", always}, {"FROM", always},
		{"FULL", nextIsWord("JOIN", "OUTER")}, {"GROUP", nextIsWord("BY")}, {"HAVING", always}, {"IDENTIFIED", nextIsWord("BY")}, {"IGNORE", nextIsWord("NULLS")},
		{"INNER", nextIsWord("JOIN")}, {"INTERSECT", always}, {"INTO", always}, {"JOIN", always}, {"LATERAL", always},
		{"LEFT", nextIsWord("JOIN", "OUTER", "SEMI", "ANTI")}, {"LIMIT", always},
		{"MATCH_CONDITION", nextIs("(")}, {"MATCH_RECOGNIZE", nextIs("(")}, {"MINUS", nextIsQuery}, {"NATURAL", nextIsWord("JOIN", "LEFT", "RIGHT", "FULL", "INNER")},
		{"NOT", always}, {"NULLS", nextIsWord("FIRST", "LAST")}, {"OFFSET", nextIsCount}, {"ON", always}, {"OR", always}, {"ORDER", nextIsWord("BY")},
		{"OVER", nextIs("(")}, {"PARTITION", nextIsWord("BY")}, {"PIVOT", nextIs("(")}, {"POSITIONAL", nextIsWord("JOIN")}, {"PREWHERE", always}, {"QUALIFY", always},
		{"RIGHT", nextIsWord("JOIN", "OUTER", "SEMI", "ANTI")}, {"SELECT", always}, {"SEMI", nextIsWord("JOIN")}, {"SETTINGS", always},
		{"STRAIGHT_JOIN", always}, {"TABLESAMPLE", always}, {"THEN", always}, {"TO", always}, {"UNION", always}, {"UNPIVOT", nextIs("(")},
		{"USING", always}, {"WATERMARK", watermarkAhead}, {"WHEN", always}, {"WHERE", always},
		{"WINDOW", windowClauseAhead}, {"WITH", func(p *parser) bool { return p.peek(1).isOp("(") || p.peek(1).is("ROLLUP") || p.peek(1).is("CUBE") }}, {"WITHIN", nextIsDurationOrBracket},
	}
}

// beginsClause reports whether the bare word at the cursor begins a clause.
func (p *parser) beginsClause() bool {
	for _, c := range p.grammar.clauses {
		if p.cur().is(c.word) {
			return c.when(p)
		}
	}
	return false
}

// nextIsWord is the condition that one of the words follows.
func nextIsWord(words ...string) func(*parser) bool {
	return func(p *parser) bool {
		for _, w := range words {
			if p.peek(1).is(w) {
				return true
			}
		}
		return false
	}
}

// nextIsQuery is the condition that another query, or ALL in front of it, follows.
func nextIsQuery(p *parser) bool {
	t := p.peek(1)
	return t.is("SELECT") || t.is("ALL") || t.is("DISTINCT") || t.is("FROM") || t.is("VALUES") || t.is("BY") || t.is("TABLE") || t.isOp("(")
}

// nextIsCount is the condition that a number or a bracket follows.
func nextIsCount(p *parser) bool {
	t := p.peek(1)
	return t.kind == tokNumber || t.isOp("(") || t.kind == tokParam
}

func nextIsDurationOrBracket(p *parser) bool {
	t := p.peek(1)
	return t.kind == tokNumber || t.kind == tokDuration || t.isOp("(") || t.is("INTERVAL") || t.is("GROUP")
}

// windowClauseAhead tells WINDOW w AS (..) and ksqlDB's WINDOW TUMBLING (..) from an
// alias that is called window.
func windowClauseAhead(p *parser) bool {
	return p.peek(1).isName() && (p.peek(2).is("AS") || p.peek(2).isOp("(")) || p.peek(1).is("SESSION")
}

// selectBlock converts the tree of a block and joins it with its shape.
func (c *converter) selectBlock(tree *ast.SelectStmt, s *selectShape) (*Select, error) {
	out := s.sel
	if len(tree.Fields.Fields) != len(s.items) {
		return nil, c.internal(c.pos, "%d columns came back as %d", len(s.items), len(tree.Fields.Fields))
	}
	for i, f := range tree.Fields.Fields {
		n, err := c.expr(f.Expr)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, SelectItem{Expr: n.e, Alias: s.items[i].alias, Text: s.items[i].text})
	}
	var err error
	if tree.From != nil {
		if out.From, err = c.from(tree.From.TableRefs); err != nil {
			return nil, err
		}
	}
	if out.Where, err = c.optional(tree.Where); err != nil {
		return nil, err
	}
	if out.GroupBy, err = c.groupBy(tree.GroupBy, &s.group); err != nil {
		return nil, err
	}
	if tree.Having != nil {
		if out.Having, err = c.optional(tree.Having.Expr); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

func itoa(i int) string { return strconv.Itoa(i) }
