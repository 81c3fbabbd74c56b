package sql

import "strings"

// specialForm is an operand whose syntax is its own.
type specialForm struct {
	word  string                // its first word
	next  func(p *parser) bool  // whether the tokens after the word make it this form
	parse func(p *parser) error // rewrites it; the cursor is at the word
}

// specialForms is the table of operands that are more than a name, a literal or a
// plain call, sorted by word.
func specialForms() []specialForm {
	return []specialForm{
		{"ARRAY", nextIs("["), (*parser).arrayLiteral},
		{"CASE", always, (*parser).caseForm},
		{"CAST", nextIs("("), (*parser).cast},
		{"CURRENT_DATE", notCalled, (*parser).bareCall},
		{"CURRENT_TIME", notCalled, (*parser).bareCall},
		{"CURRENT_TIMESTAMP", notCalled, (*parser).bareCall},
		{"EXISTS", nextIs("("), (*parser).exists},
		{"EXTRACT", nextIs("("), (*parser).extract},
		{"FALSE", notPath, (*parser).constant},
		{"INTERVAL", nextIsDuration, (*parser).intervalOperand},
		{"LOCALTIME", notCalled, (*parser).bareCall},
		{"LOCALTIMESTAMP", notCalled, (*parser).bareCall},
		{"MAP", nextIs("{"), (*parser).mapLiteral},
		{"MAP", nextIsPairs, (*parser).mapOfPairs},
		{"NULL", notPath, (*parser).constant},
		{"POSITION", nextIs("("), (*parser).position},
		{"STRUCT", nextNamesFields, (*parser).structCall},
		{"SUBSTRING", nextIs("("), (*parser).substring},
		{"TRIM", nextIs("("), (*parser).trim},
		{"TRUE", notPath, (*parser).constant},
		{"TRY_CAST", nextIs("("), (*parser).cast},
	}
}

func always(*parser) bool { return true }

// nextIs is the condition that op follows the word.
func nextIs(op string) func(*parser) bool {
	return func(p *parser) bool { return p.peek(1).isOp(op) }
}

func notCalled(p *parser) bool { return !p.peek(1).isOp("(") && !p.peek(1).isOp(".") }

func notPath(p *parser) bool { return !p.peek(1).isOp(".") }

// nextIsDuration tells INTERVAL '5' MINUTE from a column that is called interval.
func nextIsDuration(p *parser) bool {
	n := 1
	if p.peek(1).isOp("-") {
		n = 2
	}
	switch p.peek(n).kind {
	case tokString, tokDuration:
		return true
	case tokNumber:
		_, isUnit := unitOf(p.peek(n + 1).text)
		return isUnit || n == 1
	}
	return p.intervalOfExpression() > 0
}

// nextIsPairs tells Flink's MAP['k', v] from the element of a column that is called map.
func nextIsPairs(p *parser) bool {
	if !p.peek(1).isOp("[") {
		return false
	}
	for i := p.pos + 2; i < len(p.toks)-1 && !p.toks[i].closesBracket(); i++ {
		if p.toks[i].isOp(",") {
			return true
		}
		if p.toks[i].opensBracket() {
			i = p.matching(i)
		}
	}
	return false
}

// nextNamesFields tells STRUCT(x AS a), whose fields are named, from a call.
func nextNamesFields(p *parser) bool {
	if !p.peek(1).isOp("(") {
		return false
	}
	end := p.matching(p.pos + 1)
	depth := 0
	for i := p.pos + 2; i < end; i++ {
		switch t := p.toks[i]; {
		case t.opensBracket():
			depth++
		case t.closesBracket():
			depth--
		case depth == 0 && t.is("AS"):
			return true
		}
	}
	return false
}

// reservedOperands are the words that cannot stand for a column without quotes,
// because a clause that misses an operand would swallow what follows.
var reservedOperands = []string{
	"AND", "AS", "BETWEEN", "DISTINCT", "ELSE", "FROM", "HAVING", "IN", "IS", "LIKE", "ON", "OR", "SELECT", "THEN",
	"UNION", "USING", "WHEN", "WHERE",
}

