package sql

import (
	"strings"

	"ssql/internal/sqlerr"
)

// beginsQuery reports whether the bracket at pos holds a query and not an
// expression or a join.
func (p *parser) beginsQuery(pos int) bool {
	if pos >= len(p.toks) || !p.toks[pos].isOp("(") {
		return false
	}
	t := p.toks[pos+1]
	switch {
	case t.is("SELECT"), t.is("VALUES") && p.toks[pos+2].isOp("("), t.is("FROM") && !p.toks[pos+2].isOp("."):
		return true
	case t.is("WITH"):
		return p.toks[pos+2].isName()
	case !t.isOp("("):
		return false
	}
	end := p.matching(pos + 1)
	if end+1 >= len(p.toks) || !p.beginsQuery(pos+1) {
		return false
	}
	after := p.toks[end+1]
	return after.isOp(")") || after.is("UNION") || after.is("EXCEPT") || after.is("INTERSECT") || after.is("ORDER") || after.is("LIMIT")
}

// bracketQuery consumes ( query ).
func (p *parser) bracketQuery() (*Query, error) {
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return q, p.expectOp(")")
}

// query consumes a whole query: WITH, set operations, ORDER BY, LIMIT and EMIT.
func (p *parser) query() (*Query, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.readHints(); err != nil {
		return nil, err
	}
	// END of a CASE around the query says nothing about columns inside of it.
	outerCase := p.caseDepth
	p.caseDepth = 0
	defer func() { p.caseDepth = outerCase }()

	lo := p.pos
	with, err := p.withClause()
	if err != nil {
		return nil, err
	}
	q, err := p.setOperation()
	if err != nil {
		return nil, err
	}
	if len(with) > 0 || p.atQueryTail() {
		q = openQuery(q)
		q.With = with
	}
	if err := p.queryTail(q); err != nil {
		return nil, err
	}
	if p.grace != nil && q.Emit == nil {
		q = openQuery(q)
	}
	p.takeGrace(q)
	p.limitChanges(q)
	q.Span = p.spanFrom(lo)
	q.Text = p.slice(q.Span)
	return q, nil
}

// openQuery returns a query to which clauses can be added: q itself, or a
// SELECT * over it when q is in brackets and has clauses of its own.
func openQuery(q *Query) *Query {
	if len(q.With) == 0 && len(q.OrderBy) == 0 && q.Limit == nil && q.Offset == nil && q.Emit == nil {
		return q
	}
	body := &Select{Items: []SelectItem{{Expr: &Star{Span: q.Span}, Text: "*"}}, From: &SubqueryRef{Query: q, Span: q.Span}, Span: q.Span}
	return &Query{Body: body}
}

// withClause consumes WITH name [(cols)] AS [[NOT] MATERIALIZED] (query), ..
func (p *parser) withClause() ([]CTE, error) {
	if !p.accept("WITH") {
		return nil, nil
	}
	if p.at("RECURSIVE") && p.peek(1).isName() {
		return nil, unsupported(p.cur().span(), "WITH RECURSIVE is not supported on streams")
	}
	var out []CTE
	for {
		name, err := p.name("the name of a WITH entry")
		if err != nil {
			return nil, err
		}
		c := CTE{Name: name}
		if p.cur().isOp("(") {
			if c.Columns, err = p.nameList("the name of a column"); err != nil {
				return nil, err
			}
		}
		if err := p.expect("AS"); err != nil {
			return nil, err
		}
		if !p.accept("MATERIALIZED") {
			p.accept("NOT", "MATERIALIZED")
		}
		if c.Query, err = p.bracketQuery(); err != nil {
			return nil, err
		}
		out = append(out, c)
		if !p.acceptOp(",") {
			return out, nil
		}
	}
}

// setOperation consumes queries joined by UNION and EXCEPT.
func (p *parser) setOperation() (*Query, error) {
	return p.setLevel(p.intersection, "UNION", "EXCEPT", "MINUS")
}

