// Package format is the contract between a connector that has bytes and the formats
// that turn them into rows. A format of text records is a package below it with a
// Shape; Parquet, which is no sequence of records, has a reader of its own.
package format

import (
	"bytes"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// Shape is a compiled schema of a format whose files are records one behind the other.
// It is safe for concurrent use.
type Shape interface {
	// Ends finds records in a block that starts with one: the first records of it, at
	// most max of them, end at end, each with its line end. A last record without a line
	// end is none.
	Ends(block []byte, max int64) (end int, records int64)
	// LastEnd is Ends without a limit, and quicker.
	LastEnd(block []byte) int
	// Complete reports whether a last record that lacks its line end can be taken for
	// whole. start is the start of the file, as far as it is at hand.
	Complete(start, record []byte) bool
	// Rest returns what finds the end of a record that is too long to be kept, whose start is
	// given: called with the blocks that follow it one by one, it returns whether the record
	// ends in or in front of the block, and where.
	Rest(start []byte) func(block []byte) (end int, done bool)
	// Header reports that the first record of a file names its columns.
	Header() bool
	NewDecoder() Decoder
}

// Decoder turns blocks of whole records into chunks. It is used by one goroutine. Keep
// it for further input: what it has learned of the rows makes it faster.
type Decoder interface {
	// Begin starts on new input. chunkRows is the most rows of a chunk.
	Begin(in Input, chunkRows int, out Output)
	// Decode reads a block of whole records; only the last one of the input may lack its
	// line end. Up to column.Slack bytes behind the block are overwritten if the block
	// has the capacity; otherwise it is copied.
	Decode(block []byte) error
	// Finish emits the last chunk of the input. It is called after an error, too, and
	// then only gives the memory back.
	Finish(failed bool) error
	// Refuse reports a record that the caller could not even hand over, as one line.
	Refuse(start []byte, reason string) error
	// PlaceOf tells where a row of the chunk that is being emitted was read.
	PlaceOf(row int) Place
	// TextOf returns the text of such a row, cut to RawMax. It is "" for a row of an
	// earlier block, and must not be asked for when the caller has changed the block
	// since.
	TextOf(row int) string
}

// Input is what a Decoder is told of the bytes that come.
type Input struct {
	// Name is the file, as the user would write it.
	Name string
	// Line is the number of the first line, from 1.
	Line int64
	// Header is the first record of the file, for a format that has one; nil if the
	// input begins with it.
	Header []byte
	// Values says that records end where their values do, not lines; of JSON.
	Values bool
}

// Place is where a row starts.
type Place struct {
	Line   int64
	Offset int64 // bytes of the input before it
}

// Output is where a Decoder reports. All of it is called from the goroutine that
// calls the Decoder.
type Output struct {
	// Emit takes a chunk, which is released when it returns.
	Emit func(rec arrow.Record) error
	// Bad takes a record that is no row. An error stops the decoder.
	Bad func(b Bad) error
	// Notice takes a message to the user.
	Notice func(text string)
}

// Bad is one refused record.
type Bad struct {
	Line   int64  // where it starts
	Column string // "" for the whole record
	Reason string
	Raw    string // its text, cut to RawMax, valid UTF-8
}

// NotUTF8 is the Reason of text in another encoding.
const NotUTF8 = "text is not valid UTF-8"

// RawMax is how much of a refused record is kept.
const RawMax = 4096

// ChunkBytesMax is the input after which a Decoder ends a chunk early, so that the text
// of one column stays far below the 2 GiB that Arrow can address.
const ChunkBytesMax = 64 << 20

// RecordBytesMax is the longest record there can be: with the records before it, the
// text of a chunk must stay below the 2 GiB that Arrow can address.
const RecordBytesMax = 1 << 30

// Raw returns the start of a record as valid UTF-8.
func Raw(record []byte) string {
	record = bytes.TrimSuffix(record, []byte("\r"))
	if len(record) > RawMax {
		record = record[:RawMax]
	}
	return strings.ToValidUTF8(string(record), "\uFFFD")
}
