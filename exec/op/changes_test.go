package op_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// A row that comes for a key takes the place of the one before: the old one comes out with
// -1, the new one with 1. What came again as it was is left out, and the rows that the
// watermark has passed are forgotten without a word.
func TestChanges(t *testing.T) {
	optest.Run(t, optest.Case{
		New: func() (op.Stateful, error) {
			return op.NewChanges(op.ChangesConfig{
				Keys: []expr.Expr{bidColumn(0), bidColumn(1)}, Close: bidColumn(0), Input: types.ArrowSchema(bids),
				Schema: types.ArrowSchema(append(bids[:len(bids):len(bids)], field("change", bigint))), Alloc: memory.DefaultAllocator,
			}), nil
		},
		Inputs: [][]types.Field{bids},
		Steps: []optest.Step{
			{
				Rows:  []string{"2024-01-01 00:01:00 | pen | 5", "2024-01-01 00:01:00 | cup | 7", "2024-01-01 00:02:00 | NULL | NULL"},
				Want:  []string{"2024-01-01 00:01:00 | pen | 5 | 1", "2024-01-01 00:01:00 | cup | 7 | 1", "2024-01-01 00:02:00 | NULL | NULL | 1"},
				Total: 3, Updated: 3,
			},
			{
				Rows: []string{"2024-01-01 00:01:00 | pen | 5", "2024-01-01 00:01:00 | cup | 8", "2024-01-01 00:02:00 | NULL | 1"},
				Want: []string{"2024-01-01 00:01:00 | cup | 7 | -1", "2024-01-01 00:02:00 | NULL | NULL | -1",
					"2024-01-01 00:01:00 | cup | 8 | 1", "2024-01-01 00:02:00 | NULL | 1 | 1"},
				Evict: "2024-01-01 00:01:00", Total: 1, Updated: 2, Removed: 2,
			},
			// Two rows of a key stay apart, as those of a ranking do.
			{
				Rows:  []string{"2024-01-01 00:02:00 | NULL | 1", "2024-01-01 00:02:00 | NULL | 1"},
				Want:  []string{"2024-01-01 00:02:00 | NULL | 1 | 1"},
				Total: 2, Updated: 1,
			},
			{
				Rows:  []string{"2024-01-01 00:02:00 | NULL | 2"},
				Want:  []string{"2024-01-01 00:02:00 | NULL | 1 | -1", "2024-01-01 00:02:00 | NULL | 1 | -1", "2024-01-01 00:02:00 | NULL | 2 | 1"},
				Total: 1, Updated: 1,
			},
		},
	})
}

