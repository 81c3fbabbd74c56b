package sql

import "strings"

// level is how strongly an operator binds, DuckDB's table from weak to strong.
type level uint8

const (
	levelAny level = iota
	levelOr
	levelAnd
	levelNot
	levelIs
	levelCompare
	levelIn    // BETWEEN, IN, LIKE
	levelOther // ||, |, &, <<, >>, ~, ==
	levelAdd
	levelMultiply
	levelPower
	levelOperand // no operator at all
)

// infix is an operator behind an operand.
type infix struct {
	spelling string // words and operators, joined by blanks
	level    level
	sql      string // what TiDB reads
	name     string // what the AST says
	then     follower
}

// follower is what stands behind an infix operator.
type follower uint8

const (
	thenOperand    follower = iota
	thenTest                // IS: NULL, TRUE, ..
	thenNothing             // ISNULL, NOTNULL
	thenComparison          // IS DISTINCT FROM: an operand with its comparisons
	thenRange               // BETWEEN: low AND high
	thenList                // IN: (list) or (query)
	thenPattern             // LIKE: pattern [ESCAPE e]
)

// infixes is the table of operators; of two that match, the longer one stands
// first. TiDB ranks || above arithmetic and & | << >> on levels of their own where
// DuckDB has one level for all of them, so they are all << for TiDB, which is the
// level below + and -. The real name is looked up again when the tree is read.
var infixes = []infix{
	{"OR", levelOr, "OR", "OR", thenOperand},
	{"AND", levelAnd, "AND", "AND", thenOperand},
	{"IS NOT DISTINCT FROM", levelIs, "<=>", "<=>", thenComparison},
	{"IS DISTINCT FROM", levelIs, "<=>", "IS DISTINCT FROM", thenComparison},
	{"IS", levelIs, "IS NULL", "IS", thenTest},
	{"ISNULL", levelIs, "IS NULL", "IS", thenNothing},
	{"NOTNULL", levelIs, "IS NULL", "IS NOT", thenNothing},
	{"=", levelCompare, "=", "=", thenOperand},
	{"<>", levelCompare, "<>", "<>", thenOperand},
	{"!=", levelCompare, "<>", "<>", thenOperand},
	{"<", levelCompare, "<", "<", thenOperand},
	{"<=", levelCompare, "<=", "<=", thenOperand},
	{">", levelCompare, ">", ">", thenOperand},
	{">=", levelCompare, ">=", ">=", thenOperand},
	{"<=>", levelCompare, "<=>", "<=>", thenOperand},
	{"NOT BETWEEN", levelIn, "NOT BETWEEN", "BETWEEN", thenRange},
	{"BETWEEN", levelIn, "BETWEEN", "BETWEEN", thenRange},
	{"NOT IN", levelIn, "NOT IN", "IN", thenList},
	{"IN", levelIn, "IN", "IN", thenList},
	{"NOT LIKE", levelIn, "NOT LIKE", "LIKE", thenPattern},
	{"LIKE", levelIn, "LIKE", "LIKE", thenPattern},
	{"NOT ILIKE", levelIn, "NOT LIKE", "ILIKE", thenPattern},
	{"ILIKE", levelIn, "LIKE", "ILIKE", thenPattern},
	{"NOT SIMILAR TO", levelIn, "NOT LIKE", "SIMILAR", thenPattern},
	{"SIMILAR TO", levelIn, "LIKE", "SIMILAR", thenPattern},
	{"NOT RLIKE", levelIn, "NOT LIKE", "REGEXP", thenPattern},
	{"RLIKE", levelIn, "LIKE", "REGEXP", thenPattern},
	{"NOT REGEXP", levelIn, "NOT LIKE", "REGEXP", thenPattern},
	{"REGEXP", levelIn, "LIKE", "REGEXP", thenPattern},
	{"==", levelOther, "<<", "=", thenOperand}, // DuckDB ranks it with the unknown operators
	{"||", levelOther, "<<", "||", thenOperand},
	{"|", levelOther, "<<", "|", thenOperand},
	{"&", levelOther, "<<", "&", thenOperand},
	{"<<", levelOther, "<<", "<<", thenOperand},
	{">>", levelOther, "<<", ">>", thenOperand},
	{"~", levelOther, "<<", "~", thenOperand},
	{"+", levelAdd, "+", "+", thenOperand},
	{"-", levelAdd, "-", "-", thenOperand},
	{"*", levelMultiply, "*", "*", thenOperand},
	{"/", levelMultiply, "/", "/", thenOperand},
	{"//", levelMultiply, "/", "//", thenOperand},
	{"%", levelMultiply, "%", "%", thenOperand},
	{"DIV", levelMultiply, "/", "DIV", thenOperand},
	{"^", levelPower, "^", "^", thenOperand},
	{"**", levelPower, "^", "^", thenOperand},
}

