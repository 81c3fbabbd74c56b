package op

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

// Watermark observes the event times that pass a watermark node. A row without event
// time is a bad row and goes no further (D7: Spark takes it for 1970), nor does one
// from too far in the future (D6: in Spark it closes everything).
type Watermark struct {
	ID     int // of the watermark node, index into Task.Event
	Column int // TIMESTAMP
	// MaxFutureMicros is how far ahead of the batch's time an event time may be, and
	// MaxFuture the same in words; 0: no limit.
	MaxFutureMicros int64
	MaxFuture       string
}

var _ Stage = (*Watermark)(nil)

// Apply counts the rows in t.Event and returns those that have a possible event time.
func (w *Watermark) Apply(t *Task, rec arrow.Record) (arrow.Record, error) {
	times := rec.Column(w.Column).(*array.Timestamp)
	limit := w.limit(t)
	if times.NullN() == 0 && !anyAfter(times.TimestampValues(), limit) {
		t.Event[w.ID].Observe(times.TimestampValues())
		rec.Retain()
		return rec, nil
	}
	rows := make([]int32, 0, rec.NumRows())
	for i := 0; i < times.Len(); i++ {
		switch {
		case times.IsNull(i):
			t.Bad(rec, i, rec.ColumnName(w.Column), "event time is null")
		case times.Value(i) > limit:
			t.Bad(rec, i, rec.ColumnName(w.Column), w.tooFar(t, int64(times.Value(i))))
		default:
			rows = append(rows, int32(i))
		}
	}
	kept := Take(rec, rows)
	t.Event[w.ID].Observe(kept.Column(w.Column).(*array.Timestamp).TimestampValues())
	return kept, nil
}

// limit returns the last event time that is allowed. It follows from the time of the
// batch, which is in its PLAN, so a replay refuses the same rows.
func (w *Watermark) limit(t *Task) arrow.Timestamp {
	if w.MaxFutureMicros == 0 || t.Expr.NowMicros > math.MaxInt64-w.MaxFutureMicros {
		return math.MaxInt64
	}
	return arrow.Timestamp(t.Expr.NowMicros + w.MaxFutureMicros)
}

func (w *Watermark) tooFar(t *Task, micros int64) string {
	return fmt.Sprintf("event time %s is ahead of the batch's clock, %s, by more than max_future = '%s'",
		types.FormatTimestamp(micros), types.FormatTimestamp(t.Expr.NowMicros), w.MaxFuture)
}

func anyAfter(times []arrow.Timestamp, limit arrow.Timestamp) bool {
	if limit == math.MaxInt64 {
		return false
	}
	for _, t := range times {
		if t > limit {
			return true
		}
	}
	return false
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
