package sql

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// converter turns TiDB's tree of a skeleton into the nodes of the AST. It takes the
// few kinds of node that a skeleton can give and refuses every other.
type converter struct {
	*parser
	depth int
}

// node is a converted expression with the source tokens that it covers.
type node struct {
	e      Expr
	lo, hi int
}

// expressionDepthMax bounds the depth of a converted expression: chains of
// operators nest to the left, and every later layer recurses over them.
const expressionDepthMax = 4000

// finish checks that TiDB's tree had all that the skeleton was made of.
func (c *converter) finish() error {
	for _, h := range c.hooks {
		if !h.used {
			return c.internal(h.lo, "the parser of TiDB left out %q", c.slice(c.spanOf(h.lo, h.hi)))
		}
	}
	return nil
}

// hook returns the entry of the side table that a numbered name stands for.
func (c *converter) hook(name string) (*hook, error) {
	i, err := strconv.Atoi(name[1:])
	if err != nil || i >= len(c.hooks) || c.hooks[i].used {
		return nil, c.internal(c.pos, "the parser of TiDB made up the name %q", name)
	}
	c.hooks[i].used = true
	return c.hooks[i], nil
}

// optional converts an expression that may be missing.
func (c *converter) optional(n ast.ExprNode) (Expr, error) {
	if n == nil {
		return nil, nil
	}
	out, err := c.expr(n)
	return out.e, err
}

// expr converts one expression.
func (c *converter) expr(n ast.ExprNode) (node, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > expressionDepthMax {
		return node{}, c.limits.tooDeep(c.cur().span())
	}
	switch n := n.(type) {
	case *ast.ColumnNameExpr:
		return c.named(n.Name.Name.O, nil)
	case *ast.FuncCallExpr:
		return c.named(n.FnName.O, n.Args)
	case *ast.UnaryOperationExpr:
		return c.unary(n)
	case *ast.BinaryOperationExpr:
		return c.binary(n)
	case *ast.IsNullExpr:
		return c.isTest(n)
	case *ast.BetweenExpr:
		return c.between(n)
	case *ast.PatternInExpr:
		return c.in(n)
	case *ast.PatternLikeOrIlikeExpr:
		return c.like(n)
	}
	return node{}, c.internal(c.pos, "the parser of TiDB gave a %T", n)
}

// named converts an operand or call.
func (c *converter) named(name string, args []ast.ExprNode) (node, error) {
	h, err := c.hook(name)
	if err != nil {
		return node{}, err
	}
	converted := make([]Expr, len(args))
	for i, a := range args {
		n, err := c.expr(a)
		if err != nil {
			return node{}, err
		}
		converted[i] = n.e
	}
	e, err := h.build(converted)
	return node{e, h.lo, h.hi}, err
}

// operatorAt returns the operator that was recorded at a token. TiDB must have put
// it where it was written; anything else is a misparse.
func (c *converter) operatorAt(pos int) (operator, error) {
	op, ok := c.ops[pos]
	if !ok {
		return op, c.internal(min(pos, len(c.toks)-1), "the parser of TiDB moved an operator")
	}
	return op, nil
}

func (c *converter) unary(n *ast.UnaryOperationExpr) (node, error) {
	x, err := c.expr(n.V)
	if err != nil {
		return node{}, err
	}
	op, err := c.operatorAt(x.lo - 1)
	if err != nil {
		return node{}, err
	}
	lo := x.lo - 1
	span := c.spanOf(lo, x.hi)
	if lit, ok := x.e.(*Literal); ok && op.name == "-" {
		if v, ok := negated(lit.Value); ok {
			return node{&Literal{Value: v, Span: span}, lo, x.hi}, nil
		}
	}
	if e, ok := x.e.(*Exists); ok && op.name == "NOT" && !e.Not {
		return node{&Exists{Query: e.Query, Not: true, Span: span}, lo, x.hi}, nil
	}
	return node{&Unary{Op: op.name, X: x.e, Span: span}, lo, x.hi}, nil
}

func (c *converter) binary(n *ast.BinaryOperationExpr) (node, error) {
	if n.Op == opcode.LogicXor {
		return node{}, c.internal(c.pos, "the parser of TiDB gave XOR")
	}
	l, err := c.expr(n.L)
	if err != nil {
		return node{}, err
	}
	r, err := c.expr(n.R)
	if err != nil {
		return node{}, err
	}
	op, err := c.operatorAt(l.hi)
	if err != nil {
		return node{}, err
	}
	if op.hi != r.lo {
		return node{}, c.internal(l.hi, "the parser of TiDB moved an operand")
	}
	span := c.spanOf(l.lo, r.hi)
	b := &Binary{Op: op.name, L: l.e, R: r.e, Span: span, OpAt: c.spanOf(l.hi, op.hi)}
	if op.name == "IS DISTINCT FROM" {
		b.Op = "<=>"
		return node{&Unary{Op: "NOT", X: b, Span: span}, l.lo, r.hi}, nil
	}
	return node{b, l.lo, r.hi}, nil
}

