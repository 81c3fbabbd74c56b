package sql

import (
	"slices"
	"strconv"
	"strings"
)

// joinWords are the words between two tables.
type joinWords struct {
	kind    JoinKind
	natural bool
	within  *Interval
	span    Span
}

// joinSpellings is the table of join words; of two that match, the longer one
// stands first. TiDB knows no FULL, SEMI, ANTI and ASOF and takes these words for an
// alias, so all joins that need a condition are LEFT JOIN for TiDB. Its CROSS JOIN
// may have a condition and takes that of a join around it, so it is a NATURAL JOIN,
// which has none.
var joinSpellings = []struct {
	words string
	kind  JoinKind
	sql   string
}{
	{"ASOF LEFT JOIN", AsofLeftJoin, "LEFT JOIN"},
	{"ASOF LEFT OUTER JOIN", AsofLeftJoin, "LEFT JOIN"},
	{"ASOF JOIN", AsofJoin, "LEFT JOIN"},
	{"ASOF INNER JOIN", AsofJoin, "LEFT JOIN"},
	{"CROSS JOIN", CrossJoin, "NATURAL JOIN"},
	{"LEFT OUTER JOIN", LeftJoin, "LEFT JOIN"},
	{"LEFT SEMI JOIN", SemiJoin, "LEFT JOIN"},
	{"LEFT ANTI JOIN", AntiJoin, "LEFT JOIN"},
	{"LEFT JOIN", LeftJoin, "LEFT JOIN"},
	{"RIGHT OUTER JOIN", RightJoin, "LEFT JOIN"},
	{"RIGHT JOIN", RightJoin, "LEFT JOIN"},
	{"FULL OUTER JOIN", FullJoin, "LEFT JOIN"},
	{"FULL JOIN", FullJoin, "LEFT JOIN"},
	{"SEMI JOIN", SemiJoin, "LEFT JOIN"},
	{"ANTI JOIN", AntiJoin, "LEFT JOIN"},
	{"INNER JOIN", InnerJoin, "JOIN"},
	{"JOIN", InnerJoin, "JOIN"},
}

// tableList rewrites what stands behind FROM: joined tables with commas between.
func (p *parser) tableList() error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	for n := 0; ; n++ {
		if n > p.limits.ChainLength {
			return p.limits.tooLong(p.cur().span(), "tables")
		}
		if err := p.joinedTables(); err != nil {
			return err
		}
		if !p.cur().isOp(",") {
			return nil
		}
		at := p.cur().span()
		p.copyWords(1, ",")
		p.join = &joinWords{kind: CrossJoin, span: at}
	}
}

// joinedTables rewrites tables with joins between and their conditions. Which
// condition belongs to which join is TiDB's to say.
func (p *parser) joinedTables() error {
	if err := p.tableFactor(); err != nil {
		return err
	}
	var open []*joinWords // joins whose condition may still come
	for n := 0; ; n++ {
		if n > p.limits.ChainLength {
			return p.limits.tooLong(p.cur().span(), "joins")
		}
		var err error
		switch {
		case p.at("ON"), p.at("USING") && p.peek(1).isOp("("):
			if len(open) == 0 {
				return p.unexpected("a join before the condition")
			}
			open = open[:len(open)-1]
			err = p.joinCondition()
		case p.at("LATERAL", "VIEW"):
			err = p.lateralView()
		default:
			words, opErr := p.joinOperator()
			if opErr != nil {
				return opErr
			}
			if words == nil {
				return p.checkConditions(open)
			}
			if words.kind != CrossJoin && !words.natural {
				open = append(open, words)
			}
			err = p.joinRight()
		}
		if err != nil {
			return err
		}
	}
}

// checkConditions refuses a join without the condition that its kind needs; an
// inner join without one is a cross join, as in Spark.
func (p *parser) checkConditions(open []*joinWords) error {
	for _, j := range open {
		if j.kind != InnerJoin {
			return p.unexpected("ON or USING for the " + joinNames[j.kind])
		}
	}
	return nil
}

// joinCondition rewrites ON expr or USING (a, b).
func (p *parser) joinCondition() error {
	if p.at("USING") {
		return p.usingColumns()
	}
	p.copyWords(1, "ON")
	return p.expr(levelAny)
}

// joinOperator consumes join words; nil when there are none.
func (p *parser) joinOperator() (*joinWords, error) {
	lo := p.pos
	natural := p.at("NATURAL")
	if natural {
		p.copyWords(1, "NATURAL")
	}
	for _, j := range joinSpellings {
		if n := p.spelled(j.words); n > 0 {
			p.copyWords(n, j.sql)
			p.join = &joinWords{kind: j.kind, natural: natural, span: p.spanFrom(lo)}
			return p.join, nil
		}
	}
	if natural {
		return nil, p.unexpected("JOIN")
	}
	return nil, nil
}