// infixAt returns the operator at the cursor and how many tokens it has.
func (p *parser) infixAt() (op infix, n int, ok bool) {
	t := p.cur()
	if t.kind != tokOp && t.kind != tokIdent {
		return infix{}, 0, false
	}
	for _, op := range infixes {
		if n := p.spelled(op.spelling); n > 0 {
			return op, n, true
		}
	}
	return infix{}, 0, false
}

// spelled returns how many tokens at the cursor spell words joined by blanks, 0
// when they do not.
func (p *parser) spelled(words string) int {
	for n := 0; ; n++ {
		w, rest, more := strings.Cut(words, " ")
		if t := p.peek(n); !t.is(w) && !t.isOp(w) {
			return 0
		}
		if !more {
			return n + 1
		}
		words = rest
	}
}

// expr rewrites an expression up to the first operator that binds less than min,
// or to the first token that cannot go on.
func (p *parser) expr(min level) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	before := min // what binds to the left of the next operand
	c := &chain{}
	c.operator(levelAny, p)
	for operators := 0; ; operators++ {
		if operators > p.limits.ChainLength {
			return p.limits.tooLong(p.cur().span(), "operators")
		}
		complete, err := p.prefixes(before, c)
		if err != nil {
			return err
		}
		if !complete {
			if err := p.operandWithPostfixes(); err != nil {
				return err
			}
		}
		before, err = p.infixOperators(min, c)
		if err != nil || before == levelAny {
			return err
		}
	}
}

// chain knows where the left operand of an operator of each level begins.
type chain struct {
	starts [levelOperand]place
	closed int
}

// place is a position in the text for TiDB and among the tokens.
type place struct{ out, tok int }

// operator notes that an operator of level l was consumed: what binds more begins
// behind it.
func (c *chain) operator(l level, p *parser) {
	for i := l + 1; i < levelOperand; i++ {
		c.starts[i] = place{len(p.out), p.pos}
	}
}

// close puts everything that begins at level l into brackets: DuckDB reads
// x IS NULL || y as (x IS NULL) || y, TiDB does not read it at all.
func (c *chain) close(l level, p *parser) error {
	if c.closed++; c.closed > p.limits.Depth {
		return p.limits.tooDeep(p.cur().span())
	}
	at := c.starts[l]
	p.closeCall(p.openCallAt(at.out, at.tok), onlyArgument)
	for i := l; i < levelOperand; i++ {
		c.starts[i] = at
	}
	return nil
}

// prefixes consumes NOT, -, + and ~ behind an operator of level before. complete is
// true when the operand has been read as well, because the prefix takes more of what
// follows than TiDB would: ~ all that binds more than ||, and NOT behind something
// stronger than itself, as in a = NOT b, all that binds more than NOT.
func (p *parser) prefixes(before level, c *chain) (complete bool, err error) {
	for n := 0; ; n++ {
		if n > p.limits.Depth {
			return false, p.limits.tooDeep(p.cur().span())
		}
		t := p.cur()
		switch {
		case t.is("NOT") && before > levelNot:
			return true, p.prefixGroup("NOT", levelIs)
		case t.is("NOT"):
			p.prefix("NOT")
			c.operator(levelNot, p)
		case t.isOp("~"):
			p.prefix(t.text)
			return true, p.group(levelAdd)
		case t.isOp("-"), t.isOp("+"):
			p.prefix(t.text)
			before = levelOperand
		default:
			return false, nil
		}
	}
}

// prefix consumes one prefix operator.
func (p *parser) prefix(name string) {
	p.ops[p.pos] = operator{name: name, hi: p.pos + 1}
	p.copyWords(1, name)
}

// prefixGroup rewrites a prefix operator and an expression of at least min as one
// operand.
func (p *parser) prefixGroup(name string, min level) error {
	h := p.openCall(p.pos)
	p.prefix(name)
	if err := p.expr(min); err != nil {
		return err
	}
	p.closeCall(h, onlyArgument)
	return nil
}

// group rewrites an expression of at least min as one operand.
func (p *parser) group(min level) error {
	h := p.openCall(p.pos)
	if err := p.expr(min); err != nil {
		return err
	}
	p.closeCall(h, onlyArgument)
	return nil
}

// onlyArgument is the build function of a hook that holds its argument together.
func onlyArgument(args []Expr) (Expr, error) { return args[0], nil }

