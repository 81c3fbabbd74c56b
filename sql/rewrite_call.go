package sql

import (
	"slices"
	"strings"
)

// callShape is what a call has beside its arguments.
type callShape struct {
	Call
	lambdas map[int]*Lambda // by position of the argument
	window  *Ident          // OVER name
}

// call rewrites name(args) with FILTER, WITHIN GROUP and OVER.
func (p *parser) call() error {
	lo := p.pos
	name := p.take().ident()
	if strings.EqualFold(name.Name, "COLUMNS") && !name.Quoted {
		return unsupported(name.Span, "COLUMNS(..) is not supported on streams").WithHint("name the columns one by one")
	}
	p.take()
	h := p.openCall(lo)
	c := &callShape{Call: Call{Name: name}, lambdas: map[int]*Lambda{}}
	if err := p.callArguments(c); err != nil {
		return err
	}
	if err := p.expectOp(")"); err != nil {
		return err
	}
	if err := p.callSuffixes(c); err != nil {
		return err
	}
	c.Span = p.spanFrom(lo)
	p.noteWindowCall(name, lo)
	block := p.rewrite
	p.closeCall(h, func(args []Expr) (Expr, error) {
		e, err := c.build(args, block)
		if call, ok := e.(*Call); ok && err == nil {
			if other, rule := foreignCall(call); other != nil {
				if rule.engine == "" {
					return other, nil
				}
				p.noteAlias(Alias{Engine: rule.engine, Written: strings.ToUpper(rule.name) + "(..)", Canonical: ExprText(other)}, call.Span)
				return other, nil
			}
		}
		return e, err
	})
	return nil
}

// build makes the node of the converted arguments.
func (c *callShape) build(args []Expr, block *rewrite) (Expr, error) {
	out := c.Call
	for i, a := range args {
		if l, ok := c.lambdas[i]; ok {
			l.Body = a
			args[i] = l
		}
	}
	out.Args = args
	if c.window != nil {
		over, ok := block.window(c.window.Name)
		if !ok {
			return nil, unsupported(c.window.Span, "window %q does not exist", c.window.Name).
				WithHint("define it in a WINDOW clause of the same SELECT")
		}
		out.Over = over
	}
	return &out, nil
}

// callArguments rewrites what stands in the brackets of a call.
func (p *parser) callArguments(c *callShape) error {
	if p.cur().isOp(")") {
		return nil
	}
	if p.cur().isOp("*") && p.peek(1).isOp(")") {
		p.take()
		c.Star = true
		return nil
	}
	if p.at("DISTINCT") {
		p.take()
		c.Distinct = true
	} else if p.at("ALL") && !p.peek(1).isOp(",") && !p.peek(1).isOp(")") && !p.peek(1).isOp(".") {
		p.take()
	}
	for n := 0; ; n++ {
		if err := p.argument(c, n); err != nil {
			return err
		}
		if !p.acceptOp(",") {
			break
		}
		p.comma()
	}
	if err := p.nullTreatment(c); err != nil {
		return err
	}
	if p.accept("ORDER", "BY") {
		var err error
		if c.OrderBy, err = p.orderItems(); err != nil {
			return err
		}
	}
	return p.nullTreatment(c)
}

// nullTreatment consumes IGNORE NULLS or RESPECT NULLS, which a call has once.
func (p *parser) nullTreatment(c *callShape) error {
	lo, said := p.pos, c.Nulls
	switch {
	case p.accept("IGNORE", "NULLS"):
		c.Nulls = IgnoreNulls
	case p.accept("RESPECT", "NULLS"):
		c.Nulls = RespectNulls
	default:
		return nil
	}
	if said != NullsAsUsual {
		return syntaxError(p.spanFrom(lo), "a call says %s or %s, once", IgnoreNulls, RespectNulls)
	}
	return nil
}

// argument rewrites the n-th argument: an expression, a named one or a lambda.
func (p *parser) argument(c *callShape, n int) error {
	if p.cur().isName() && (p.peek(1).isOp("=>") || p.peek(1).isOp(":=")) {
		for len(c.ArgNames) < n {
			c.ArgNames = append(c.ArgNames, "")
		}
		c.ArgNames = append(c.ArgNames, p.take().ident().Name)
		p.take()
	} else if c.ArgNames != nil {
		c.ArgNames = append(c.ArgNames, "")
	}
	if end := p.lambdaParams(c.Name.Name); end > 0 {
		l, err := p.lambdaHead()
		if err != nil {
			return err
		}
		c.lambdas[n] = l
		lo := p.pos
		if err := p.expr(levelAny); err != nil {
			return err
		}
		l.Span.End = p.spanFrom(lo).End
		return nil
	}
	if p.cur().kind == tokDuration && slices.Contains(durationFunctions, strings.ToLower(c.Name.Name)) {
		lo := p.pos
		d, err := p.duration()
		if err != nil {
			return err
		}
		p.operand(lo, d)
		return nil
	}
	return p.expr(levelAny)
}

// noteWindowCall notes a window that is called in an expression: in Spark's spelling, in
// Flink's of old, and in Arroyo's, which names no time column.
func (p *parser) noteWindowCall(name Ident, lo int) {
	function := strings.ToLower(name.Name)
	switch {
	case !slices.Contains(durationFunctions, function):
	case function == "window" || function == "session_window":
		p.spelling(aliasSparkWindow, lo)
	case p.toks[lo+2].is("INTERVAL") || p.toks[lo+2].kind == tokDuration:
		p.spelling(aliasArroyoWindow, lo)
	default:
		p.spelling(aliasGroupWindow, lo)
	}
}