// joinRight rewrites the right side of a join, with ksqlDB's WITHIN behind it.
func (p *parser) joinRight() error {
	words := p.join
	if err := p.tableFactor(); err != nil {
		return err
	}
	if !p.at("WITHIN") || !nextIsDurationOrBracket(p) {
		return nil
	}
	p.take()
	if p.cur().isOp("(") {
		return unsupported(p.spanOf(p.pos, p.matching(p.pos)+1), "WITHIN (before, after) is not supported").
			WithHint("write the bounds into ON: a.ts BETWEEN b.ts - INTERVAL .. AND b.ts + INTERVAL ..")
	}
	var err error
	words.within, err = p.duration()
	return err
}

// usingColumns rewrites USING (a, b).
func (p *parser) usingColumns() error {
	p.copyWords(1, "USING")
	p.emit("(", p.pos)
	p.take()
	for {
		lo := p.pos
		id, err := p.name("the name of a column")
		if err != nil {
			return err
		}
		p.operand(lo, &ColumnRef{Parts: []Ident{id}, Span: id.Span})
		if !p.acceptOp(",") {
			break
		}
		p.comma()
	}
	p.emit(")", p.pos)
	return p.expectOp(")")
}

// lateralView rewrites Spark's LATERAL VIEW [OUTER] f(x) [t] [AS a, b] as a cross
// join with the function.
func (p *parser) lateralView() error {
	lo := p.pos
	p.emit("NATURAL JOIN", lo)
	p.take()
	p.take()
	if p.at("OUTER") {
		return unsupported(p.cur().span(), "LATERAL VIEW OUTER (Spark) is not supported").WithHint("use LEFT JOIN LATERAL unnest(x) ON true")
	}
	p.join = &joinWords{kind: CrossJoin, span: p.spanFrom(lo)}
	at := p.pos
	f, err := p.tableFunction()
	if err != nil {
		return err
	}
	f.Lateral = true
	if p.cur().isName() && !p.at("AS") && !p.beginsClause() {
		id := p.take().ident()
		f.Alias = &id
	}
	if p.accept("AS") {
		for {
			id, err := p.name("the name of a column")
			if err != nil {
				return err
			}
			f.Columns = append(f.Columns, id)
			if !p.acceptOp(",") {
				break
			}
		}
		if f.Alias == nil { // names of columns need one in any other spelling
			f.Alias = &f.Name
		}
	}
	f.Span = p.spanFrom(at)
	p.table(at, f)
	return nil
}

// table appends the name of a table that is complete.
func (p *parser) table(lo int, t TableExpr) {
	p.emit("t"+strconv.Itoa(len(p.hooks)), lo)
	p.hooks = append(p.hooks, &hook{lo: lo, hi: p.pos, table: t, join: p.join})
	p.join = nil
}

// tableFactor rewrites one table, or joined tables in brackets.
func (p *parser) tableFactor() error {
	lo := p.pos
	var ref TableExpr
	var err error
	if p.cur().isOp("(") && !p.beginsQuery(lo) {
		ref, err = p.bracketTables()
	} else {
		ref, err = p.tableRef()
	}
	if err != nil {
		return err
	}
	p.table(lo, ref)
	return nil
}

// bracketTables consumes joined tables in brackets. TiDB reads them apart: among
// others it would move a cross join in front of them into the brackets, which is
// right for the joins of MySQL and wrong for a FULL JOIN.
func (p *parser) bracketTables() (TableExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.take()
	var ref TableExpr
	err := p.isolated(func() error {
		p.emit("SELECT 1 FROM", p.pos)
		if err := p.joinedTables(); err != nil {
			return err
		}
		sel, c, err := p.parseSkeleton()
		if err != nil {
			return err
		}
		if ref, err = c.from(sel.From.TableRefs); err != nil {
			return err
		}
		return c.finish()
	})
	if err != nil {
		return nil, err
	}
	return ref, p.expectOp(")")
}

// tableForm is a table that begins with a word of its own.
type tableForm struct {
	word  string
	next  func(p *parser) bool // whether the tokens after the word make it this form
	parse func(p *parser) (TableExpr, error)
}

// tableForms is the table of such forms, sorted by word.
func tableForms() []tableForm {
	return []tableForm{
		{"CUMULATE", nextIs("("), (*parser).windowTable},
		{"DEDUP", nextIs("("), (*parser).dedupTable},
		{"HOP", nextIs("("), (*parser).windowTable},
		{"LATERAL", always, (*parser).lateralTable},
		{"SESSION", nextIs("("), (*parser).windowTable},
		{"STREAM", nextIsStreamName, (*parser).streamTable},
		{"TABLE", nextIsStreamName, (*parser).tableWord},
		{"TUMBLE", nextIs("("), (*parser).windowTable},
	}
}

