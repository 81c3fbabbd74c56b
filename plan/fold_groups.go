package plan

import (
	"fmt"
	"slices"
	"strings"

	"ssql/sql"
)

// groups cuts a block with an aggregation in two, where only what stands above it is in the
// way: window functions, QUALIFY, DISTINCT ON, sub-queries. ssql groups, with its windows and
// what they say of late rows, and DuckDB does the rest.
func (f *folder) groups(q *sql.Query, s *sql.Select, with []sql.CTE) (done bool, err error) {
	b := &binder{cat: f.cat}
	if s.From == nil || !f.readsFrom(s.From, append(slices.Clone(with), q.With...)) || !b.aggregates(q, s) {
		return false, nil
	}
	c := &groupCut{binder: b, aliases: map[string]sql.Expr{}, within: map[string]bool{}, at: map[string]string{}}
	inner := *s
	inner.Distinct, inner.DistinctOn, inner.Qualify = false, nil, nil
	outer := *s
	outer.Where, outer.GroupBy, outer.Having = nil, nil, nil
	if !c.cut(q, s, &inner, &outer) {
		return false, nil
	}
	below := &sql.Query{With: q.With, Body: &inner, Span: q.Span, Text: q.Text}
	text, err := f.part(below, with)
	if err != nil {
		return false, nil // the parts of FROM may do
	}
	outer.From = &sql.SubqueryRef{Query: &sql.Query{Body: &sql.Select{}}}
	above := *q
	above.Body, above.OrderBy = &outer, c.orderBy
	above.With, above.Emit = nil, nil
	printed := sql.QueryText(&above)
	from, to, _ := strings.Cut(printed, emptyQuery())
	rest, err := sql.ParseQueryText(from + "(" + text + ")" + to)
	if err != nil {
		f.parts = f.parts[:len(f.parts)-1]
		return false, nil
	}
	result, err := f.statement(rest.Text, rest.Span.Start, func() error { return f.subqueries(rest, with) })
	if err != nil {
		return false, err
	}
	f.edits = append(f.edits, edit{q.Span, result.Text})
	return true, nil
}

// emptyQuery is how the place of the part is printed.
func emptyQuery() string {
	return strings.TrimPrefix(sql.QueryText(&sql.Query{Body: &sql.Select{From: &sql.SubqueryRef{Query: &sql.Query{Body: &sql.Select{}}}}}), "SELECT  FROM ")
}

// subqueries replaces the queries in the expressions of a block.
func (f *folder) subqueries(q *sql.Query, with []sql.CTE) error {
	s, ok := q.Body.(*sql.Select)
	if !ok {
		return nil
	}
	return eachSubquery(s, q.OrderBy, func(sub *sql.Query) error { return f.query(sub, with) })
}

// aggregates reports whether a block groups.
func (b *binder) aggregates(q *sql.Query, s *sql.Select) bool {
	if s.GroupBy != nil || s.Having != nil {
		return true
	}
	k := &block{b: b, s: s, q: q}
	for _, it := range s.Items {
		if aggregated(b, it.Expr) {
			return true
		}
	}
	for _, o := range k.q.OrderBy {
		if aggregated(b, o.Expr) {
			return true
		}
	}
	return s.Qualify != nil && aggregated(b, s.Qualify)
}

// aggregated is usesGroup that also looks into OVER.
func aggregated(b *binder, e sql.Expr) bool {
	found := b.usesGroup(e)
	walk(e, func(x sql.Expr) bool {
		if c, ok := x.(*sql.Call); ok && c.Over != nil {
			for _, p := range c.Over.PartitionBy {
				found = found || b.usesGroup(p)
			}
			for _, o := range c.Over.OrderBy {
				found = found || b.usesGroup(o.Expr)
			}
		}
		return !found
	})
	return found
}

// groupCut moves aggregates and group keys of a block below.
type groupCut struct {
	binder  *binder
	aliases map[string]sql.Expr // of the select list, in lower case
	within  map[string]bool     // aliases whose expressions are being looked at
	keys    []string            // the texts of what is grouped by
	at      map[string]string   // the column below, by text
	items   []sql.SelectItem    // below
	orderBy []sql.OrderItem     // above
}

