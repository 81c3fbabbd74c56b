package plan

import (
	"context"

	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// Catalog is what the planner asks for names. It is declared here because only
// the planner calls it.
type Catalog interface {
	// Relation returns the stream, view or table of a name; nil if there is none.
	Relation(name sql.Name) (*Relation, error)
	// Similar returns the known name nearest to a missing one, "" if none is near.
	Similar(name string) string
}

// Relation is a named input.
type Relation struct {
	Name string
	// Exactly one of the following is set.
	Stream *Stream
	View   *sql.Query
	Table  *Table
}

// Stream is a declared stream. Stored are the columns that the source delivers; Computed
// are evaluated over them, in order, each seeing those before it.
type Stream struct {
	ID         string // identity that a restart compares: connector and options that name the data
	Stored     []types.Field
	Computed   []ComputedColumn
	Order      []string // names of stored and computed columns as declared
	Watermarks []StreamWatermark
	// Hidden are stored columns, by name in lower case, that * leaves out: what the files
	// of a path in FROM say of themselves. Such a stream has no computed columns.
	Hidden map[string]bool
	// MaxFutureMicros is how far ahead of the batch's clock an event time may be: rows
	// further ahead are bad rows. 0: no limit.
	MaxFutureMicros int64
	// IdleMicros is after how long without input the stream no longer holds the
	// watermark of a query back. 0: never.
	IdleMicros int64
}

// ComputedColumn is `name [type] AS expr` of a stream.
type ComputedColumn struct {
	Name string
	Type *types.Type // nil: the type of the expression
	Expr sql.Expr
}

// StreamWatermark is WATERMARK FOR column AS column - delay.
type StreamWatermark struct {
	Column      string
	DelayMicros int64
	Span        Span
}

// Table is a DuckDB table or view.
type Table struct {
	Text   string // quoted, qualified name
	Fields []types.Field
}

// Plan is a bound and checked query.
type Plan struct {
	// Outputs are what the query gives: one, or, of a statement set, one per INSERT, in the
	// order of their targets.
	Outputs    []*Output
	Sources    []SourceRef
	Watermarks []*WatermarkDef // by ID
	Policy     Policy
	Notices    []string
	// Meanings are the names in the query that mean different things in two engines.
	Meanings []Meaning
	ANSI     bool // Options.ANSI
}

// Output is one result of a query.
type Output struct {
	Target  string // where a statement set writes it; "" for the one output of another query
	Root    Node
	Mode    types.Mode
	Columns []Column
	// KeyColumns are the result columns that identify a row in update mode, for
	// the sink; nil when every row is new, and empty but not nil when there is one row
	// in all: an aggregation without GROUP BY.
	KeyColumns []int
	// WindowColumn is the TIMESTAMP among them that grows with time, -1 without: it bounds
	// which stored rows a batch can replace.
	WindowColumn int
	// HiddenKey says which key of a row the select list leaves out, in update mode. A
	// sink that replaces rows could not tell which one to replace: who opens such a
	// sink returns it. Nil when nothing is hidden.
	HiddenKey *sqlerr.Error
	// Deletes says that rows of the result can go again, in update mode: the root has one
	// column more than Columns, a BIGINT that is negative for a row that is gone. Such a row is as
	// it was when it came, and no other row of its keys comes in that batch.
	Deletes bool
	// TimeoutMicros is that of EMIT ... TIMEOUT: after so long without input what is
	// open is closed. 0: never.
	TimeoutMicros int64
	// EveryMicros is that of EMIT ... EVERY: the interval of the trigger unless it is set.
	// 0: none.
	EveryMicros int64
	// Tail is what is left to do with the rows of Root when all of them are there, in a
	// snapshot; nil without.
	Tail *Tail
	// SinkNotices are for whoever opens a sink that keeps the rows.
	SinkNotices []string
	notices     []string
	span        Span // of its query
	retraction  bool // Options.Retraction
}

// SourceRef is one stream read by a plan. A stream read twice is two sources, but for
// the sides of a join that are the same rows, and in a statement set: see Shared.
type SourceRef struct {
	Stream string
	Fields []types.Field // the stored columns that the plan reads, in the order of Scan
	ID     string
	// Name is what a checkpoint knows the source by: IDENTIFIED BY, or the stream where another
	// source of the plan has such a name. "" where none has: the order counts.
	Name string
	// Options are those of this reading: they come before those of the stream.
	Options []sql.Option
}

// Policy is how the watermarks of several inputs make one.
type Policy uint8

// The policies.
const (
	MinPolicy Policy = iota
	MaxPolicy
)

// String returns the policy as SET watermark_policy spells it.
func (p Policy) String() string { return [...]string{"min", "max"}[p] }

// Options change what Bind accepts.
type Options struct {
	Mode types.Mode
	// AutoMode lets an ad-hoc SELECT fall back from append to update where append
	// has no answer; the plan then carries a notice.
	AutoMode bool
	// Snapshot says that the query is read to the end of its input and what counts is its
	// result after the last row: where that has an answer in append mode, in complete mode,
	// or when ORDER BY, LIMIT and OFFSET wait for the end (Output.Tail). EMIT with a mode wins.
	Snapshot bool
	Policy   Policy
	// Retraction lets an aggregation or TopN stand over one whose rows change, in update and
	// complete mode, and a join of streams below either; Spark refuses all three. In
	// update mode it also deletes groups that HAVING leaves out, which Spark lets stay.
	Retraction bool
	// ANSI makes a division by zero an error of its row, as Spark does, instead of
	// DuckDB's infinity or NULL.
	ANSI bool
	// Limits bound what the statement may come to.
	Limits Limits
	// Context ends planning when it is done; nil: planning is not ended.
	Context context.Context
}
