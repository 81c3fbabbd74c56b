package sql

import "strings"

// caseForm rewrites CASE [x] WHEN c THEN v .. [ELSE e] END.
func (p *parser) caseForm() error {
	lo := p.pos
	p.take()
	p.caseDepth++
	defer func() { p.caseDepth-- }()
	h := p.openCall(lo)
	args := 0
	arg := func() error {
		if args > 0 {
			p.comma()
		}
		args++
		return p.expr(levelAny)
	}
	hasOperand := !p.at("WHEN")
	if hasOperand {
		if err := arg(); err != nil {
			return err
		}
	}
	if !p.at("WHEN") {
		return p.unexpected("WHEN")
	}
	whens := 0
	for ; p.accept("WHEN"); whens++ {
		if err := arg(); err != nil {
			return err
		}
		if err := p.expect("THEN"); err != nil {
			return err
		}
		if err := arg(); err != nil {
			return err
		}
	}
	hasElse := p.accept("ELSE")
	if hasElse {
		if err := arg(); err != nil {
			return err
		}
	}
	if err := p.expect("END"); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		c := &Case{Span: span}
		if hasOperand {
			c.X, args = args[0], args[1:]
		}
		for i := range whens {
			c.Whens = append(c.Whens, When{When: args[2*i], Then: args[2*i+1]})
		}
		if hasElse {
			c.Else = args[2*whens]
		}
		return c, nil
	})
	return nil
}

// exists rewrites EXISTS (query).
func (p *parser) exists() error {
	lo := p.pos
	p.take()
	if !p.beginsQuery(p.pos) {
		p.take()
		if p.cur().isName() && p.peek(1).isOp(",") {
			return syntaxError(p.cur().span(), "syntax error at or near %q, expected a query", p.cur().text).
				WithHint("whether an element of a list fits is len(list_filter(%s, x -> ..)) > 0", p.cur().text)
		}
		return p.unexpected("a query")
	}
	q, err := p.bracketQuery()
	if err != nil {
		return err
	}
	p.operand(lo, &Exists{Query: q, Span: p.spanFrom(lo)})
	return nil
}

// extract rewrites EXTRACT(field FROM x).
func (p *parser) extract() error {
	lo := p.pos
	p.take()
	p.take()
	t := p.cur()
	if !t.isName() && t.kind != tokString {
		return p.unexpected("a field such as HOUR or EPOCH")
	}
	field := t.ident().Name
	if t.kind == tokString {
		field = stringValue(t.text)
	}
	p.take()
	if err := p.expect("FROM"); err != nil {
		return err
	}
	h := p.openCall(lo)
	if err := p.expr(levelAny); err != nil {
		return err
	}
	if err := p.expectOp(")"); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &Extract{Field: strings.ToUpper(field), X: args[0], Span: span}, nil
	})
	return nil
}

// wordedCall rewrites a call whose arguments are separated by words instead of
// commas. words are tried in this order after every argument; reorder, if set,
// makes the plain order of arguments.
func (p *parser) wordedCall(lo int, name Ident, words []string, reorder func(args []Expr) []Expr) error {
	h := p.openCall(lo)
	for first := true; ; first = false {
		if !first {
			p.comma()
		}
		// IN of POSITION is a separator here, not the operator.
		if err := p.expr(levelOther); err != nil {
			return err
		}
		if p.acceptOp(")") {
			break
		}
		separated := p.acceptOp(",")
		for _, w := range words {
			separated = separated || p.accept(w)
		}
		if !separated {
			return p.unexpected(strings.Join(words, " or "))
		}
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		if reorder != nil {
			args = reorder(args)
		}
		return &Call{Name: name, Args: args, Span: span}, nil
	})
	return nil
}

// substring rewrites SUBSTRING(s FROM a [FOR n]); with commas it is a plain call.
func (p *parser) substring() error {
	lo := p.pos
	if !p.separatedBy("FROM", "FOR") {
		return p.call()
	}
	name := p.take().ident()
	p.take()
	return p.wordedCall(lo, name, []string{"FROM", "FOR"}, nil)
}

// position rewrites POSITION(a IN b), which is instr(b, a) as a plain call.
func (p *parser) position() error {
	lo := p.pos
	if !p.separatedBy("IN") {
		return p.call()
	}
	name := p.take().ident()
	name.Name = "instr"
	p.take()
	return p.wordedCall(lo, name, []string{"IN"}, func(args []Expr) []Expr {
		return []Expr{args[len(args)-1], args[0]}
	})
}

// trimFunctions are the plain calls for the sides of TRIM.
var trimFunctions = map[string]string{"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}

// trim rewrites TRIM([BOTH|LEADING|TRAILING] [chars] FROM s).
func (p *parser) trim() error {
	lo := p.pos
	if !p.separatedBy("FROM") {
		return p.call()
	}
	name := p.take().ident()
	p.take()
	if f, ok := trimFunctions[strings.ToUpper(p.cur().text)]; ok && p.cur().kind == tokIdent {
		p.take()
		name.Name = f
	}
	p.accept("FROM")
	return p.wordedCall(lo, name, []string{"FROM"}, func(args []Expr) []Expr {
		if len(args) == 2 {
			return []Expr{args[1], args[0]}
		}
		return args
	})
}

// separatedBy reports whether one of the words stands directly in the brackets
// behind the word at the cursor.
func (p *parser) separatedBy(words ...string) bool {
	end := p.matching(p.pos + 1)
	depth := 0
	for i := p.pos + 2; i < end; i++ {
		t := p.toks[i]
		switch {
		case t.opensBracket():
			depth++
		case t.closesBracket():
			depth--
		case depth == 0:
			for _, w := range words {
				if t.is(w) && !p.toks[i-1].is("DISTINCT") {
					return true
				}
			}
		}
	}
	return false
}

// listLiteral rewrites [a, b]; lo is where it began, before ARRAY if written.
func (p *parser) listLiteral(lo int) error {
	p.take()
	h := p.openCall(lo)
	for first := true; !p.cur().isOp("]"); first = false {
		if !first {
			if err := p.expectOp(","); err != nil {
				return err
			}
			p.comma()
		}
		if err := p.expr(levelAny); err != nil {
			return err
		}
		if first && p.at("FOR") {
			return p.listComprehension(h, lo)
		}
	}
	p.take()
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) { return &ListLit{Items: args, Span: span}, nil })
	return nil
}

