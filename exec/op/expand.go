package op

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
)

// Expand repeats each row once per grouping set with the keys outside the set
// NULL, and appends the set's grouping id: ROLLUP, CUBE and GROUPING SETS become
// one plain grouping. Its columns are those of the input, then the keys, then
// grouping_id (bit i from the left is 1 if key i is rolled up).
type Expand struct {
	Keys   []expr.Expr
	Sets   [][]int
	Schema *arrow.Schema
}

var _ Expander = (*Expand)(nil)

// Expands marks the stage.
func (e *Expand) Expands() {}

// Apply emits row after row, each once per set in their order.
func (e *Expand) Apply(t *Task, rec arrow.Record) (arrow.Record, error) {
	n := int(rec.NumRows())
	rows := make([]int32, 0, n*len(e.Sets))
	for i := range n {
		for range e.Sets {
			rows = append(rows, int32(i))
		}
	}
	taken := Take(rec, rows)
	defer taken.Release()
	cols := append([]arrow.Array(nil), taken.Columns()...)
	for k, key := range e.Keys {
		a, err := key.Eval(t.Expr, rec)
		if err != nil {
			return nil, err
		}
		cols = append(cols, expr.Take(a, e.keyRows(k, n)))
		a.Release()
	}
	cols = append(cols, e.groupingIDs(n))
	return tracedAs(taken, array.NewRecord(schemaOf(e.Schema, cols), cols, int64(len(rows)))), nil
}

// keyRows lists the rows of key k: its own in the sets that keep it, NULL in others.
func (e *Expand) keyRows(k, n int) []int32 {
	rows := make([]int32, 0, n*len(e.Sets))
	for i := range n {
		for _, set := range e.Sets {
			if slices.Contains(set, k) {
				rows = append(rows, int32(i))
			} else {
				rows = append(rows, -1)
			}
		}
	}
	return rows
}

func (e *Expand) groupingIDs(n int) arrow.Array {
	of := make([]int64, len(e.Sets))
	for i, set := range e.Sets {
		for k := range e.Keys {
			of[i] <<= 1
			if !slices.Contains(set, k) {
				of[i] |= 1
			}
		}
	}
	ids := make([]int64, 0, n*len(e.Sets))
	for range n {
		ids = append(ids, of...)
	}
	buf := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(ids))
	return array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, len(ids), []*memory.Buffer{nil, buf}, nil, 0, 0))
}
