package op_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/exec/op/optest"
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Goldens types/keys_of_many_types and doubles_with_nan_and_negative_zero, and every
// other type beside.
func TestKeysOfEveryType(t *testing.T) {
	point := types.StructOf(field("q", varchar), field("r", double))
	for _, c := range []struct {
		t    types.Type
		rows []string
		want []string
	}{
		{types.Of(types.Boolean), []string{"true", "false", "NULL", "true"}, []string{"true | 2", "false | 1", "NULL | 1"}},
		{types.Of(types.TinyInt), []string{"-1", "127", "-1", "NULL"}, []string{"-1 | 2", "127 | 1", "NULL | 1"}},
		{types.Of(types.USmallInt), []string{"65535", "0", "NULL", "0"}, []string{"65535 | 1", "0 | 2", "NULL | 1"}},
		{integer, []string{"-2147483648", "0", "NULL"}, []string{"-2147483648 | 1", "0 | 1", "NULL | 1"}},
		{bigint, []string{"0", "NULL", "-9223372036854775808", "0"}, []string{"0 | 2", "NULL | 1", "-9223372036854775808 | 1"}},
		{types.Of(types.UBigInt), []string{"18446744073709551615", "NULL", "0"}, []string{"18446744073709551615 | 1", "NULL | 1", "0 | 1"}},
		{types.Of(types.Float), []string{"-0", "0", "NaN", "NaN", "NULL", "1.5"}, []string{"0 | 2", "NaN | 2", "NULL | 1", "1.5 | 1"}},
		{double, []string{"0", "-0", "NaN", "NaN", "NULL", "NULL", "1"}, []string{"0 | 2", "NaN | 2", "NULL | 2", "1 | 1"}},
		{types.DecimalOf(38, 2), []string{"-1.5", "-1.50", "NULL", "123456789012345678901234567890"}, []string{"-1.50 | 2", "NULL | 1", "123456789012345678901234567890.00 | 1"}},
		{varchar, []string{"a", "A", "''", "NULL", "a"}, []string{"a | 2", "A | 1", "'' | 1", "NULL | 1"}},
		{types.Of(types.Blob), []string{"x'0aff'", "x''", "NULL", "x''"}, []string{"x'0aff' | 1", "x'' | 2", "NULL | 1"}},
		{types.Of(types.Date), []string{"0001-01-01", "1970-01-01", "NULL"}, []string{"0001-01-01 | 1", "1970-01-01 | 1", "NULL | 1"}},
		{timestamp, []string{"1970-01-01 00:00:00", "NULL", "9999-12-31 23:59:59.999999"}, []string{"1970-01-01 00:00:00 | 1", "NULL | 1", "9999-12-31 23:59:59.999999 | 1"}},
		{types.ListOf(integer), []string{"[1, 2]", "[1, NULL]", "[]", "NULL", "[1, 2]"}, []string{"[1, 2] | 2", "[1, NULL] | 1", "[] | 1", "NULL | 1"}},
		{point, []string{"{q: z, r: -0}", "{q: z, r: 0}", "{q: NULL, r: NaN}", "NULL"}, []string{"{q: z, r: 0} | 2", "{q: NULL, r: NaN} | 1", "NULL | 1"}},
	} {
		t.Run(c.t.String(), func(t *testing.T) {
			n := int64(len(c.want))
			g := groupOver(t, types.Update, field("k", c.t)).by("k").call("count")
			again := make([]string, len(c.want))
			for i, line := range c.want {
				key, count, _ := strings.Cut(line, " | ")
				var m int
				if _, err := fmt.Sscan(count, &m); err != nil {
					t.Fatal(err)
				}
				again[i] = fmt.Sprintf("%s | %d", key, 2*m)
			}
			g.run(
				optest.Step{Rows: c.rows, Want: c.want, Total: n, Updated: n},
				optest.Step{Rows: c.rows, Want: again, Total: n, Updated: n},
			)
		})
	}
}

func TestSeveralKeysMakeOneGroup(t *testing.T) {
	fields := []types.Field{field("a", varchar), field("b", bigint), field("c", types.DecimalOf(4, 1)), field("d", varchar)}
	groupOver(t, types.Complete, fields...).by("a", "b", "c", "d").call("count").run(
		optest.Step{
			Rows:  []string{"x | 1 | 0 | y", "x | NULL | 0 | y", "x | 0 | NULL | y", "y | 1 | 0 | x", "x | 1 | 0.0 | y"},
			Want:  []string{"x | 1 | 0.0 | y | 2", "x | NULL | 0.0 | y | 1", "x | 0 | NULL | y | 1", "y | 1 | 0.0 | x | 1"},
			Total: 4, Updated: 4,
		},
		optest.Step{
			Rows:  []string{"x | NULL | 0 | y", "NULL | NULL | NULL | NULL"},
			Want:  []string{"x | 1 | 0.0 | y | 2", "x | NULL | 0.0 | y | 2", "x | 0 | NULL | y | 1", "y | 1 | 0.0 | x | 1", "NULL | NULL | NULL | NULL | 1"},
			Total: 5, Updated: 2,
		},
	)
}

