// Package arrowtext writes the values of Arrow arrays as JSON and as text, for everything
// that shows or stores them: the output modes of the shell, files of results, late and bad
// rows, casts to VARCHAR.
//
// A value is written in one way everywhere, DuckDB's: doubles as 2.0, times as
// 2024-02-29 23:59:59.5, lists as [1, NULL], structs as {'a': 1}, maps as {k=1}; in JSON
// numbers are numbers, what JSON has no number for (NaN, Infinity) is text, bytes are base64,
// a map is an object whose keys are text, and JSON is itself. Where a place needs it
// otherwise, a field of Style says so, and why.
//
// A column is asked for once per array and its function called row by row, so that no
// value is looked up by its type. Spelling of single values is in sql/types; types.Text,
// the notation of stream scripts, is for reading back and differs.
package arrowtext

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Style is in what the places differ that write values. The zero value is DuckDB's way.
type Style struct {
	// ISOTimes writes a TIMESTAMP as 2024-02-29T23:59:59.5Z: readers of files other than
	// DuckDB take a time without a zone for one of their own zone, or for a text. Infinite
	// times and years before Christ, which ISO 8601 has no text for, stay DuckDB's.
	ISOTimes bool
	// TextDecimals writes a DECIMAL of more than 15 digits as text into JSON: a reader that
	// holds numbers as doubles, DuckDB's too, would round it.
	TextDecimals bool
	// TerminalEscapes writes what drives a terminal as \u009b in JSON, where DEL, C1 and
	// marks of direction may stand as they are. Text is escaped by who prints it.
	TerminalEscapes bool
	// Base64 writes bytes as base64 in text too: the readers of streams want them so, and
	// other readers of CSV do not know DuckDB's \x00.
	Base64 bool
	// NestedJSON writes nested values as JSON in text: DuckDB's own form cannot be read back
	// once a text holds a comma or a bracket.
	NestedJSON bool
	// NaNInfinity writes NaN and Infinity in text instead of DuckDB's nan and inf, as in JSON:
	// Java's readers of CSV (Spark, Flink) know no other words.
	NaNInfinity bool
	// BareFractions writes a DECIMAL that has no digits ahead of its point as .50, as DuckDB's
	// cast does; JSON has no such number, and who reads a table misses the 0.
	BareFractions bool
}

// The styles of the places that write values, in alphabetic order.
var (
	// Cast is CAST to VARCHAR, whose text is DuckDB's in every character.
	Cast = Style{BareFractions: true}
	// Console is what the shell prints.
	Console = Style{TerminalEscapes: true}
	// Files is what results in JSON and CSV files are written in, and the names of folders.
	Files = Style{ISOTimes: true, TextDecimals: true, Base64: true, NestedJSON: true, NaNInfinity: true}
	// SideRows is the JSON of late and bad rows, which are read in SQL.
	SideRows = Style{}
)

// Cell appends the value of one row of an array. A Cell keeps a buffer of its own: one
// goroutine at a time may call it.
type Cell func(dst []byte, row int) []byte

// IsNull reports whether a row is NULL, also one whose dictionary or whose part of a union
// says so.
func IsNull(a arrow.Array, row int) bool {
	switch a := a.(type) {
	case *array.Dictionary:
		return a.IsNull(row) || IsNull(a.Dictionary(), a.GetValueIndex(row))
	case *array.Null:
		return true
	case array.Union:
		part, at := unionValue(a, row)
		return IsNull(part, at)
	}
	return a.IsNull(row)
}

// mayNull reports whether IsNull can be true of a row.
func mayNull(a arrow.Array) bool {
	switch a.(type) {
	case *array.Dictionary, *array.Null, array.Union:
		return true
	}
	return a.NullN() > 0
}

// orNull is a cell that writes a word in the place of NULL.
func orNull(a arrow.Array, word string, value Cell) Cell {
	if !mayNull(a) {
		return value
	}
	return func(dst []byte, row int) []byte {
		if IsNull(a, row) {
			return append(dst, word...)
		}
		return value(dst, row)
	}
}

// unionValue is the array and the row that hold a value of a union.
func unionValue(a array.Union, row int) (part arrow.Array, at int) {
	if d, ok := a.(*array.DenseUnion); ok {
		at = int(d.ValueOffset(row))
	} else {
		at = row
	}
	return a.Field(a.ChildID(row)), at
}

// structFields are the fields of a struct as its column declares them: the array itself
// may not know which of its texts are JSON.
func structFields(f arrow.Field, a *array.Struct) []arrow.Field {
	if t, ok := f.Type.(*arrow.StructType); ok && t.NumFields() == a.NumField() {
		return t.Fields()
	}
	return a.DataType().(*arrow.StructType).Fields()
}

// itemField is the declared field of the elements of a list.
func itemField(f arrow.Field, a array.ListLike) arrow.Field {
	type list interface{ ElemField() arrow.Field }
	if t, ok := f.Type.(list); ok {
		return t.ElemField()
	}
	if t, ok := a.DataType().(list); ok {
		return t.ElemField()
	}
	return arrow.Field{}
}

// valueField is the declared field of the values of a map.
func valueField(f arrow.Field, a *array.Map) arrow.Field {
	if t, ok := f.Type.(*arrow.MapType); ok {
		return t.ItemField()
	}
	return a.DataType().(*arrow.MapType).ItemField()
}
