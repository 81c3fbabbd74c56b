package expr

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"ssql/sql/types"
)

// parseExpr binds the text of an expression: as much SQL as the tests of this
// package need, so that one text can go to DuckDB and to the kernels.
func parseExpr(t *testing.T, cols map[string]Expr, text string) (Expr, error) {
	t.Helper()
	p := &parser{cols: cols, tokens: tokenize(text)}
	e, err := p.expr(0)
	if err == nil && p.at < len(p.tokens) {
		err = fmt.Errorf("test parser: unexpected %q in %s", p.tokens[p.at], text)
	}
	return e, err
}

type parser struct {
	cols   map[string]Expr
	tokens []string
	at     int
	depth  int // of lambdas
}

func tokenize(s string) []string {
	var out []string
	isWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for i := 0; i < len(s); {
		c := s[i]
		j := i + 1
		switch {
		case c == ' ':
			i++
			continue
		case c == '\'':
			for ; s[j] != '\'' || j+1 < len(s) && s[j+1] == '\''; j++ {
				if s[j] == '\'' {
					j++
				}
			}
			j++
		case c >= '0' && c <= '9':
			for ; j < len(s) && (isWord(s[j]) || s[j] == '.' || (s[j] == '-' || s[j] == '+') && s[j-1] == 'e'); j++ {
			}
		case isWord(c):
			for ; j < len(s) && isWord(s[j]); j++ {
			}
		default:
			for _, op := range []string{"::", "<=", ">=", "<>", "||", "//", "**", "<<", ">>", "->", "->>"} {
				if strings.HasPrefix(s[i:], op) {
					j = i + len(op)
				}
			}
		}
		out = append(out, s[i:j])
		i = j
	}
	return out
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *parser) is(word string) bool { return strings.EqualFold(p.peek(), word) }

func (p *parser) accept(word string) bool {
	if p.is(word) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		panic(fmt.Sprintf("test parser: expected %q, found %q in %v", word, p.peek(), p.tokens))
	}
}

var powers = map[string]int{
	"OR": 1, "AND": 2, "=": 5, "<>": 5, "<": 5, ">": 5, "<=": 5, ">=": 5, "~": 5,
	"->": 6, "->>": 6, "||": 6, "&": 6, "|": 6, "<<": 6, ">>": 6,
	"+": 7, "-": 7, "*": 8, "/": 8, "//": 8, "DIV": 8, "%": 8, "^": 9, "**": 9,
}

func (p *parser) expr(least int) (Expr, error) {
	l, err := p.unary()
	for err == nil {
		op := strings.ToUpper(p.peek())
		not := false
		if op == "NOT" && p.at+1 < len(p.tokens) {
			not, op = true, strings.ToUpper(p.tokens[p.at+1])
		}
		switch op {
		case "IS", "IN", "LIKE", "ILIKE", "SIMILAR", "BETWEEN":
			if least > 4 {
				return l, nil
			}
			p.at++
			if not {
				p.at++
			}
			l, err = p.test(l, op, not)
			continue
		}
		power := powers[op]
		if power == 0 || power <= least {
			return l, nil
		}
		p.at++
		var r Expr
		if r, err = p.expr(power); err == nil {
			l, err = BindBinary(op, l, r, noSpan)
		}
	}
	return l, err
}

func (p *parser) test(l Expr, op string, not bool) (Expr, error) {
	switch op {
	case "IS":
		not = p.accept("NOT")
		if p.accept("DISTINCT") {
			p.expect("FROM")
			r, err := p.expr(5)
			if err != nil {
				return nil, err
			}
			same, err := BindBinary("<=>", l, r, noSpan)
			if err != nil || not {
				return same, err
			}
			return BindUnary("NOT", same, noSpan)
		}
		p.at++
		return BindIsTest(l, strings.ToUpper(p.tokens[p.at-1]), not, noSpan)
	case "IN":
		p.expect("(")
		list, err := p.list(")")
		if err != nil {
			return nil, err
		}
		return BindIn(l, list, not, noSpan)
	case "BETWEEN":
		low, err := p.expr(5)
		if err != nil {
			return nil, err
		}
		p.expect("AND")
		high, err := p.expr(5)
		if err != nil {
			return nil, err
		}
		a, err := BindBinary(">=", l, low, noSpan)
		if err != nil {
			return nil, err
		}
		b, err := BindBinary("<=", l, high, noSpan)
		if err != nil {
			return nil, err
		}
		both, err := BindBinary("AND", a, b, noSpan)
		if err != nil || !not {
			return both, err
		}
		return BindUnary("NOT", both, noSpan)
	}
	if op == "SIMILAR" {
		p.expect("TO")
	}
	pattern, err := p.expr(5)
	if err != nil {
		return nil, err
	}
	var escape Expr
	if p.accept("ESCAPE") {
		if escape, err = p.expr(5); err != nil {
			return nil, err
		}
	}
	return BindLike(op, l, pattern, escape, not, noSpan)
}

