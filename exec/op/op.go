// Package op holds the vectorized operators. Stateless ones are Stages, applied
// to a chunk at a time; those that keep rows or groups between batches, or need all
// rows of a batch, are Breakers: they take a batch in segments and give their rows
// when all of it has been merged.
//
// An operator knows its expressions and its state and nothing of plans, sources or
// the log. exec drives it.
package op

import (
	"github.com/apache/arrow/go/v17/arrow"

	"ssql/plan/expr"
)

// Emit takes one chunk of an operator's result. The chunk is valid during the
// call; who keeps it calls Retain.
type Emit func(rec arrow.Record) error

// Batch is what an operator may know of the micro-batch that runs.
type Batch struct {
	ID   int64
	Expr *expr.Ctx
	// LateMicros is the late watermark L and EvictMicros the eviction watermark E of
	// this operator, in UTC microseconds; L of a batch is E of the batch before
	// (docs/SEMANTICS.md, Watermarks).
	LateMicros, EvictMicros int64
	// Late takes rows of an input that this operator dropped as late, as Take gives them, so
	// that they keep their trace (Traced). It is called from Merge, never concurrently.
	Late func(input int, rec arrow.Record) error
}

// Stage is a stateless operator.
type Stage interface {
	// Apply emits the rows that follow from rec, those of each row behind those of the
	// row before: where chunks end makes no difference, not even to the order. It must be
	// safe for concurrent use: several segments of a batch run at once. An error before the
	// first chunk leaves nothing behind, so that rec can be given again in parts.
	Apply(t *Task, rec arrow.Record, emit Emit) error
}

// Task is the scratch of one segment: what Stages count while it runs. exec adds
// the tasks of a batch up in the order of the segments.
type Task struct {
	Expr  *expr.Ctx
	Sizes Sizes
	// From is set by a Stage before it emits a chunk: the row of its input that each row is
	// made of; nil: the rows are the same.
	From     []int32
	Filtered int64        // rows removed by Filters
	Event    []EventStats // per watermark node, by ID
	// Bad takes a row that a Stage refuses for a column, such as a NULL event time.
	Bad func(rec arrow.Record, row int, column, reason string)
}

// EventStats are the event times that one watermark node saw in a batch, in
// milliseconds, floored (docs/SEMANTICS.md, Watermarks).
type EventStats struct {
	Count     int64
	MinMillis int64
	MaxMillis int64
	SumMillis float64 // for the average, which progress shows
}

// Segment takes one contiguous part of a batch's input, in order.
type Segment interface {
	// Consume takes one chunk. The chunk is valid during the call; who keeps it
	// calls Retain.
	Consume(rec arrow.Record) error
}

// Breaker is an operator that needs the whole input of a batch before it can
// answer. Calls for one batch: Begin; for each input 0..n-1 and each of its
// segments in order: Segment, then Consume for all chunks (different segments may
// run concurrently), then Merge in the order of the segments from one goroutine;
// at last Finish.
//
// All segments of input i are merged before one of i+1, also where both are rows of one
// source: a join keeps no right row whose time is over, so the left rows of the batch must be
// there when it comes (testdata/set/left_rows_first.test).
type Breaker interface {
	Begin(b *Batch) error
	Segment(input int) Segment
	Merge(s Segment) error
	Finish(emit Emit) error
}

// Stateful is a Breaker whose state outlives the batch. After any error the
// operator is unusable: it must be made anew and restored from the checkpoint.
type Stateful interface {
	Breaker
	// Name is Spark's operatorName: stateStoreSave, dedupe, sessionWindowStateStoreSaveExec, ...
	Name() string
	// WantsBatch reports whether a batch without rows is due when the eviction
	// watermark goes from last to next (docs/SEMANTICS.md, Watermarks).
	WantsBatch(nextMicros, lastMicros int64) bool
	// OutputWatermark returns the watermark below this operator for an input one.
	OutputWatermark(inMicros int64) int64
	// Stats describes the batch that just finished.
	Stats() Stats
	// AppendChanges appends what the batch changed, to be written as part of the
	// STATE record, and forgets which groups are dirty.
	AppendChanges(dst []byte) []byte
	// ApplyChanges replays what AppendChanges wrote, oldest batch first.
	ApplyChanges(changes []byte) error
	// AppendSnapshot appends the whole state.
	AppendSnapshot(dst []byte) []byte
	// Restore replaces the state by a snapshot.
	Restore(snapshot []byte) error
}

// Stats are Spark's stateOperators counters of one batch.
type Stats struct {
	RowsTotal      int64 // after the batch
	RowsUpdated    int64
	RowsRemoved    int64
	RowsLate       int64 // dropped by the watermark, counted per row (D4)
	RowsPartlyLate int64 // late for some of their windows only
	RowsDuplicate  int64 // dropped by a deduplication
	MemoryBytes    int64
}
