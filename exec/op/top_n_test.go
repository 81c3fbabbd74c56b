package op_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// bids are the input of the tests: a time, a key, a price.
var bids = []types.Field{field("ts", timestamp), field("item", varchar), field("price", bigint)}

func bidColumn(i int) expr.Expr {
	return &expr.Column{Index: i, Name: bids[i].Name, T: bids[i].Type, Null: true}
}

// topOf ranks bids by item and the listed keys before it.
func topOf(cfg op.TopNConfig) func() (op.Stateful, error) {
	cfg.Input = types.ArrowSchema(bids)
	cfg.Schema = types.ArrowSchema(append(bids[:len(bids):len(bids)], field("row_number", bigint)))
	cfg.Alloc = memory.DefaultAllocator
	return func() (op.Stateful, error) { return op.NewTopN(cfg), nil }
}

// All rows of a key come again when one of them is new; a row that comes in behind the
// last changes nothing, and of equal rows the first one stays in front.
func TestTopNUpdate(t *testing.T) {
	optest.Run(t, optest.Case{
		New: topOf(op.TopNConfig{Mode: types.Update, Count: 2, Keys: []expr.Expr{bidColumn(1)},
			Order: []op.SortKey{{Expr: bidColumn(2), Desc: true}}}),
		Inputs: [][]types.Field{bids},
		Steps: []optest.Step{
			{
				Rows: []string{"2024-01-01 00:00:01 | pen | 5", "2024-01-01 00:00:02 | pen | 7", "2024-01-01 00:00:03 | pen | 5",
					"2024-01-01 00:00:04 | NULL | 1"},
				Want: []string{"2024-01-01 00:00:02 | pen | 7 | 1", "2024-01-01 00:00:01 | pen | 5 | 2",
					"2024-01-01 00:00:04 | NULL | 1 | 1"},
				Total: 3, Updated: 3,
			},
			{Rows: []string{"2024-01-01 00:00:05 | pen | 5", "2024-01-01 00:00:05 | pen | NULL"}, Total: 3},
			{
				Rows: []string{"2024-01-01 00:00:06 | pen | 9", "2024-01-01 00:00:07 | NULL | 1"},
				Want: []string{"2024-01-01 00:00:06 | pen | 9 | 1", "2024-01-01 00:00:02 | pen | 7 | 2",
					"2024-01-01 00:00:04 | NULL | 1 | 1", "2024-01-01 00:00:07 | NULL | 1 | 2"},
				Total: 4, Updated: 2,
			},
		},
		Ordered: true,
	})
}

// A key with event time comes out once, when the watermark reaches it; rows at or before
// it are late.
func TestTopNAppendByWindow(t *testing.T) {
	optest.Run(t, optest.Case{
		New: topOf(op.TopNConfig{Mode: types.Append, Count: 2, Keys: []expr.Expr{bidColumn(0), bidColumn(1)}, Close: bidColumn(0),
			Order: []op.SortKey{{Expr: bidColumn(2)}}}),
		Inputs: [][]types.Field{bids},
		Steps: []optest.Step{
			{
				Rows: []string{"2024-01-01 00:01:00 | pen | 5", "2024-01-01 00:02:00 | pen | 7", "2024-01-01 00:01:00 | pen | 3",
					"2024-01-01 00:01:00 | pen | 4", "2024-01-01 00:01:00 | cup | 1"},
				Total: 4, Updated: 4,
			},
			{
				Rows: []string{"2024-01-01 00:01:00 | pen | 2"}, Evict: "2024-01-01 00:01:30",
				Want: []string{"2024-01-01 00:01:00 | pen | 2 | 1", "2024-01-01 00:01:00 | pen | 3 | 2",
					"2024-01-01 00:01:00 | cup | 1 | 1"},
				Total: 1, Updated: 1, Removed: 3,
			},
			{
				Rows: []string{"2024-01-01 00:01:00 | pen | 1", "2024-01-01 00:02:00 | pen | 1"},
				Late: "2024-01-01 00:01:30", Evict: "2024-01-01 00:02:00",
				WantLate: []string{"2024-01-01 00:01:00 | pen | 1"},
				Want:     []string{"2024-01-01 00:02:00 | pen | 1 | 1", "2024-01-01 00:02:00 | pen | 7 | 2"},
				Updated:  1, Removed: 2,
			},
		},
	})
}

// The earliest row of a key comes out when the watermark reaches it, and no other row of
// the key ever does.
func TestTopNAppendByTime(t *testing.T) {
	late := "2024-01-01 00:00:08"
	optest.Run(t, optest.Case{
		New: topOf(op.TopNConfig{Mode: types.Append, Count: 1, Keys: []expr.Expr{bidColumn(1)}, Close: bidColumn(0), ByTime: true,
			Order: []op.SortKey{{Expr: bidColumn(0)}}}),
		Inputs: [][]types.Field{bids},
		Steps: []optest.Step{
			{Rows: []string{"2024-01-01 00:00:07 | pen | 1", "2024-01-01 00:00:09 | cup | 2"}, Total: 2, Updated: 2},
			{
				Rows: []string{"2024-01-01 00:00:05 | pen | 3"}, Evict: late,
				Want:  []string{"2024-01-01 00:00:05 | pen | 3 | 1"},
				Total: 2, Updated: 1, Removed: 1,
			},
			{
				Rows: []string{"2024-01-01 00:00:08 | cup | 4", "2024-01-01 00:00:08.5 | cup | 5"}, Late: late, Evict: "2024-01-01 00:01:00",
				WantLate: []string{"2024-01-01 00:00:08 | cup | 4"},
				Want:     []string{"2024-01-01 00:00:08.5 | cup | 5 | 1"},
				Total:    2, Updated: 1, Removed: 1,
			},
		},
	})
}

func TestTopNLimit(t *testing.T) {
	optest.Run(t, optest.Case{
		New: topOf(op.TopNConfig{Mode: types.Update, Count: 1, Keys: []expr.Expr{bidColumn(1)},
			Order: []op.SortKey{{Expr: bidColumn(2)}}, Limits: op.StateLimits{RowsMax: 1}}),
		Inputs: [][]types.Field{bids},
		Steps: []optest.Step{{
			Rows:  []string{"2024-01-01 00:00:01 | pen | 5", "2024-01-01 00:00:02 | cup | 7"},
			Error: "the ranking holds 2 rows, more than state_rows_max = 1",
		}},
	})
}