// operand converts an operand and returns it with the operator behind it.
func (c *converter) operand(e ast.ExprNode) (node, operator, error) {
	x, err := c.expr(e)
	if err != nil {
		return node{}, operator{}, err
	}
	op, err := c.operatorAt(x.hi)
	return x, op, err
}

func (c *converter) isTest(n *ast.IsNullExpr) (node, error) {
	x, op, err := c.operand(n.Expr)
	if err != nil {
		return node{}, err
	}
	e := &IsTest{X: x.e, Not: op.not, What: op.name, Span: c.spanOf(x.lo, op.hi)}
	return node{e, x.lo, op.hi}, nil
}

func (c *converter) between(n *ast.BetweenExpr) (node, error) {
	x, op, err := c.operand(n.Expr)
	if err != nil {
		return node{}, err
	}
	low, err := c.expr(n.Left)
	if err != nil {
		return node{}, err
	}
	high, err := c.expr(n.Right)
	if err != nil {
		return node{}, err
	}
	e := &Between{X: x.e, Low: low.e, High: high.e, Not: op.not, Span: c.spanOf(x.lo, high.hi)}
	return node{e, x.lo, high.hi}, nil
}

func (c *converter) in(n *ast.PatternInExpr) (node, error) {
	x, op, err := c.operand(n.Expr)
	if err != nil {
		return node{}, err
	}
	if len(n.List) != 1 {
		return node{}, c.internal(x.hi, "IN came back with %d operands", len(n.List))
	}
	list, err := c.expr(n.List[0])
	if err != nil {
		return node{}, err
	}
	items, ok := list.e.(*inItems)
	if !ok {
		return node{}, c.internal(x.hi, "IN came back with a %T", list.e)
	}
	e := &In{X: x.e, List: items.Items, Query: items.query, Not: op.not, Span: c.spanOf(x.lo, list.hi)}
	return node{e, x.lo, list.hi}, nil
}

func (c *converter) like(n *ast.PatternLikeOrIlikeExpr) (node, error) {
	x, op, err := c.operand(n.Expr)
	if err != nil {
		return node{}, err
	}
	right, err := c.expr(n.Pattern)
	if err != nil {
		return node{}, err
	}
	pattern, ok := right.e.(*likePattern)
	if !ok {
		return node{}, c.internal(x.hi, "LIKE came back with a %T", right.e)
	}
	e := &Like{Op: op.name, X: x.e, Pattern: pattern.pattern, Escape: pattern.escape, Not: op.not, Span: c.spanOf(x.lo, right.hi)}
	return node{e, x.lo, right.hi}, nil
}

// from converts tables and joins.
func (c *converter) from(n ast.ResultSetNode) (TableExpr, error) {
	t, _, err := c.tables(n)
	return t, err
}

// tables converts one side of a join; words are the join words in front of its
// first table.
func (c *converter) tables(n ast.ResultSetNode) (TableExpr, *joinWords, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > expressionDepthMax {
		return nil, nil, c.limits.tooDeep(c.cur().span())
	}
	switch n := n.(type) {
	case *ast.TableSource:
		return c.tables(n.Source)
	case *ast.TableName:
		h, err := c.hook(n.Name.O)
		if err != nil {
			return nil, nil, err
		}
		return h.table, h.join, nil
	case *ast.Join:
		if n.Right == nil {
			return c.tables(n.Left)
		}
		return c.joined(n)
	}
	return nil, nil, c.internal(c.pos, "the parser of TiDB gave a %T", n)
}

func (c *converter) joined(n *ast.Join) (TableExpr, *joinWords, error) {
	left, words, err := c.tables(n.Left)
	if err != nil {
		return nil, nil, err
	}
	right, own, err := c.tables(n.Right)
	if err != nil {
		return nil, nil, err
	}
	if own == nil {
		return nil, nil, c.internal(c.pos, "the parser of TiDB moved a join")
	}
	j := &Join{Kind: own.kind, Left: left, Right: right, Natural: own.natural, Within: own.within, WithinAfter: own.after, Span: own.span}
	if n.On != nil && !own.noOn {
		if j.On, err = c.optional(n.On.Expr); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case own.match != nil && j.On != nil:
		j.On = &Binary{Op: "AND", L: j.On, R: own.match, Span: j.On.Pos().To(own.match.Pos()), OpAt: own.match.Pos()}
	case own.match != nil:
		j.On = own.match
	}
	for _, column := range n.Using {
		h, err := c.hook(column.Name.O)
		if err != nil {
			return nil, nil, err
		}
		e, err := h.build(nil)
		if err != nil {
			return nil, nil, err
		}
		j.Using = append(j.Using, e.(*ColumnRef).Parts[0])
	}
	return j, words, nil
}