// durationFunctions are the windows that are called in expressions, in Spark's,
// Flink's and Arroyo's spellings: the only functions that take a bare 5m.
var durationFunctions = []string{
	"cumulate", "hop", "hop_end", "hop_start", "session", "session_end", "session_start", "session_window",
	"tumble", "tumble_end", "tumble_start", "window",
}

// lambdaFunctions are the functions one of whose arguments is a lambda, sorted. For
// others x -> 'k' is JSON access.
var lambdaFunctions = []string{
	"aggregate", "all_match", "any_match", "apply", "array_apply", "array_filter", "array_reduce", "array_sort",
	"array_transform", "exists", "filter", "forall", "list_apply", "list_filter", "list_reduce", "list_transform",
	"map_filter", "map_zip_with", "reduce", "transform", "transform_keys", "transform_values", "zip_with",
}

// lambdaParams returns the index of the arrow of a lambda at the cursor, 0 if there
// is none.
func (p *parser) lambdaParams(function string) int {
	if p.cur().isName() && p.peek(1).isOp("->") {
		_, known := slices.BinarySearch(lambdaFunctions, strings.ToLower(function))
		if known {
			return p.pos + 1
		}
		return 0
	}
	if !p.cur().isOp("(") {
		return 0
	}
	end := p.matching(p.pos)
	for i := p.pos + 1; i < end; i++ {
		if even := (i-p.pos)%2 == 0; even && !p.toks[i].isOp(",") || !even && !p.toks[i].isName() {
			return 0
		}
	}
	if end+1 < len(p.toks) && p.toks[end+1].isOp("->") && end > p.pos+1 {
		return end + 1
	}
	return 0
}

// lambdaHead consumes x -> or (x, y) ->.
func (p *parser) lambdaHead() (*Lambda, error) {
	l := &Lambda{Span: p.cur().span()}
	if p.cur().isOp("(") {
		names, err := p.nameList("the name of a parameter")
		if err != nil {
			return nil, err
		}
		l.Params = names
	} else {
		l.Params = []Ident{p.take().ident()}
	}
	return l, p.expectOp("->")
}

// callSuffixes consumes WITHIN GROUP, FILTER and OVER in any order that people write.
func (p *parser) callSuffixes(c *callShape) error {
	var err error
	for err == nil {
		switch {
		case p.at("WITHIN", "GROUP"):
			err = p.withinGroup(c)
		case p.at("FILTER") && p.peek(1).isOp("("):
			err = p.filterClause(c)
		case p.at("IGNORE", "NULLS"), p.at("RESPECT", "NULLS"):
			err = p.nullTreatment(c)
		case p.at("OVER") && (p.peek(1).isOp("(") || p.peek(1).isName()):
			err = p.overClause(c)
		default:
			return nil
		}
	}
	return err
}

func (p *parser) withinGroup(c *callShape) error {
	if err := p.expect("WITHIN", "GROUP"); err != nil {
		return err
	}
	if err := p.expectOp("("); err != nil {
		return err
	}
	if err := p.expect("ORDER", "BY"); err != nil {
		return err
	}
	var err error
	if c.OrderBy, err = p.orderItems(); err != nil {
		return err
	}
	c.WithinGroup = true
	return p.expectOp(")")
}

func (p *parser) filterClause(c *callShape) error {
	p.take()
	p.take()
	p.accept("WHERE") // DuckDB takes the condition without it too
	var err error
	if c.Filter, err = p.standaloneExpr(); err != nil {
		return err
	}
	return p.expectOp(")")
}

// overClause consumes OVER (..) or OVER name.
func (p *parser) overClause(c *callShape) error {
	lo := p.pos
	p.take()
	if !p.cur().isOp("(") {
		name := p.take().ident()
		c.window = &name
		return nil
	}
	o, err := p.windowSpec()
	if err != nil {
		return err
	}
	o.Span = p.spanFrom(lo)
	c.Over = o
	return nil
}

// windowSpec consumes ([PARTITION BY ..] [ORDER BY ..] [frame]).
func (p *parser) windowSpec() (*Over, error) {
	lo := p.pos
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	o := &Over{}
	if p.accept("PARTITION", "BY") {
		for {
			e, err := p.standaloneExpr()
			if err != nil {
				return nil, err
			}
			o.PartitionBy = append(o.PartitionBy, e)
			if !p.acceptOp(",") {
				break
			}
		}
	}
	if p.accept("ORDER", "BY") {
		var err error
		if o.OrderBy, err = p.orderItems(); err != nil {
			return nil, err
		}
	}
	if p.at("PARTITION", "BY") {
		return nil, syntaxError(p.spanOf(p.pos, p.pos+2), "PARTITION BY stands before ORDER BY, once")
	}
	if p.atAny("ROWS", "RANGE", "GROUPS") {
		// Frames are only shown and handed to DuckDB, so their text is enough.
		first, end := p.pos, p.matching(lo)
		for p.pos < end {
			p.take()
		}
		o.Frame = p.slice(p.spanFrom(first))
	}
	if err := p.expectOp(")"); err != nil {
		return nil, err
	}
	o.Span = p.spanFrom(lo)
	return o, nil
}

// windowClause consumes name AS (..), .. behind WINDOW.
func (p *parser) windowClause() error {
	for {
		name, err := p.name("the name of a window")
		if err != nil {
			return err
		}
		if err := p.expect("AS"); err != nil {
			return err
		}
		o, err := p.windowSpec()
		if err != nil {
			return err
		}
		p.names[strings.ToLower(name.Name)] = o
		if !p.acceptOp(",") {
			return nil
		}
	}
}