func (p *parser) unary() (Expr, error) {
	switch {
	case p.accept("-"):
		x, err := p.expr(9)
		if err != nil {
			return nil, err
		}
		return BindUnary("-", x, noSpan)
	case p.accept("~"):
		x, err := p.expr(9)
		if err != nil {
			return nil, err
		}
		return BindUnary("~", x, noSpan)
	case p.accept("NOT"):
		x, err := p.expr(3)
		if err != nil {
			return nil, err
		}
		return BindUnary("NOT", x, noSpan)
	}
	x, err := p.primary()
	for err == nil {
		switch {
		case p.accept("::"):
			x, err = BindCast(x, p.typ(), false, noSpan)
		case p.accept("."):
			p.at++
			x, err = BindField(x, p.tokens[p.at-1], noSpan)
		case p.accept("["):
			var args []Expr
			if args, err = p.slice(); err != nil {
				return nil, err
			}
			if len(args) == 2 {
				x, err = BindFunction("list_slice", append([]Expr{x}, args...), noSpan)
			} else {
				x, err = BindIndex(x, args[0], noSpan)
			}
		default:
			return x, nil
		}
	}
	return x, err
}

func (p *parser) slice() (args []Expr, err error) {
	open := func() bool { return p.is(":") || p.is("]") }
	for {
		e := null()
		if !open() {
			if e, err = p.expr(0); err != nil {
				return nil, err
			}
		}
		args = append(args, e)
		if p.accept("]") {
			return args, nil
		}
		p.expect(":")
	}
}

// list parses items up to a closing token.
func (p *parser) list(end string) (items []Expr, err error) {
	for !p.accept(end) {
		e, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		items = append(items, e)
		p.accept(",")
	}
	return items, nil
}

func (p *parser) primary() (Expr, error) {
	tok := p.peek()
	p.at++
	switch upper := strings.ToUpper(tok); {
	case tok == "(":
		e, err := p.expr(0)
		p.expect(")")
		return e, err
	case tok == "[":
		items, err := p.list("]")
		if err != nil {
			return nil, err
		}
		return BindList(items, noSpan)
	case tok == "{":
		return p.structLit()
	case tok[0] == '\'':
		return text(unquoteSQL(tok)), nil
	case tok[0] >= '0' && tok[0] <= '9':
		return numberLit(tok), nil
	case upper == "NULL":
		return null(), nil
	case upper == "TRUE", upper == "FALSE":
		return NewLiteral(tBool, upper == "TRUE"), nil
	case upper == "CASE":
		return p.caseExpr()
	case upper == "CAST", upper == "TRY_CAST":
		p.expect("(")
		x, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		p.expect("AS")
		to := p.typ()
		p.expect(")")
		return BindCast(x, to, upper == "TRY_CAST", noSpan)
	case upper == "INTERVAL":
		return p.interval()
	case upper == "MAP" && p.accept("{"):
		return p.mapLit()
	case (upper == "DATE" || upper == "TIMESTAMP") && strings.HasPrefix(p.peek(), "'"):
		p.at++
		k := map[string]types.Kind{"DATE": types.Date, "TIMESTAMP": types.Timestamp}[upper]
		return BindCast(text(unquoteSQL(p.tokens[p.at-1])), types.Of(k), false, noSpan)
	case p.accept("("):
		if IsLambdaFunction(tok) {
			return p.lambda(tok)
		}
		args, err := p.list(")")
		if err != nil {
			return nil, err
		}
		return BindFunction(tok, args, noSpan)
	}
	if c := p.cols[tok]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("test parser: no column %q", tok)
}

// lambda parses list, x -> body) or list, (x, i) -> body).
func (p *parser) lambda(name string) (Expr, error) {
	list, err := p.expr(0)
	if err != nil {
		return nil, err
	}
	p.expect(",")
	var names []string
	if p.accept("(") {
		for !p.accept(")") {
			names = append(names, p.peek())
			p.at++
			p.accept(",")
		}
	} else {
		names = []string{p.peek()}
		p.at++
	}
	p.expect("->")
	params, err := LambdaParams(name, list, len(names), p.depth, noSpan)
	if err != nil {
		return nil, err
	}
	outer := p.cols
	p.cols = maps.Clone(outer)
	for i, n := range names {
		p.cols[n] = params[i]
	}
	p.depth++
	body, err := p.expr(0)
	p.cols = outer
	p.depth--
	if err != nil {
		return nil, err
	}
	p.expect(")")
	return BindLambda(name, list, params, body, noSpan)
}

