package op_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// asOfBids joins bids with versions of the same columns by item.
func asOfBids(outer, strict bool) func() (op.Stateful, error) {
	side := op.AsOfSide{Schema: types.ArrowSchema(bids), Keys: []expr.Expr{bidColumn(1)}, Time: bidColumn(0)}
	return func() (op.Stateful, error) {
		return op.NewAsOf(op.AsOfConfig{Left: side, Right: side, Outer: outer, Strict: strict,
			Schema: types.ArrowSchema(append(bids[:len(bids):len(bids)], bids...)), Alloc: memory.DefaultAllocator}), nil
	}
}

// A row waits for the watermark and takes the newest version up to its time, the last of
// several with one time; the version that holds at the watermark stays, older ones go.
func TestAsOf(t *testing.T) {
	optest.Run(t, optest.Case{
		New: asOfBids(false, false), Inputs: [][]types.Field{bids, bids},
		Steps: []optest.Step{
			{
				Rows: []string{"2024-01-01 00:00:10 | pen | 1", "2024-01-01 00:00:05 | pen | 2", "2024-01-01 00:00:01 | pen | 3", "2024-01-01 00:00:05 | NULL | 4"},
				Right: []string{"2024-01-01 00:00:05 | pen | 51", "2024-01-01 00:00:02 | pen | 20", "2024-01-01 00:00:05 | pen | 52",
					"2024-01-01 00:00:01 | NULL | 9"},
				Total: 6, Updated: 6,
			},
			{
				Right: []string{"2024-01-01 00:00:09 | pen | 90"}, Evict: "2024-01-01 00:00:09",
				Want:  []string{"2024-01-01 00:00:05 | pen | 2 | 2024-01-01 00:00:05 | pen | 52"},
				Total: 2, Updated: 1, Removed: 5,
			},
			{
				Rows: []string{"2024-01-01 00:00:09 | pen | 5", "2024-01-01 00:00:11 | pen | 6"}, Right: []string{"2024-01-01 00:00:08 | pen | 80"},
				Late: "2024-01-01 00:00:09", Evict: "2024-01-01 00:00:20",
				WantLate: []string{"2024-01-01 00:00:09 | pen | 5", "2024-01-01 00:00:08 | pen | 80"},
				Want: []string{"2024-01-01 00:00:10 | pen | 1 | 2024-01-01 00:00:09 | pen | 90",
					"2024-01-01 00:00:11 | pen | 6 | 2024-01-01 00:00:09 | pen | 90"},
				Total: 1, Updated: 1, Removed: 2,
			},
			{
				Rows: []string{"2024-01-01 00:00:30 | pen | 7"}, Right: []string{"2024-01-01 00:00:30 | pen | 300", "2024-01-01 00:00:40 | pen | 400"},
				Late: "2024-01-01 00:00:20", Evict: "2024-01-01 00:00:35",
				Want:  []string{"2024-01-01 00:00:30 | pen | 7 | 2024-01-01 00:00:30 | pen | 300"},
				Total: 2, Updated: 3, Removed: 2,
			},
		},
	})
}

// A left join keeps rows without a version, and with < a version of the same time does not
// hold yet.
func TestAsOfOuterStrict(t *testing.T) {
	optest.Run(t, optest.Case{
		New: asOfBids(true, true), Inputs: [][]types.Field{bids, bids},
		Steps: []optest.Step{{
			Rows:  []string{"2024-01-01 00:00:05 | pen | 1", "2024-01-01 00:00:06 | pen | 2", "2024-01-01 00:00:05 | NULL | 3"},
			Right: []string{"2024-01-01 00:00:05 | pen | 50"}, Evict: "2024-01-01 00:00:10",
			Want: []string{"2024-01-01 00:00:05 | pen | 1 | NULL | NULL | NULL", "2024-01-01 00:00:06 | pen | 2 | 2024-01-01 00:00:05 | pen | 50",
				"2024-01-01 00:00:05 | NULL | 3 | NULL | NULL | NULL"},
			Total: 1, Updated: 4, Removed: 3,
		}},
	})
}
