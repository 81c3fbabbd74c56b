package sql

import (
	"slices"
	"strconv"
	"strings"
)

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
		if p.at("TABLE") && p.peek(1).isName() {
			return nil, unsupported(name.Span, "table function %q does not exist", name.Name).
				WithHint("functions of a stream are TUMBLE, HOP, CUMULATE, SESSION and DEDUP")
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
			if err := p.expectOp(")"); err != nil {
				return nil, err
			}
		}
		err := p.readingOptions(&f.Reading)
		f.Span.End = p.last().end
		return f, err
	}
	name, err := p.qualifiedName("the name of a stream")
	if err != nil {
		return nil, err
	}
	if p.cur().isOp("(") {
		return nil, unsupported(p.spanFrom(lo), "STREAM of a function (Databricks) is not supported").
			WithHint("name the files, FROM STREAM 'folder/*.csv', or a stream that CREATE STREAM made of them")
	}
	if bracket {
		if err := p.expectOp(")"); err != nil {
			return nil, err
		}
	}
	t := &TableRef{Name: name, Stream: true}
	if err := p.readingOptions(&t.Reading); err != nil {
		return nil, err
	}
	if t.Reading.Options == nil {
		p.spelling(aliasStream, lo)
	}
	t.Span = p.spanFrom(lo)
	return t, nil
}

// readingOptions consumes WITH (..) behind STREAM s: the options of this reading.
func (p *parser) readingOptions(r *Reading) error {
	if !p.at("WITH") || !p.peek(1).isOp("(") {
		return nil
	}
	p.take()
	given, err := p.optionList()
	if err != nil {
		return err
	}
	r.Options, err = p.translateOptions(given)
	return err
}

// identifiedBy consumes IDENTIFIED BY name behind a stream.
func (p *parser) identifiedBy(ref TableExpr) error {
	at := p.pos
	if !p.accept("IDENTIFIED", "BY") {
		return nil
	}
	name, err := p.name("the name of the source")
	if err != nil {
		return err
	}
	for {
		w, ok := ref.(*WatermarkRef)
		if !ok {
			break
		}
		ref = w.Input
	}
	var r *Reading
	switch ref := ref.(type) {
	case *TableRef:
		r = &ref.Reading
	case *FileRef:
		r = &ref.Reading
	}
	if r == nil || r.Source != nil {
		return syntaxError(p.spanFrom(at), "IDENTIFIED BY stands behind a stream, once").
			WithHint("write FROM STREAM s IDENTIFIED BY %s", name.Name)
	}
	r.Source = &name
	switch ref := ref.(type) {
	case *TableRef:
		ref.Span.End = p.last().end
	case *FileRef:
		ref.Span.End = p.last().end
	}
	return nil
}

// tableWord consumes Flink's TABLE(TUMBLE(..)), Proton's table(s) and the word TABLE
// before a name.
func (p *parser) tableWord() (TableExpr, error) {
	lo := p.pos
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
	if err := p.expectOp(")"); err != nil {
		return nil, err
	}
	if _, plain := ref.(*TableRef); plain {
		p.spelling(aliasTableCall, lo)
	} else {
		p.spelling(aliasTableWindow, lo)
	}
	return ref, nil
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
	if err = p.identifiedBy(ref); err != nil {
		return nil, err
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
	if err = p.identifiedBy(ref); err != nil {
		return nil, err
	}
	if p.at("ON", "CONFLICT") {
		return nil, p.foreignClause(p.pos)
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
	if p.cur().isOp("-") {
		return nil, syntaxError(p.cur().span(), "the delay of a watermark may not be negative").
			WithHint("write WATERMARK ts DELAY OF INTERVAL '10' MINUTE")
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
