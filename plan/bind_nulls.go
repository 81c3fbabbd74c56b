package plan

import (
	"sort"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
)

// nullRule is an aggregate that can ignore and keep NULLs: as a flag behind its value, or
// under two names.
type nullRule struct {
	name              string
	flag              bool   // name(value, ignore_nulls)
	ignoring, keeping string // without a flag: the aggregate that does it; "" where there is none
}

// nullRules is the table of aggregates that IGNORE NULLS and RESPECT NULLS have a meaning
// for, sorted by name.
var nullRules = []nullRule{
	{name: "any_value", flag: true},
	{name: "array_agg", ignoring: "collect_list", keeping: "list"},
	{name: "collect_list", ignoring: "collect_list", keeping: "list"},
	{name: "collect_set", ignoring: "collect_set"},
	{name: "first", flag: true},
	{name: "first_value", flag: true},
	{name: "last", flag: true},
	{name: "last_value", flag: true},
	{name: "list", ignoring: "collect_list", keeping: "list"},
}

func findNullRule(name string) *nullRule {
	i := sort.Search(len(nullRules), func(i int) bool { return nullRules[i].name >= name })
	if i < len(nullRules) && nullRules[i].name == name {
		return &nullRules[i]
	}
	return nil
}

// treatNulls returns the call of an aggregate that does by itself what IGNORE NULLS or RESPECT
// NULLS says.
func (x *exprBinder) treatNulls(e *sql.Call, name string, span Span) (*sql.Call, error) {
	rule := findNullRule(name)
	if rule == nil || e.Star || len(e.Args) == 0 {
		return nil, x.b.noNullTreatment(e, name, span)
	}
	out := *e
	if rule.flag {
		if len(e.Args) > 1 {
			return nil, sqlerr.At(span, codeCall, "%s says twice whether it ignores NULLs: by %s and by its second argument", name, e.Nulls).
				WithHint("write %s(%s) %s", name, sql.ExprText(e.Args[0]), e.Nulls)
		}
		if e.Nulls == sql.IgnoreNulls {
			out.Args = append(e.Args[:1:1], &sql.Literal{Value: true, Span: e.Span})
			if e.ArgNames != nil {
				out.ArgNames = append(e.ArgNames[:1:1], "")
			}
		}
		return &out, nil
	}
	out.Name.Name = rule.ignoring
	if e.Nulls == sql.RespectNulls {
		out.Name.Name = rule.keeping
	}
	if out.Name.Name == "" {
		return nil, x.b.noNullTreatment(e, name, span)
	}
	return &out, nil
}

// noNullTreatment refuses IGNORE NULLS and RESPECT NULLS where they mean nothing.
func (b *binder) noNullTreatment(e *sql.Call, name string, span Span) error {
	err := sqlerr.At(span, codeCall, "%s has no meaning in %s(...)", e.Nulls, name)
	if e.Over != nil {
		return err
	}
	if expr.IsAggregate(name) && e.Nulls == sql.IgnoreNulls && len(e.Args) > 0 {
		plain := *e
		plain.Nulls, plain.Filter = sql.NullsAsUsual, nil
		return err.WithHint("say which rows it folds: %s FILTER (WHERE %s IS NOT NULL)", sql.ExprText(&plain), sql.ExprText(e.Args[0]))
	}
	return err.WithHint("first, last, any_value, array_agg and list know it")
}
