package files

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sources"
	"ssql/sql/types"
)

// BenchmarkRead reads a file of 1 M sensor rows, about 96 MB, as a query would.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	out, err := os.Create(filepath.Join(dir, "rows.json"))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range 1_000_000 {
		fmt.Fprintf(w, `{"device_id":"dev-%04d","event_id":"e%08d","event_time":"%s","temp":%.2f}`+"\n",
			i*7919%1000, i, at.Add(time.Duration(i)*7*time.Millisecond).Format("2006-01-02T15:04:05.000Z"), 15+float64(i%2000)/100)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	set, err := sources.CheckOptions("files", options(), []sources.Given{{Name: "path", Text: dir}})
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d workers", workers), func(b *testing.B) {
			src, err := open(sources.OpenContext{Options: sources.Values{Set: set}, Encode: []bool{true, false, false, false}, Fields: []types.Field{
				{Name: "device_id", Type: types.Of(types.Varchar)}, {Name: "event_id", Type: types.Of(types.Varchar)},
				{Name: "event_time", Type: types.Of(types.Timestamp)}, {Name: "temp", Type: types.Of(types.Double)},
			}})
			if err != nil {
				b.Fatal(err)
			}
			if err := src.Restore(nil); err != nil {
				b.Fatal(err)
			}
			var rows atomic.Int64
			b.ReportAllocs()
			for b.Loop() {
				r, err := src.Next(b.Context(), sources.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				segments, err := src.Segments(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				var next atomic.Int64
				var wg sync.WaitGroup
				for range workers {
					wg.Go(func() {
						for i := next.Add(1) - 1; i < int64(len(segments)); i = next.Add(1) - 1 {
							err := segments[i].Read(b.Context(), &sources.ReadContext{ChunkRows: 8192}, func(rec arrow.Record) error {
								rows.Add(rec.NumRows())
								return nil
							})
							if err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(rows.Load())/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// BenchmarkPoll asks for news where there is none.
func BenchmarkPoll(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("%d files", n), func(b *testing.B) {
			dir := b.TempDir()
			for i := range n {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("{}\n"), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			set, err := sources.CheckOptions("files", options(), []sources.Given{{Name: "path", Text: dir}})
			if err != nil {
				b.Fatal(err)
			}
			src, err := open(sources.OpenContext{Options: sources.Values{Set: set}})
			if err != nil {
				b.Fatal(err)
			}
			if err := src.Restore(nil); err != nil {
				b.Fatal(err)
			}
			r, err := src.Next(b.Context(), sources.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			if err := src.Advance(r); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if r, err := src.Next(b.Context(), sources.Limits{}); err != nil || r != nil {
					b.Fatal(string(r), err)
				}
			}
		})
	}
}
