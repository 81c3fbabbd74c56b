package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql"
)

// operands returns the expressions directly below e, without those of sub-queries.
func operands(e sql.Expr) []sql.Expr {
	var out []sql.Expr
	add := func(list ...sql.Expr) {
		for _, x := range list {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	switch e := e.(type) {
	case *sql.Unary:
		add(e.X)
	case *sql.Binary:
		add(e.L, e.R)
	case *sql.IsTest:
		add(e.X)
	case *sql.Between:
		add(e.X, e.Low, e.High)
	case *sql.In:
		add(e.X)
		add(e.List...)
	case *sql.Like:
		add(e.X, e.Pattern, e.Escape)
	case *sql.Case:
		add(e.X)
		for _, w := range e.Whens {
			add(w.When, w.Then)
		}
		add(e.Else)
	case *sql.Cast:
		add(e.X)
	case *sql.Call:
		add(e.Args...)
		for _, o := range e.OrderBy {
			add(o.Expr)
		}
		add(e.Filter)
	case *sql.Access:
		add(e.X, e.Index)
	case *sql.Slice:
		add(e.X, e.Low, e.High)
	case *sql.ListLit:
		add(e.Items...)
	case *sql.StructLit:
		add(e.Items...)
	case *sql.MapLit:
		add(e.Keys...)
		add(e.Values...)
	case *sql.Lambda:
		add(e.Body)
	case *sql.AtTimeZone:
		add(e.X, e.Zone)
	case *sql.Extract:
		add(e.X)
	}
	return out
}

// walk calls f for e and everything below it, parents first; f returns false to leave
// out what is below.
func walk(e sql.Expr, f func(sql.Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, x := range operands(e) {
		walk(x, f)
	}
}

// isAggregateCall reports whether a call folds rows of a group. DuckDB's aggregates and
// macros are asked for where expr has no function of the name.
func (b *binder) isAggregateCall(c *sql.Call) bool {
	name := strings.ToLower(c.Name.Name)
	switch {
	case c.Over != nil:
		return false
	case expr.IsAggregate(name) || c.WithinGroup && withinGroup[name] != "":
		return true
	case expr.IsFunction(name) || isWindowCall(name) || unnests(name) || ownCalls[name]:
		return false
	}
	lib, ok := b.cat.(Library)
	return ok && lib.IsAggregate(name)
}

// ownCalls are the names that the binder knows by itself.
var ownCalls = map[string]bool{"grouping": true, "grouping_id": true, "window_time": true}

// findAggregate returns the first call of an aggregate in e, nil if there is none.
func (b *binder) findAggregate(e sql.Expr) *sql.Call {
	var found *sql.Call
	walk(e, func(x sql.Expr) bool {
		if c, ok := x.(*sql.Call); ok && found == nil && b.isAggregateCall(c) {
			found = c
		}
		return found == nil
	})
	return found
}

// usesGroup reports whether e can only stand above an aggregation.
func (b *binder) usesGroup(e sql.Expr) bool {
	found := false
	walk(e, func(x sql.Expr) bool {
		if c, ok := x.(*sql.Call); ok {
			name := strings.ToLower(c.Name.Name)
			found = found || b.isAggregateCall(c) || name == "grouping" || name == "grouping_id"
		}
		return !found
	})
	return found
}

// conjuncts takes a condition apart at its ANDs.
func conjuncts(e sql.Expr) []sql.Expr {
	if b, ok := e.(*sql.Binary); ok && strings.EqualFold(b.Op, "AND") {
		return append(conjuncts(b.L), conjuncts(b.R)...)
	}
	if e == nil {
		return nil
	}
	return []sql.Expr{e}
}

// exprKey is the identity of a bound expression over one node: its text, and which
// columns the names in it mean.
func exprKey(e expr.Expr) string {
	var b strings.Builder
	b.WriteString(e.String())
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok {
			fmt.Fprintf(&b, "#%d", c.Index)
		}
		return true
	})
	return b.String()
}

// columnsOf returns the columns that an expression uses.
func columnsOf(e expr.Expr) []int {
	var out []int
	if e == nil {
		return out
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok {
			out = append(out, c.Index)
		}
		return true
	})
	return out
}

// moved returns e with its columns replaced.
func moved(e expr.Expr, column func(*expr.Column) expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok {
			return column(c)
		}
		return x
	})
}

// at returns a column reference moved to another place.
func columnAt(c *expr.Column, index int) *expr.Column {
	return &expr.Column{Index: index, Name: c.Name, T: c.T, Null: c.Null}
}

// ref returns a reference to a column of a node.
func ref(n Node, index int) *expr.Column {
	c := n.Columns()[index]
	return &expr.Column{Index: index, Name: c.Name, T: c.Type, Null: c.Nullable}
}
