package plan

import (
	"strings"

	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// predicate is one conjunct of WHERE or ON with what joins must know of it.
type predicate struct {
	cond expr.Expr
	// eq is set for l = r and l <=> r.
	eq *equality
	// bounds are what the conjunct says about times, if it has one of the shapes that
	// Spark reads.
	bounds []comparison
	// strict are columns that must not be NULL for the conjunct to be true.
	strict []int
}

// equality is an equi-join condition.
type equality struct {
	l, r     value
	nullSafe bool
}

// comparison says: the sum of the columns, each times its factor, plus a constant, is
// < 0, or <= 0 if orEqual is set.
type comparison struct {
	terms   map[int]int
	micros  int64
	orEqual bool
	equal   bool // one of the two that an equality is
}

// predicates binds the conjuncts of a condition.
func (x *exprBinder) predicates(cond sql.Expr) ([]predicate, error) {
	var out []predicate
	for _, e := range conjuncts(cond) {
		p, err := x.predicate(e)
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
	}
	return out, nil
}

// predicate binds one conjunct. Equality of two window columns is equality of their
// starts and of their ends.
func (x *exprBinder) predicate(e sql.Expr) ([]predicate, error) {
	cond, err := x.condition(e)
	if err != nil {
		return nil, err
	}
	p := predicate{cond: cond, bounds: x.comparisons(e), strict: x.strictColumns(e)}
	b, ok := e.(*sql.Binary)
	if !ok || b.Op != "=" && b.Op != "<=>" {
		return []predicate{p}, nil
	}
	l, err := x.bind(b.L)
	if err != nil {
		return nil, err
	}
	r, err := x.bind(b.R)
	if err != nil {
		return nil, err
	}
	p.eq = &equality{l: l, r: r, nullSafe: b.Op == "<=>"}
	if !isWindowStruct(l) || !isWindowStruct(r) {
		return []predicate{p}, nil
	}
	return x.windowEquality(p, x.b.at(b.Span))
}

func isWindowStruct(v value) bool { return v.mark != nil && v.mark.Part == WindowStruct }

func (x *exprBinder) windowEquality(p predicate, span Span) ([]predicate, error) {
	var out []predicate
	for _, name := range []string{"start", "end"} {
		l, err := x.field(p.eq.l, sql.Ident{Name: name, Span: span})
		if err != nil {
			return nil, err
		}
		r, err := x.field(p.eq.r, sql.Ident{Name: name, Span: span})
		if err != nil {
			return nil, err
		}
		op := "="
		if p.eq.nullSafe {
			op = "<=>"
		}
		cond, err := expr.BindBinary(op, l.Expr, r.Expr, span)
		if err != nil {
			return nil, err
		}
		out = append(out, predicate{cond: cond, strict: p.strict, eq: &equality{l: l, r: r, nullSafe: p.eq.nullSafe}})
	}
	return out, nil
}

// comparisons returns what a conjunct says about times.
func (x *exprBinder) comparisons(e sql.Expr) []comparison {
	switch e := e.(type) {
	case *sql.Binary:
		return x.compared(e.Op, e.L, e.R)
	case *sql.Between:
		if !e.Not {
			return append(x.compared(">=", e.X, e.Low), x.compared("<=", e.X, e.High)...)
		}
	}
	return nil
}

func (x *exprBinder) compared(op string, l, r sql.Expr) []comparison {
	switch op {
	case ">", ">=":
		l, r = r, l
	case "<", "<=":
	case "=": // a range with two equal ends
		out := append(x.compared("<=", l, r), x.compared(">=", l, r)...)
		for i := range out {
			out[i].equal = true
		}
		return out
	default:
		return nil
	}
	c := comparison{terms: map[int]int{}, orEqual: strings.HasSuffix(op, "=")}
	if !x.collect(l, 1, &c) || !x.collect(r, -1, &c) {
		return nil
	}
	return []comparison{c}
}

// collect adds e, times sign, to a comparison; false if e is no sum of columns and
// constants. Plain numbers count as seconds, as in Spark.
func (x *exprBinder) collect(e sql.Expr, sign int, c *comparison) bool {
	switch e := e.(type) {
	case *sql.ColumnRef:
		return x.collectColumn(e, sign, c)
	case *sql.Call:
		_, ok := x.rowNumber(e)
		c.terms[rankColumn] += sign
		return ok
	case *sql.Binary:
		switch e.Op {
		case "+":
			return x.collect(e.L, sign, c) && x.collect(e.R, sign, c)
		case "-":
			return x.collect(e.L, sign, c) && x.collect(e.R, -sign, c)
		}
	case *sql.Unary:
		return e.Op == "-" && x.collect(e.X, -sign, c)
	case *sql.Cast:
		return (e.Type.Kind == types.Timestamp || e.Type.IsNumeric()) && x.collect(e.X, sign, c)
	case *sql.Interval:
		micros, ok := e.Value.FixedMicros()
		c.micros += int64(sign) * micros
		return ok
	case *sql.Literal:
		switch v := e.Value.(type) {
		case int64:
			c.micros += int64(sign) * v * 1_000_000
			return true
		case float64:
			c.micros += int64(float64(sign) * v * 1e6)
			return true
		}
	}
	return false
}

func (x *exprBinder) collectColumn(e *sql.ColumnRef, sign int, c *comparison) bool {
	found, used := x.scope.find(e.Parts)
	if len(found) == 1 && used == len(e.Parts) && x.group == nil {
		c.terms[found[0].index] += sign
		return true
	}
	item, ok := x.aliases[strings.ToLower(e.Parts[0].Name)]
	if !ok || item == x.own || len(found) > 0 || len(e.Parts) > 1 {
		return false
	}
	inner := *x
	inner.aliases = nil
	return inner.collect(item.Expr, sign, c)
}

// strictColumns returns the columns without which a conjunct is never true. From
// them Spark infers IS NOT NULL for the inputs of a join, which keeps rows out of its
// state.
func (x *exprBinder) strictColumns(e sql.Expr) []int {
	switch e := e.(type) {
	case *sql.Binary:
		switch e.Op {
		case "=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||":
			return append(x.strictColumns(e.L), x.strictColumns(e.R)...)
		}
	case *sql.Between:
		if !e.Not {
			return append(append(x.strictColumns(e.X), x.strictColumns(e.Low)...), x.strictColumns(e.High)...)
		}
	case *sql.Like:
		return x.strictColumns(e.X)
	case *sql.Unary:
		return x.strictColumns(e.X)
	case *sql.Cast:
		if !e.Try {
			return x.strictColumns(e.X)
		}
	case *sql.Access:
		return x.strictColumns(e.X)
	case *sql.IsTest:
		if e.Not && e.What == "NULL" {
			return x.strictColumns(e.X)
		}
	case *sql.ColumnRef:
		if found, _ := x.scope.find(e.Parts); len(found) == 1 {
			return []int{found[0].index}
		}
	}
	return nil
}

// substitute returns the predicate over the input of a node whose column i is
// column(i) over that input.
func (p predicate) substitute(column func(i int) value) predicate {
	replace := func(e expr.Expr) expr.Expr {
		return moved(e, func(c *expr.Column) expr.Expr { return column(c.Index).Expr })
	}
	out := predicate{cond: replace(p.cond)}
	if p.eq != nil {
		out.eq = &equality{l: value{Expr: replace(p.eq.l.Expr), mark: p.eq.l.mark}, r: value{Expr: replace(p.eq.r.Expr), mark: p.eq.r.mark}, nullSafe: p.eq.nullSafe}
	}
	plain := func(i int) (int, bool) {
		c, ok := column(i).Expr.(*expr.Column)
		if !ok {
			return 0, false
		}
		return c.Index, true
	}
	for _, b := range p.bounds {
		nb := b
		nb.terms = map[int]int{}
		ok := true
		for i, factor := range b.terms {
			j, isPlain := plain(i)
			ok = ok && isPlain
			nb.terms[j] += factor
		}
		if ok {
			out.bounds = append(out.bounds, nb)
		}
	}
	for _, i := range p.strict {
		if j, ok := plain(i); ok {
			out.strict = append(out.strict, j)
		}
	}
	return out
}

// shifted returns the predicate with all columns moved by delta.
func (p predicate) shifted(cols []Column, delta int) predicate {
	return p.substitute(func(i int) value {
		c := cols[i]
		return value{Expr: &expr.Column{Index: i + delta, Name: c.Name, T: c.Type, Null: c.Nullable}, mark: c.Mark}
	})
}