// intersection consumes queries joined by INTERSECT, which binds more than UNION.
func (p *parser) intersection() (*Query, error) { return p.setLevel(p.queryTerm, "INTERSECT") }

// setLevel consumes terms joined from left to right by the given words.
func (p *parser) setLevel(term func() (*Query, error), words ...string) (*Query, error) {
	lo := p.pos
	left, err := term()
	for n := 0; err == nil && p.atAny(words...); n++ {
		if n > p.limits.ChainLength {
			return nil, p.limits.tooLong(p.cur().span(), "set operations")
		}
		at := p.pos
		op := &SetOp{Op: strings.ToUpper(p.take().text), Left: left}
		if op.Op == "MINUS" {
			op.Op = "EXCEPT"
		}
		if op.All = p.accept("ALL"); !op.All {
			p.accept("DISTINCT")
		}
		op.ByName = p.accept("BY", "NAME")
		op.Span = p.spanFrom(at)
		if op.Right, err = term(); err != nil {
			return nil, err
		}
		left = &Query{Body: op, Span: p.spanFrom(lo)}
		left.Text = p.slice(left.Span)
	}
	return left, err
}

// queryTerm consumes one SELECT, FROM, VALUES, TABLE or a query in brackets.
func (p *parser) queryTerm() (*Query, error) {
	lo := p.pos
	var body *Select
	var err error
	switch {
	case p.cur().isOp("("):
		if !p.beginsQuery(lo) {
			p.take()
			return nil, p.unexpected("SELECT")
		}
		q, err := p.bracketQuery()
		return q, err
	case p.at("SELECT"), p.at("FROM"):
		body, err = p.selectBlock()
	case p.at("VALUES"):
		return p.valuesQuery()
	case p.at("TABLE") && p.peek(1).isName():
		p.take()
		at := p.pos
		name, err := p.qualifiedName("the name of a table")
		if err != nil {
			return nil, err
		}
		body = &Select{From: &TableRef{Name: name, Span: p.spanFrom(at)}, Span: p.spanFrom(lo)}
		body.Items = []SelectItem{{Expr: &Star{Span: body.Span}, Text: "*"}}
	default:
		return nil, p.unexpected("SELECT")
	}
	if err != nil {
		return nil, err
	}
	q := &Query{Body: body, Span: p.spanFrom(lo)}
	q.Text = p.slice(q.Span)
	return q, nil
}

// valuesQuery consumes VALUES (..), .. as a union of SELECTs whose columns are
// named col0, col1, .. as in DuckDB.
func (p *parser) valuesQuery() (*Query, error) {
	lo := p.pos
	rows, err := p.valueRows()
	if err != nil {
		return nil, err
	}
	var q *Query
	for _, row := range rows {
		sel := &Select{Span: p.spanFrom(lo)}
		for i, e := range row {
			alias := Ident{Name: "col" + itoa(i), Span: e.Pos()}
			sel.Items = append(sel.Items, SelectItem{Expr: e, Alias: &alias, Text: p.slice(e.Pos())})
		}
		next := &Query{Body: sel, Span: p.spanFrom(lo)}
		next.Text = p.slice(next.Span)
		if q == nil {
			q = next
			continue
		}
		q = &Query{Body: &SetOp{Op: "UNION", All: true, Left: q, Right: next, Span: p.toks[lo].span()}, Span: next.Span, Text: next.Text}
	}
	return q, nil
}

// valueRows consumes VALUES (a, b), (c, d).
func (p *parser) valueRows() ([][]Expr, error) {
	if err := p.expect("VALUES"); err != nil {
		return nil, err
	}
	var rows [][]Expr
	for {
		p.accept("ROW")
		at := p.pos
		if err := p.expectOp("("); err != nil {
			return nil, err
		}
		row, err := p.exprList()
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			return nil, syntaxError(p.spanFrom(at), "row has %s, the first one has %d", sqlerr.CountOf(len(row), "value"), len(rows[0]))
		}
		rows = append(rows, row)
		if !p.acceptOp(",") {
			return rows, nil
		}
	}
}

