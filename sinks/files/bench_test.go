package files

import (
	"fmt"
	"testing"

	"ssql/internal/vfs"
	"ssql/sinks/sinktest"
	"ssql/sql/types"
)

// BenchmarkWrite stores batches of 100 000 rows of a timestamp, a text and a number, on a
// disk that does not sync.
func BenchmarkWrite(b *testing.B) {
	const rowCount = 100_000
	rows := make([]sinktest.Row, rowCount)
	for i := range rows {
		rows[i] = sinktest.Row{Minute: int64(i / 1000), K: fmt.Sprint("key ", i%97), N: int64(i) * 7919}
	}
	rec := sinktest.Record(rows...)
	for _, options := range []string{"format=json", "format=csv", "format=debezium_json", "format=parquet", "format=parquet compression=zstd", "format=json partition_by=k", "format=parquet partition_by=k"} {
		b.Run(options, func(b *testing.B) {
			o := sinktest.Context("", types.Append)
			o.Options = values(b, b.TempDir(), options+" path=out")
			s, err := Open(vfs.NoSync{FS: vfs.OS{}}, o)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for n := range b.N {
				if err := s.Write(b.Context(), sinktest.Batch(o, 1, int64(n), rec)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*rowCount/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
