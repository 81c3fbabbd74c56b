package expr

import (
	"cmp"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// unknown is the order of two values of which one is NULL, in a strict comparer.
const unknown = 2

// Order returns the order of two rows of a column of type t: -1, 0 or 1. Strings are
// ordered by bytes, NaN is above every number and equal to itself, NULL is above
// all and equal to NULL.
func Order(t types.Type, a arrow.Array) func(x, y int) int { return comparer(t, a, a, false) }

// comparer returns the order of two arrays of type t: -1, 0 or 1 for value x of l
// against value y of r. A NULL is equal to NULL and greater than all else; in a
// strict comparer, as = and < compare nested values, meeting one before the order
// is decided makes it unknown.
func comparer(t types.Type, l, r arrow.Array, strict bool) func(x, y int) int {
	inner := valueComparer(t, l, r, strict)
	if l.NullN() == 0 && r.NullN() == 0 {
		return inner
	}
	return func(x, y int) int {
		switch xNull, yNull := l.IsNull(x), r.IsNull(y); {
		case strict && (xNull || yNull):
			return unknown
		case xNull && yNull:
			return 0
		case xNull:
			return 1
		case yNull:
			return -1
		}
		return inner(x, y)
	}
}

func valueComparer(t types.Type, l, r arrow.Array, strict bool) func(x, y int) int {
	switch t.Kind {
	case types.Null:
		return func(int, int) int { return 0 }
	case types.TinyInt:
		return orderedComparer[int8](l, r)
	case types.SmallInt:
		return orderedComparer[int16](l, r)
	case types.Int, types.Date:
		return orderedComparer[int32](l, r)
	case types.BigInt, types.Timestamp:
		return orderedComparer[int64](l, r)
	case types.UTinyInt:
		return orderedComparer[uint8](l, r)
	case types.USmallInt:
		return orderedComparer[uint16](l, r)
	case types.UInt:
		return orderedComparer[uint32](l, r)
	case types.UBigInt:
		return orderedComparer[uint64](l, r)
	case types.Varchar, types.Blob:
		return orderedComparer[string](l, r)
	case types.Float:
		return lessComparer(l, r, floatLess[float32])
	case types.Double:
		return lessComparer(l, r, floatLess[float64])
	case types.Boolean:
		return lessComparer(l, r, func(a, b bool) bool { return !a && b })
	case types.Decimal:
		return lessComparer(l, r, decimalLess)
	case types.IntervalKind:
		return lessComparer(l, r, intervalLess)
	case types.Struct:
		return structComparer(t, l.(*array.Struct), r.(*array.Struct), strict)
	case types.List:
		return listComparer(*t.Elem, l.(*array.List), r.(*array.List), strict)
	}
	return mapComparer(t, l.(*array.Map), r.(*array.Map), strict)
}

// floatLess is the order in which NaN is greatest.
func floatLess[T float32 | float64](a, b T) bool { return a < b || b != b && a == a }

func orderedComparer[T interface {
	slot
	ordered
}](l, r arrow.Array) func(x, y int) int {
	a, b := valuesOf[T](l), valuesOf[T](r)
	return func(x, y int) int { return cmp.Compare(a[x], b[y]) }
}

func lessComparer[T slot](l, r arrow.Array, less func(a, b T) bool) func(x, y int) int {
	a, b := valuesOf[T](l), valuesOf[T](r)
	return func(x, y int) int {
		switch {
		case less(a[x], b[y]):
			return -1
		case less(b[y], a[x]):
			return 1
		}
		return 0
	}
}

func structComparer(t types.Type, l, r *array.Struct, strict bool) func(x, y int) int {
	fields := make([]func(x, y int) int, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = comparer(f.Type, l.Field(i), r.Field(i), strict)
	}
	return func(x, y int) int {
		for _, compare := range fields {
			if c := compare(x, y); c != 0 {
				return c
			}
		}
		return 0
	}
}

func listComparer(elem types.Type, l, r *array.List, strict bool) func(x, y int) int {
	compare := comparer(elem, l.ListValues(), r.ListValues(), strict)
	return func(x, y int) int {
		i, iEnd := l.ValueOffsets(x)
		j, jEnd := r.ValueOffsets(y)
		for ; i < iEnd && j < jEnd; i, j = i+1, j+1 {
			if c := compare(int(i), int(j)); c != 0 {
				return c
			}
		}
		return cmp.Compare(iEnd-i, jEnd-j)
	}
}

// mapComparer compares entries in the order they are held, as DuckDB does.
func mapComparer(t types.Type, l, r *array.Map, strict bool) func(x, y int) int {
	keys, values := comparer(*t.Key, l.Keys(), r.Keys(), strict), comparer(*t.Elem, l.Items(), r.Items(), strict)
	return func(x, y int) int {
		i, iEnd := l.ValueOffsets(x)
		j, jEnd := r.ValueOffsets(y)
		for ; i < iEnd && j < jEnd; i, j = i+1, j+1 {
			if c := keys(int(i), int(j)); c != 0 {
				return c
			}
			if c := values(int(i), int(j)); c != 0 {
				return c
			}
		}
		return cmp.Compare(iEnd-i, jEnd-j)
	}
}
