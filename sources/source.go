// Package sources is the contract between the engine and whatever delivers rows. A
// connector is a directory below it and one row in cmd/ssql/connectors.go.
package sources

import (
	"context"
	"encoding/json"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/owner"
	"ssql/sql/types"
)

// Limits bound one batch. Zero means no limit.
type Limits struct {
	FilesMax int64
	RowsMax  int64
	BytesMax int64
	// Unlimited asks for everything that is there, also beyond limits that the stream
	// itself declares.
	Unlimited bool
}

// Range is what one batch reads from one source: connector-defined JSON that is
// written to the log before the batch runs. It pins everything that reading depends
// on (file names, sizes, byte ranges), so the same Range gives the same rows any
// number of times, also in another process.
type Range = json.RawMessage

// Source delivers the rows of one stream to one query. One goroutine calls it,
// except for the Segments, which may be read concurrently.
type Source interface {
	// Restore sets the position from a snapshot; nil means nothing was read yet.
	// It is called once, before anything else.
	Restore(position []byte) error
	// Next returns what there is to read beyond the position, within the limits; nil
	// if there is nothing. It does not move the position. The same call may give
	// more later.
	Next(ctx context.Context, limits Limits) (Range, error)
	// Advance moves the position behind a Range: the batch that reads it has been
	// planned. It is also how a restart replays the log.
	Advance(r Range) error
	// Position returns the position for a snapshot. Its size must not grow with
	// what was read for ever.
	Position() ([]byte, error)
	// Offset describes the position for progress, as Spark's source would: JSON.
	Offset() json.RawMessage
	// Segments opens a Range: the parts in the order of their rows. What the parts
	// are depends on the Range alone. E_SOURCE_MISSING and E_SOURCE_CHANGED name
	// a file that is not what was pinned.
	Segments(ctx context.Context, r Range) ([]Segment, error)
	// Commit says that the batch that read r is committed: the source may archive
	// or forget it. It may be called again after a crash.
	Commit(r Range) error
	// Description names the source for progress, such as "files[incoming/*.json]".
	Description() string
	Close() error
}

// Freezer is a Source whose end can be held still: what trigger available_now reads is
// what was there when it started. A source that is none is read until it has nothing.
type Freezer interface {
	// Freeze makes Next give what is there now and nothing that comes later. Again, it
	// takes a new look.
	Freeze(ctx context.Context) error
	// Thaw undoes Freeze.
	Thaw()
}

// Cutter is a Source that can make the Range of a batch smaller which was planned and of
// which nothing was stored.
type Cutter interface {
	// Cut returns the beginning of a Range, at least some of it, that keeps to the limits as
	// far as it can; r itself if it does already. The position is before r. What is left out is
	// what Next gives behind the shorter Range: a source that could not give it again does
	// not cut.
	Cut(ctx context.Context, r Range, limits Limits) (Range, error)
}

// Pipe is a Freezer whose input comes while it is read, and ends. Freeze waits for the end;
// a trigger that need not have all of it asks for More instead.
type Pipe interface {
	Freezer
	// More waits until there is new input for a batch, or none will come: ended.
	More(ctx context.Context) (ended bool, err error)
	// EndsWithin waits for the end of the input, but not for longer.
	EndsWithin(ctx context.Context, d time.Duration) (ended bool, err error)
}

// Segment is one part of a batch's input, read by one goroutine.
type Segment interface {
	// Read decodes the part into chunks of at most c.ChunkRows rows with the columns
	// of the source's schema, in order. A chunk is released when emit returns.
	Read(ctx context.Context, c *ReadContext, emit func(rec arrow.Record) error) error
}

// ReadContext is what a Segment needs and where it reports.
type ReadContext struct {
	ChunkRows int
	// Bad takes a line that is no row: it is counted and kept in ssql.bad_rows. It
	// is called in the order of the lines of one segment.
	Bad func(b BadRow)
	// Notice takes a message to the user, said once per query and text.
	Notice func(text string)
	// Locate is set by a segment that can tell where a row of the chunk that it is
	// emitting comes from: file, line and text, as far as they are known. It is valid
	// until emit returns.
	Locate func(row int) BadRow
}

// BadRow is one refused line.
type BadRow struct {
	File   string // path, or the connector's name for the place
	Line   int64  // from 1; 0 if the source has no lines
	Column string // the column at fault, "" for the whole line
	Reason string
	Raw    string // the line, cut to a bounded length
}

