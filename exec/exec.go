// Package exec runs queries: it lowers a plan to operators, and drives the
// micro-batch of design §3 over sources, operators, the log and a sink. It is the
// only package that sees all of them.
package exec

import (
	"encoding/json"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/vfs"
	"ssql/plan"
	"ssql/sinks"
	"ssql/sources"
)

// Config is everything one query needs to run. Zero values take the defaults that
// are named.
type Config struct {
	Name            string
	Plan            *plan.Plan
	Definition      string           // canonical text of the query; a change of it is noticed at restart
	Sources         []sources.Source // in the order of Plan.Sources
	Sink            sinks.Sink
	SinkDescription string // for progress, such as "duckdb[device_counts]"
	// Target of the sink's rows: which result columns identify a row in update mode,
	// and the one that grows with time (-1 without).
	Keys         []int
	WindowColumn int

	Tables Tables // for stream–table joins; nil if the plan has none

	FS  vfs.FS
	Dir string // the checkpoint; "" for an ad-hoc query that keeps nothing

	Limits         sources.Limits
	NoDataBatches  bool // run a batch without rows when the watermark closes something
	Workers        int  // segments decoded at once; default: cores
	ChunkRows      int  // rows per chunk; default 8192
	Clock          Clock
	LateRows       LatePolicy
	BadRecordsFail bool
	StateRowsMax   int64 // rows an operator may hold; 0: no limit
	StateBytesMax  int64 // bytes an operator may hold; 0: no limit
	SnapshotEvery  int   // batches between snapshots at most; default 100
	// Poll is the pause between looks at the sources when nothing is due; default
	// 100 ms.
	Poll time.Duration
	// Print is the fingerprint of the plan, kept in the checkpoint for the next start.
	Print []byte

	// OnBatch sees every committed batch in order: its progress and its rows, which
	// are valid during the call. Called from the goroutine of Run.
	OnBatch func(p *Progress, rows []arrow.Record)
	// OnNotice takes messages for the user.
	OnNotice func(text string)
}

// LatePolicy is what happens to rows behind the watermark. They are counted always.
type LatePolicy uint8

// The policies.
const (
	LateToTable LatePolicy = iota // kept in ssql.late_rows
	LateDrop
	LateFail
)

// Clock is where batch times come from; tests step it by hand.
type Clock interface {
	Now() time.Time
}

// Trigger is when batches run.
type Trigger struct {
	Kind     TriggerKind
	Interval time.Duration // ProcessingTime only; 0 is as fast as possible
}

// TriggerKind is the kind of a trigger.
type TriggerKind uint8

// The triggers, as in Spark (spark-semantics §4).
const (
	ProcessingTime TriggerKind = iota
	Once
	AvailableNow
)

// Progress describes one batch with the field names of Spark's
// StreamingQueryProgress.
type Progress struct {
	ID                     string             `json:"id"`
	RunID                  int64              `json:"runId"`
	Name                   string             `json:"name"`
	Timestamp              string             `json:"timestamp"`
	BatchID                int64              `json:"batchId"`
	BatchDuration          int64              `json:"batchDuration"` // ms
	NumInputRows           int64              `json:"numInputRows"`
	InputRowsPerSecond     float64            `json:"inputRowsPerSecond,omitempty"`
	ProcessedRowsPerSecond float64            `json:"processedRowsPerSecond,omitempty"`
	DurationMs             map[string]int64   `json:"durationMs"`
	EventTime              map[string]string  `json:"eventTime"`      // min, max, avg, watermark
	StateOperators         []OperatorProgress `json:"stateOperators"` // nearest to the sink first
	Sources                []SourceProgress   `json:"sources"`
	Sink                   SinkProgress       `json:"sink"`

	// Beyond Spark: every row read is used, filtered, late or bad.
	RowsUsed     int64 `json:"rowsUsed"`
	RowsFiltered int64 `json:"rowsFiltered"`
	RowsLate     int64 `json:"rowsLate"`
	RowsBad      int64 `json:"rowsBad"`
	Replay       bool  `json:"replay,omitempty"` // the batch had been planned before a restart

	// WatermarkMicros is the watermark the batch ran with, for renderers;
	// HasWatermark is false for a plan without one.
	WatermarkMicros int64 `json:"-"`
	HasWatermark    bool  `json:"-"`
}

// OperatorProgress is one entry of stateOperators.
type OperatorProgress struct {
	OperatorName              string           `json:"operatorName"`
	NumRowsTotal              int64            `json:"numRowsTotal"`
	NumRowsUpdated            int64            `json:"numRowsUpdated"`
	NumRowsRemoved            int64            `json:"numRowsRemoved"`
	NumRowsDroppedByWatermark int64            `json:"numRowsDroppedByWatermark"`
	MemoryUsedBytes           int64            `json:"memoryUsedBytes"`
	CustomMetrics             map[string]int64 `json:"customMetrics,omitempty"`
}

// SourceProgress is one entry of sources.
type SourceProgress struct {
	Description  string          `json:"description"`
	StartOffset  json.RawMessage `json:"startOffset"`
	EndOffset    json.RawMessage `json:"endOffset"`
	LatestOffset json.RawMessage `json:"latestOffset"`
	NumInputRows int64           `json:"numInputRows"`
}

// SinkProgress is the sink's entry.
type SinkProgress struct {
	Description   string `json:"description"`
	NumOutputRows int64  `json:"numOutputRows"`
}
