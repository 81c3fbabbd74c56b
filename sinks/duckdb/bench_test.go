package duckdb

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/duck"
	"ssql/sinks"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// chunkRows is the size of the engine's chunks.
const chunkRows = 8192

// manyRows returns n rows of 1000 keys per minute from a minute on, as chunks.
func manyRows(n int, minute int64) []arrow.Record {
	rows := make([]sinktest.Row, n)
	for i := range rows {
		rows[i] = sinktest.Row{Minute: minute + int64(i/1000), K: fmt.Sprintf("device-%d", i%1000), N: int64(i)}
	}
	var out []arrow.Record
	for part := range slices.Chunk(rows, chunkRows) {
		out = append(out, sinktest.Record(part...))
	}
	return out
}

func benchPlace(b *testing.B, o sinks.OpenContext) (*duck.DB, sinks.Sink) {
	b.Helper()
	db, err := duck.Open(filepath.Join(b.TempDir(), "bench.duckdb"), duck.Options{IdleAfter: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	s, err := Open(db, []sinks.OpenContext{o}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return db, s
}

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 1000, 2000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			o := sinktest.Context("t", types.Append)
			_, s := benchPlace(b, o)
			records := manyRows(n, 0)
			times := make([]time.Duration, 0, b.N)
			batch := int64(0)
			for b.Loop() {
				start := time.Now()
				if err := s.Write(context.Background(), sinktest.Batch(o, 1, batch, records...)); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
				batch++
			}
			report(b, times)
		})
	}
}

// BenchmarkUpdate replaces 1000 keys at the end of tables of different sizes: the
// time must not grow with the table.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000, 5_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			o := sinktest.Context("t", types.Update, 0, 1)
			db, s := benchPlace(b, o)
			c, release, err := db.Conn(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := c.Exec(context.Background(), fmt.Sprintf("INSERT INTO t SELECT make_timestamp((i // 1000) * 60000000), 'device-' || (i %% 1000), i FROM range(%d) r(i)", n)); err != nil {
				b.Fatal(err)
			}
			release()
			records := manyRows(1000, int64(n/1000-1))
			times := make([]time.Duration, 0, b.N)
			batch := int64(0)
			for b.Loop() {
				start := time.Now()
				if err := s.Write(context.Background(), sinktest.Batch(o, 1, batch, records...)); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
				batch++
			}
			report(b, times)
		})
	}
}

// BenchmarkStart opens a database and a sink: one that is there, and a new one.
func BenchmarkStart(b *testing.B) {
	for _, name := range []string{"new", "there"} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			path := filepath.Join(dir, "there.duckdb")
			i := 0
			for b.Loop() {
				if name == "new" {
					i++
					path = filepath.Join(dir, fmt.Sprintf("%d.duckdb", i))
				}
				db, err := duck.Open(path, duck.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Open(db, []sinks.OpenContext{sinktest.Context("t", types.Append)}, Options{}); err != nil {
					b.Fatal(err)
				}
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// report adds the median and the 99th percentile.
func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}
