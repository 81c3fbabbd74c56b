package sql

import (
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
)

// rewrite is one text for the TiDB parser in the making, and its side table.
//
// TiDB reads a skeleton in which every operand, call and table of the source is a
// numbered name: `a.b + f(x, INTERVAL '1 day')` becomes `c0 + f1 ( c2 , c3 )`. What
// a number stands for is in hooks. TiDB decides what it is good at, the precedence
// of operators and the shape of joins; names, literals, types and all that its
// grammar lacks or reads wrongly (FULL JOIN, FILTER, ::, reserved words as columns;
// the probes in tidb_test.go) never reach it. Two checks make sure that nothing gets
// lost: every token has a fate (parser.finish), and the converter must meet every
// hook once and find between two operands exactly the operator that was recorded.
type rewrite struct {
	out   []piece
	hooks []*hook
	ops   map[int]operator // by index of the first token
	names map[string]*Over // the WINDOW clause, by lower-case name
	block *rewrite         // the text of the SELECT block around, nil at a block itself
	join  *joinWords       // the join words in front of the next table

	ksqlWindow bool // the block has ksqlDB's WINDOW clause
}

// piece is one word of the text for TiDB with the source token it came from.
type piece struct {
	sql string
	tok int
}

// hook is what a numbered name of the text for TiDB stands for.
type hook struct {
	lo, hi int                             // the tokens it covers
	build  func(args []Expr) (Expr, error) // operands (no arguments) and calls
	table  TableExpr                       // tables
	join   *joinWords                      // the join words in front of a table
	used   bool                            // met by the converter
}

// operator is an operator between, in front of or behind operands.
type operator struct {
	name string // as in the AST: <>, IS DISTINCT FROM, NOT, IN, ..
	not  bool   // NOT IN, IS NOT NULL, ..
	hi   int    // index of the token after it
}

func newRewrite() *rewrite { return &rewrite{ops: map[int]operator{}, names: map[string]*Over{}} }

// window returns the window of a name in the WINDOW clause of the block.
func (r *rewrite) window(name string) (*Over, bool) {
	for ; r != nil; r = r.block {
		if o, ok := r.names[strings.ToLower(name)]; ok {
			return o, true
		}
	}
	return nil, false
}

// isolated runs a rewriter on a text of its own, for parts that TiDB parses apart.
func (p *parser) isolated(run func() error) error {
	outer := p.rewrite
	p.rewrite = newRewrite()
	p.block = outer
	defer func() { p.rewrite = outer }()
	return run()
}

// emit appends a word to the text for TiDB that stands for the token at pos.
func (p *parser) emit(sql string, pos int) { p.out = append(p.out, piece{sql, pos}) }

// copyWords consumes n tokens that together become the word sql.
func (p *parser) copyWords(n int, sql string) {
	p.emit(sql, p.pos)
	for range n {
		p.fate[p.pos] = copied
		p.pos++
	}
}

// operand appends the name of an expression that is complete. It began at token lo.
func (p *parser) operand(lo int, e Expr) {
	p.emit("c"+strconv.Itoa(len(p.hooks)), lo)
	p.hooks = append(p.hooks, &hook{lo: lo, hi: p.pos, build: func([]Expr) (Expr, error) { return e, nil }})
}

// openCall appends the beginning of a call whose arguments the caller rewrites
// next. closeCall ends it.
func (p *parser) openCall(lo int) *hook {
	h := &hook{lo: lo}
	p.emit("f"+strconv.Itoa(len(p.hooks)), lo)
	p.emit("(", lo)
	p.hooks = append(p.hooks, h)
	return h
}

// openCallAt is openCall around what was appended since mark, which becomes the
// first argument.
func (p *parser) openCallAt(mark, lo int) *hook {
	h := &hook{lo: lo}
	name := "f" + strconv.Itoa(len(p.hooks))
	p.hooks = append(p.hooks, h)
	p.out = append(p.out, piece{}, piece{})
	copy(p.out[mark+2:], p.out[mark:])
	p.out[mark], p.out[mark+1] = piece{name, lo}, piece{"(", lo}
	return h
}

// closeCall ends a call; build makes its node of the converted arguments.
func (p *parser) closeCall(h *hook, build func(args []Expr) (Expr, error)) {
	p.emit(")", p.pos)
	h.hi, h.build = p.pos, build
}

// comma appends a comma between arguments.
func (p *parser) comma() { p.emit(",", p.pos) }

// sqlText returns the text for TiDB and the offset in it of every piece.
func sqlText(out []piece) (string, []int) {
	var b strings.Builder
	starts := make([]int, len(out))
	for i, w := range out {
		if i > 0 {
			b.WriteByte(' ')
		}
		starts[i] = b.Len()
		b.WriteString(w.sql)
	}
	return b.String(), starts
}

// standalone rewrites, parses and converts one expression whose operators bind at
// least as strongly as min.
func (p *parser) standalone(min level) (Expr, error) {
	var e Expr
	err := p.isolated(func() error {
		p.emit("SELECT", p.pos)
		if err := p.expr(min); err != nil {
			return err
		}
		sel, c, err := p.parseSkeleton()
		if err != nil {
			return err
		}
		n, err := c.expr(sel.Fields.Fields[0].Expr)
		if err != nil {
			return err
		}
		e = n.e
		return c.finish()
	})
	return e, err
}

// standaloneExpr is standalone for a whole expression.
func (p *parser) standaloneExpr() (Expr, error) { return p.standalone(levelAny) }

// exprList consumes a, b, .. up to and with the closing bracket; the opening one is
// consumed already.
func (p *parser) exprList() ([]Expr, error) {
	var out []Expr
	for {
		e, err := p.standaloneExpr()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if !p.acceptOp(",") {
			return out, p.expectOp(")")
		}
	}
}

// internal is the error of a broken promise between rewriter, TiDB and converter.
func (p *parser) internal(lo int, format string, args ...any) error {
	return sqlerr.At(p.toks[lo].span(), sqlerr.Internal, format, args...)
}
