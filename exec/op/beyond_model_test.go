package op_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// The models of this file are rankings and joins of versions written down row by row,
// without state that anything leaves but what the rules say.

// bid is a row of bids; seconds count from noon.
type bid struct {
	seconds int
	item    string
	price   int
}

func at(seconds int) string {
	return time.Date(2024, 1, 1, 12, 0, seconds, 0, time.UTC).Format("2006-01-02 15:04:05")
}

func (b bid) String() string { return fmt.Sprintf("%s | %s | %d", at(b.seconds), b.item, b.price) }

// batchesOf draws batches of bids around a watermark that grows; call gets each with its
// late and eviction watermark.
func batchesOf(rng *rand.Rand, call func(rows, right []bid, late, evict int)) {
	late := -1 << 30
	evict := 0
	for range 2 + rng.IntN(5) {
		draw := func() []bid {
			var rows []bid
			for range rng.IntN(8) {
				rows = append(rows, bid{evict - 3 + rng.IntN(12), string(rune('a' + rng.IntN(3))), rng.IntN(4)})
			}
			return rows
		}
		rows, right := draw(), draw()
		next := evict + rng.IntN(6)
		call(rows, right, late, next)
		late, evict = next, next
	}
}

func texts(rows []bid) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.String()
	}
	return out
}

// split takes the late rows out.
func split(rows []bid, late int) (kept []bid, behind []string) {
	for _, r := range rows {
		if r.seconds <= late {
			behind = append(behind, r.String())
		} else {
			kept = append(kept, r)
		}
	}
	return kept, behind
}

func watermark(seconds int) string {
	if seconds < 0 {
		return ""
	}
	return at(seconds)
}

// TestTopNModel ranks by price within a key and a time, which closes them.
func TestTopNModel(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 18))
		count := 1 + rng.IntN(3)
		update := rng.IntN(2) == 0
		mode := types.Append
		if update {
			mode = types.Update
		}
		var held []bid // in the order of their arrival
		var steps []optest.Step
		batchesOf(rng, func(rows, _ []bid, late, evict int) {
			kept, behind := split(rows, late)
			step := optest.Step{Rows: texts(rows), WantLate: behind, Late: watermark(late), Evict: watermark(evict)}
			before := held
			held = best(append(slices.Clone(held), kept...), count)
			fresh := map[bid]int{} // rows of the result that were not there
			for _, b := range held {
				fresh[b]++
			}
			for _, b := range before {
				fresh[b]--
			}
			touched := map[bid]bool{}
			for b, n := range fresh {
				if n > 0 {
					step.Updated += int64(n)
					touched[bid{b.seconds, b.item, 0}] = true
				}
			}
			rank := map[bid]int{}
			var left []bid
			for _, b := range held {
				key := bid{b.seconds, b.item, 0}
				rank[key]++
				closed := b.seconds <= evict
				if update && touched[key] || !update && closed {
					step.Want = append(step.Want, fmt.Sprintf("%s | %d", b, rank[key]))
				}
				if closed {
					step.Removed++
				} else {
					left = append(left, b)
				}
			}
			held = left
			step.Total = int64(len(held))
			steps = append(steps, step)
		})
		optest.RunSome(t, optest.Case{
			New: topOf(op.TopNConfig{Mode: mode, Count: int64(count), Keys: []expr.Expr{bidColumn(0), bidColumn(1)}, Close: bidColumn(0),
				Order: []op.SortKey{{Expr: bidColumn(2), Desc: true}}}),
			Inputs: [][]types.Field{bids}, Steps: steps,
		}, seed)
	}
}

// best returns the dearest rows of each time and item, in the order of their rank. Equal
// prices keep their order.
func best(rows []bid, count int) []bid {
	slices.SortStableFunc(rows, func(x, y bid) int { return cmp.Compare(y.price, x.price) })
	seen := map[bid]int{}
	return slices.DeleteFunc(rows, func(b bid) bool {
		key := bid{b.seconds, b.item, 0}
		seen[key]++
		return seen[key] > count
	})
}

// TestAsOfModel joins bids with versions of their item.
func TestAsOfModel(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		outer, strict := rng.IntN(2) == 0, rng.IntN(2) == 0
		var waiting, versions []bid
		var steps []optest.Step
		held := int64(0)
		batchesOf(rng, func(rows, right []bid, late, evict int) {
			kept, behind := split(rows, late)
			keptRight, behindRight := split(right, late)
			step := optest.Step{Rows: texts(rows), Right: texts(right), WantLate: append(behind, behindRight...),
				Late: watermark(late), Evict: watermark(evict), Updated: int64(len(kept) + len(keptRight))}
			waiting, versions = append(waiting, kept...), append(versions, keptRight...)
			waiting = slices.DeleteFunc(waiting, func(b bid) bool {
				if b.seconds > evict {
					return false
				}
				if v, ok := versionAt(versions, b, strict); ok {
					step.Want = append(step.Want, b.String()+" | "+v.String())
				} else if outer {
					step.Want = append(step.Want, b.String()+" | NULL | NULL | NULL")
				}
				return true
			})
			step.Total = int64(len(waiting))
			passed := map[string]bool{} // items with a version that the watermark has passed
			for _, v := range versions {
				if v.seconds > evict {
					step.Total++
				} else {
					passed[v.item] = true
				}
			}
			step.Total += int64(len(passed))
			step.Removed = held + step.Updated - step.Total
			held = step.Total
			steps = append(steps, step)
		})
		optest.RunSome(t, optest.Case{New: asOfBids(outer, strict), Inputs: [][]types.Field{bids, bids}, Steps: steps}, seed)
	}
}

func versionAt(versions []bid, b bid, strict bool) (found bid, ok bool) {
	for _, v := range versions {
		if v.item != b.item || v.seconds > b.seconds || strict && v.seconds == b.seconds {
			continue
		}
		if !ok || v.seconds >= found.seconds {
			found, ok = v, true
		}
	}
	return found, ok
}
