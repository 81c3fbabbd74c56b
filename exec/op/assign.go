package op

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Expander is a Stage that can turn one row into several or none without counting
// those that vanish as filtered.
type Expander interface {
	Stage
	Expands()
}

// Assign appends window_start, window_end and window_time to each row, one row for each
// window that its time falls in: a window table function without a grouping above
// it. Times are UTC microseconds, windows half-open (docs/SEMANTICS.md, Windows).
type Assign struct {
	Time    expr.Expr // TIMESTAMP
	Windows Windows
	Schema  *arrow.Schema
}

// Windows lays fixed windows over time.
type Windows struct {
	SizeMicros, SlideMicros, OffsetMicros int64
	// Cumulate makes the windows of one size period start together and end a slide
	// apart.
	Cumulate bool
}

var _ Expander = (*Assign)(nil)

// Expands marks the stage.
func (a *Assign) Expands() {}

// floorTo returns the greatest multiple of step, counted from offset, that is not
// behind t; also for times before 1970.
func floorTo(t, step, offset int64) int64 {
	r := (t - offset) % step
	if r < 0 {
		r += step
	}
	return t - r
}

// Each calls f with every window that t falls in, the latest start first, up to an error.
func (w Windows) Each(t int64, f func(start, end int64) error) error {
	if w.Cumulate {
		start := floorTo(t, w.SizeMicros, w.OffsetMicros)
		for end := floorTo(t, w.SlideMicros, start) + w.SlideMicros; end <= start+w.SizeMicros; end += w.SlideMicros {
			if err := f(start, end); err != nil {
				return err
			}
		}
		return nil
	}
	for start := floorTo(t, w.SlideMicros, w.OffsetMicros); start+w.SizeMicros > t; start -= w.SlideMicros {
		if err := f(start, start+w.SizeMicros); err != nil {
			return err
		}
	}
	return nil
}

// Apply repeats each row once per window; a row without a time has no window and
// vanishes, as in Spark.
func (a *Assign) Apply(t *Task, rec arrow.Record, emit Emit) error {
	at, err := a.Time.Eval(t.Expr, rec)
	if err != nil {
		return err
	}
	defer at.Release()
	times, ok := at.(*array.Timestamp)
	if !ok {
		return errors.New("the time of a window is no timestamp")
	}
	var starts, ends, lasts []arrow.Timestamp
	p := newPieces("a window function", t, rec, nil, func(rows []int32, cols []arrow.Array) error {
		cols = append(cols, timestamps(starts), timestamps(ends), timestamps(lasts))
		starts, ends, lasts = nil, nil, nil
		return emitColumns(rec, rows, a.Schema, cols, emit)
	})
	for i := 0; i < times.Len(); i++ {
		if times.IsNull(i) {
			continue
		}
		if err := a.Windows.Each(int64(times.Value(i)), func(start, end int64) error {
			starts = append(starts, arrow.Timestamp(start))
			ends = append(ends, arrow.Timestamp(end))
			lasts = append(lasts, arrow.Timestamp(end-1))
			return p.add(int32(i), 24)
		}); err != nil {
			return err
		}
	}
	return p.cut()
}

// timestamps wraps a slice, which the array then owns.
func timestamps(v []arrow.Timestamp) arrow.Array {
	buf := memory.NewBufferBytes(arrow.TimestampTraits.CastToBytes(v))
	return array.NewTimestampData(array.NewData(types.ArrowTimestamp, len(v), []*memory.Buffer{nil, buf}, nil, 0, 0))
}
