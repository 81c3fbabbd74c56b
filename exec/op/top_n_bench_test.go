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
	"ssql/sql/types"
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
			cfg.Mode, cfg.Keys = types.Update, []expr.Expr{bidColumn(1)}
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

// BenchmarkTopNOfChanges ranks 86,400 products of one category by how often they were sold,
// of which each batch changes 1,000: "sold" counts up, so that what was among the first
// stays there; "returned" counts down, so that all must be looked at.
func BenchmarkTopNOfChanges(b *testing.B) {
	const products, changed = 24 * 3600, 1000 // a product is told by its second of a day
	for name, step := range map[string]int{"sold": 1, "returned": -1} {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			o, err := topOfChanges(10, false)()
			if err != nil {
				b.Fatal(err)
			}
			line := func(product, n, change int) string {
				return fmt.Sprintf("2024-01-01 %02d:%02d:%02d | pen | %d | %d", product/3600, product/60%60, product%60, n, change)
			}
			run := func(lines []string) {
				b.StopTimer()
				rec, err := optest.Record(changingBids, lines, false)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				runRecord(b, o, rec)
				rec.Release()
			}
			sold := make([]int, products)
			var lines []string
			for p := range sold {
				sold[p] = rng.IntN(products)
				lines = append(lines, line(p, sold[p], 1))
			}
			run(lines)
			b.ResetTimer()
			for range b.N {
				lines = lines[:0]
				for p := rng.IntN(50); p < len(sold); p += len(sold) / changed {
					lines = append(lines, line(p, sold[p], -1), line(p, sold[p]+step, 1))
					sold[p] += step
				}
				run(lines)
			}
		})
	}
}

func runRecord(b *testing.B, o op.Stateful, rec arrow.Record) {
	if err := o.Begin(&op.Batch{Expr: &expr.Ctx{Alloc: memory.DefaultAllocator}}); err != nil {
		b.Fatal(err)
	}
	s := o.Segment(0)
	if err := s.Consume(rec); err != nil {
		b.Fatal(err)
	}
	if err := o.Merge(s); err != nil {
		b.Fatal(err)
	}
	if err := o.Finish(func(arrow.Record) error { return nil }); err != nil {
		b.Fatal(err)
	}
	o.AppendChanges(nil)
}
