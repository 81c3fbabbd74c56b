package op_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// changingBids are bids that come with 1 and are taken back with -1.
var changingBids = append(bids[:len(bids):len(bids)], field("change", bigint))

func topOfChanges(count int64, close bool) func() (op.Stateful, error) {
	cfg := op.TopNConfig{
		Mode: types.Update, Count: count, Keys: []expr.Expr{bidColumn(1)}, Order: []op.SortKey{{Expr: bidColumn(2), Desc: true}},
		Change: &expr.Column{Index: 3, Name: "change", T: bigint},
	}
	if close {
		cfg.Keys, cfg.Close = append(cfg.Keys, bidColumn(0)), bidColumn(0)
	}
	return topOf(cfg)
}

// When one of the first rows of a key is taken back the next one takes its place, and a key
// that has none left comes out with the number 0.
func TestTopNOfChanges(t *testing.T) {
	optest.Run(t, optest.Case{
		New:    topOfChanges(2, false),
		Inputs: [][]types.Field{changingBids},
		Steps: []optest.Step{
			{
				Rows: []string{"2024-01-01 00:00:01 | pen | 5 | 1", "2024-01-01 00:00:02 | pen | 7 | 1", "2024-01-01 00:00:03 | pen | 3 | 1",
					"2024-01-01 00:00:04 | pen | 3 | 1", "2024-01-01 00:00:05 | cup | 1 | 1"},
				Want:  []string{"2024-01-01 00:00:02 | pen | 7 | 1", "2024-01-01 00:00:01 | pen | 5 | 2", "2024-01-01 00:00:05 | cup | 1 | 1"},
				Total: 5, Updated: 5,
			},
			// Behind the first ones nothing shows.
			{Rows: []string{"2024-01-01 00:00:04 | pen | 3 | -1", "2024-01-01 00:00:04 | pen | 4 | 1"}, Total: 5, Updated: 1},
			// A better row in the place of one: the others need not be read.
			{
				Rows:  []string{"2024-01-01 00:00:01 | pen | 5 | -1", "2024-01-01 00:00:01 | pen | 8 | 1"},
				Want:  []string{"2024-01-01 00:00:01 | pen | 8 | 1", "2024-01-01 00:00:02 | pen | 7 | 2"},
				Total: 5, Updated: 1,
			},
			// A worse one: the one behind moves up.
			{
				Rows:  []string{"2024-01-01 00:00:01 | pen | 8 | -1", "2024-01-01 00:00:01 | pen | 1 | 1"},
				Want:  []string{"2024-01-01 00:00:02 | pen | 7 | 1", "2024-01-01 00:00:04 | pen | 4 | 2"},
				Total: 5, Updated: 1,
			},
			{
				Rows:  []string{"2024-01-01 00:00:05 | cup | 1 | -1", "2024-01-01 00:00:02 | pen | 7 | -1"},
				Want:  []string{"2024-01-01 00:00:04 | pen | 4 | 1", "2024-01-01 00:00:03 | pen | 3 | 2", "2024-01-01 00:00:05 | cup | 1 | 0"},
				Total: 3,
			},
			{
				Rows:  []string{"2024-01-01 00:00:09 | cup | 2 | 1"},
				Want:  []string{"2024-01-01 00:00:09 | cup | 2 | 1"},
				Total: 4, Updated: 1,
			},
			{Rows: []string{"2024-01-01 00:00:09 | cup | 3 | -1"}, Error: "a ranking is to take back 1 rows that it does not have"},
		},
	})
}

// The rows of a key are forgotten when the watermark has passed it.
func TestTopNOfChangesCloses(t *testing.T) {
	optest.Run(t, optest.Case{
		New:    topOfChanges(1, true),
		Inputs: [][]types.Field{changingBids},
		Steps: []optest.Step{
			{
				Rows:  []string{"2024-01-01 00:01:00 | pen | 5 | 1", "2024-01-01 00:01:00 | pen | 6 | 1", "2024-01-01 00:02:00 | pen | 7 | 1"},
				Want:  []string{"2024-01-01 00:01:00 | pen | 6 | 1", "2024-01-01 00:02:00 | pen | 7 | 1"},
				Evict: "2024-01-01 00:01:00", Total: 1, Updated: 3, Removed: 2,
			},
		},
	})
}

// TestTopNOfChangesRandom compares with sorting all rows of a key anew after every batch, with
// few prices, so that many rows are equal.
func TestTopNOfChangesRandom(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		count := rng.IntN(4) + 1
		s, err := topOfChanges(int64(count), false)()
		if err != nil {
			t.Fatal(err)
		}
		type bid struct {
			item  string
			price int64
			came  int
		}
		var held []bid
		shown := map[string][]string{}
		for batch := range 30 {
			var lines []string
			add := func(b bid, change int) {
				lines = append(lines, fmt.Sprintf("2024-01-01 00:00:00 | %s | %d | %d", b.item, b.price, change))
			}
			for range rng.IntN(6) {
				if len(held) > 0 {
					// Of equal rows the newest is taken back, as in the operator.
					i := rng.IntN(len(held))
					for k, b := range held {
						if b.item == held[i].item && b.price == held[i].price {
							i = k
						}
					}
					add(held[i], -1)
					held = slices.Delete(held, i, i+1)
				}
			}
			for n := range rng.IntN(6) {
				b := bid{string(rune('a' + rng.IntN(3))), rng.Int64N(5), batch*10 + n}
				add(b, 1)
				held = append(held, b)
			}
			for item, rows := range runBatch(t, s, lines) {
				shown[item] = rows
			}
			want := map[string][]string{}
			sorted := slices.Clone(held)
			slices.SortStableFunc(sorted, func(x, y bid) int { return cmp.Compare(y.price, x.price) })
			for _, b := range sorted {
				if n := len(want[b.item]); n < count {
					want[b.item] = append(want[b.item], fmt.Sprintf("%d | %d", b.price, n+1))
				}
			}
			for _, item := range []string{"a", "b", "c"} {
				if got := shown[item]; !slices.Equal(got, want[item]) {
					t.Fatalf("seed %d, batch %d, first %d of %s: got %q, want %q", seed, batch, count, item, got, want[item])
				}
			}
		}
	}
}

// runBatch gives one batch to an operator and returns the price and number of the rows of
// each item that came out, none where the number is 0.
func runBatch(t *testing.T, s op.Stateful, lines []string) map[string][]string {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(changingBids))
	defer b.Release()
	for _, line := range lines {
		for i, cell := range strings.Split(line, " | ") {
			if err := types.AppendText(b.Field(i), changingBids[i].Type, cell); err != nil {
				t.Fatal(err)
			}
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	out := map[string][]string{}
	err := s.Begin(&op.Batch{Expr: &expr.Ctx{Alloc: memory.DefaultAllocator}})
	if err == nil {
		seg := s.Segment(0)
		if err = seg.Consume(rec); err == nil {
			err = s.Merge(seg)
		}
	}
	if err == nil {
		err = s.Finish(func(rec arrow.Record) error {
			for row := range int(rec.NumRows()) {
				item, number := types.Text(rec.Column(1), row), types.Text(rec.Column(3), row)
				if number == "0" {
					out[item] = nil
					continue
				}
				out[item] = append(out[item], types.Text(rec.Column(2), row)+" | "+number)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.AppendChanges(nil)
	return out
}
