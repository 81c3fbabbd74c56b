// Package plan binds a parsed query to a catalog, follows the watermark through
// every node, refuses what could never give an answer, and describes the result:
// to exec, which lowers it to operators, to the user as EXPLAIN, and to the next
// start as a fingerprint.
//
// It has no runtime: nothing here reads a row.
package plan

import (
	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql"
	"ssql/sql/types"
)

// Span is a place in the source text.
type Span = sqlerr.Span

// Column is a column of a node's result.
type Column struct {
	types.Field
	Table string // the alias it is reached by; "" for a computed column
	// Hidden columns are left out of *.
	Hidden bool
	// Mark is set on a column that carries event time; nil for all others.
	Mark *Mark
}

// Mark says that a column carries event time: it is the watermark column itself,
// renamed at most, or a part of a window over one.
type Mark struct {
	Watermark *WatermarkDef // nil for a window over a column without watermark
	Part      Part
	Window    *WindowSpec // nil for Part Instant
}

// Part is which part of an event time a marked column holds.
type Part uint8

// The parts. Only Instant and WindowTime columns can be windowed again; the group
// of any part of a window closes at the window's end.
const (
	Instant      Part = iota // the event time itself
	WindowStart              // window_start
	WindowEnd                // window_end
	WindowTime               // window_end - 1 µs
	WindowStruct             // Spark's struct window{start, end}
)

// WatermarkDef is one watermark node of a query.
type WatermarkDef struct {
	ID          int // from 0, in the order of first appearance in the plan
	Relation    string
	Column      string
	DelayMicros int64 // with that of EMIT
	EmitMicros  int64 // what EMIT .. WITH DELAY or GRACE PERIOD adds
	// MaxFutureMicros and IdleMicros are those of the stream below.
	MaxFutureMicros int64
	IdleMicros      int64
	// Name is what a checkpoint knows the watermark by where its sources have names.
	Name string
	Span Span
}

// WindowKind is the kind of a window, as it was written.
type WindowKind = sql.WindowKind

// The window kinds.
const (
	Tumble   = sql.Tumble
	Hop      = sql.Hop
	Cumulate = sql.Cumulate
	Session  = sql.Session
)

// WindowSpec is a window without the column it is over. Times are microseconds.
type WindowSpec struct {
	Kind         WindowKind
	SizeMicros   int64     // Session: the constant gap, 0 when Gap is set
	SlideMicros  int64     // Hop: slide; Cumulate: step; Tumble: equal to size
	OffsetMicros int64     // added to the epoch alignment
	Gap          expr.Expr // Session: a gap computed per row; nil when constant
}

// Node is a logical operator. The set is closed; exec lowers each in one switch.
// Nodes are immutable after Bind.
type Node interface {
	// Columns returns the result columns, in order.
	Columns() []Column
	// Inputs returns the children, left first.
	Inputs() []Node
	// WithInputs returns a copy over other inputs, as many as Inputs returns. A node
	// without inputs returns itself.
	WithInputs(ins []Node) Node
	// Expressions returns what the node itself evaluates; some may be nil.
	Expressions() []expr.Expr

	// describe is the node on one line of EXPLAIN.
	describe() string
	// keeps says what the node keeps between batches and when it leaves; "" for a
	// stateless node.
	keeps(mode types.Mode) string
	// stageOf returns the input whose chunks the node passes on as they come; nil for one
	// that takes all rows of a batch before it gives any, and for what makes rows.
	stageOf() Node
}