// nextIsStreamName tells STREAM s and STREAM(s) from a table that is called stream.
func nextIsStreamName(p *parser) bool {
	t := p.peek(1)
	if t.isOp("(") || t.kind == tokQuoted || t.kind == tokString {
		return true
	}
	if t.kind != tokIdent || t.is("AS") {
		return false
	}
	p.pos++
	clause := p.beginsClause()
	p.pos--
	return !clause
}

// tableRef consumes one table with everything behind it up to its alias.
func (p *parser) tableRef() (TableExpr, error) {
	lo := p.pos
	ref, err := p.plainTable()
	if err != nil {
		return nil, err
	}
	return p.tableSuffixes(lo, ref)
}

// plainTable consumes a table without what may stand behind it.
func (p *parser) plainTable() (TableExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	lo := p.pos
	t := p.cur()
	switch {
	case t.kind == tokString:
		p.take()
		return &FileRef{Path: stringValue(t.text), Span: t.span()}, nil
	case t.isOp("("):
		q, err := p.bracketQuery()
		if err != nil {
			return nil, err
		}
		return &SubqueryRef{Query: q, Span: p.spanFrom(lo)}, nil
	}
	for _, f := range p.grammar.tables {
		if p.at(f.word) && f.next(p) {
			return f.parse(p)
		}
	}
	if t.kind == tokIdent && (p.reservedOperand() || p.beginsClause()) || !t.isName() {
		return nil, p.unexpected("a table")
	}
	if p.peek(1).isOp("(") {
		return p.tableFunction()
	}
	name, err := p.qualifiedName("the name of a table")
	if err != nil {
		return nil, err
	}
	return &TableRef{Name: name, Span: p.spanFrom(lo)}, nil
}

// tableFunction consumes name(args).
func (p *parser) tableFunction() (*FuncRef, error) {
	lo := p.pos
	name, err := p.name("the name of a table function")
	if err != nil {
		return nil, err
	}
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	f := &FuncRef{Name: name}
	for !p.cur().isOp(")") {
		if len(f.Args) > 0 {
			if err := p.expectOp(","); err != nil {
				return nil, err
			}
		}
		arg := ""
		if p.cur().isName() && (p.peek(1).isOp("=>") || p.peek(1).isOp(":=") || p.peek(1).isOp("=")) {
			arg = p.take().ident().Name
			p.take()
		}
		e, err := p.standaloneExpr()
		if err != nil {
			return nil, err
		}
		f.Args, f.ArgNames = append(f.Args, e), append(f.ArgNames, arg)
	}
	if !slices.ContainsFunc(f.ArgNames, func(n string) bool { return n != "" }) {
		f.ArgNames = nil
	}
	p.take()
	f.Span = p.spanFrom(lo)
	return f, nil
}

// lateralTable consumes LATERAL (query) and LATERAL f(x).
func (p *parser) lateralTable() (TableExpr, error) {
	p.take()
	ref, err := p.plainTable()
	if err != nil {
		return nil, err
	}
	switch r := ref.(type) {
	case *SubqueryRef:
		r.Lateral = true
	case *FuncRef:
		r.Lateral = true
	default:
		return nil, syntaxError(ref.Pos(), "LATERAL stands before a sub-query or a table function")
	}
	return ref, nil
}

// streamTable consumes STREAM s, STREAM(s) and STREAM 'file'.
func (p *parser) streamTable() (TableExpr, error) {
	lo := p.pos
	p.take()
	bracket := p.acceptOp("(")
	if p.cur().kind == tokString {
		t := p.take()
		f := &FileRef{Path: stringValue(t.text), Span: t.span()}
		if bracket {
			return f, p.expectOp(")")
		}
		return f, nil
	}
	name, err := p.qualifiedName("the name of a stream")
	if err != nil {
		return nil, err
	}
	if bracket {
		if err := p.expectOp(")"); err != nil {
			return nil, err
		}
	}
	return &TableRef{Name: name, Stream: true, Span: p.spanFrom(lo)}, nil
}

