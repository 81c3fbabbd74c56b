package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// sensorRows makes rows like those of the sensor benchmark, about 96 bytes each.
func sensorRows(n int) []byte {
	var b bytes.Buffer
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range n {
		at = at.Add(7 * time.Millisecond)
		fmt.Fprintf(&b, `{"device_id":"dev-%04d","event_id":"e%08d","event_time":"%s","temp":%.2f}`+"\n",
			i*7919%1000, i, at.Format("2006-01-02T15:04:05.000Z"), 15+float64(i%2000)/100)
	}
	return append(b.Bytes(), make([]byte, column.Slack)...)[:b.Len()]
}

var sensorFields = []types.Field{
	{Name: "device_id", Type: types.Of(types.Varchar)},
	{Name: "event_id", Type: types.Of(types.Varchar)},
	{Name: "event_time", Type: types.Of(types.Timestamp)},
	{Name: "temp", Type: types.Of(types.Double)},
}

func BenchmarkSensor(b *testing.B) {
	data := sensorRows(100_000)
	for _, bench := range []struct {
		name   string
		fields []types.Field
		encode []bool
		noWalk bool
	}{
		{"plain", sensorFields, nil, false},
		{"dictionary", sensorFields, []bool{true, false, false, false}, false},
		{"projected", []types.Field{sensorFields[0], sensorFields[2]}, []bool{true, false}, false},
		{"grammar", sensorFields, nil, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			shape, err := NewShape(Options{Fields: bench.fields, Encode: bench.encode})
			if err != nil {
				b.Fatal(err)
			}
			d := shape.newDecoder()
			if bench.noWalk {
				d.steps.rest = 1 << 60
			}
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

func BenchmarkEncodingJSON(b *testing.B) {
	data := sensorRows(10_000)
	type row struct {
		DeviceID  string    `json:"device_id"`
		EventID   string    `json:"event_id"`
		EventTime time.Time `json:"event_time"`
		Temp      float64   `json:"temp"`
	}
	b.SetBytes(int64(len(data)))
	rows := 0
	for b.Loop() {
		for line := range bytes.Lines(data) {
			var r row
			if err := json.Unmarshal(line, &r); err != nil {
				b.Fatal(err)
			}
			rows++
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
