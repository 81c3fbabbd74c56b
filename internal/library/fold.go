package library

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// The columns of a fold beside the arguments: which list a row is of, and its place.
const (
	groupColumn = "ssql_group"
	rowColumn   = "ssql_row"
)

// Fold implements expr.Library. All rows go to DuckDB as one record: it is read by one
// thread from its first row to its last, so the rows of a list are folded in their order, and
// sums of doubles come out the same in every run.
func (e *Evaluator) Fold(ctx context.Context, call string, lists *array.List, t types.Type) (arrow.Array, error) {
	f := flatten(lists)
	value := "CAST(" + call + " AS " + t.String() + ") AS v FROM "
	var parts []arrow.Array
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	if f.groups > 0 {
		rec := f.record()
		defer rec.Release()
		out, err := e.evaluate(ctx, rec, func(view string) string {
			return "SELECT v FROM (SELECT " + groupColumn + ", " + value + view + " GROUP BY " + groupColumn + ") ORDER BY " + groupColumn
		}, f.groups)
		if err != nil {
			return nil, err
		}
		parts = append(parts, out)
	}
	if f.groups < lists.Len() {
		empty := f.record().NewSlice(0, 0)
		defer empty.Release()
		out, err := e.evaluate(ctx, empty, func(view string) string { return "SELECT " + value + view }, 1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, out)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("there is no list to fold")
	}
	all, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	return expr.Take(all, f.places), nil
}

// flat is the rows of lists end to end.
type flat struct {
	columns []arrow.Array // the fields of the rows
	group   []int32       // per row
	row     []int64
	groups  int     // lists with rows
	places  []int32 // per list: its group, the number of groups if it has no rows
}

func flatten(lists *array.List) *flat {
	f := &flat{places: make([]int32, lists.Len())}
	var taken []int32
	for i := range f.places {
		start, end := lists.ValueOffsets(i)
		if start == end || lists.IsNull(i) {
			f.places[i] = -1
			continue
		}
		for k := start; k < end; k++ {
			taken = append(taken, int32(k))
			f.group = append(f.group, int32(f.groups))
			f.row = append(f.row, int64(len(f.row)))
		}
		f.places[i] = int32(f.groups)
		f.groups++
	}
	for i, p := range f.places {
		if p < 0 {
			f.places[i] = int32(f.groups)
		}
	}
	rows := lists.ListValues().(*array.Struct)
	for i := range rows.NumField() {
		f.columns = append(f.columns, expr.Take(rows.Field(i), taken))
	}
	return f
}

// record returns the rows with the columns a0, a1, ....
func (f *flat) record() arrow.Record {
	group, row := array.NewInt32Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	defer group.Release()
	defer row.Release()
	group.AppendValues(f.group, nil)
	row.AppendValues(f.row, nil)
	names := []string{groupColumn, rowColumn}
	columns := []arrow.Array{group.NewArray(), row.NewArray()}
	for i, a := range f.columns {
		names, columns = append(names, fmt.Sprintf("a%d", i)), append(columns, a)
	}
	return record(names, columns)
}