// cut fills in both blocks. ok is false for a form that it does not know.
func (c *groupCut) cut(q *sql.Query, s, inner, outer *sql.Select) (ok bool) {
	for _, it := range s.Items {
		if _, star := it.Expr.(*sql.Star); star {
			return false
		}
		if it.Alias != nil {
			c.aliases[strings.ToLower(it.Alias.Name)] = it.Expr
		}
	}
	if s.GroupBy != nil {
		by := *s.GroupBy
		if by.Items, ok = c.groupKeys(s); !ok {
			return false
		}
		by.All = false
		inner.GroupBy = &by
	}
	outer.Items = slices.Clone(s.Items)
	for i := range outer.Items {
		name := sql.Ident{Name: itemName(&s.Items[i])}
		outer.Items[i].Expr, outer.Items[i].Alias = c.item(&s.Items[i]), &name
	}
	if s.Qualify != nil {
		outer.Qualify = c.above(c.resolved(s.Qualify))
	}
	outer.DistinctOn = mapAll(s.DistinctOn, func(e sql.Expr) sql.Expr { return c.above(c.resolved(e)) })
	for _, o := range q.OrderBy {
		if _, number := o.Expr.(*sql.Literal); !number {
			o.Expr = c.above(c.resolved(o.Expr))
		}
		c.orderBy = append(c.orderBy, o)
	}
	inner.Items = c.items
	return len(c.items) > 0
}

// groupKeys returns what a block groups by, numbers and aliases as what they stand for.
func (c *groupCut) groupKeys(s *sql.Select) (keys []sql.Expr, ok bool) {
	items := s.GroupBy.Items
	if s.GroupBy.All {
		for _, it := range s.Items {
			if !aggregated(c.binder, it.Expr) && !hasOver(it.Expr) {
				items = append(items, it.Expr)
			}
		}
	}
	for _, e := range items {
		i, number, err := ordinal(e, len(s.Items), Span{})
		if err != nil {
			return nil, false
		}
		if number {
			e = s.Items[i].Expr
		}
		e = c.resolved(e)
		keys = append(keys, e)
		c.keys = append(c.keys, sql.ExprText(e))
	}
	return keys, true
}

// resolved returns what a name stands for, if it is an alias of the select list.
func (c *groupCut) resolved(e sql.Expr) sql.Expr {
	return mapExpr(e, func(x sql.Expr) sql.Expr {
		if col, ok := x.(*sql.ColumnRef); ok && len(col.Parts) == 1 {
			return c.aliases[strings.ToLower(col.Parts[0].Name)]
		}
		return nil
	})
}

// above returns an expression over the columns of the groups.
func (c *groupCut) above(e sql.Expr) sql.Expr {
	return mapExpr(e, func(x sql.Expr) sql.Expr {
		if slices.Contains(c.keys, sql.ExprText(x)) {
			return c.column(x)
		}
		switch x := x.(type) {
		case *sql.Call:
			if x.Over == nil && c.binder.usesGroup(x) && (c.binder.isAggregateCall(x) || len(x.Args) == 0) || isWindowCall(strings.ToLower(x.Name.Name)) {
				return c.column(x)
			}
		case *sql.ColumnRef:
			return c.named(x)
		}
		return nil
	})
}

// item returns the expression of an item of the select list, which does not see its own alias.
func (c *groupCut) item(it *sql.SelectItem) sql.Expr {
	if it.Alias != nil {
		name := strings.ToLower(it.Alias.Name)
		c.within[name] = true
		defer delete(c.within, name)
	}
	return c.above(it.Expr)
}

// named returns what a name stands for over the columns of the groups: an alias of the select list,
// or a column. In its own expression an alias is none: max(v) AS v folds the column.
func (c *groupCut) named(x *sql.ColumnRef) sql.Expr {
	name := strings.ToLower(x.Parts[0].Name)
	e, ok := c.aliases[name]
	if !ok || len(x.Parts) > 1 || c.within[name] || sql.ExprText(e) == sql.ExprText(x) {
		return c.column(x)
	}
	c.within[name] = true
	defer delete(c.within, name)
	return c.above(e)
}

// column returns the column below that holds an expression.
func (c *groupCut) column(e sql.Expr) sql.Expr {
	text := sql.ExprText(e)
	name := c.at[text]
	if name == "" {
		name = fmt.Sprintf("g%d", len(c.items))
		c.at[text] = name
		c.items = append(c.items, sql.SelectItem{Expr: e, Alias: &sql.Ident{Name: name, Span: e.Pos()}, Text: text})
	}
	return &sql.ColumnRef{Parts: []sql.Ident{{Name: name, Span: e.Pos()}}, Span: e.Pos()}
}

// hasOver reports whether a window function stands in an expression.
func hasOver(e sql.Expr) bool {
	found := false
	walk(e, func(x sql.Expr) bool {
		c, ok := x.(*sql.Call)
		found = found || ok && c.Over != nil
		return !found
	})
	return found
}
