package expr

import (
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// setMin is the number of constants from which a lookup beats comparing with each.
const setMin = 8

// BindIn binds x [NOT] IN (list).
func BindIn(x Expr, list []Expr, not bool, span sqlerr.Span) (Expr, error) {
	if len(list) == 0 {
		return nil, sqlerr.At(span, codeMismatch, "expected at least one value in the list of IN")
	}
	all, t, err := inOperands(x, list, span)
	if err != nil {
		return nil, err
	}
	words := " IN ("
	if not {
		words = " NOT IN ("
	}
	form := func(a []string) string { return "(" + a[0] + words + strings.Join(a[1:], ", ") + "))" }
	k := anyEqual(t, not)
	if len(list) > setMin && allLiterals(all[1:]) {
		if set := setKernel(t, all[1:], not); set != nil {
			k = set
		}
	}
	return newCall(spec{name: "IN", t: tBool, nullable: anyNullable(all...), span: span, total: true, lenient: true,
		form: form, kern: k}, all...), nil
}

// inOperands brings x and the list to one type, by the rules of =.
func inOperands(x Expr, list []Expr, span sqlerr.Span) ([]Expr, types.Type, error) {
	all := append([]Expr{x}, list...)
	if x.Type().Kind == types.Varchar && !isUntyped(x) && isUntyped(list[0]) && list[0].Type().IsInteger() {
		cast, err := BindCast(x, list[0].Type(), false, span)
		if err != nil {
			return nil, types.Type{}, err
		}
		all[0] = cast
	}
	out, t, err := unify(all, span)
	if err == nil && t.Kind == types.Null {
		t = tInt
		for i := range out {
			out[i] = NewLiteral(t, nil)
		}
	}
	return out, t, err
}

func allLiterals(items []Expr) bool {
	for _, e := range items {
		if !isLiteral(e) {
			return false
		}
	}
	return true
}

// anyEqual compares with each item: true if one is equal, else NULL if an operand
// was.
func anyEqual(t types.Type, not bool) kernel {
	equal := compareKernel(comparison{test: testEqual}, t)
	or := &logical{or: true}
	return func(f *frame, args []vec) (arrow.Array, error) {
		var sum truth
		for i, item := range args[1:] {
			one := &frame{spec: f.spec, ctx: f.ctx, rows: f.rows, arrow: f.arrow, valid: newValidity(f.rows)}
			one.valid.and(args[0])
			one.valid.and(item)
			a, err := equal(one, []vec{args[0], item})
			if err != nil {
				return nil, err
			}
			next := boolBits(vec{arr: a}, f.rows)
			a.Release()
			if i == 0 {
				sum = next
				continue
			}
			joined := or.combine(sum, next)
			sum = boolBits(vec{arr: joined}, f.rows)
			joined.Release()
		}
		return sum.array(not), nil
	}
}

// array returns the column, or its negation.
func (t truth) array(not bool) arrow.Array {
	if not {
		for i := range t.vals {
			t.vals[i] = ^t.vals[i]
		}
	}
	return newBitmap(t.vals, &validity{rows: t.rows, bits: t.known})
}

// setKernel returns the kernel that looks values up among constants, nil for types
// that are not looked up.
func setKernel(t types.Type, items []Expr, not bool) kernel {
	switch t.Kind {
	case types.Int, types.Date:
		return lookup[int32](items, not)
	case types.BigInt, types.Timestamp:
		return lookup[int64](items, not)
	case types.Varchar:
		return lookup[string](items, not)
	case types.Double:
		for _, e := range items {
			// A map finds no NaN; comparing does.
			if l := e.(*Literal); !l.IsNull() && math.IsNaN(valuesOf[float64](l.arr)[0]) {
				return nil
			}
		}
		return lookup[float64](items, not)
	}
	return nil
}

func lookup[T interface {
	slot
	comparable
}](items []Expr, not bool) kernel {
	set := make(map[T]struct{}, len(items))
	hasNull := false
	for _, e := range items {
		l := e.(*Literal)
		if l.IsNull() {
			hasNull = true
			continue
		}
		set[valuesOf[T](l.arr)[0]] = struct{}{}
	}
	return func(f *frame, args []vec) (arrow.Array, error) {
		x := read[T](args[0])
		known := newValidity(f.rows)
		known.and(args[0])
		out := make([]bool, f.rows)
		for lo := 0; lo < f.rows; lo += runRows {
			hi := min(lo+runRows, f.rows)
			for i, v := range x.run(lo, hi) {
				_, found := set[v]
				out[lo+i] = found != not
				if !found && hasNull {
					known.clear(lo + i)
				}
			}
		}
		return newBools(out, known), nil
	}
}
