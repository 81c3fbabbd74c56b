package expr

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sql/types"
)

func bindCoalesceCall(b *binding) (Expr, error) { return bindCoalesce(b.args, b.span) }

// bindIf binds if(condition, a, b).
func bindIf(b *binding) (Expr, error) {
	return BindCase(nil, b.args[:1], b.args[1:2], b.args[2], b.span)
}

// bindNvl2 binds nvl2(x, a, b): a if x is not NULL.
func bindNvl2(b *binding) (Expr, error) {
	known, err := BindIsTest(b.args[0], "NULL", true, b.span)
	if err != nil {
		return nil, err
	}
	return BindCase(nil, []Expr{known}, b.args[1:2], b.args[2], b.span)
}

// bindNullif binds nullif(a, b): a, but NULL where it equals b.
func bindNullif(b *binding) (Expr, error) {
	equal, err := BindBinary("=", b.args[0], b.args[1], b.span)
	if err != nil {
		return nil, err
	}
	n, err := BindCase(nil, []Expr{equal}, []Expr{NewLiteral(types.Type{}, nil)}, b.args[0], b.span)
	if c, ok := n.(*choice); ok {
		c.nullable = true
	}
	return n, err
}

// bindExtremeOf binds greatest and least, which pass over NULLs.
func bindExtremeOf(most bool) binder {
	return func(b *binding) (Expr, error) {
		args, t, err := unify(b.args, b.span)
		if err != nil {
			return nil, err
		}
		nullable := true
		for _, a := range args {
			nullable = nullable && a.Nullable()
		}
		return newCall(spec{name: b.name, t: t, nullable: nullable, span: b.span, lenient: true, total: true,
			kern: func(f *frame, args []vec) (arrow.Array, error) { return extremeOf(f, args, t, most) }}, args...), nil
	}
}

func extremeOf(f *frame, args []vec, t types.Type, most bool) (arrow.Array, error) {
	all, starts, err := joinedVecs(f.arrow, args)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	compare := comparer(t, all, all, false)
	rows := make([]int32, f.rows)
	for i := range rows {
		best := -1
		for j, v := range args {
			at := int(starts[j]) + v.row(i)
			if all.IsNull(at) {
				continue
			}
			if best < 0 || (compare(at, best) > 0) == most && compare(at, best) != 0 {
				best = at
			}
		}
		rows[i] = int32(best)
	}
	return Take(all, rows), nil
}

// bindTypeof binds typeof(x): the type's name, known without a row.
func bindTypeof(b *binding) (Expr, error) {
	return NewLiteral(tVarchar, b.args[0].Type().String()), nil
}
