package op

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
)

// Limit passes rows Offset+1 to Offset+Count: of the whole life of a query, when
// Lifetime is set (append mode), else of each batch's result (complete mode).
type Limit struct {
	Collect
	Count, Offset int64
	Lifetime      bool
	seen          int64 // rows of the life of the query
	updated       int64
	dirty         bool
}

var _ Stateful = (*Limit)(nil)

// Finish emits the rows inside the limit.
func (l *Limit) Finish(emit Emit) error {
	seen := int64(0)
	if l.Lifetime {
		seen = l.seen
	}
	l.updated = 0
	err := l.Collect.Finish(func(rec arrow.Record) error {
		n := rec.NumRows()
		from := min(max(l.Offset-seen, 0), n)
		to := min(max(l.Offset+l.Count-seen, 0), n)
		seen += n
		if from >= to {
			return nil
		}
		l.updated += to - from
		part := rec.NewSlice(from, to)
		defer part.Release()
		return emit(part)
	})
	if l.Lifetime {
		// Behind the limit nothing is passed any more, so counting on would only
		// write the log for nothing.
		seen = min(seen, l.Offset+l.Count)
		l.dirty = seen != l.seen
		l.seen = seen
	}
	return err
}

// Name is Spark's name of the operator.
func (l *Limit) Name() string { return "globalLimit" }

// WantsBatch is never: a limit waits for rows.
func (l *Limit) WantsBatch(int64, int64) bool { return false }

// OutputWatermark passes the watermark on.
func (l *Limit) OutputWatermark(in int64) int64 { return in }

// Stats shows the counter as one row of state, as Spark keeps it.
func (l *Limit) Stats() Stats {
	s := Stats{MemoryBytes: 8}
	if l.Lifetime {
		s.RowsTotal = 1
	}
	if l.dirty {
		s.RowsUpdated = 1
	}
	return s
}

// AppendChanges writes the counter, if it moved.
func (l *Limit) AppendChanges(dst []byte) []byte {
	if !l.dirty {
		return dst
	}
	l.dirty = false
	return binary.AppendUvarint(dst, uint64(l.seen))
}

// ApplyChanges reads the counter.
func (l *Limit) ApplyChanges(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, size := binary.Uvarint(b)
	if size != len(b) {
		return errors.New("limit state: not one number")
	}
	l.seen = int64(n)
	return nil
}

// AppendSnapshot writes the counter.
func (l *Limit) AppendSnapshot(dst []byte) []byte {
	return binary.AppendUvarint(dst, uint64(l.seen))
}

// Restore reads the counter.
func (l *Limit) Restore(b []byte) error { return l.ApplyChanges(b) }
