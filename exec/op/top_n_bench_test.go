package op_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/plan/expr"
)

// BenchmarkTopN ranks bids of 10,000 items, as Nexmark 18 (n = 1, by time) and 19 (n = 10,
// by price) do.
func BenchmarkTopN(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows = 8192
	var batches []arrow.Record
	for i := range 8 {
		lines := make([]string, rows)
		for j := range lines {
			lines[j] = fmt.Sprintf("2024-01-01 00:%02d:%02d | item%d | %d", i, j*60/rows, rng.IntN(10_000), rng.IntN(1_000_000))
		}
		rec, err := optest.Record(bids, lines, true)
		if err != nil {
			b.Fatal(err)
		}
		batches = append(batches, rec)
	}
	for name, cfg := range map[string]op.TopNConfig{
		"last by time":      {Count: 1, Order: []op.SortKey{{Expr: bidColumn(0), Desc: true}}},
		"ten best by price": {Count: 10, Order: []op.SortKey{{Expr: bidColumn(2), Desc: true}}},
	} {
		b.Run(name, func(b *testing.B) {
			cfg.Mode, cfg.Keys = op.UpdateMode, []expr.Expr{bidColumn(1)}
			o, err := topOf(cfg)()
			if err != nil {
				b.Fatal(err)
			}
			for i := range b.N {
				if err := o.Begin(&op.Batch{ID: int64(i), Expr: &expr.Ctx{Alloc: memory.DefaultAllocator}}); err != nil {
					b.Fatal(err)
				}
				for _, rec := range batches {
					s := o.Segment(0)
					if err := s.Consume(rec); err != nil {
						b.Fatal(err)
					}
					if err := o.Merge(s); err != nil {
						b.Fatal(err)
					}
				}
				if err := o.Finish(func(arrow.Record) error { return nil }); err != nil {
					b.Fatal(err)
				}
				o.AppendChanges(nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*len(batches)), "ns/row")
		})
	}
}
