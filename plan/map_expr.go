package plan

import "ssql/sql"

// mapExpr returns a copy of an expression in which f has replaced parts: where it returns
// nil, the parts below are asked for. Sub-queries stay as they are.
func mapExpr(e sql.Expr, f func(sql.Expr) sql.Expr) sql.Expr {
	if e == nil {
		return nil
	}
	if to := f(e); to != nil {
		return to
	}
	m := func(e sql.Expr) sql.Expr { return mapExpr(e, f) }
	switch e := e.(type) {
	case *sql.Access:
		c := *e
		c.X, c.Index = m(e.X), m(e.Index)
		return &c
	case *sql.AtTimeZone:
		c := *e
		c.X, c.Zone = m(e.X), m(e.Zone)
		return &c
	case *sql.Between:
		c := *e
		c.X, c.Low, c.High = m(e.X), m(e.Low), m(e.High)
		return &c
	case *sql.Binary:
		c := *e
		c.L, c.R = m(e.L), m(e.R)
		return &c
	case *sql.Call:
		return mapCall(e, m)
	case *sql.Case:
		c := *e
		c.X, c.Else = m(e.X), m(e.Else)
		c.Whens = nil
		for _, w := range e.Whens {
			c.Whens = append(c.Whens, sql.When{When: m(w.When), Then: m(w.Then)})
		}
		return &c
	case *sql.Cast:
		c := *e
		c.X = m(e.X)
		return &c
	case *sql.Extract:
		c := *e
		c.X = m(e.X)
		return &c
	case *sql.In:
		c := *e
		c.X, c.List = m(e.X), mapAll(e.List, m)
		return &c
	case *sql.IsTest:
		c := *e
		c.X = m(e.X)
		return &c
	}
	return mapMade(e, m)
}

// mapMade is mapExpr for what makes lists, structs and maps, and the rest.
func mapMade(e sql.Expr, m func(sql.Expr) sql.Expr) sql.Expr {
	switch e := e.(type) {
	case *sql.Lambda:
		c := *e
		c.Body = m(e.Body)
		return &c
	case *sql.Like:
		c := *e
		c.X, c.Pattern, c.Escape = m(e.X), m(e.Pattern), m(e.Escape)
		return &c
	case *sql.ListLit:
		c := *e
		c.Items = mapAll(e.Items, m)
		return &c
	case *sql.MapLit:
		c := *e
		c.Keys, c.Values = mapAll(e.Keys, m), mapAll(e.Values, m)
		return &c
	case *sql.Slice:
		c := *e
		c.X, c.Low, c.High = m(e.X), m(e.Low), m(e.High)
		return &c
	case *sql.StructLit:
		c := *e
		c.Items = mapAll(e.Items, m)
		return &c
	case *sql.Unary:
		c := *e
		c.X = m(e.X)
		return &c
	}
	return e
}

func mapCall(e *sql.Call, m func(sql.Expr) sql.Expr) sql.Expr {
	c := *e
	c.Args, c.Filter, c.OrderBy = mapAll(e.Args, m), m(e.Filter), mapOrder(e.OrderBy, m)
	if e.Over != nil {
		o := *e.Over
		o.PartitionBy, o.OrderBy = mapAll(o.PartitionBy, m), mapOrder(o.OrderBy, m)
		c.Over = &o
	}
	return &c
}

func mapAll(list []sql.Expr, m func(sql.Expr) sql.Expr) []sql.Expr {
	var out []sql.Expr
	for _, e := range list {
		out = append(out, m(e))
	}
	return out
}

func mapOrder(items []sql.OrderItem, m func(sql.Expr) sql.Expr) []sql.OrderItem {
	var out []sql.OrderItem
	for _, o := range items {
		o.Expr = m(o.Expr)
		out = append(out, o)
	}
	return out
}
