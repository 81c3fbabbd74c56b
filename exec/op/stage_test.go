package op_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// TestStagesInOrder checks that a stage which makes several rows of one, or none, gives
// those of each row behind those of the row before, and so the same for any size of chunk.
func TestStagesInOrder(t *testing.T) {
	ctx := &expr.Ctx{Alloc: memory.DefaultAllocator}
	minute := int64(60_000_000)
	windowed := append(bids[:len(bids):len(bids)], field("start", timestamp), field("end", timestamp), field("time", timestamp))
	both := append(bids[:len(bids):len(bids)], bids...)
	rows := []string{
		"2024-01-01 00:00:10 | pen | 1", "2024-01-01 00:01:05 | cup | 2", "2024-01-01 00:00:01 | ink | 3",
		"2024-01-01 00:00:05 | pen | 4", "NULL | ink | 5", "2024-01-01 00:02:00 | NULL | 6",
	}
	table, err := optest.Record(bids, []string{
		"2024-01-01 00:00:05 | pen | 51", "2024-01-01 00:00:02 | ink | 20", "2024-01-01 00:00:06 | pen | 52",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	join := func(kind types.JoinKind, schema []types.Field) op.Stage {
		j := &op.StaticJoin{Kind: kind, LeftKeys: []expr.Expr{bidColumn(1)}, RightKeys: []expr.Expr{bidColumn(1)}, NullSafe: []bool{false},
			TableSchema: types.ArrowSchema(bids), Schema: types.ArrowSchema(schema)}
		if err := j.Load(ctx, []arrow.Record{table}); err != nil {
			t.Fatal(err)
		}
		return j
	}
	asOf := &op.AsOfTable{LeftKeys: []expr.Expr{bidColumn(1)}, RightKeys: []expr.Expr{bidColumn(1)}, LeftTime: bidColumn(0), RightTime: bidColumn(0),
		Outer: true, TableSchema: types.ArrowSchema(bids), Schema: types.ArrowSchema(both)}
	if err := asOf.Load(ctx, []arrow.Record{table}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		stage op.Stage
		rows  []string
		want  []string
	}{
		{"left join with a table", join(types.LeftJoin, both), rows, []string{
			"2024-01-01 00:00:10 | pen | 1 | 2024-01-01 00:00:06 | pen | 52", "2024-01-01 00:00:10 | pen | 1 | 2024-01-01 00:00:05 | pen | 51",
			"2024-01-01 00:01:05 | cup | 2 | NULL | NULL | NULL",
			"2024-01-01 00:00:01 | ink | 3 | 2024-01-01 00:00:02 | ink | 20",
			"2024-01-01 00:00:05 | pen | 4 | 2024-01-01 00:00:06 | pen | 52", "2024-01-01 00:00:05 | pen | 4 | 2024-01-01 00:00:05 | pen | 51",
			"NULL | ink | 5 | 2024-01-01 00:00:02 | ink | 20",
			"2024-01-01 00:02:00 | NULL | 6 | NULL | NULL | NULL",
		}},
		{"anti join with a table", join(types.AntiJoin, bids), rows, []string{"2024-01-01 00:01:05 | cup | 2", "2024-01-01 00:02:00 | NULL | 6"}},
		{"versions of a table", asOf, rows, []string{
			"2024-01-01 00:00:10 | pen | 1 | 2024-01-01 00:00:06 | pen | 52",
			"2024-01-01 00:01:05 | cup | 2 | NULL | NULL | NULL",
			"2024-01-01 00:00:01 | ink | 3 | NULL | NULL | NULL",
			"2024-01-01 00:00:05 | pen | 4 | 2024-01-01 00:00:05 | pen | 51",
			"NULL | ink | 5 | NULL | NULL | NULL",
			"2024-01-01 00:02:00 | NULL | 6 | NULL | NULL | NULL",
		}},
		{"hop", &op.Assign{Time: bidColumn(0), Windows: op.Windows{SizeMicros: 2 * minute, SlideMicros: minute}, Schema: types.ArrowSchema(windowed)}, rows[:2], []string{
			"2024-01-01 00:00:10 | pen | 1 | 2024-01-01 00:00:00 | 2024-01-01 00:02:00 | 2024-01-01 00:01:59.999999",
			"2024-01-01 00:00:10 | pen | 1 | 2023-12-31 23:59:00 | 2024-01-01 00:01:00 | 2024-01-01 00:00:59.999999",
			"2024-01-01 00:01:05 | cup | 2 | 2024-01-01 00:01:00 | 2024-01-01 00:03:00 | 2024-01-01 00:02:59.999999",
			"2024-01-01 00:01:05 | cup | 2 | 2024-01-01 00:00:00 | 2024-01-01 00:02:00 | 2024-01-01 00:01:59.999999",
		}},
		{"grouping sets", &op.Expand{Keys: []expr.Expr{bidColumn(1)}, Sets: [][]int{{0}, {}},
			Schema: types.ArrowSchema(append(bids[:len(bids):len(bids)], field("key", varchar), field("id", bigint)))}, rows[:2], []string{
			"2024-01-01 00:00:10 | pen | 1 | pen | 0", "2024-01-01 00:00:10 | pen | 1 | NULL | 1",
			"2024-01-01 00:01:05 | cup | 2 | cup | 0", "2024-01-01 00:01:05 | cup | 2 | NULL | 1",
		}},
	} {
		for i, chunkRows := range []int{1, 4, len(c.rows), len(c.rows), len(c.rows)} {
			sizes := []op.Sizes{{}, {}, {}, {ChunkRows: 1}, {ChunkBytes: 50}}[i]
			var got []string
			for chunk := range slices.Chunk(c.rows, chunkRows) {
				rec, err := optest.Record(bids, chunk, false)
				if err != nil {
					t.Fatal(err)
				}
				lines, err := applied(c.stage, &op.Task{Expr: ctx, Sizes: sizes}, rec)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				got = append(got, lines...)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, chunks of %d rows: got\n%q\nwant\n%q", c.name, chunkRows, got, c.want)
			}
		}
	}
}

// applied returns the rows that a stage makes of a chunk.
func applied(s op.Stage, t *op.Task, rec arrow.Record) (lines []string, err error) {
	err = s.Apply(t, rec, func(rec arrow.Record) error {
		lines = append(lines, optest.Lines(rec)...)
		return nil
	})
	return lines, err
}

// TestExpansionsAreBounded is one row with more partners or elements than a row may have.
func TestExpansionsAreBounded(t *testing.T) {
	ctx := &expr.Ctx{Alloc: memory.DefaultAllocator}
	left, err := optest.Record(bids, []string{"2024-01-01 00:00:10 | cup | 1", "2024-01-01 00:00:10 | pen | 1"}, false)
	if err != nil {
		t.Fatal(err)
	}
	table, err := optest.Record(bids, []string{"NULL | pen | 1", "NULL | pen | 2", "NULL | pen | 3", "NULL | cup | 1"}, false)
	if err != nil {
		t.Fatal(err)
	}
	both := append(bids[:len(bids):len(bids)], bids...)
	join := &op.StaticJoin{Kind: types.InnerJoin, LeftKeys: []expr.Expr{bidColumn(1)}, RightKeys: []expr.Expr{bidColumn(1)}, NullSafe: []bool{false},
		TableSchema: types.ArrowSchema(bids), Schema: types.ArrowSchema(both)}
	if err := join.Load(ctx, []arrow.Record{table}); err != nil {
		t.Fatal(err)
	}
	_, err = applied(join, &op.Task{Expr: ctx, Sizes: op.Sizes{RowsPerRowMax: 2}}, left)
	var of *expr.RowError
	if !errors.As(err, &of) || of.Row != 1 || of.Err.Code != "E_LIMIT" {
		t.Errorf("join: %v", err)
	}
	windows := &op.Assign{Time: bidColumn(0), Windows: op.Windows{SizeMicros: 10, SlideMicros: 1}, Schema: types.ArrowSchema(bids)}
	if _, err = applied(windows, &op.Task{Expr: ctx, Sizes: op.Sizes{RowsPerRowMax: 9}}, left); !errors.As(err, &of) || of.Row != 0 {
		t.Errorf("windows: %v", err)
	}
}

// TestTableOfAJoinChanges checks that every batch joins with the rows of its own load: the
// index is kept only if not one value is another.
func TestTableOfAJoinChanges(t *testing.T) {
	ctx := &expr.Ctx{Alloc: memory.DefaultAllocator}
	both := append(bids[:len(bids):len(bids)], bids...)
	join := &op.StaticJoin{Kind: types.InnerJoin, LeftKeys: []expr.Expr{bidColumn(1)}, RightKeys: []expr.Expr{bidColumn(1)}, NullSafe: []bool{false},
		TableSchema: types.ArrowSchema(bids), Schema: types.ArrowSchema(both)}
	left, err := optest.Record(bids, []string{"2024-01-01 00:00:10 | pen | 1"}, false)
	if err != nil {
		t.Fatal(err)
	}
	const row = "2024-01-01 00:00:10 | pen | 1 | "
	for i, load := range []struct{ table, want []string }{
		{[]string{"NULL | pen | 1", "NULL | cup | 2"}, []string{row + "NULL | pen | 1"}},
		{[]string{"NULL | pen | 1", "NULL | cup | 2"}, []string{row + "NULL | pen | 1"}},
		{[]string{"NULL | pen | 7", "NULL | cup | 2"}, []string{row + "NULL | pen | 7"}},
		{[]string{"NULL | cup | 7", "NULL | pen | 2"}, []string{row + "NULL | pen | 2"}},
		{[]string{"NULL | cup | 7", "NULL | NULL | 2"}, nil},
		{[]string{"NULL | pen | 3"}, []string{row + "NULL | pen | 3"}},
		{nil, nil},
	} {
		var chunks []arrow.Record
		if load.table != nil {
			table, err := optest.Record(bids, load.table, false)
			if err != nil {
				t.Fatal(err)
			}
			chunks = append(chunks, table)
		}
		if err := join.Load(ctx, chunks); err != nil {
			t.Fatal(err)
		}
		got, err := applied(join, &op.Task{Expr: ctx}, left)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, load.want) {
			t.Errorf("load %d: got %q, want %q", i, got, load.want)
		}
	}
}