// listComprehension rewrites DuckDB's [x * 2 FOR x IN xs IF x > 1] from FOR on: the elements
// that IF leaves in, transformed.
func (p *parser) listComprehension(h *hook, lo int) error {
	p.take()
	name, err := p.name("the name of an element")
	if err != nil {
		return err
	}
	if err := p.expect("IN"); err != nil {
		return err
	}
	p.comma()
	if err := p.expr(levelAny); err != nil {
		return err
	}
	if p.accept("IF") {
		p.comma()
		if err := p.expr(levelAny); err != nil {
			return err
		}
	}
	if err := p.expectOp("]"); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	over := func(function string, list, body Expr) Expr {
		return &Call{Name: Ident{Name: function, Span: span}, Span: span, Args: []Expr{list, &Lambda{Params: []Ident{name}, Body: body, Span: body.Pos()}}}
	}
	p.closeCall(h, func(args []Expr) (Expr, error) {
		list := args[1]
		if len(args) > 2 {
			list = over("list_filter", list, args[2])
		}
		return over("list_transform", list, args[0]), nil
	})
	return nil
}

// arrayLiteral rewrites ARRAY[a, b].
func (p *parser) arrayLiteral() error {
	lo := p.pos
	p.take()
	return p.listLiteral(lo)
}

// structLiteral rewrites {'a': x, b: y}.
func (p *parser) structLiteral() error {
	lo := p.pos
	p.take()
	h := p.openCall(lo)
	var names []string
	for {
		t := p.cur()
		switch {
		case t.kind == tokString:
			names = append(names, stringValue(t.text))
		case t.isName():
			names = append(names, t.ident().Name)
		default:
			return p.unexpected("the name of a field")
		}
		p.take()
		if err := p.expectOp(":"); err != nil {
			return err
		}
		if err := p.expr(levelAny); err != nil {
			return err
		}
		if !p.acceptOp(",") {
			break
		}
		p.comma()
	}
	return p.closeStruct(h, lo, "}", names)
}

// closeStruct consumes the bracket that ends a struct with fields of these names.
func (p *parser) closeStruct(h *hook, lo int, bracket string, names []string) error {
	if err := p.expectOp(bracket); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &StructLit{Names: names, Items: args, Span: span}, nil
	})
	return nil
}

// structCall rewrites STRUCT(x AS a, y AS b); a field without a name is named
// after its column.
func (p *parser) structCall() error {
	lo := p.pos
	p.take()
	p.take()
	h := p.openCall(lo)
	var names []string
	for {
		at := p.pos
		if err := p.expr(levelAny); err != nil {
			return err
		}
		name := p.last()
		if p.accept("AS") {
			if name = p.cur(); !name.isName() {
				return p.unexpected("the name of a field")
			}
			p.take()
		} else if !name.isName() {
			return unsupported(p.spanFrom(at), "a field of STRUCT that is an expression needs a name").WithHint("add AS name")
		}
		names = append(names, name.ident().Name)
		if !p.acceptOp(",") {
			break
		}
		p.comma()
	}
	return p.closeStruct(h, lo, ")", names)
}

// mapLiteral rewrites MAP {k: v}.
func (p *parser) mapLiteral() error {
	p.colons++
	defer func() { p.colons-- }()
	lo := p.pos
	p.take()
	p.take()
	h := p.openCall(lo)
	for first := true; !p.cur().isOp("}"); first = false {
		if !first {
			if err := p.expectOp(","); err != nil {
				return err
			}
			p.comma()
		}
		if err := p.expr(levelAny); err != nil {
			return err
		}
		if err := p.expectOp(":"); err != nil {
			return err
		}
		p.comma()
		if err := p.expr(levelAny); err != nil {
			return err
		}
	}
	p.take()
	p.closeMap(h, lo)
	return nil
}

// mapOfPairs rewrites Flink's MAP[k, v, ..], which is MAP {k: v, ..}.
func (p *parser) mapOfPairs() error {
	lo := p.pos
	p.take()
	p.take()
	h := p.openCall(lo)
	for n := 0; ; n++ {
		if n > 0 {
			p.comma()
		}
		if err := p.expr(levelAny); err != nil {
			return err
		}
		if n%2 == 1 && p.acceptOp("]") {
			break
		}
		if err := p.expectOp(","); err != nil {
			return err
		}
	}
	p.spelling(aliasMapPairs, lo)
	p.closeMap(h, lo)
	return nil
}

// closeMap makes a map of the keys and values that were opened as h.
func (p *parser) closeMap(h *hook, lo int) {
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		m := &MapLit{Span: span}
		for i := 0; i+1 < len(args); i += 2 {
			m.Keys, m.Values = append(m.Keys, args[i]), append(m.Values, args[i+1])
		}
		return m, nil
	})
}
