// Package sinks is the contract between the engine and whatever takes results. A
// connector is a directory below it and one row in cmd/ssql/connectors.go.
package sinks

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/sources"
	"ssql/sql/types"
)

// Marker is what a sink stores with the rows of a batch, in the same transaction. It
// tells a restart whether the batch has arrived.
type Marker struct {
	QueryID    string // identity of the query, for ever
	Generation int64  // number of the run that wrote it: a stale process has a smaller one
	Batch      int64
	Digest     uint64 // of the PLAN record: the same batch of another history differs
}

// Batch is what one micro-batch writes.
type Batch struct {
	Marker
	Query string // name of the query
	// Outputs are the rows, by output of the query in its order. A sink that is the place of
	// one output gets that one alone.
	Outputs []Output
	// Side are rows for system tables that must be stored exactly once too: late
	// and bad rows. Sinks without such tables ignore it.
	Side []SideRows
	// Info goes into the commits table beside the marker.
	Info CommitInfo
}

// Of returns the batch with one output alone.
func (b *Batch) Of(output int) *Batch {
	one := *b
	one.Outputs = b.Outputs[output : output+1]
	return &one
}

// Output is the rows of one output of a query.
type Output struct {
	Mode types.Mode
	// Keys are, in update mode, the columns that identify a row. Nil: every row is new.
	// Empty but not nil: there is one row in all, and a new one replaces it.
	Keys []int
	// WindowColumn is a TIMESTAMP column among Keys that grows with time, -1
	// without: it bounds which stored rows can be replaced.
	WindowColumn int
	Schema       *arrow.Schema
	Records      []arrow.Record
	Rows         int64
	// Deletes are rows that the result has no more, in update mode with Keys: as they were
	// when they came. No row of Records has their keys; the sink removes all rows that
	// have them.
	Deletes []arrow.Record
}

// SideRows are rows for one table of the schema ssql.
type SideRows struct {
	Table string // late_rows or bad_rows
	// Record has the columns operator, watermark, event_time and row, or stream, file,
	// line, column, reason and raw, by name; the sink adds the others of the table.
	Record arrow.Record
}

// CommitInfo describes a batch in ssql.commits.
type CommitInfo struct {
	BatchMicros                     int64 // the batch's time
	WatermarkMicros                 int64
	RowsIn, RowsOut, RowsDeleted    int64
	RowsLate, RowsBad, RowsFiltered int64
}

// Sink takes the results of one query, of one of its outputs or of all. One goroutine
// calls it.
type Sink interface {
	// Head returns the newest marker that the sink holds for a query; ok is false
	// if it holds none.
	Head(ctx context.Context, queryID string) (m Marker, ok bool, err error)
	// Write stores a batch and its marker together and returns when both are
	// durable. The same batch may come again after a crash: the engine has asked
	// Head first, but a sink must still refuse a batch that is not newer than its
	// head (E_FENCED) rather than store it twice. If the outcome of a commit is
	// not known, Write finds it out by reading the marker before it returns.
	Write(ctx context.Context, b *Batch) error
	// Transactional reports whether Head is meaningful: false for a console.
	Transactional() bool
	Close() error
}

// Spread is a Sink of several places, of which Head tells only what all have.
type Spread interface {
	Sink
	// Holds reports whether any of the places has the given batch of a query or a later one,
	// though others lack it.
	Holds(ctx context.Context, queryID string, batch int64) (bool, error)
}

// Readable is a Sink outside of the database whose result DuckDB can read back.
type Readable interface {
	Sink
	// Select returns the SELECT that reads the result. It may become another one with a
	// batch, since there is nothing to read before the first.
	Select() string
}

// Maker is a Sink that makes the place of its rows when it is opened.
type Maker interface {
	Sink
	// Unmake takes back what Open has made, when the query is refused after it.
	Unmake(ctx context.Context) error
}

// Spec describes a connector: a row of the table in cmd/ssql.
type Spec struct {
	Name    string
	Summary string
	// Options are what CREATE SINK may say to it. Nil: it is no connector of sinks that
	// have a name, but the place of tables or of a SELECT.
	Options []sources.Option
	// Place checks options that have their types, and returns the path that the sink
	// would write, "" if it is not in the file system.
	Place func(o sources.Values) (string, error)
	Open  func(o OpenContext) (Sink, error)
	// OpenAll opens one sink for all outputs of a query, which stores a batch of all of them
	// under one marker. Nil for a connector that is the place of one output.
	OpenAll func(outputs []OpenContext) (Sink, error)
}

// OpenContext is an output that wants a place.
type OpenContext struct {
	Query   string
	QueryID string
	Target  string // table name or path as written
	Mode    types.Mode
	Fields  []types.Field
	Keys    []int
	// Columns is the column list of the INSERT, one per field. Without it fields go to
	// columns in their order or, with ByName, to those of their names.
	Columns []string
	ByName  bool
	Options sources.Values // of CREATE SINK
	// Notice takes what the user should know about the target, such as columns that hold
	// less than the query gives; nil: nobody is told.
	Notice func(text string)
	// Unborn says that the query has stored nothing yet and has another definition than it
	// had: an empty table that it has made is made anew.
	Unborn bool
	// Rows, if set, has been opened for the rows of this output: OpenAll hands them on to
	// it, and closes it.
	Rows Sink
}
