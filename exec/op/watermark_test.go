package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// TestWatermarkRefuses checks which event times are bad rows, and that these do not count
// among the event times of the batch.
func TestWatermarkRefuses(t *testing.T) {
	b := array.NewTimestampBuilder(memory.DefaultAllocator, types.ArrowTimestamp)
	b.AppendValues([]arrow.Timestamp{5_000_000, math.MaxInt64, -math.MaxInt64, 1<<62 + 1, -1<<62 - 1, 9_000_001, 7_000_000},
		[]bool{true, true, true, true, true, true, true})
	b.AppendNull()
	rec := array.NewRecord(types.ArrowSchema([]types.Field{{Name: "ts", Type: timestamp}}), []arrow.Array{b.NewArray()}, 8)
	var bad []string
	task := &op.Task{
		Expr: &expr.Ctx{NowMicros: 8_000_000}, Event: make([]op.EventStats, 1),
		Bad: func(_ arrow.Record, _ int, column, reason string) { bad = append(bad, column+": "+reason) },
	}
	rows := int64(0)
	err := (&op.Watermark{MaxFutureMicros: 1_000_000, MaxFuture: "1 second"}).Apply(task, rec, func(rec arrow.Record) error {
		rows += rec.NumRows()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (op.EventStats{Count: 2, MinMillis: 5000, MaxMillis: 7000, SumMillis: 12_000}); task.Event[0] != want || rows != 2 {
		t.Errorf("%d rows, event times %+v, want 2 and %+v", rows, task.Event[0], want)
	}
	want := []string{
		"ts: event time infinity is too far away to lie in a window",
		"ts: event time -infinity is too far away to lie in a window",
		"ts: event time 148108-07-06 14:00:27.387905 is too far away to lie in a window",
		"ts: event time 144170-06-28 (BC) 09:59:32.612095 is too far away to lie in a window",
		"ts: event time 1970-01-01 00:00:09.000001 is ahead of the batch's clock, 1970-01-01 00:00:08, by more than max_future = '1 second'",
		"ts: event time is null",
	}
	if !slices.Equal(bad, want) {
		t.Errorf("bad rows\n%q\nwant\n%q", bad, want)
	}
}
