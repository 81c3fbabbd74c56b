package sql

import "strings"

// operandWithPostfixes rewrites an operand with all that binds to it from behind:
// [i], .field, ::type, AT TIME ZONE, -> and ->>.
//
// The arrows bind as tightly as in MySQL: PostgreSQL and DuckDB rank them with ||,
// which makes a->>'b' = 'c' come out right and a->>'b' + 1 wrong.
func (p *parser) operandWithPostfixes() error {
	return p.postfixes(len(p.out), p.pos, true)
}

// postfixes rewrites an operand and its postfixes; with loose also the arrows and
// AT TIME ZONE, whose own right sides take the tight ones only.
func (p *parser) postfixes(mark, lo int, loose bool) error {
	if err := p.operandBase(); err != nil {
		return err
	}
	for n := 0; ; n++ {
		if n > p.limits.Depth {
			return p.limits.tooDeep(p.cur().span())
		}
		var err error
		switch t := p.cur(); {
		case t.isOp("["):
			err = p.subscript(mark, lo)
		case t.isOp(".") && p.peek(1).isName():
			err = p.field(mark, lo)
		case t.isOp("::"):
			h := p.openCallAt(mark, lo)
			p.take()
			err = p.castTo(h, lo, false, false)
		case loose && (t.isOp("->") || t.isOp("->>")):
			err = p.arrow(mark, lo)
		case loose && t.isOp(":") && p.colons == 0 && p.peek(1).isName():
			err = p.jsonPath(mark, lo)
		case loose && p.at("AT", "TIME", "ZONE"):
			err = p.atTimeZone(mark, lo)
		case p.at("COLLATE"):
			return unsupported(t.span(), "COLLATE is not supported on streams").WithHint("compare lower(x), or strip_accents(x)")
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// subscript rewrites x[i], x['k'] and x[low:high].
func (p *parser) subscript(mark, lo int) error {
	h := p.openCallAt(mark, lo)
	p.take()
	p.colons++
	defer func() { p.colons-- }()
	hasLow, isSlice, hasHigh := false, false, false
	if !p.cur().isOp(":") {
		p.comma()
		if err := p.expr(levelAny); err != nil {
			return err
		}
		hasLow = true
	}
	if p.acceptOp(":") {
		isSlice = true
		if hasHigh = !p.cur().isOp("]"); hasHigh {
			p.comma()
			if err := p.expr(levelAny); err != nil {
				return err
			}
		}
	}
	if err := p.expectOp("]"); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		if !isSlice {
			return &Access{X: args[0], Index: args[1], Span: span}, nil
		}
		s := &Slice{X: args[0], Span: span}
		if hasLow {
			s.Low = args[1]
		}
		if hasHigh {
			s.High = args[len(args)-1]
		}
		return s, nil
	})
	return nil
}

// field rewrites x.name behind something that is not a plain path.
func (p *parser) field(mark, lo int) error {
	h := p.openCallAt(mark, lo)
	p.take()
	id := p.take().ident()
	if p.cur().isOp("(") {
		return unsupported(id.Span, "a call behind a dot is not supported").WithHint("write %s(..) around the value", id.Name)
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &Access{X: args[0], Field: &id, Span: span}, nil
	})
	return nil
}

// arrow rewrites x -> key and x ->> key.
func (p *parser) arrow(mark, lo int) error {
	h := p.openCallAt(mark, lo)
	op := p.take()
	p.comma()
	if err := p.postfixes(len(p.out), p.pos, false); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &Binary{Op: op.text, L: args[0], R: args[1], Span: span, OpAt: op.span()}, nil
	})
	return nil
}

// atTimeZone rewrites x AT TIME ZONE zone.
func (p *parser) atTimeZone(mark, lo int) error {
	h := p.openCallAt(mark, lo)
	if err := p.expect("AT", "TIME", "ZONE"); err != nil {
		return err
	}
	p.comma()
	if err := p.postfixes(len(p.out), p.pos, false); err != nil {
		return err
	}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &AtTimeZone{X: args[0], Zone: args[1], Span: span}, nil
	})
	return nil
}

// jsonPath rewrites x:a.b[0] of Databricks and Proton, which is x ->> '$.a.b[0]'. Between
// the brackets of a list or a map a colon means something else.
func (p *parser) jsonPath(mark, lo int) error {
	h := p.openCallAt(mark, lo)
	at := p.pos
	op := p.take()
	path := "$." + jsonKey(p.take().ident().Name)
	for {
		switch {
		case p.cur().isOp(".") && p.peek(1).isName():
			p.take()
			path += "." + jsonKey(p.take().ident().Name)
			continue
		case p.cur().isOp("[") && p.peek(1).kind == tokNumber && p.peek(2).isOp("]"):
			p.take()
			path += "[" + p.take().text + "]"
			p.take()
			continue
		}
		break
	}
	p.spelling(aliasJSONPath, at)
	right := &Literal{Value: path, Span: p.spanFrom(at)}
	span := p.spanFrom(lo)
	p.closeCall(h, func(args []Expr) (Expr, error) {
		return &Binary{Op: "->>", L: args[0], R: right, Span: span, OpAt: op.span()}, nil
	})
	return nil
}

// jsonKey returns a key as a step of a JSON path.
func jsonKey(name string) string {
	for _, r := range name {
		if !isWordRune(r) {
			return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
		}
	}
	return name
}