func TestFilterAndDistinctPerCall(t *testing.T) {
	fields := []types.Field{field("k", varchar), field("v", integer), field("ok", types.Of(types.Boolean)), field("s", varchar)}
	groupOver(t, types.Update, fields...).by("k").
		call("count").where("ok").
		call("count", "v").distinct().
		call("sum", "v").distinct().where("ok").
		call("collect_list", "s").distinct().
		call("count", "v", "s").distinct().run(
		optest.Step{
			Rows: []string{"a | 1 | true | x", "a | 1 | false | x", "a | 2 | NULL | y", "b | NULL | true | x", "a | 2 | true | x"},
			Want: []string{"a | 2 | 2 | 3 | [x, y] | 3", "b | 1 | 0 | NULL | [x] | 0"}, Total: 2, Updated: 2,
		},
		optest.Step{
			Rows: []string{"a | 2 | true | z", "a | 5 | true | NULL", "b | 7 | false | x"},
			Want: []string{"a | 4 | 3 | 8 | [x, y, z] | 4", "b | 1 | 1 | NULL | [x] | 1"}, Total: 2, Updated: 2,
		},
	)
}

func TestOverflowNamesColumnAndGroup(t *testing.T) {
	groupOver(t, types.Append, readings...).windows(tumble(minute)).by("k").call("sum", "v").run(
		optest.Step{
			Rows:  []string{"2024-01-01 00:00:01 | a | 1", "2024-01-01 00:00:02 | b | 9223372036854775807"},
			Total: 2, Updated: 2,
		},
		optest.Step{
			Rows:  []string{"2024-01-01 00:00:03 | b | 1"},
			Error: `ARITHMETIC_OVERFLOW: column "sum": the sum does not fit BIGINT in the group window_start = 2024-01-01 00:00:00, k = b`,
		},
	)
	// Within one batch, and over the panes that make a sliding window.
	groupOver(t, types.Append, readings...).windows(tumble(minute)).call("sum", "v").run(
		optest.Step{
			Rows:  []string{"2024-01-01 00:01:01 | b | 9223372036854775807", "2024-01-01 00:01:03 | b | 1"},
			Error: `ARITHMETIC_OVERFLOW: column "sum": the sum does not fit BIGINT in the group window_start = 2024-01-01 00:01:00`,
		},
	)
	groupOver(t, types.Update, readings...).windows(op.Windows{SizeMicros: 2 * minute, SlideMicros: minute}).by("k").call("sum", "v").run(
		optest.Step{
			Rows:  []string{"2024-01-01 00:01:01 | b | 9223372036854775807", "2024-01-01 00:02:03 | b | 1"},
			Error: `ARITHMETIC_OVERFLOW: column "sum": the sum does not fit BIGINT in the group window_start = 2024-01-01 00:01:00, k = b`,
		},
	)
}

func TestLimitsOfTheStateAreNamed(t *testing.T) {
	rows := optest.Step{Rows: []string{"2024-01-01 00:00:01 | a | 1", "2024-01-01 00:00:02 | b | 1", "2024-01-01 00:00:02 | c | 1"}}
	g := groupOver(t, types.Update, readings...).windows(tumble(minute)).by("k").call("count")
	g.cfg.Limits.RowsMax = 2
	rows.Error = "E_LIMIT: the aggregation holds 3 groups, more than state_rows_max = 2"
	g.run(rows)
	g = groupOver(t, types.Update, readings...).windows(tumble(minute)).by("k").call("count")
	g.cfg.Limits.BytesMax = 100
	rows.Error = "more than state_bytes_max = 100"
	g.run(rows)
}

func TestAnUnknownLayoutOfWindowsIsRefused(t *testing.T) {
	for _, w := range []op.Windows{
		{SizeMicros: 10, SlideMicros: 0}, {SizeMicros: 10, SlideMicros: 20}, {SizeMicros: 10, SlideMicros: 3, Cumulate: true},
	} {
		if _, err := groupOver(t, types.Append, readings...).windows(w).call("count").make(); err == nil {
			t.Errorf("windows %+v are accepted", w)
		}
	}
}