// An aggregation takes rows back that it took in before, in the same batch or segment or
// another, and holds what it would hold without them.
func TestAggregateOfChanges(t *testing.T) {
	fields := append(bids[:len(bids):len(bids)], field("change", bigint))
	column := func(i int) expr.Expr {
		return &expr.Column{Index: i, Name: fields[i].Name, T: fields[i].Type, Null: true}
	}
	out := []types.Field{field("item", varchar)}
	var calls []op.AggregateCall
	for _, c := range []struct {
		name     string
		distinct bool
	}{{"count", false}, {"sum", false}, {"avg", false}, {"min", false}, {"max", false}, {"stddev_pop", false}, {"count", true}} {
		agg, err := expr.BindAggregate(c.name, []expr.Expr{column(2)}, false, sqlerr.Span{})
		if err != nil {
			t.Fatal(err)
		}
		of, ok := agg.OfChanges(c.distinct)
		if !ok {
			t.Fatalf("%s cannot take rows back", c.name)
		}
		calls = append(calls, op.AggregateCall{Aggregate: of})
		out = append(out, field(c.name, of.Type))
	}
	optest.Run(t, optest.Case{
		New: func() (op.Stateful, error) {
			return op.NewAggregate(op.AggregateConfig{Mode: types.Update, Keys: []expr.Expr{column(1)}, Calls: calls, Change: column(3),
				Schema: types.ArrowSchema(out), Alloc: memory.DefaultAllocator})
		},
		Inputs: [][]types.Field{fields},
		Steps: []optest.Step{
			{
				Rows: []string{"NULL | pen | 4 | 1", "NULL | pen | 8 | 1", "NULL | pen | 8 | 1", "NULL | pen | NULL | 1", "NULL | cup | 1 | 1"},
				Want: []string{"pen | 3 | 20 | 6.666666666666667 | 4 | 8 | 1.8856180831641267 | 2", "cup | 1 | 1 | 1 | 1 | 1 | 0 | 1"}, Total: 2, Updated: 2,
			},
			{
				Rows: []string{"NULL | pen | 8 | -1", "NULL | pen | 8 | -1", "NULL | pen | 2 | 1", "NULL | cup | 1 | -1"},
				Want: []string{"pen | 2 | 6 | 3 | 2 | 4 | 1 | 2", "cup | 0 | NULL | NULL | NULL | NULL | NULL | 0"}, Total: 2, Updated: 2,
			},
			{
				Rows: []string{"NULL | pen | 4 | -1", "NULL | pen | 2 | -1", "NULL | cup | 5 | 1"},
				Want: []string{"pen | 0 | NULL | NULL | NULL | NULL | NULL | 0", "cup | 1 | 5 | 5 | 5 | 5 | 0 | 1"}, Total: 2, Updated: 2,
			},
		},
	})
}

// For a sink all rows of a key come when one of them changed, and the old ones only if none is
// left: here rows with a price above 4 are the result.
func TestChangesWhole(t *testing.T) {
	live, err := expr.BindBinary(">", bidColumn(2), expr.NewLiteral(bigint, int64(4)), sqlerr.Span{})
	if err != nil {
		t.Fatal(err)
	}
	optest.Run(t, optest.Case{
		New: func() (op.Stateful, error) {
			return op.NewChanges(op.ChangesConfig{
				Keys: []expr.Expr{bidColumn(1)}, Live: live, Whole: true, Input: types.ArrowSchema(bids),
				Schema: types.ArrowSchema(append(bids[:len(bids):len(bids)], field("change", bigint))), Alloc: memory.DefaultAllocator,
			}), nil
		},
		Inputs: [][]types.Field{bids},
		Steps: []optest.Step{
			{
				Rows: []string{"2024-01-01 00:01:00 | pen | 5", "2024-01-01 00:02:00 | pen | 6", "2024-01-01 00:01:00 | cup | 4"},
				Want: []string{"2024-01-01 00:01:00 | pen | 5 | 1", "2024-01-01 00:02:00 | pen | 6 | 1"}, Total: 2, Updated: 2,
			},
			{Rows: []string{"2024-01-01 00:02:00 | pen | 6", "2024-01-01 00:01:00 | pen | 5", "2024-01-01 00:01:00 | cup | NULL"}, Total: 2},
			{
				Rows: []string{"2024-01-01 00:02:00 | pen | 6", "2024-01-01 00:03:00 | pen | 9", "2024-01-01 00:03:00 | pen | 1", "2024-01-01 00:01:00 | cup | 8"},
				Want: []string{"2024-01-01 00:02:00 | pen | 6 | 1", "2024-01-01 00:03:00 | pen | 9 | 1", "2024-01-01 00:01:00 | cup | 8 | 1"}, Total: 3, Updated: 2,
			},
			{
				Rows: []string{"2024-01-01 00:02:00 | pen | 2", "2024-01-01 00:04:00 | cup | 7"},
				Want: []string{"2024-01-01 00:02:00 | pen | 6 | -1", "2024-01-01 00:03:00 | pen | 9 | -1", "2024-01-01 00:04:00 | cup | 7 | 1"}, Total: 1, Updated: 1,
			},
			{Rows: []string{"2024-01-01 00:02:00 | pen | 3"}, Total: 1},
		},
	})
}