// tableWord consumes Flink's TABLE(TUMBLE(..)) and the word TABLE before a name.
func (p *parser) tableWord() (TableExpr, error) {
	p.take()
	if !p.acceptOp("(") {
		return p.plainTable()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	ref, err := p.tableRef()
	if err != nil {
		return nil, err
	}
	return ref, p.expectOp(")")
}

// watermarkAhead reports whether WATERMARK at the cursor begins the clause: DELAY OF
// must follow before the table ends. Elsewhere watermark is a name. The search stops
// at the next such word, so that many of them cost no more than one.
func watermarkAhead(p *parser) bool {
	for i := p.pos + 1; i < len(p.toks)-1; i++ {
		switch t := p.toks[i]; {
		case t.opensBracket():
			i = p.matching(i)
		case t.is("DELAY"):
			return p.toks[i+1].is("OF")
		case t.closesBracket(), t.isOp(","), t.is("JOIN"), t.is("WHERE"), t.is("SELECT"), t.is("GROUP") && p.toks[i+1].is("BY"),
			t.is("WATERMARK") && i > p.pos+1:
			return false
		}
	}
	return false
}

// tableSuffixes consumes FOR SYSTEM_TIME AS OF, WATERMARK .. DELAY OF, WINDOW .. and
// the alias, which stands behind the watermark.
func (p *parser) tableSuffixes(lo int, ref TableExpr) (TableExpr, error) {
	var err error
	if p.at("FOR", "SYSTEM_TIME") {
		if err = p.asOf(ref); err != nil {
			return nil, err
		}
	}
	if p.at("WINDOW") && p.peek(1).isName() && p.peek(2).isOp("(") {
		if ref, err = p.windowSuffix(lo, ref); err != nil {
			return nil, err
		}
	}
	if p.at("WATERMARK") && watermarkAhead(p) {
		if ref, err = p.watermark(lo, ref); err != nil {
			return nil, err
		}
	}
	if p.at("TABLESAMPLE") || p.at("USING", "SAMPLE") || p.at("MATCH_RECOGNIZE") {
		return nil, p.unexpected("an alias")
	}
	alias, err := p.alias("an alias")
	if err != nil {
		return nil, err
	}
	if alias != nil {
		if err := p.setAlias(ref, alias); err != nil {
			return nil, err
		}
	}
	if p.at("FOR", "SYSTEM_TIME") {
		if err = p.asOf(ref); err != nil {
			return nil, err
		}
	}
	if p.at("WINDOW") && p.peek(1).isName() && p.peek(2).isOp("(") {
		ref, err = p.windowSuffix(lo, ref)
	}
	return ref, err
}

// asOf consumes FOR SYSTEM_TIME AS OF expr.
func (p *parser) asOf(ref TableExpr) error {
	at := p.pos
	p.take()
	p.take()
	if err := p.expect("AS", "OF"); err != nil {
		return err
	}
	// Arithmetic is read, comparisons are not: what follows is an alias or ON.
	e, err := p.standalone(levelOther)
	if err != nil {
		return err
	}
	t, ok := ref.(*TableRef)
	if !ok || t.AsOf != nil {
		return syntaxError(p.spanFrom(at), "FOR SYSTEM_TIME AS OF stands behind the name of a table, once")
	}
	t.AsOf = e
	t.Span.End = p.last().end
	return nil
}

// watermark consumes WATERMARK expr [AS name] DELAY OF interval.
func (p *parser) watermark(lo int, ref TableExpr) (TableExpr, error) {
	p.take()
	e, err := p.standaloneExpr()
	if err != nil {
		return nil, err
	}
	w := &WatermarkRef{Input: ref, Expr: e}
	if w.Name, err = p.alias("the name of the column"); err != nil {
		return nil, err
	}
	if err := p.expect("DELAY", "OF"); err != nil {
		return nil, err
	}
	if w.Delay, err = p.duration(); err != nil {
		return nil, err
	}
	w.Span = p.spanFrom(lo)
	return w, nil
}

// setAlias gives ref its alias, with the column names behind it.
func (p *parser) setAlias(ref TableExpr, alias *Ident) error {
	var columns []Ident
	var err error
	at := p.pos
	if p.cur().isOp("(") {
		if columns, err = p.nameList("the name of a column"); err != nil {
			return err
		}
	}
	switch r := ref.(type) {
	case *TableRef:
		r.Alias = alias
	case *FileRef:
		r.Alias = alias
	case *WindowRef:
		r.Alias = alias
	case *DedupRef:
		r.Alias = alias
	case *WatermarkRef:
		r.Alias = alias
	case *SubqueryRef:
		r.Alias, r.Columns, columns = alias, columns, nil
	case *FuncRef:
		r.Alias, r.Columns, columns = alias, columns, nil
	}
	if columns != nil {
		return unsupported(p.spanFrom(at), "names of columns can only be given to a sub-query or a table function").
			WithHint("write (SELECT a AS x, .. FROM ..) %s", strings.TrimSpace(alias.Name))
	}
	return nil
}