// batchOf runs one batch of chunks in the given segments and returns its rows.
func batchOf(t *testing.T, o op.Stateful, evict int64, segments ...[]arrow.Record) []string {
	t.Helper()
	b := &op.Batch{Expr: &expr.Ctx{Alloc: memory.DefaultAllocator}, EvictMicros: evict, Late: func(int, arrow.Record) error { return nil }}
	if err := o.Begin(b); err != nil {
		t.Fatal(err)
	}
	open := make([]op.Segment, len(segments))
	errs := make([]chan error, len(segments))
	for i := range segments {
		open[i], errs[i] = o.Segment(0), make(chan error, 1)
	}
	var wg sync.WaitGroup
	for i, chunks := range segments {
		wg.Go(func() {
			for _, rec := range chunks {
				if err := open[i].Consume(rec); err != nil {
					errs[i] <- err
					return
				}
			}
			errs[i] <- nil
		})
	}
	// A segment is merged while those behind it are still consumed.
	for i := range open {
		if err := <-errs[i]; err != nil {
			t.Fatal(err)
		}
		if err := o.Merge(open[i]); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	var rows []string
	if err := o.Finish(func(rec arrow.Record) error { rows = append(rows, optest.Lines(rec)...); return nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}

// dictChunk is a chunk of one column k with a dictionary.
func dictChunk(dict arrow.Array, indices ...int32) arrow.Record {
	b := array.NewInt32Builder(memory.DefaultAllocator)
	b.AppendValues(indices, nil)
	a := array.NewDictionaryArray(types.ArrowDictionary, b.NewArray(), dict)
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: a.DataType()}}, nil), []arrow.Array{a}, int64(len(indices)))
}

func stringsArray(values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func TestDictionariesMayGrowAndChange(t *testing.T) {
	o, err := groupOver(t, types.Update, field("k", varchar)).by("k").call("count").make()
	if err != nil {
		t.Fatal(err)
	}
	small, grown, other := stringsArray("a", "b"), stringsArray("a", "b", "c"), stringsArray("b", "a")
	withNull := func() arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.Append("c")
		b.AppendNull()
		return b.NewArray()
	}()
	got := batchOf(t, o, 0, []arrow.Record{
		dictChunk(small, 0, 1, 0), dictChunk(grown, 2, 0), dictChunk(other, 0), dictChunk(withNull, 0, 1), dictChunk(small, 1),
	})
	want := []string{"a | 3", "b | 3", "c | 2", "NULL | 1"}
	if !slices.Equal(got, want) {
		t.Errorf("first batch %q, want %q", got, want)
	}
	got = batchOf(t, o, 0, []arrow.Record{dictChunk(grown, 2)}, []arrow.Record{dictChunk(other, 1), dictChunk(stringsArray("d"), 0)})
	if want = []string{"a | 4", "c | 3", "d | 1"}; !slices.Equal(got, want) {
		t.Errorf("second batch %q, want %q", got, want)
	}
}

// Segments are consumed at once and merged while others still look up strings; run
// with -race. The result, and its order, must not depend on who is faster.
func TestSegmentsRunAtOnce(t *testing.T) {
	segment := func(from int) []arrow.Record {
		var chunks []arrow.Record
		for c := range 20 {
			var lines []string
			for r := range 50 {
				lines = append(lines, fmt.Sprintf("key-%d | %d", (from+c*50+r*7)%900, r))
			}
			rec, err := optest.Record([]types.Field{field("k", varchar), field("v", bigint)}, lines, c%2 == 0)
			if err != nil {
				t.Fatal(err)
			}
			chunks = append(chunks, rec)
		}
		return chunks
	}
	var first []string
	for range 5 {
		o, err := groupOver(t, types.Complete, field("k", varchar), field("v", bigint)).by("k").call("count").call("sum", "v").make()
		if err != nil {
			t.Fatal(err)
		}
		for batch := range 3 {
			batchOf(t, o, 0, segment(batch*100), segment(batch*300), segment(batch*500), segment(7))
		}
		rows := batchOf(t, o, 0)
		if first == nil {
			first = rows
		}
		if !slices.Equal(rows, first) {
			t.Fatal("two runs over the same segments differ")
		}
	}
	if len(first) != 900 {
		t.Errorf("%d groups, want 900", len(first))
	}
}