// reservedOperand reports whether the bare word at the cursor begins a clause.
func (p *parser) reservedOperand() bool {
	if p.peek(1).isOp(".") {
		return false
	}
	if p.caseDepth > 0 && p.at("END") {
		return true
	}
	return p.atAny(reservedOperands...) || p.at("GROUP", "BY") || p.at("ORDER", "BY")
}

// operandBase rewrites one operand without what may stand behind it.
func (p *parser) operandBase() error {
	lo := p.pos
	t := p.cur()
	switch t.kind {
	case tokString:
		p.take()
		p.operand(lo, &Literal{Value: stringValue(t.text), Span: t.span()})
		return nil
	case tokNumber:
		p.take()
		p.operand(lo, &Literal{Value: numberValue(t.text), Span: t.span()})
		return nil
	case tokBlob:
		v, err := p.blobValue(t)
		if err != nil {
			return err
		}
		p.take()
		p.operand(lo, &Literal{Value: v, Span: t.span()})
		return nil
	case tokQuoted:
		return p.nameOperand()
	case tokIdent:
		return p.wordOperand()
	case tokOp:
		switch t.text {
		case "(":
			return p.bracketOperand()
		case "[":
			return p.listLiteral(lo)
		case "{":
			return p.structLiteral()
		}
	}
	return p.unexpected("an expression")
}

// wordOperand rewrites an operand that begins with a bare word.
func (p *parser) wordOperand() error {
	for _, f := range p.grammar.operands {
		if p.at(f.word) && f.next(p) {
			return f.parse(p)
		}
	}
	if p.reservedOperand() {
		return p.unexpected("an expression")
	}
	if p.atTypedLiteral() {
		return p.typedLiteral()
	}
	return p.nameOperand()
}

// nameOperand rewrites a column path or a call.
func (p *parser) nameOperand() error {
	lo := p.pos
	if p.peek(1).isOp("(") {
		return p.call()
	}
	parts, err := p.path()
	if err != nil {
		return err
	}
	if p.cur().isOp("(") {
		return unsupported(p.spanFrom(lo), "a call with a qualified name is not supported").
			WithHint("write %s(..)", parts[len(parts)-1].Name)
	}
	if bound, ok := p.windowBound(lo); ok && len(parts) == 1 {
		parts[0].Name = bound
		p.spelling(aliasWindowBounds, lo)
	}
	p.operand(lo, &ColumnRef{Parts: parts, Span: p.spanFrom(lo)})
	return nil
}

// path consumes a.b.c as far as names go: the star of a.* stays.
func (p *parser) path() ([]Ident, error) {
	parts := []Ident{p.take().ident()}
	for p.cur().isOp(".") && p.peek(1).isName() {
		if len(parts) > p.limits.Depth {
			return nil, p.limits.tooDeep(p.cur().span())
		}
		p.take()
		parts = append(parts, p.take().ident())
	}
	if p.cur().isOp(".") && !p.peek(1).isOp("*") {
		p.take()
		return nil, p.unexpected("the name of a field")
	}
	return parts, nil
}

// bracketOperand rewrites (query) and (expr).
func (p *parser) bracketOperand() error {
	lo := p.pos
	if p.beginsQuery(lo) {
		q, err := p.bracketQuery()
		if err != nil {
			return err
		}
		p.operand(lo, &ScalarQuery{Query: q, Span: p.spanFrom(lo)})
		return nil
	}
	p.take()
	h := p.openCall(lo)
	if err := p.expr(levelAny); err != nil {
		return err
	}
	if p.cur().isOp(",") {
		return unsupported(p.spanOf(lo, p.matching(lo)+1), "row values are not supported").
			WithHint("compare the columns one by one, or use a struct: {'a': a, 'b': b}")
	}
	if err := p.expectOp(")"); err != nil {
		return err
	}
	p.closeCall(h, onlyArgument)
	return nil
}

