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
// from too far in the future (D6: in Spark it closes everything), or one whose time is
// infinite or so far away that a window around it has no end.
type Watermark struct {
	ID     int // of the watermark node, index into Task.Event
	Column int // TIMESTAMP
	// MaxFutureMicros is how far ahead of the batch's time an event time may be, and
	// MaxFuture the same in words; 0: no limit.
	MaxFutureMicros int64
	MaxFuture       string
}

// eventTimeMax is the last event time there can be, and its negative the first, in
// microseconds: 146,000 years from 1970. The sizes, delays and bounds of windows and joins
// can be added to it without an overflow.
const eventTimeMax arrow.Timestamp = 1 << 62

var _ Stage = (*Watermark)(nil)

// Apply counts the rows in t.Event and emits those that have a possible event time.
func (w *Watermark) Apply(t *Task, rec arrow.Record, emit Emit) error {
	times := rec.Column(w.Column).(*array.Timestamp)
	last := w.last(t)
	if times.NullN() == 0 {
		if seen := observed(times.TimestampValues()); seen.first >= -eventTimeMax && seen.last <= last {
			t.Event[w.ID].Add(seen.stats())
			return emit(rec)
		}
	}
	rows := make([]int32, 0, rec.NumRows())
	for i := 0; i < times.Len(); i++ {
		at := times.Value(i)
		switch {
		case times.IsNull(i):
			t.Bad(rec, i, rec.ColumnName(w.Column), "event time is null")
		case at < -eventTimeMax || at > eventTimeMax:
			t.Bad(rec, i, rec.ColumnName(w.Column), fmt.Sprintf("event time %s is too far away to lie in a window", types.FormatTimestamp(int64(at))))
		case at > last:
			t.Bad(rec, i, rec.ColumnName(w.Column), w.tooFar(t, int64(at)))
		default:
			rows = append(rows, int32(i))
		}
	}
	kept := Take(rec, rows)
	defer kept.Release()
	t.From = rows
	t.Event[w.ID].Add(observed(kept.Column(w.Column).(*array.Timestamp).TimestampValues()).stats())
	return emit(kept)
}

// last returns the last event time that is allowed. It follows from the time of the
// batch, which is in its PLAN, so a replay refuses the same rows.
func (w *Watermark) last(t *Task) arrow.Timestamp {
	if w.MaxFutureMicros == 0 || t.Expr.NowMicros > int64(eventTimeMax)-w.MaxFutureMicros {
		return eventTimeMax
	}
	return arrow.Timestamp(t.Expr.NowMicros + w.MaxFutureMicros)
}

func (w *Watermark) tooFar(t *Task, micros int64) string {
	return fmt.Sprintf("event time %s is ahead of the batch's clock, %s, by more than max_future = '%s'",
		types.FormatTimestamp(micros), types.FormatTimestamp(t.Expr.NowMicros), w.MaxFuture)
}

// eventTimes sums up the event times of a chunk, in microseconds. Without any, first is
// greater than last.
type eventTimes struct {
	count       int
	first, last arrow.Timestamp
	sum         float64
}

func observed(times []arrow.Timestamp) eventTimes {
	e := eventTimes{count: len(times), first: math.MaxInt64, last: math.MinInt64}
	for _, t := range times {
		e.first, e.last = min(e.first, t), max(e.last, t)
		e.sum += float64(t)
	}
	return e
}

func (e eventTimes) stats() EventStats {
	if e.count == 0 {
		return EventStats{}
	}
	return EventStats{
		Count:     int64(e.count),
		MinMillis: floorMillis(int64(e.first)),
		MaxMillis: floorMillis(int64(e.last)),
		SumMillis: e.sum / 1000,
	}
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

// floorMillis cuts microseconds to milliseconds, towards the past also before
// 1970: Spark's rule for the event time that a watermark is made of.
func floorMillis(micros int64) int64 {
	ms := micros / 1000
	if micros%1000 < 0 {
		ms--
	}
	return ms
}