// Spec describes a connector: a row of the table in cmd/ssql.
type Spec struct {
	Name    string
	Summary string
	Options []Option
	// Metadata lists what METADATA columns can be, by name.
	Metadata []Metadata
	// Infer returns the columns of a stream that was declared without any, from a
	// sample of its data. It may wait for data. notice is told of values of the sample
	// that will be bad rows. Nil if the connector cannot.
	Infer func(ctx context.Context, o Values, notice func(text string)) ([]types.Field, error)
	// Sniff returns options that only the data tells, such as what parts the fields, and that
	// hold where none is given. Nil if there are none.
	Sniff func(ctx context.Context, o Values) (map[string]string, error)
	// Check validates the options of a CREATE STREAM without opening anything
	// for long.
	Check func(o Values) error
	// CheckFormat validates the FORMAT of a column. Nil if the connector's values have a type.
	CheckFormat func(o Values, t types.Type, format string) error
	// CheckColumns validates the columns that a stream declares, without computed and
	// METADATA ones. Nil if the connector takes any.
	CheckColumns func(o Values, fields []types.Field) error
	// Look says what there is for a stream now, for DIAGNOSE; nil if the connector cannot
	// tell.
	Look func(stream string, o Values) (Sight, error)
	// Preview returns options with which rowsMax rows are there now, for PEEK, where rows come
	// from the start of the query on only; no options if they are there without. Nil if a
	// connector has its rows whoever reads them.
	Preview func(o Values, rowsMax int64, now time.Time) map[string]string
	// Identity returns what a restart compares: the options that name the data.
	Identity func(o Values) string
	// Open returns the source of one stream for one query.
	Open func(o OpenContext) (Source, error)
	// Feed takes rows that INSERT INTO stream VALUES gives to a stream, with its stored
	// columns in any order; nil if the connector cannot be fed. Drop forgets them when
	// the stream is dropped or replaced.
	Feed func(stream string, rec arrow.Record) error
	Drop func(stream string)
}

// Sight is what a connector sees when it looks for the data of a stream.
type Sight struct {
	Found string // what there is, such as "3 files of 120 bytes at 'in'"
	Empty bool   // it has no row to give
	Fix   string // what would have been there to read, if it is Empty; "" if unknown
}

// OpenContext is what Open gets.
type OpenContext struct {
	Stream  string
	Options Values
	// Fields are the columns to deliver, a subset of those declared, in the order
	// of the chunk.
	Fields []types.Field
	// Encode lists, per field, whether a VARCHAR column should come dictionary
	// encoded: it is a grouping key.
	Encode []bool
	// Declared are all columns that the stream declares and that are neither computed nor
	// METADATA, in their order, for data whose columns have no names. Nil is Fields.
	Declared []types.Field
	// Inferred says that the columns were guessed from a sample, not declared.
	Inferred bool
	// Formats says, per field, how the values of a TIMESTAMP or DATE are written: a format of
	// Spec.CheckFormat; "" is as the connector reads them. Nil is none.
	Formats []string
	// Metadata says, per field, which key of the Spec's Metadata a METADATA column is; ""
	// for a column of the data. Nil is none.
	Metadata []string
	// Notice takes messages that arise outside of reading a Segment, such as a file
	// that is passed over; nil drops them. It is said once per query and text.
	Notice func(text string)
}

// Metadata is something that a connector knows of every row besides its data: what a
// METADATA column can be.
type Metadata struct {
	Name    string   // the key
	Aliases []string // other names of it
	Type    types.Type
	Summary string
}

// Option is a declared option of a connector, a format or the session.
type Option struct {
	Name    string
	Type    string // StringOption and so on
	Default string // as text; "" means none
	Summary string
	Values  []string // the accepted values, if they are a closed list
	// Min and Max bound an IntegerOption; Max 0 is no bound.
	Min, Max int64
}

// Values are the options of one stream, checked against the Spec: every key is
// declared and every value has the declared type (string, int64, bool; durations
// are int64 microseconds, bytes int64). BaseDir is where relative paths start.
type Values struct {
	BaseDir string
	Set     map[string]any
	// Owner is the database that the folders which a connector writes to belong to; nil: none.
	Owner *owner.Claim
}

// String returns a string option or "".
func (v Values) String(key string) string { s, _ := v.Set[key].(string); return s }

// Int returns an integer, duration or bytes option or 0.
func (v Values) Int(key string) int64 { n, _ := v.Set[key].(int64); return n }

// Bool returns a boolean option or false.
func (v Values) Bool(key string) bool { b, _ := v.Set[key].(bool); return b }
