package sql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// groupShape is what GROUP BY has beside its expressions.
type groupShape struct {
	present bool
	all     bool
	grouped bool    // ROLLUP, CUBE or GROUPING SETS were used
	sets    [][]int // indexes of expressions in order of appearance
	items   int     // expressions so far
	span    Span
	window  *Span // of ksqlDB's WINDOW, by which every GROUP BY of the block groups too
}

// setsMax bounds the grouping sets of one GROUP BY: CUBE doubles with every key.
const setsMax = 4096

// groupBy consumes GROUP BY. TiDB gets all expressions in a row; which set each
// belongs to is kept beside.
func (p *parser) groupBy(s *selectShape) error {
	lo := p.pos
	p.take()
	p.take()
	g := &s.group
	g.present = true
	if p.at("ALL") && !p.peek(1).isOp(".") && !p.peek(1).isOp(",") {
		p.take()
		g.all = true
		g.span = p.spanFrom(lo)
		return nil
	}
	g.sets = [][]int{{}}
	err := p.clause(s, "GROUP BY", func() error {
		for {
			if err := p.groupElement(g); err != nil {
				return err
			}
			if !p.acceptOp(",") {
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	// The suffix of Spark and MySQL holds for all keys.
	if p.at("WITH", "ROLLUP") || p.at("WITH", "CUBE") {
		p.take()
		var keys [][]int
		for i := range g.items {
			keys = append(keys, []int{i})
		}
		g.sets = [][]int{{}}
		sets, err := p.expand(p.take(), keys)
		if err != nil {
			return err
		}
		if err := p.multiply(g, sets); err != nil {
			return err
		}
		g.grouped = true
	}
	g.span = p.spanFrom(lo)
	return nil
}

// expand returns the sets of ROLLUP or CUBE, whichever word is, over composite keys.
func (p *parser) expand(word token, keys [][]int) ([][]int, error) {
	if word.is("CUBE") && len(keys) > 12 || len(keys) > setsMax {
		return nil, p.limits.tooLong(word.span(), "grouping sets")
	}
	var sets [][]int
	if word.is("ROLLUP") {
		for n := len(keys); n >= 0; n-- {
			sets = append(sets, join(keys[:n]))
		}
		return sets, nil
	}
	for mask := 1<<len(keys) - 1; mask >= 0; mask-- {
		var chosen [][]int
		for i, k := range keys {
			if mask&(1<<(len(keys)-1-i)) != 0 {
				chosen = append(chosen, k)
			}
		}
		sets = append(sets, join(chosen))
	}
	return sets, nil
}

func join(keys [][]int) []int {
	out := []int{}
	for _, k := range keys {
		out = append(out, k...)
	}
	return out
}

// multiply combines the sets so far with those of the next element: each with each.
func (p *parser) multiply(g *groupShape, sets [][]int) error {
	if len(g.sets)*len(sets) > setsMax {
		return p.limits.tooLong(p.last().span(), "grouping sets")
	}
	if len(g.sets) == 1 && len(sets) == 1 {
		g.sets[0] = append(g.sets[0], sets[0]...)
		return nil
	}
	var out [][]int
	for _, a := range g.sets {
		for _, b := range sets {
			out = append(out, join([][]int{a, b}))
		}
	}
	g.sets = out
	return nil
}

// groupElement consumes one element behind GROUP BY.
func (p *parser) groupElement(g *groupShape) error {
	switch {
	case (p.at("ROLLUP") || p.at("CUBE")) && p.peek(1).isOp("("):
		g.grouped = true
		sets, err := p.rollup(g)
		if err != nil {
			return err
		}
		return p.multiply(g, sets)
	case p.at("GROUPING", "SETS"):
		g.grouped = true
		sets, err := p.groupingSets(g)
		if err != nil {
			return err
		}
		return p.multiply(g, sets)
	case p.cur().isOp("(") && !p.beginsQuery(p.pos) && p.keyListAhead():
		keys, err := p.groupKeys(g)
		if err != nil {
			return err
		}
		return p.multiply(g, [][]int{join(keys)})
	}
	i, err := p.groupKey(g)
	if err != nil {
		return err
	}
	return p.multiply(g, [][]int{{i}})
}

// keyListAhead reports whether the bracket at the cursor is a whole element, and
// not the beginning of an expression such as (a + b) * 2.
func (p *parser) keyListAhead() bool {
	end := p.matching(p.pos)
	if end == len(p.toks)-1 {
		return false
	}
	at := p.pos
	p.pos = end + 1
	_, _, operator := p.infixAt()
	t := p.cur()
	p.pos = at
	return !operator && !t.isOp(".") && !t.isOp("[") && !t.isOp("::") && !t.isOp("->") && !t.isOp("->>") && !t.is("AT")
}

// groupKey rewrites one expression and returns its index.
func (p *parser) groupKey(g *groupShape) (int, error) {
	if (p.at("ROLLUP") || p.at("CUBE")) && p.peek(1).isOp("(") || p.at("GROUPING", "SETS") {
		return 0, p.unexpected("an expression: " + strings.ToUpper(p.cur().text) + " cannot stand in brackets")
	}
	if g.items > 0 {
		p.comma()
	}
	g.items++
	return g.items - 1, p.expr(levelAny)
}

// groupKeys consumes ( a, (b, c), .. ): composite keys.
func (p *parser) groupKeys(g *groupShape) ([][]int, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	keys := [][]int{}
	if p.acceptOp(")") {
		return keys, nil
	}
	for {
		if p.cur().isOp("(") && !p.beginsQuery(p.pos) && p.keyListAhead() {
			inner, err := p.groupKeys(g)
			if err != nil {
				return nil, err
			}
			keys = append(keys, join(inner))
		} else {
			i, err := p.groupKey(g)
			if err != nil {
				return nil, err
			}
			keys = append(keys, []int{i})
		}
		if !p.acceptOp(",") {
			return keys, p.expectOp(")")
		}
	}
}

// rollup consumes ROLLUP (..) or CUBE (..).
func (p *parser) rollup(g *groupShape) ([][]int, error) {
	word := p.take()
	keys, err := p.groupKeys(g)
	if err != nil {
		return nil, err
	}
	return p.expand(word, keys)
}

// groupingSets consumes GROUPING SETS ( set, .. ) whose sets are (a, b), a, (),
// ROLLUP (..), CUBE (..) or further GROUPING SETS.
func (p *parser) groupingSets(g *groupShape) ([][]int, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.take()
	p.take()
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	var sets [][]int
	for {
		var more [][]int
		var err error
		switch {
		case (p.at("ROLLUP") || p.at("CUBE")) && p.peek(1).isOp("("):
			more, err = p.rollup(g)
		case p.at("GROUPING", "SETS"):
			more, err = p.groupingSets(g)
		case p.cur().isOp("(") && p.keyListAhead():
			var keys [][]int
			keys, err = p.groupKeys(g)
			more = [][]int{join(keys)}
		default:
			var i int
			i, err = p.groupKey(g)
			more = [][]int{{i}}
		}
		if err != nil {
			return nil, err
		}
		if sets = append(sets, more...); len(sets) > setsMax {
			return nil, p.limits.tooLong(p.last().span(), "grouping sets")
		}
		if !p.acceptOp(",") {
			return sets, p.expectOp(")")
		}
	}
}

// groupBy joins the converted expressions with their sets. An expression that is
// written in several sets is one key.
func (c *converter) groupBy(tree *ast.GroupByClause, g *groupShape) (*GroupBy, error) {
	if err := g.checkWindow(); err != nil || !g.present {
		return nil, err
	}
	out := &GroupBy{All: g.all, Span: g.span}
	if g.all {
		return out, nil
	}
	var items []Expr
	if tree != nil {
		for _, item := range tree.Items {
			n, err := c.expr(item.Expr)
			if err != nil {
				return nil, err
			}
			items = append(items, n.e)
		}
	}
	if len(items) != g.items {
		return nil, c.internal(c.pos, "%d keys came back as %d", g.items, len(items))
	}
	if !g.grouped {
		out.Items = append(g.windowKeys(), items...)
		return out, nil
	}
	index := make([]int, len(items))
	seen := map[string]int{}
	for i, e := range items {
		text := ExprText(e)
		if _, ok := e.(*ColumnRef); ok {
			text = strings.ToLower(text)
		}
		at, ok := seen[text]
		if !ok {
			at = len(out.Items)
			seen[text] = at
			out.Items = append(out.Items, e)
		}
		index[i] = at
	}
	for _, set := range g.sets {
		out.Sets = append(out.Sets, uniqueKeys(set, index))
	}
	return out, nil
}

// uniqueKeys maps expressions to keys and leaves out repeated ones.
func uniqueKeys(set, index []int) []int {
	out := []int{}
	seen := map[int]bool{}
	for _, i := range set {
		if k := index[i]; !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}