// Strings are renumbered when a snapshot is written; what the operator knows of
// dictionaries must follow.
func TestSnapshotsRenumberStrings(t *testing.T) {
	g := groupOver(t, types.Append, readings...).windows(op.Windows{SizeMicros: 2 * minute, SlideMicros: minute}).by("k").call("count")
	live, err := g.make()
	if err != nil {
		t.Fatal(err)
	}
	follower, err := g.make()
	if err != nil {
		t.Fatal(err)
	}
	run := func(o op.Stateful, batch int) []string {
		var lines []string
		for i := range 3000 {
			lines = append(lines, fmt.Sprintf("2024-01-01 %02d:%02d:30 | key-%d | 1", batch/60, batch%60, (batch*2000+i)))
		}
		res, err := optest.Batch(o, optest.BatchScript{
			Inputs: [][]types.Field{readings}, Rows: [][]string{lines}, Dictionary: batch%2 == 0,
			EvictMicros: optest.Micros(fmt.Sprintf("2024-01-01 %02d:%02d:00", batch/60, batch%60)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Rows
	}
	for batch := range 8 {
		want := run(live, batch)
		if err := follower.ApplyChanges(live.AppendChanges(nil)); err != nil {
			t.Fatal(err)
		}
		snapshot := live.AppendSnapshot(nil)
		restored, err := g.make()
		if err != nil {
			t.Fatal(err)
		}
		if err := restored.Restore(snapshot); err != nil {
			t.Fatal(err)
		}
		if a, b := live.Stats().RowsTotal, int64(len(want)); batch > 2 && (a == 0 || b == 0) {
			t.Fatalf("batch %d holds %d groups and emits %d rows: the test shows nothing", batch, a, b)
		}
		live = restored
		if batch%3 == 0 {
			live = follower
			if follower, err = g.make(); err != nil {
				t.Fatal(err)
			}
			if err := follower.Restore(snapshot); err != nil {
				t.Fatal(err)
			}
		}
	}
	// All keys are new in every batch, and two windows of them are alive.
	if held := len(live.AppendSnapshot(nil)); held > 400_000 {
		t.Errorf("%d bytes are held: strings of closed windows are still there", held)
	}
}

// Sums of doubles are added up in the same order after a restart, though a sweep
// over panes keeps sums from batch to batch.
func TestSumsOfPanesDoNotDependOnRestarts(t *testing.T) {
	fields := []types.Field{field("ts", timestamp), field("d", double)}
	w := op.Windows{SizeMicros: 10 * second, SlideMicros: second}
	g := groupOver(t, types.Append, fields...).windows(w).call("sum", "d").call("var_pop", "d")
	results := map[bool][]string{}
	for _, restart := range []bool{false, true} {
		o, err := g.make()
		if err != nil {
			t.Fatal(err)
		}
		for batch := range 40 {
			var lines []string
			for i := range 7 {
				lines = append(lines, fmt.Sprintf("2024-01-01 00:00:%02d.%d | 0.%d1%d", batch, i, i*batch%89, batch))
			}
			res, err := optest.Batch(o, optest.BatchScript{Inputs: [][]types.Field{fields}, Rows: [][]string{lines},
				EvictMicros: optest.Micros("2024-01-01 00:00:00") + int64(batch)*second - 3*second,
				LateMicros:  optest.Micros("2024-01-01 00:00:00") + int64(batch)*second - 4*second})
			if err != nil {
				t.Fatal(err)
			}
			results[restart] = append(results[restart], res.Rows...)
			if restart {
				snapshot := o.AppendSnapshot(nil)
				if o, err = g.make(); err != nil {
					t.Fatal(err)
				}
				if err := o.Restore(snapshot); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(results[true]) < 30 || !slices.Equal(results[true], results[false]) {
		t.Errorf("with restarts\n %q\nwithout\n %q", results[true], results[false])
	}
}

func TestDamagedStateIsAnError(t *testing.T) {
	g := groupOver(t, types.Update, readings...).by("k").call("count")
	o, err := g.make()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Restore([]byte{1}); err == nil || sqlerr.Code(err) == "" {
		t.Error("damaged bytes are restored")
	}
	if err := o.ApplyChanges([]byte("nonsense")); err == nil {
		t.Error("damaged changes are applied")
	}
}

// Folding a chunk must not allocate per row: 8192 rows may take a few dozen
// allocations for the columns' views.
func TestConsumeDoesNotAllocatePerRow(t *testing.T) {
	g := groupOver(t, types.Append, benchFields...).windows(tumble(minute)).by("k").call("count").call("sum", "v").call("avg", "d").call("max", "v")
	o, err := g.make()
	if err != nil {
		t.Fatal(err)
	}
	b := &op.Batch{Expr: &expr.Ctx{Alloc: memory.DefaultAllocator}}
	if err := o.Begin(b); err != nil {
		t.Fatal(err)
	}
	seg := o.Segment(0)
	for _, plain := range []bool{false, true} {
		rec := newBenchStream(1000, 720, plain).chunk()
		consume := func() {
			if err := seg.Consume(rec); err != nil {
				t.Fatal(err)
			}
		}
		consume()
		if n := testing.AllocsPerRun(10, consume); n > 40 {
			t.Errorf("plain=%t: a chunk of %d rows takes %.0f allocations", plain, benchChunk, n)
		}
	}
}
