package expr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sql/types"
)

// TestOfChanges adds and takes back random rows, in parts that are merged, and expects what
// the plain aggregate makes of the rows that are left.
func TestOfChanges(t *testing.T) {
	numbers := []string{"-3", "0", "1", "1", "2", "7", "NULL"}
	bools := []string{"true", "false", "NULL"}
	half := aggInput{literal: NewLiteral(tDouble, 0.5)}
	decimal := types.DecimalOf(5, 2)
	cases := []struct {
		name     string
		types    []types.Type
		pool     []string
		distinct bool
		literal  bool // a fraction behind the arguments
	}{
		{name: "count", types: []types.Type{tBigInt}, pool: numbers},
		{name: "count", types: []types.Type{tBigInt}, pool: numbers, distinct: true},
		{name: "count_if", types: []types.Type{types.Of(types.Boolean)}, pool: bools},
		{name: "sum", types: []types.Type{tBigInt}, pool: numbers},
		{name: "sum", types: []types.Type{types.Of(types.UTinyInt)}, pool: []string{"0", "255", "NULL"}},
		{name: "sum", types: []types.Type{types.Of(types.UBigInt)}, pool: []string{"0", "18446744073709551615", "NULL"}},
		{name: "sum", types: []types.Type{decimal}, pool: []string{"1.25", "-999.99", "NULL"}},
		{name: "sum", types: []types.Type{tBigInt}, pool: numbers, distinct: true},
		{name: "try_sum", types: []types.Type{tBigInt}, pool: numbers},
		{name: "sum", types: []types.Type{tDouble}, pool: []string{"1e20", "1", "NaN", "-Infinity", "NULL"}},
		{name: "avg", types: []types.Type{types.Of(types.Int)}, pool: numbers},
		{name: "avg", types: []types.Type{decimal}, pool: []string{"1.25", "-999.99", "NULL"}},
		{name: "avg", types: []types.Type{tDouble}, pool: []string{"1e20", "1", "NULL"}},
		{name: "min", types: []types.Type{types.Of(types.Varchar)}, pool: []string{"pen", "cup", "", "NULL"}},
		{name: "max", types: []types.Type{tBigInt}, pool: numbers},
		{name: "max_by", types: []types.Type{types.Of(types.Varchar), tBigInt}, pool: numbers},
		{name: "bool_and", types: []types.Type{types.Of(types.Boolean)}, pool: bools},
		{name: "bit_xor", types: []types.Type{tBigInt}, pool: numbers},
		{name: "stddev_samp", types: []types.Type{tBigInt}, pool: numbers},
		{name: "mode", types: []types.Type{tBigInt}, pool: numbers},
		{name: "histogram", types: []types.Type{tBigInt}, pool: numbers},
		{name: "collect_set", types: []types.Type{tBigInt}, pool: numbers},
		{name: "quantile_disc", types: []types.Type{tBigInt}, pool: numbers, literal: true},
		{name: "approx_count_distinct", types: []types.Type{tBigInt}, pool: numbers},
	}
	rng := rand.New(rand.NewPCG(4, 11))
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s(%v)/distinct=%t", c.name, c.types, c.distinct), func(t *testing.T) {
			var in []aggInput
			for _, typ := range c.types {
				in = append(in, aggInput{t: typ})
			}
			if c.literal {
				in = append(in, half)
			}
			agg, err := bindFor(t, c.name, in)
			if err != nil {
				t.Fatal(err)
			}
			of, ok := agg.OfChanges(c.distinct)
			if !ok {
				t.Fatal("rows cannot be taken back")
			}
			for range 50 {
				takeBack(t, rng, agg, of, c.types, c.pool, c.distinct)
			}
		})
	}
}

