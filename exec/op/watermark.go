package op

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Watermark observes the event times that pass a watermark node. A row without event
// time is a bad row and goes no further (D7: Spark takes it for 1970).
type Watermark struct {
	ID     int // of the watermark node, index into Task.Event
	Column int // TIMESTAMP
}

var _ Stage = (*Watermark)(nil)

// Apply counts the rows in t.Event and returns those that have an event time.
func (w *Watermark) Apply(t *Task, rec arrow.Record) (arrow.Record, error) {
	times := rec.Column(w.Column).(*array.Timestamp)
	out := rec
	if times.NullN() > 0 {
		rows := make([]int32, 0, rec.NumRows())
		for i := 0; i < times.Len(); i++ {
			if times.IsValid(i) {
				rows = append(rows, int32(i))
			} else {
				t.Bad(rec, i, "event time is null")
			}
		}
		out = Take(rec, rows)
		times = out.Column(w.Column).(*array.Timestamp)
	} else {
		rec.Retain()
	}
	t.Event[w.ID].Observe(times.TimestampValues())
	return out, nil
}

// Observe adds event times in microseconds.
func (s *EventStats) Observe(micros []arrow.Timestamp) {
	if len(micros) == 0 {
		return
	}
	lo, hi := micros[0], micros[0]
	var sum float64
	for _, m := range micros {
		lo, hi = min(lo, m), max(hi, m)
		sum += float64(m)
	}
	s.Add(EventStats{
		Count:     int64(len(micros)),
		MinMillis: FloorMillis(int64(lo)),
		MaxMillis: FloorMillis(int64(hi)),
		SumMillis: sum / 1000,
	})
}

// Add merges the statistics of another part of the batch.
func (s *EventStats) Add(o EventStats) {
	if o.Count == 0 {
		return
	}
	if s.Count == 0 {
		*s = o
		return
	}
	s.MinMillis, s.MaxMillis = min(s.MinMillis, o.MinMillis), max(s.MaxMillis, o.MaxMillis)
	s.Count, s.SumMillis = s.Count+o.Count, s.SumMillis+o.SumMillis
}

// FloorMillis cuts microseconds to milliseconds, towards the past also before
// 1970: Spark's rule for the event time that a watermark is made of.
func FloorMillis(micros int64) int64 {
	ms := micros / 1000
	if micros%1000 < 0 {
		ms--
	}
	return ms
}