// constant is TRUE, FALSE and NULL.
func (p *parser) constant() error {
	lo := p.pos
	t := p.take()
	var v any
	if !t.is("NULL") {
		v = t.is("TRUE")
	}
	p.operand(lo, &Literal{Value: v, Span: t.span()})
	return nil
}

// bareCall is a function that is called without brackets: CURRENT_DATE.
func (p *parser) bareCall() error {
	lo := p.pos
	t := p.take()
	p.operand(lo, &Call{Name: t.ident(), Span: t.span()})
	return nil
}

// atTypedLiteral reports whether a type and a string stand at the cursor:
// DATE '..', TIMESTAMP WITH TIME ZONE '..'.
func (p *parser) atTypedLiteral() bool {
	if _, ok := lookupType(p.cur().text); !ok {
		return false
	}
	n := 1
	switch {
	case p.peek(1).is("PRECISION"):
		n = 2
	case p.peek(1).is("WITH"), p.peek(1).is("WITHOUT"):
		n = 2
		if p.peek(2).is("LOCAL") {
			n++
		}
		if !p.peek(n).is("TIME") || !p.peek(n+1).is("ZONE") {
			return false
		}
		n += 2
	}
	return p.peek(n).kind == tokString
}

// typedLiteral consumes a type and the string behind it.
func (p *parser) typedLiteral() error {
	lo := p.pos
	t, err := p.typ()
	if err != nil {
		return err
	}
	text, err := p.str("text")
	if err != nil {
		return err
	}
	p.operand(lo, &TypedLiteral{Type: t, Text: text, Span: p.spanFrom(lo)})
	return nil
}

// intervalOfExpression returns the index of the bracket that closes
// INTERVAL (expr) UNIT, DuckDB's interval of a computed length; 0 when the cursor
// is at none.
func (p *parser) intervalOfExpression() int {
	if !p.peek(1).isOp("(") {
		return 0
	}
	end := p.matching(p.pos + 1)
	if end+1 >= len(p.toks) || p.toks[end+1].kind != tokIdent {
		return 0
	}
	if _, ok := unitOf(p.toks[end+1].text); !ok {
		return 0
	}
	return end
}

// intervalOperand rewrites an interval in any style. One of computed length is a
// call of to_minutes and its like.
func (p *parser) intervalOperand() error {
	lo := p.pos
	if p.intervalOfExpression() == 0 {
		v, err := p.interval()
		if err != nil {
			return err
		}
		p.operand(lo, v)
		return nil
	}
	p.take()
	p.take()
	h := p.openCall(lo)
	if err := p.expr(levelAny); err != nil {
		return err
	}
	if err := p.expectOp(")"); err != nil {
		return err
	}
	unit, _ := unitOf(p.take().text)
	name := Ident{Name: "to_" + strings.ToLower(pluralUnit(unit.name)), Span: p.last().span()}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) { return &Call{Name: name, Args: args, Span: span}, nil })
	return nil
}

func pluralUnit(unit string) string {
	switch unit {
	case "MILLENNIUM":
		return "MILLENNIA"
	case "CENTURY":
		return "CENTURIES"
	}
	return unit + "S"
}

// cast rewrites CAST(x AS t) and TRY_CAST(x AS t).
func (p *parser) cast() error {
	lo := p.pos
	try := p.at("TRY_CAST")
	p.take()
	p.take()
	h := p.openCall(lo)
	if err := p.expr(levelAny); err != nil {
		return err
	}
	if err := p.expect("AS"); err != nil {
		return err
	}
	return p.castTo(h, lo, try, true)
}

// castTo consumes the type of a cast and, if bracket, the one that closes it.
func (p *parser) castTo(h *hook, lo int, try, bracket bool) error {
	at := p.pos
	t, err := p.typ()
	if err != nil {
		return err
	}
	typeAt := p.spanFrom(at)
	if bracket {
		if err := p.expectOp(")"); err != nil {
			return err
		}
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &Cast{X: args[0], Type: t, Try: try, Span: span, TypeAt: typeAt}, nil
	})
	return nil
}
