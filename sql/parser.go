package sql

import (
	"ssql/internal/sqlerr"
	"strings"
)

// parser is a cursor over the tokens of one statement. The parsers of the
// statements and the rewriter of queries share it.
//
// Every token must be consumed by a method that says what became of it; finish
// checks that none was skipped.
type parser struct {
	text    string // the statement
	base    int    // its offset in the source
	toks    []token
	hints   []token // optimizer hints: comments to DuckDB; see readHints
	closing []int   // see closingBrackets
	pos     int
	limits  Limits
	depth   int
	fate    []fate // per token
	tidb    *tidbParser
	*rewrite
	grammar   grammar
	aliases   []Alias   // foreign spellings met so far
	caseDepth int       // how many CASE are open: in them END is no column
	colons    int       // how many brackets are open in which a colon is no JSON path
	grace     *Interval // GRACE PERIOD that no EMIT has taken over yet
}

// grammar holds the tables of words that queries are read by.
type grammar struct {
	operands []specialForm
	tables   []tableForm
	clauses  []clauseStart
}

// fate is what became of a token.
type fate uint8

const (
	skipped  fate = iota // nobody looked at it: a bug
	recorded             // its meaning is in a node
	copied               // it stands in the text for TiDB, perhaps rewritten
)

// newParser lexes text. base is the offset of text in its source.
func newParser(text string, base int, limits Limits) (*parser, error) {
	if len(text) > limits.StatementBytes {
		return nil, limits.checkSize(text, base, nil)
	}
	all, fault := lexAll(text, base)
	if fault != nil {
		return nil, fault.err
	}
	hints := allHints(all)
	toks := withoutTrivia(all, base+len(text))
	if err := limits.checkSize(text, base, toks); err != nil {
		return nil, err
	}
	return &parser{
		text: text, base: base, toks: toks, hints: hints, closing: closingBrackets(toks), limits: limits, fate: make([]fate, len(toks)), tidb: newTiDBParser(),
		grammar: grammar{operands: specialForms(), tables: tableForms(), clauses: clauseStarts()},
	}, nil
}

// cur returns the token at the cursor.
func (p *parser) cur() token { return p.toks[p.pos] }

// peek returns the token n after the cursor, tokEnd behind the last.
func (p *parser) peek(n int) token { return p.toks[min(p.pos+n, len(p.toks)-1)] }

// last returns the token before the cursor.
func (p *parser) last() token { return p.toks[p.pos-1] }

// take consumes the token at the cursor as recorded and returns it. At the end it
// stays where it is.
func (p *parser) take() token {
	t := p.cur()
	if t.kind != tokEnd {
		p.fate[p.pos] = recorded
		p.pos++
	}
	return t
}

// at reports whether the bare words stand at the cursor.
func (p *parser) at(words ...string) bool { return p.wordsAt(p.pos, words...) }

func (p *parser) wordsAt(pos int, words ...string) bool {
	for i, w := range words {
		if pos+i >= len(p.toks) || !p.toks[pos+i].is(w) {
			return false
		}
	}
	return true
}

// atAny reports whether one of the words stands at the cursor.
func (p *parser) atAny(words ...string) bool {
	for _, w := range words {
		if p.cur().is(w) {
			return true
		}
	}
	return false
}

// accept consumes the words when all of them stand at the cursor.
func (p *parser) accept(words ...string) bool {
	if !p.at(words...) {
		return false
	}
	for range words {
		p.take()
	}
	return true
}

// acceptOp consumes the operator when it stands at the cursor.
func (p *parser) acceptOp(op string) bool {
	if !p.cur().isOp(op) {
		return false
	}
	p.take()
	return true
}

// expect consumes the words or fails at the first that is missing.
func (p *parser) expect(words ...string) error {
	for _, w := range words {
		if !p.accept(w) {
			return p.unexpected(w)
		}
	}
	return nil
}

