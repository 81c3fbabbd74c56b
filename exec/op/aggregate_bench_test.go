package op_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/exec/op"
	"ssql/plan/expr"
	"ssql/sql/types"
)

const (
	benchChunk = 8192
	benchRows  = 12 * benchChunk // of a batch: about 100k
)

// benchStream makes batches of (ts, k, v, d): nearly ordered times that advance by stepMicros a row, and
// keys at random, as a dictionary or plain.
type benchStream struct {
	rng   *rand.Rand
	keys  int
	step  int64
	plain bool
	names []string
	dict  arrow.Array
	at    int64
}

func newBenchStream(keys int, step int64, plain bool) *benchStream {
	s := &benchStream{rng: rand.New(rand.NewPCG(1, 2)), keys: keys, step: step, plain: plain, at: 1_700_000_000 * second}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range keys {
		s.names = append(s.names, fmt.Sprintf("device-%d", i))
		b.Append(s.names[i])
	}
	s.dict = b.NewArray()
	return s
}

func (s *benchStream) chunk() arrow.Record {
	ts := array.NewTimestampBuilder(memory.DefaultAllocator, types.ArrowTimestamp)
	idx := array.NewInt32Builder(memory.DefaultAllocator)
	str := array.NewStringBuilder(memory.DefaultAllocator)
	v := array.NewInt64Builder(memory.DefaultAllocator)
	d := array.NewFloat64Builder(memory.DefaultAllocator)
	for range benchChunk {
		s.at += s.step
		ts.Append(arrow.Timestamp(s.at - s.rng.Int64N(100_000)))
		k := s.rng.IntN(s.keys)
		if s.plain {
			str.Append(s.names[k])
		} else {
			idx.Append(int32(k))
		}
		v.Append(s.rng.Int64N(100))
		d.Append(s.rng.Float64())
	}
	var key arrow.Array
	if s.plain {
		key = str.NewArray()
	} else {
		key = array.NewDictionaryArray(types.ArrowDictionary, idx.NewArray(), s.dict)
	}
	cols := []arrow.Array{ts.NewArray(), key, v.NewArray(), d.NewArray()}
	fields := make([]arrow.Field, len(cols))
	for i, name := range []string{"ts", "k", "v", "d"} {
		fields[i] = arrow.Field{Name: name, Type: cols[i].DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, benchChunk)
}

var benchFields = []types.Field{field("ts", timestamp), field("k", varchar), field("v", bigint), field("d", double)}

// benchBatch runs one batch of chunks, with the watermark a minute behind.
func benchBatch(b *testing.B, o op.Stateful, chunks []arrow.Record, late, evict int64) (out int64) {
	batch := &op.Batch{Expr: &expr.Ctx{Alloc: memory.DefaultAllocator}, LateMicros: late, EvictMicros: evict,
		Late: func(int, arrow.Record) error { return nil }}
	if err := o.Begin(batch); err != nil {
		b.Fatal(err)
	}
	seg := o.Segment(0)
	for _, rec := range chunks {
		if err := seg.Consume(rec); err != nil {
			b.Fatal(err)
		}
	}
	if err := o.Merge(seg); err != nil {
		b.Fatal(err)
	}
	if err := o.Finish(func(rec arrow.Record) error { out += rec.NumRows(); return nil }); err != nil {
		b.Fatal(err)
	}
	return out
}

// bench measures whole batches: consume, merge, finish, changes. Inputs are made
// outside of the clock, batches of them at a time.
func bench(b *testing.B, g *grouping, s *benchStream) {
	o, err := g.make()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	evict, rows, emitted := int64(0), int64(0), int64(0)
	var changes []byte
	for b.Loop() {
		b.StopTimer()
		chunks := make([]arrow.Record, benchRows/benchChunk)
		for i := range chunks {
			chunks[i] = s.chunk()
		}
		late := evict
		b.StartTimer()
		emitted += benchBatch(b, o, chunks, late, evict)
		evict = s.at - minute
		emitted += benchBatch(b, o, nil, late, evict)
		changes = o.AppendChanges(changes[:0])
		rows += benchRows
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(float64(emitted)/float64(rows), "out/row")
	b.ReportMetric(float64(o.Stats().RowsTotal), "groups")
	b.ReportMetric(float64(o.Stats().MemoryBytes)/float64(max(1, o.Stats().RowsTotal)), "B/group")
}

// W2: a minute's tumbling count and sum of a thousand devices.
func BenchmarkTumbleThousandKeys(b *testing.B) {
	g := groupOver(b, types.Append, benchFields...).windows(tumble(minute)).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(1000, 720, false))
}

func BenchmarkTumbleThousandKeysDouble(b *testing.B) {
	g := groupOver(b, types.Append, benchFields...).windows(tumble(minute)).by("k").call("count").call("sum", "d")
	bench(b, g, newBenchStream(1000, 720, false))
}

func BenchmarkTumbleThousandKeysUpdate(b *testing.B) {
	g := groupOver(b, types.Update, benchFields...).windows(tumble(minute)).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(1000, 720, false))
}

func BenchmarkTumbleThousandPlainKeys(b *testing.B) {
	g := groupOver(b, types.Append, benchFields...).windows(tumble(minute)).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(1000, 720, true))
}

func BenchmarkTumbleHundredThousandKeys(b *testing.B) {
	g := groupOver(b, types.Append, benchFields...).windows(tumble(minute)).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(100_000, 72, false))
}

// W5: millions of groups that stay open.
func BenchmarkMillionsOfGroups(b *testing.B) {
	g := groupOver(b, types.Update, benchFields...).windows(tumble(3600*second)).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(5_000_000, 10, false))
}

// W4: ten minutes every ten seconds.
func BenchmarkHopSixtyPanes(b *testing.B) {
	w := op.Windows{SizeMicros: 10 * minute, SlideMicros: 10 * second}
	g := groupOver(b, types.Append, benchFields...).windows(w).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(1000, 720, false))
}

func BenchmarkHopThreeHundredSixtyPanes(b *testing.B) {
	w := op.Windows{SizeMicros: 60 * minute, SlideMicros: 10 * second}
	g := groupOver(b, types.Append, benchFields...).windows(w).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(1000, 720, false))
}

func BenchmarkHopSixtyPanesUpdate(b *testing.B) {
	w := op.Windows{SizeMicros: 10 * minute, SlideMicros: 10 * second}
	g := groupOver(b, types.Update, benchFields...).windows(w).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(1000, 720, false))
}

// Times at random over a hundred windows: no runs.
func BenchmarkTumbleWithoutRuns(b *testing.B) {
	g := groupOver(b, types.Update, benchFields...).windows(tumble(1000)).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(10, 1, false))
}

// Grouped by the event time itself: a table per time.
func BenchmarkKeyedByTime(b *testing.B) {
	g := groupOver(b, types.Append, benchFields...).by("ts").call("count").call("sum", "v")
	g.cfg.Close, g.cfg.Watermarked = g.column("ts"), true
	bench(b, g, newBenchStream(1000, 720, false))
}

// A day of panes of ten seconds: what is kept of them grows with their root only.
func BenchmarkHopDayOfPanes(b *testing.B) {
	w := op.Windows{SizeMicros: 24 * 60 * minute, SlideMicros: 10 * second}
	g := groupOver(b, types.Append, benchFields...).windows(w).by("k").call("count").call("sum", "v")
	bench(b, g, newBenchStream(100, 7200, false))
}