// infixOperators consumes what stands behind an operand. When another operand must
// follow, it returns the level of the operator in between, levelAny otherwise.
func (p *parser) infixOperators(min level, c *chain) (level, error) {
	last := levelOperand // of a test that was consumed
	for n := 0; ; n++ {
		if n > p.limits.ChainLength {
			return levelAny, p.limits.tooLong(p.cur().span(), "operators")
		}
		op, words, ok := p.infixAt()
		if !ok || op.level < min {
			return levelAny, nil
		}
		if op.level >= last && op.level > levelCompare {
			if err := c.close(last, p); err != nil {
				return levelAny, err
			}
		}
		last = op.level
		lo := p.pos
		p.ops[lo] = operator{name: op.name, not: strings.HasPrefix(op.spelling, "NOT "), hi: lo + words}
		p.copyWords(words, op.sql)
		var err error
		switch op.then {
		case thenOperand:
			if op.level == levelCompare && p.atAny("ANY", "ALL", "SOME") && p.peek(1).isOp("(") {
				return levelAny, p.unexpected("an expression")
			}
			c.operator(op.level, p)
			return op.level, nil
		case thenRange:
			err = p.between()
			c.operator(op.level, p)
			return op.level, err
		case thenTest:
			err = p.isTest(lo)
		case thenNothing:
			p.ops[lo] = operator{name: "NULL", not: op.name == "IS NOT", hi: p.pos}
		case thenComparison:
			err = p.group(levelCompare)
		case thenList:
			err = p.inList()
		case thenPattern:
			err = p.like()
		}
		if err != nil {
			return levelAny, err
		}
	}
}

// isTest consumes [NOT] NULL|TRUE|FALSE|UNKNOWN behind IS.
func (p *parser) isTest(lo int) error {
	not := p.accept("NOT")
	if !p.atAny("NULL", "TRUE", "FALSE", "UNKNOWN") {
		return p.unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")
	}
	what := strings.ToUpper(p.take().text)
	p.ops[lo] = operator{name: what, not: not, hi: p.pos}
	return nil
}

// between consumes low AND of BETWEEN; high follows as any operand.
func (p *parser) between() error {
	if p.at("SYMMETRIC") {
		return unsupported(p.cur().span(), "BETWEEN SYMMETRIC is not supported").
			WithHint("write BETWEEN least(a, b) AND greatest(a, b)")
	}
	if err := p.expr(levelOther); err != nil {
		return err
	}
	if !p.at("AND") {
		return p.unexpected("AND")
	}
	p.copyWords(1, "AND")
	return nil
}

// inItems is the list of IN, held together as one operand for its brackets.
type inItems struct {
	ListLit
	query *Query
}

// withoutBracket is the error for IN in front of what has no bracket.
func (p *parser) withoutBracket() error {
	t := p.cur()
	if !t.isName() {
		return p.unexpected(`"(" after IN`)
	}
	return syntaxError(t.span(), "syntax error at or near %q, expected \"(\" after IN", t.text).
		WithHint("the elements of a list are list_contains(%s, x), the rows of a table x IN (SELECT .. FROM %s), those of a stream FROM a SEMI JOIN %s ON ..", t.text, t.text, t.text)
}

// inList consumes the bracket of IN: a query or a list.
func (p *parser) inList() error {
	lo := p.pos
	if !p.cur().isOp("(") {
		return p.withoutBracket()
	}
	p.emit("(", lo)
	if p.beginsQuery(lo) {
		q, err := p.bracketQuery()
		if err != nil {
			return err
		}
		p.operand(lo, &inItems{query: q})
		p.emit(")", p.pos)
		return nil
	}
	p.take()
	h := p.openCall(lo)
	for {
		if err := p.expr(levelAny); err != nil {
			return err
		}
		if !p.acceptOp(",") {
			break
		}
		p.comma()
	}
	if err := p.expectOp(")"); err != nil {
		return err
	}
	p.closeCall(h, func(args []Expr) (Expr, error) { return &inItems{ListLit: ListLit{Items: args}}, nil })
	p.emit(")", p.pos)
	return nil
}

// likePattern is the right side of LIKE, held together as one operand because
// TiDB takes nothing but a single operand there.
type likePattern struct {
	ListLit
	pattern, escape Expr
}

// like consumes pattern [ESCAPE e].
func (p *parser) like() error {
	h := p.openCall(p.pos)
	if err := p.expr(levelOther); err != nil {
		return err
	}
	if p.accept("ESCAPE") {
		p.comma()
		if err := p.expr(levelOther); err != nil {
			return err
		}
	}
	p.closeCall(h, func(args []Expr) (Expr, error) {
		l := &likePattern{pattern: args[0]}
		if len(args) == 2 {
			l.escape = args[1]
		}
		return l, nil
	})
	return nil
}