// atQueryTail reports whether a clause of the whole query stands at the cursor.
func (p *parser) atQueryTail() bool {
	return p.at("ORDER", "BY") || p.atAny("LIMIT", "OFFSET", "FETCH", "SETTINGS") || p.emitAt(p.pos)
}

// queryTail consumes ORDER BY, LIMIT, OFFSET, FETCH and EMIT, each at most once.
func (p *parser) queryTail(q *Query) error {
	var err error
	for err == nil {
		switch {
		case p.emitAt(p.pos) && q.Emit == nil:
			changes := p.peek(1).is("CHANGES")
			if q.Emit, err = p.emitClause(); err == nil && changes && joinsWithoutGroups(q) {
				q.Emit = q.Emit.withoutMode()
			}
		case p.at("ORDER", "BY") && q.OrderBy == nil:
			p.accept("ORDER", "BY")
			if p.at("ALL") {
				return unsupported(p.cur().span(), "ORDER BY ALL is not supported on streams").WithHint("name the columns")
			}
			q.OrderBy, err = p.orderItems()
		case p.at("LIMIT") && q.Limit == nil:
			p.take()
			if !p.accept("ALL") {
				q.Limit, err = p.standaloneExpr()
			}
			if err == nil && p.at("BY") {
				return unsupported(p.cur().span(), "LIMIT .. BY (ClickHouse, Proton) is not supported").
					WithHint("QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts) <= n")
			}
		case p.at("OFFSET") && q.Offset == nil:
			p.take()
			q.Offset, err = p.standaloneExpr()
			if !p.accept("ROWS") {
				p.accept("ROW")
			}
		case p.at("FETCH") && q.Limit == nil:
			q.Limit, err = p.fetchClause()
		case p.at("SETTINGS", "SEEK_TO"):
			err = p.seekTo()
		default:
			return nil
		}
	}
	return err
}

// seekTo consumes Proton's SETTINGS seek_to = 'earliest'. Every query begins there.
func (p *parser) seekTo() error {
	lo := p.pos
	p.take()
	p.take()
	if err := p.expectOp("="); err != nil {
		return err
	}
	at := p.pos
	where, err := p.str("'earliest'")
	if err != nil {
		return err
	}
	if !strings.EqualFold(where, "earliest") {
		return unsupported(p.spanFrom(at), "SETTINGS seek_to = %q (Proton) is not supported", where).
			WithHint("a query begins with the first row; filter by the time: WHERE ts >= TIMESTAMP '..'")
	}
	p.spelling(aliasSeekTo, lo)
	return nil
}

// fetchClause consumes FETCH FIRST n ROWS ONLY.
func (p *parser) fetchClause() (Expr, error) {
	p.take()
	if !p.accept("FIRST") && !p.accept("NEXT") {
		return nil, p.unexpected("FIRST")
	}
	n, err := p.standalone(levelOperand)
	if err != nil {
		return nil, err
	}
	if !p.accept("ROWS") && !p.accept("ROW") {
		return nil, p.unexpected("ROWS")
	}
	return n, p.expect("ONLY")
}

// orderItems consumes the keys behind ORDER BY.
func (p *parser) orderItems() ([]OrderItem, error) {
	var out []OrderItem
	for {
		e, err := p.standaloneExpr()
		if err != nil {
			return nil, err
		}
		item := OrderItem{Expr: e}
		if !p.accept("ASC") {
			item.Desc = p.accept("DESC")
		}
		if p.at("NULLS", "FIRST") || p.at("NULLS", "LAST") {
			p.take()
			nullsFirst := p.take().is("FIRST")
			item.NullsFirst = &nullsFirst
		}
		out = append(out, item)
		if !p.acceptOp(",") {
			return out, nil
		}
	}
}
