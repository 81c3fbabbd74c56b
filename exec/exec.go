// Package exec runs queries: it lowers a plan to operators, and drives the
// micro-batch (docs/ARCHITECTURE.md, One batch) over sources, operators, the log and a sink. It is the
// only package that sees all of them.
package exec

import (
	"time"

	"ssql/internal/owner"
	"ssql/internal/vfs"
	"ssql/plan"
	"ssql/plan/expr"
	"ssql/sinks"
	"ssql/sources"
)

// Config is everything one query needs to run. Zero values take the defaults that
// are named.
type Config struct {
	Name       string
	Plan       *plan.Plan
	Definition string           // canonical text of the query; a change of it is noticed at restart
	Sources    []sources.Source // in the order of Plan.Sources
	Sink       sinks.Sink       // of all outputs
	// SinkDescriptions are for progress, by output, such as "duckdb[device_counts]".
	SinkDescriptions []string

	Tables Tables // for stream–table joins; nil if the plan has none
	// Library evaluates the scalar functions that are DuckDB's; nil if the plan has none.
	Library expr.Library

	FS  vfs.FS
	Dir string // the checkpoint; "" for an ad-hoc query that keeps nothing
	// DropPlan forgets a planned batch before which none was committed.
	DropPlan bool
	// Owner is the database that the checkpoint is kept for; nil: none.
	Owner *owner.Claim

	Limits        sources.Limits // of a batch, for each source
	NoDataBatches bool           // run a batch without rows when the watermark closes something
	// IdleTimeout is after how long without input a stream no longer holds the
	// watermark back, unless it has an option of its own. 0: never.
	IdleTimeout time.Duration
	// FlushAtEnd closes everything that is open when trigger available_now has read all
	// there is.
	FlushAtEnd bool
	Workers    int // segments decoded at once; default: cores
	ChunkRows  int // rows per chunk; default 8192
	// ValueBytesMax is how many bytes an expression may make of one value, ChunkBytesMax how many
	// a chunk may have, about, and RowsPerRowMax how many rows may be made of one. 0: a default of
	// package expr, and no bound.
	ValueBytesMax, ChunkBytesMax, RowsPerRowMax int64
	Clock                                       Clock
	LateRows                                    LatePolicy
	// FailedRows says what happens to rows for which an expression fails.
	FailedRows FailedPolicy
	// BadRecords says per source what happens to its bad rows; nil: all are kept.
	BadRecords []BadPolicy
	// LateRowsMax and BadRowsMax are how many late and bad rows of a batch are kept for
	// ssql.late_rows and ssql.bad_rows; all are counted. Default 1,000,000 and 10,000;
	// negative: none.
	LateRowsMax, BadRowsMax int64
	StateRowsMax            int64 // rows an operator may hold; 0: no limit
	StateBytesMax           int64 // bytes an operator may hold; 0: no limit
	SnapshotEvery           int   // batches between snapshots at most; default 100
	// Poll is the pause between looks at the sources when nothing is due; default
	// 100 ms.
	Poll time.Duration
	// CreatedBy names the program in the checkpoint.
	CreatedBy string
	// Print is the fingerprint of the plan, kept in the checkpoint for the next start.
	Print []byte

	// EachBatch says that what each batch gives is wanted, also without a checkpoint: the end
	// of a pipe is not waited for.
	EachBatch bool

	// OnBatch sees every committed batch in order: its progress and its rows by output,
	// which are valid during the call. Called from the goroutine of Run.
	OnBatch func(p *Progress, rows []Rows)
	// OnNotice takes messages for the user.
	OnNotice func(text string)
	// OnWait, if set, takes one that must not wait for the rows. Called from the goroutine
	// of Run.
	OnWait func(text string)
}

// LatePolicy is what happens to rows behind the watermark. They are counted always.
type LatePolicy uint8

// The policies.
const (
	LateToTable LatePolicy = iota // kept in ssql.late_rows
	LateDrop
	LateFail
)

// BadPolicy is what happens to bad rows of a source. They are counted always.
type BadPolicy uint8

// The policies.
const (
	BadToTable BadPolicy = iota // kept in ssql.bad_rows
	BadDrop
	BadFail // the query fails at the first one
)

// FailedPolicy is what happens to rows for which an expression of the query fails, such as a
// cast, before they come to an operator with state. A column that a stream's definition computes
// makes a bad row always.
type FailedPolicy uint8

// The policies.
const (
	FailedFail  FailedPolicy = iota // the query fails
	FailedToBad                     // they are bad rows of their source
)

// Clock is where batch times come from; tests step it by hand.
type Clock interface {
	Now() time.Time
}

// Waiter is a Clock that waits by its own time. With any other clock a query waits by
// the system's.
type Waiter interface {
	Clock
	// After returns a channel that receives when d has passed.
	After(d time.Duration) <-chan time.Time
}

// Trigger is when batches run.
type Trigger struct {
	Kind     TriggerKind
	Interval time.Duration // ProcessingTime only; 0 is as fast as possible
}

// TriggerKind is the kind of a trigger.
type TriggerKind uint8

// The triggers, as in Spark (docs/SEMANTICS.md, Triggers and batches).
const (
	ProcessingTime TriggerKind = iota
	Once
	AvailableNow
)