// expectOp consumes the operator or fails.
func (p *parser) expectOp(op string) error {
	if !p.acceptOp(op) {
		return p.unexpected(`"` + op + `"`)
	}
	return nil
}

// name consumes a name, bare or quoted. what says in errors what it names.
func (p *parser) name(what string) (Ident, error) {
	if !p.cur().isName() {
		return Ident{}, p.unexpected(what)
	}
	return p.take().ident(), nil
}

// streamName consumes the name of a stream. Streams are in the schema main, which may be said.
func (p *parser) streamName(what string) (Ident, error) {
	at := p.pos
	name, err := p.name(what)
	if err != nil || !p.cur().isOp(".") || !p.peek(1).isName() {
		return name, err
	}
	p.take()
	bare := p.take().ident()
	if !strings.EqualFold(name.Name, "main") {
		return Ident{}, unsupported(p.spanFrom(at), "streams have no schema but main: %q cannot be in %q", bare.Name, name.Name).
			WithHint("leave the schema out: %s", bare.Name)
	}
	return bare, nil
}

// qualifiedName consumes a.b.c.
func (p *parser) qualifiedName(what string) (Name, error) {
	first, err := p.name(what)
	if err != nil {
		return nil, err
	}
	out := Name{first}
	for p.acceptOp(".") {
		part, err := p.name(what)
		if err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	return out, nil
}

// nameList consumes ( a, b, .. ).
func (p *parser) nameList(what string) ([]Ident, error) {
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	var out []Ident
	for {
		id, err := p.name(what)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		if !p.acceptOp(",") {
			return out, p.expectOp(")")
		}
	}
}

// str consumes a string literal and returns its value.
func (p *parser) str(what string) (string, error) {
	if p.cur().kind != tokString {
		return "", p.unexpected(what)
	}
	return stringValue(p.take().text), nil
}

// count consumes a whole number.
func (p *parser) count(what string) (int64, error) {
	if p.cur().kind == tokNumber {
		if n, ok := numberValue(p.cur().text).(int64); ok {
			p.take()
			return n, nil
		}
	}
	return 0, p.unexpected(what)
}

// spanFrom returns the span from the token at index first to the one before the
// cursor.
func (p *parser) spanFrom(first int) Span { return p.spanOf(first, p.pos) }

// spanOf returns the span of the tokens lo to hi-1.
func (p *parser) spanOf(lo, hi int) Span {
	if hi <= lo {
		return Span{Start: p.toks[lo].start, End: p.toks[lo].start}
	}
	return Span{Start: p.toks[lo].start, End: p.toks[hi-1].end}
}

// slice returns the source text of a span.
func (p *parser) slice(s Span) string { return p.text[s.Start-p.base : s.End-p.base] }

// enter counts one level of recursion; leave ends it.
func (p *parser) enter() error {
	p.depth++
	if p.depth > p.limits.Depth {
		return p.limits.tooDeep(p.cur().span())
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// finish checks that the statement ends at the cursor and that every token was
// accounted for.
func (p *parser) finish() error {
	if p.cur().kind != tokEnd {
		return p.unexpected("the end of the statement")
	}
	for i, f := range p.fate[:len(p.toks)-1] {
		if f == skipped {
			return sqlerr.At(p.toks[i].span(), sqlerr.Internal, "the parser left out %q", p.toks[i].text)
		}
	}
	return nil
}

// matching returns the index of the token that closes the bracket at pos, or that
// of tokEnd.
func (p *parser) matching(pos int) int { return p.closing[pos] }

// closingBrackets returns for every opening bracket the index of the token that
// closes it, for everything else that of tokEnd. It is made once, so that looking
// ahead over a bracket costs nothing however deep brackets nest.
func closingBrackets(toks []token) []int {
	closing := make([]int, len(toks))
	var open []int
	for i, t := range toks {
		closing[i] = len(toks) - 1
		switch {
		case t.opensBracket():
			open = append(open, i)
		case t.closesBracket() && len(open) > 0:
			closing[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return closing
}