func unquoteSQL(tok string) string { return strings.ReplaceAll(tok[1:len(tok)-1], "''", "'") }

func numberLit(tok string) Expr {
	if v, err := strconv.ParseInt(tok, 10, 64); err == nil {
		if v == int64(int32(v)) {
			return NewLiteral(tInt, v)
		}
		return NewLiteral(tBigInt, v)
	}
	if whole, fraction, ok := strings.Cut(tok, "."); ok && !strings.Contains(tok, "e") {
		digits := len(strings.TrimLeft(whole, "0")) + len(fraction)
		return NewLiteral(types.DecimalOf(int32(digits), int32(len(fraction))), tok)
	}
	v, _ := strconv.ParseFloat(tok, 64)
	return NewLiteral(tDouble, v)
}

func (p *parser) structLit() (Expr, error) {
	var names []string
	var items []Expr
	for !p.accept("}") {
		names = append(names, unquoteSQL(p.peek()))
		p.at++
		p.expect(":")
		e, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		items = append(items, e)
		p.accept(",")
	}
	return BindStruct(names, items)
}

func (p *parser) mapLit() (Expr, error) {
	var keys, values []Expr
	for !p.accept("}") {
		k, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		p.expect(":")
		v, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, k), append(values, v)
		p.accept(",")
	}
	return BindMap(keys, values, noSpan)
}

func (p *parser) interval() (Expr, error) {
	n := strings.Trim(p.peek(), "'")
	p.at++
	if i, ok := types.ParseInterval(n); ok {
		return NewLiteral(tInterval, i), nil
	}
	unit := p.peek()
	p.at++
	i, ok := types.ParseInterval(n + " " + unit)
	if !ok {
		return nil, fmt.Errorf("test parser: interval %s %s", n, unit)
	}
	return NewLiteral(tInterval, i), nil
}

func (p *parser) caseExpr() (Expr, error) {
	var operand, els Expr
	var when, then []Expr
	var err error
	next := func() Expr {
		var e Expr
		if err == nil {
			e, err = p.expr(0)
		}
		return e
	}
	if !p.is("WHEN") {
		operand = next()
	}
	for err == nil && p.accept("WHEN") {
		when = append(when, next())
		p.expect("THEN")
		then = append(then, next())
	}
	if err == nil && p.accept("ELSE") {
		els = next()
	}
	if err != nil {
		return nil, err
	}
	p.expect("END")
	return BindCase(operand, when, then, els, noSpan)
}

var testTypes = map[string]types.Kind{
	"BOOLEAN": types.Boolean, "TINYINT": types.TinyInt, "SMALLINT": types.SmallInt, "INTEGER": types.Int, "INT": types.Int,
	"BIGINT": types.BigInt, "UTINYINT": types.UTinyInt, "USMALLINT": types.USmallInt, "UINTEGER": types.UInt, "UBIGINT": types.UBigInt,
	"FLOAT": types.Float, "DOUBLE": types.Double, "VARCHAR": types.Varchar, "BLOB": types.Blob, "DATE": types.Date,
	"TIMESTAMP": types.Timestamp, "INTERVAL": types.IntervalKind,
}

func (p *parser) typ() types.Type {
	name := strings.ToUpper(p.peek())
	p.at++
	t := types.Of(testTypes[name])
	switch name {
	case "DECIMAL":
		p.expect("(")
		precision, _ := strconv.Atoi(p.peek())
		p.at++
		p.expect(",")
		scale, _ := strconv.Atoi(p.peek())
		p.at++
		p.expect(")")
		t = types.DecimalOf(int32(precision), int32(scale))
	case "STRUCT":
		p.expect("(")
		var fields []types.Field
		for !p.accept(")") {
			name := p.peek()
			p.at++
			fields = append(fields, field(name, p.typ()))
			p.accept(",")
		}
		t = types.StructOf(fields...)
	case "MAP":
		p.expect("(")
		key := p.typ()
		p.expect(",")
		value := p.typ()
		p.expect(")")
		t = types.MapOf(key, value)
	}
	for p.is("[") && p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "]" {
		p.at += 2
		t = types.ListOf(t)
	}
	return t
}
