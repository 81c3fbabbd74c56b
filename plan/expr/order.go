package expr

import (
	"bytes"
	"cmp"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// Comparer returns a function that orders the values of two rows of a column:
// strings by bytes, NaN above everything and equal to itself, -0 equal to 0. Both
// rows must hold a value.
func Comparer(a arrow.Array) (func(i, j int) int, error) {
	if s, ok := types.StringsOf(a); ok {
		return func(i, j int) int { return cmp.Compare(s.Value(i), s.Value(j)) }, nil
	}
	switch a := a.(type) {
	case *array.Null:
		return func(int, int) int { return 0 }, nil
	case *array.Boolean:
		return func(i, j int) int { return cmp.Compare(rank(a.Value(i)), rank(a.Value(j))) }, nil
	case *array.Int8:
		return ordered(a.Int8Values()), nil
	case *array.Int16:
		return ordered(a.Int16Values()), nil
	case *array.Int32:
		return ordered(a.Int32Values()), nil
	case *array.Int64:
		return ordered(a.Int64Values()), nil
	case *array.Uint8:
		return ordered(a.Uint8Values()), nil
	case *array.Uint16:
		return ordered(a.Uint16Values()), nil
	case *array.Uint32:
		return ordered(a.Uint32Values()), nil
	case *array.Uint64:
		return ordered(a.Uint64Values()), nil
	case *array.Date32:
		return ordered(a.Date32Values()), nil
	case *array.Timestamp:
		return ordered(a.TimestampValues()), nil
	case *array.Float32:
		return func(i, j int) int { return CompareDoubles(float64(a.Value(i)), float64(a.Value(j))) }, nil
	case *array.Float64:
		return func(i, j int) int { return CompareDoubles(a.Value(i), a.Value(j)) }, nil
	case *array.Decimal128:
		return func(i, j int) int { return a.Value(i).Cmp(a.Value(j)) }, nil
	case *array.Binary:
		return func(i, j int) int { return bytes.Compare(a.Value(i), a.Value(j)) }, nil
	case *array.List:
		return listComparer(a)
	case *array.Struct:
		return structComparer(a)
	}
	return nil, fmt.Errorf("values of type %s have no order", a.DataType())
}

func ordered[T cmp.Ordered](v []T) func(i, j int) int {
	return func(i, j int) int { return cmp.Compare(v[i], v[j]) }
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// CompareDoubles orders doubles as Spark and DuckDB do: NaN is the greatest and
// equal to itself.
func CompareDoubles(x, y float64) int {
	switch nx, ny := math.IsNaN(x), math.IsNaN(y); {
	case nx && ny:
		return 0
	case nx:
		return 1
	case ny:
		return -1
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func listComparer(a *array.List) (func(i, j int) int, error) {
	values := a.ListValues()
	elem, err := Comparer(values)
	if err != nil {
		return nil, err
	}
	return func(i, j int) int {
		si, ei := a.ValueOffsets(i)
		sj, ej := a.ValueOffsets(j)
		for si < ei && sj < ej {
			if c := nullsLast(values, elem, int(si), int(sj)); c != 0 {
				return c
			}
			si, sj = si+1, sj+1
		}
		return cmp.Compare(ei-si, ej-sj)
	}, nil
}

func structComparer(a *array.Struct) (func(i, j int) int, error) {
	parts := make([]func(i, j int) int, a.NumField())
	for f := range parts {
		c, err := Comparer(a.Field(f))
		if err != nil {
			return nil, err
		}
		parts[f] = c
	}
	return func(i, j int) int {
		for f, part := range parts {
			if c := nullsLast(a.Field(f), part, i, j); c != 0 {
				return c
			}
		}
		return 0
	}, nil
}

func nullsLast(a arrow.Array, c func(i, j int) int, i, j int) int {
	switch ni, nj := a.IsNull(i), a.IsNull(j); {
	case ni && nj:
		return 0
	case ni:
		return 1
	case nj:
		return -1
	}
	return c(i, j)
}
