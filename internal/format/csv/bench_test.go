package csv

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// sensorRows makes rows with the values of the sensor benchmark, about 55 bytes each.
func sensorRows(n int, quote string) []byte {
	var b bytes.Buffer
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	b.WriteString("device_id,event_id,event_time,temp\n")
	for i := range n {
		at = at.Add(7 * time.Millisecond)
		fmt.Fprintf(&b, "%[1]sdev-%04[2]d%[1]s,%[1]se%08[3]d%[1]s,%[4]s,%.2[5]f\n", quote,
			i*7919%1000, i, at.Format("2006-01-02T15:04:05.000Z"), 15+float64(i%2000)/100)
	}
	return append(b.Bytes(), make([]byte, column.Slack)...)[:b.Len()]
}

var sensorFields = []types.Field{
	field("device_id", types.Varchar), field("event_id", types.Varchar), field("event_time", types.Timestamp), field("temp", types.Double),
}

func BenchmarkSensor(b *testing.B) {
	for _, bench := range []struct {
		name   string
		fields []types.Field
		encode []bool
		quote  string
	}{
		{"plain", sensorFields, nil, ""},
		{"dictionary", sensorFields, []bool{true, false, false, false}, ""},
		{"projected", []types.Field{sensorFields[0], sensorFields[2]}, []bool{true, false}, ""},
		{"quoted", sensorFields, nil, `"`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			data := sensorRows(100_000, bench.quote)
			shape, err := NewShape(Options{Dialect: Default(), Fields: bench.fields, Encode: bench.encode})
			if err != nil {
				b.Fatal(err)
			}
			d := shape.NewDecoder()
			rows := int64(0)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				d.Begin(format.Input{Line: 1}, 8192, format.Output{Emit: func(rec arrow.Record) error { rows += rec.NumRows(); return nil }})
				if err := d.Decode(data); err != nil {
					b.Fatal(err)
				}
				if err := d.Finish(false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// BenchmarkSplit cuts text with and without quotes at record ends.
func BenchmarkSplit(b *testing.B) {
	for _, quote := range []string{"", `"`} {
		data := sensorRows(20_000, quote)
		d := Default()
		b.Run(fmt.Sprintf("quote %q", quote), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if d.lastEnd(data) != len(data) {
					b.Fatal("the last record is not whole")
				}
			}
		})
	}
}
