package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// bindListConcat joins two lists; a NULL list counts as empty, as in DuckDB.
func bindListConcat(l, r Expr, span sqlerr.Span) (Expr, error) {
	if k := l.Type().Kind; k != types.List && k != types.Null {
		return nil, sqlerr.At(span, codeMismatch, "expected two lists to join, found %s and %s", l.Type(), r.Type()).WithHint("write [item] || list")
	}
	both, t, err := unify([]Expr{l, r}, span)
	if err != nil {
		return nil, err
	}
	return newCall(spec{name: "list_concat", t: t, nullable: l.Nullable() && r.Nullable(), span: span, lenient: true, total: true,
		kern: concatLists}, both...), nil
}

func concatLists(f *frame, args []vec) (arrow.Array, error) {
	parts := make([]arrow.Array, len(args))
	starts := make([]int32, len(args))
	next := 0
	for i, v := range args {
		parts[i] = v.arr.(*array.List).ListValues()
		starts[i] = int32(next)
		next += parts[i].Len()
	}
	all, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	ends := make([]int32, f.rows+1)
	var rows []int32
	for i := range f.rows {
		known := false
		for j, v := range args {
			row := v.row(i)
			if v.arr.IsNull(row) {
				continue
			}
			known = true
			start, end := v.arr.(*array.List).ValueOffsets(row)
			for k := start; k < end; k++ {
				rows = append(rows, starts[j]+int32(k))
			}
		}
		if !known {
			f.valid.clear(i)
		}
		ends[i+1] = int32(len(rows))
	}
	values := Take(all, rows)
	defer values.Release()
	return newArray(f.arrow, f.valid, []*memory.Buffer{memory.NewBufferBytes(rawBytes(ends))}, []arrow.ArrayData{values.Data()}), nil
}
