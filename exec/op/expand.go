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
func (e *Expand) Apply(t *Task, rec arrow.Record, emit Emit) error {
	keys := make([]arrow.Array, len(e.Keys))
	for k, key := range e.Keys {
		a, err := key.Eval(t.Expr, rec)
		if err != nil {
			return err
		}
		defer a.Release()
		keys[k] = a
	}
	var sets []int
	p := newPieces("GROUPING SETS", t, rec, nil, func(rows []int32, cols []arrow.Array) error {
		for k, a := range keys {
			cols = append(cols, expr.Share(a, e.keyRows(k, rows, sets)))
		}
		cols = append(cols, e.groupingIDs(sets))
		sets = sets[:0]
		return emitColumns(rec, rows, e.Schema, cols, emit)
	})
	for i := range int(rec.NumRows()) {
		extra := int64(8)
		for _, a := range keys {
			if _, shared := a.(*array.String); !shared {
				extra += expr.RowBytes(a, i)
			}
		}
		for set := range e.Sets {
			sets = append(sets, set)
			if err := p.add(int32(i), extra); err != nil {
				return err
			}
		}
	}
	return p.cut()
}

// keyRows lists the rows of key k: its own in the sets that keep it, NULL in others.
func (e *Expand) keyRows(k int, rows []int32, sets []int) []int32 {
	out := make([]int32, len(rows))
	for i, row := range rows {
		if out[i] = -1; slices.Contains(e.Sets[sets[i]], k) {
			out[i] = row
		}
	}
	return out
}

func (e *Expand) groupingIDs(sets []int) arrow.Array {
	of := make([]int64, len(e.Sets))
	for i, set := range e.Sets {
		for k := range e.Keys {
			of[i] <<= 1
			if !slices.Contains(set, k) {
				of[i] |= 1
			}
		}
	}
	ids := make([]int64, len(sets))
	for i, set := range sets {
		ids[i] = of[set]
	}
	buf := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(ids))
	return array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, len(ids), []*memory.Buffer{nil, buf}, nil, 0, 0))
}
