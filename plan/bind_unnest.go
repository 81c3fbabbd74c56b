package plan

import (
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// unnestNames are the functions that make a row of each element of a list.
var unnestNames = map[string]bool{"unnest": true, "explode": true, "explode_outer": true, "unnest_outer": true}

func unnests(name string) bool { return unnestNames[name] }

// unnest takes a whole item `unnest(list)` out of the select list and puts an Unnest
// below; the item becomes a reference to its column.
func (k *block) unnest() error {
	done := false
	for i := range k.s.Items {
		c, ok := k.s.Items[i].Expr.(*sql.Call)
		if !ok || !unnests(strings.ToLower(c.Name.Name)) {
			continue
		}
		span := k.b.at(c.Span)
		if done {
			return sqlerr.At(span, codeUnsupported, "a select list may unnest one list").
				WithHint("unnest the second list in an outer query")
		}
		done = true
		if c.Distinct || c.Star || c.Filter != nil || c.Over != nil || len(c.OrderBy) > 0 || c.Nulls != sql.NullsAsUsual {
			return sqlerr.At(span, codeUnsupported, "%s takes a list and nothing else: DISTINCT, FILTER, ORDER BY, OVER and IGNORE NULLS have no meaning in it", c.Name.Name).
				WithHint("change the list: unnest(list_sort(list_distinct(xs)))")
		}
		if err := k.b.oneList(c.Name, c.Args, c.ArgNames, span); err != nil {
			return err
		}
		name := itemName(&k.s.Items[i])
		list, err := k.rowBinder("unnest").scalar(c.Args[0])
		if err != nil {
			return err
		}
		n, err := unnestNode(k.scope.node, list, name, strings.HasSuffix(strings.ToLower(c.Name.Name), "_outer"), span)
		if err != nil {
			return err
		}
		k.scope = k.scope.over(n)
		k.unnested = map[sql.Expr]scopeColumn{c: {Column: n.Cols[len(n.Cols)-1], index: len(n.Cols) - 1}}
	}
	return nil
}

// oneList checks the arguments of unnest.
func (b *binder) oneList(name sql.Ident, args []sql.Expr, names []string, span Span) error {
	if i := slices.IndexFunc(names, func(n string) bool { return n != "" }); i >= 0 {
		return sqlerr.At(span, codeArgName, "%s has no argument named %q", name.Name, names[i])
	}
	if len(args) != 1 {
		return sqlerr.At(span, codeUnresolvedRoutine, "%s takes one list", name.Name)
	}
	return nil
}

func unnestNode(in Node, list expr.Expr, name string, outer bool, span Span) (*Unnest, error) {
	if list.Type().Kind != types.List {
		return nil, sqlerr.At(span, codeTypeMismatch, "unnest needs a list, found %s", list.Type())
	}
	cols := append([]Column(nil), in.Columns()...)
	nullable := outer || !neverHoldsNull(list)
	cols = append(cols, Column{Field: types.Field{Name: name, Type: *list.Type().Elem, Nullable: nullable}})
	return &Unnest{Input: in, List: list, Outer: outer, Cols: cols}, nil
}

// neverHoldsNull reports whether a list comes from a function that makes no NULL
// elements. Types do not say so, as Spark's do.
func neverHoldsNull(list expr.Expr) bool {
	name, _, _ := strings.Cut(list.String(), "(")
	switch name {
	case "split", "string_split", "str_split", "string_to_array", "regexp_split_to_array", "range", "generate_series":
		return true
	}
	return false
}

// lateral binds `left, unnest(list) AS u(x)` and `left JOIN LATERAL unnest(..)`.
func (b *binder) lateral(left *scope, f *sql.FuncRef, kind types.JoinKind, t *sql.Join) (*scope, error) {
	span := b.at(f.Span)
	if !unnests(strings.ToLower(f.Name.Name)) {
		return nil, b.tableFunction(f)
	}
	if kind != types.InnerJoin && kind != types.LeftJoin || !alwaysTrue(t.On) {
		return nil, sqlerr.At(b.at(t.Span), codeUnsupported, "unnest may be joined by a comma, CROSS JOIN or LEFT JOIN ... ON true only")
	}
	if err := b.oneList(f.Name, f.Args, f.ArgNames, span); err != nil {
		return nil, err
	}
	if len(f.Columns) > 1 {
		return nil, sqlerr.At(b.at(f.Columns[1].Span), codeUnsupported, "%s makes one column, found the names of %d", f.Name.Name, len(f.Columns)).
			WithHint("fields of its elements are %s.field", f.Columns[0].Name)
	}
	x := &exprBinder{b: b, scope: left, clause: f.Name.Name, rows: true}
	list, err := x.scalar(f.Args[0])
	if err != nil {
		return nil, err
	}
	alias, name := "unnest", "unnest"
	if f.Alias != nil {
		alias, name = f.Alias.Name, f.Alias.Name
	}
	if len(f.Columns) > 0 {
		name = f.Columns[0].Name
	}
	n, err := unnestNode(left.node, list, name, kind == types.LeftJoin, span)
	if err != nil {
		return nil, err
	}
	out := left.over(n)
	c := n.Cols[len(n.Cols)-1]
	c.Table = alias
	out.cols = append(append([]scopeColumn(nil), out.cols...), scopeColumn{Column: c, index: len(n.Cols) - 1})
	return out, nil
}

// alwaysTrue reports whether a join condition is missing or the constant true.
func alwaysTrue(e sql.Expr) bool {
	if e == nil {
		return true
	}
	lit, ok := e.(*sql.Literal)
	return ok && lit.Value == true
}

// tableFunction refuses table functions: they are DuckDB's, and a stream can be joined
// with what they return once it is a view.
func (b *binder) tableFunction(f *sql.FuncRef) error {
	err := sqlerr.At(b.at(f.Span), codeUnsupported, "the table function %q cannot be read as a stream", f.Name.Name)
	if unnests(strings.ToLower(f.Name.Name)) {
		return err.WithHint("put the stream before it: FROM s, unnest(s.list) AS u(x)")
	}
	return err.WithHint("make a DuckDB view of it and join the view: CREATE VIEW v AS SELECT * FROM %s", sql.TableText(&sql.FuncRef{Name: f.Name, Args: f.Args, ArgNames: f.ArgNames}))
}