// takeBack is one random case of TestOfChanges.
func takeBack(t *testing.T, rng *rand.Rand, agg, of *Aggregate, ts []types.Type, pool []string, distinct bool) {
	t.Helper()
	acc := of.New().(Retracter)
	total := aggCells(acc)
	var rows [][]string
	for range 1 + rng.IntN(4) {
		part := aggCells(acc)
		for range rng.IntN(12) {
			row, back := make([]string, len(ts)), len(rows) > 0 && rng.IntN(2) == 0
			if back {
				i := rng.IntN(len(rows))
				row = rows[i]
				rows = slices.Delete(rows, i, i+1)
			} else {
				for i := range row {
					row[i] = pool[rng.IntN(len(pool))]
				}
				rows = append(rows, row)
			}
			fold := acc.Update
			if back {
				fold = acc.Retract
			}
			if err := fold(part, []int32{1}, rowColumns(t, ts, [][]string{row})); err != nil {
				t.Fatal(err)
			}
		}
		if err := acc.Merge(total, []int32{1}, part, []int32{1}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := acc.Result(total, []int32{1}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	// The order of the rows is that of their values: sums of doubles depend on it.
	slices.SortStableFunc(rows, func(x, y []string) int { return slices.Compare(keyOfRow(t, ts, x), keyOfRow(t, ts, y)) })
	if distinct {
		rows = slices.CompactFunc(rows, slices.Equal[[]string])
	}
	plain := agg.New()
	cells := aggCells(plain)
	groups := make([]int32, len(rows))
	for i := range groups {
		groups[i] = 1
	}
	if err := plain.Update(cells, groups, rowColumns(t, ts, rows)); err != nil {
		t.Fatal(err)
	}
	want, err := plain.Result(cells, []int32{1}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if g, w := types.Text(got, 0), types.Text(want, 0); g != w {
		t.Fatalf("rows %v give %s, want %s", rows, g, w)
	}
}

func rowColumns(t *testing.T, ts []types.Type, rows [][]string) []arrow.Array {
	t.Helper()
	cols := make([]arrow.Array, len(ts))
	for i, typ := range ts {
		var texts []string
		for _, r := range rows {
			texts = append(texts, r[i])
		}
		cols[i] = aggColumn(t, typ, texts)
	}
	return cols
}

func keyOfRow(t *testing.T, ts []types.Type, row []string) []byte {
	t.Helper()
	var key []byte
	for _, c := range rowColumns(t, ts, [][]string{row}) {
		key = appendEncoded(key, c, 0)
	}
	return key
}

// TestDistinctKnowsOneZero: 0 and -0 are equal, and every NaN is the same value, also when
// one of them came and the other is taken back.
func TestDistinctKnowsOneZero(t *testing.T) {
	for _, typ := range []types.Type{tDouble, types.Of(types.Float)} {
		agg, err := bindFor(t, "count", []aggInput{{t: typ}})
		if err != nil {
			t.Fatal(err)
		}
		of, ok := agg.OfChanges(true)
		if !ok {
			t.Fatal("rows cannot be taken back")
		}
		acc := of.New().(Retracter)
		cells := aggCells(acc)
		if err := acc.Update(cells, []int32{1, 1, 1, 1}, rowColumns(t, []types.Type{typ}, [][]string{{"0"}, {"-0"}, {"NaN"}, {"-0"}})); err != nil {
			t.Fatal(err)
		}
		result := func() string {
			a, err := acc.Result(cells, []int32{1}, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			return types.Text(a, 0)
		}
		if got := result(); got != "2" {
			t.Errorf("%s: %s different values of 0, -0, NaN and -0, want 2", typ, got)
		}
		if err := acc.Retract(cells, []int32{1, 1, 1}, rowColumns(t, []types.Type{typ}, [][]string{{"0"}, {"0"}, {"-0"}})); err != nil {
			t.Fatal(err)
		}
		if got := result(); got != "1" {
			t.Errorf("%s: %s different values are left, want 1", typ, got)
		}
	}
}

func TestOfChangesRefusesOrder(t *testing.T) {
	for _, name := range []string{"first", "last", "collect_list", "string_agg"} {
		agg, err := bindFor(t, name, []aggInput{{t: types.Of(types.Varchar)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := agg.OfChanges(false); ok {
			t.Errorf("%s takes rows back", name)
		}
	}
}
