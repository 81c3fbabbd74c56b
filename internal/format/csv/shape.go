// Package csv reads delimited text straight into Arrow columns of a known schema.
//
// A record ends at a newline, with or without a carriage return before it, that is not
// inside a quoted field. A quote opens a field only as its first byte; anywhere else
// it is text. Every record has as many fields as the header, or as there are columns
// where there is none; more or fewer are a bad row. A quoted field ends at a quote before a
// delimiter or line end. A quote that opens none, because it is not closed or text follows
// the next quote, costs its own line only: reading goes on with the next one. So does one
// whose field would be longer than Dialect allows, or seems to be rows, see quotedEnd.
// Empty lines are nothing.
//
// A field that is the null text, in quotes or not, is NULL: by default that is the
// empty one, as with Spark and DuckDB. What other fields mean is said in package cell;
// DuckDB's other words for BOOLEAN, such as t, 0 and yes, are taken, too. A STRUCT, LIST
// or MAP is JSON text in a field, or the text that DuckDB writes.
//
// The bytes of a field are looked at once, eight at a time, and go from the block into
// the memory of the column.
package csv

import (
	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// Options describe the rows to read.
type Options struct {
	Dialect
	// Fields are the columns of the chunks. With a header they are found in it by name,
	// without case; the other columns are passed over.
	Fields []types.Field
	// Encode asks, per field, for dictionary encoding; only VARCHAR can have it. Nil
	// is none.
	Encode []bool
	// Formats are, per field, how the values of a DATE or TIMESTAMP are written; nil is as
	// Settings say.
	Formats []*types.TimeFormat
	// Columns are the names of all columns of a file without header, by position. Nil
	// is those of Fields.
	Columns []string
	cell.Settings
	// RecordBytesMax refuses longer records; 0 is format.RecordBytesMax.
	RecordBytesMax int
	// Drift hears of columns of a file that are not in Columns; nil does not.
	Drift *format.Drift
}

// Shape is a compiled schema. It is safe for concurrent use.
type Shape struct {
	options Options
	pool    *column.Pool
}

var _ format.Shape = (*Shape)(nil)

// NewShape compiles a schema. It refuses a dialect that contradicts itself, and types
// that a field cannot spell.
func NewShape(o Options) (*Shape, error) {
	if err := o.Dialect.check(); err != nil {
		return nil, err
	}
	for _, f := range o.Fields {
		if f.Type.Kind == types.IntervalKind {
			return nil, sqlerr.New("DATATYPE_MISMATCH", "column %q is %s, which CSV has no form for", f.Name, f.Type).
				WithHint("declare it VARCHAR and convert it in a computed column")
		}
	}
	if !o.Header && o.Columns == nil {
		for _, f := range o.Fields {
			o.Columns = append(o.Columns, f.Name)
		}
	}
	return &Shape{options: o, pool: &column.Pool{}}, nil
}

func (d *Dialect) check() error {
	if d.Decimal != 0 && d.Decimal == d.Delimiter {
		return sqlerr.New("INVALID_OPTION", "the delimiter %q cannot be the decimal separator, too", string(rune(d.Delimiter))).
			WithHint("say what parts the fields: delimiter = ';'")
	}
	for _, c := range [...]byte{d.Delimiter, d.Quote, d.Escape} {
		if c == '\n' || c == '\r' || c >= 0x80 {
			return sqlerr.New("INVALID_OPTION", "delimiter, quote and escape must be ASCII and no line end, found %q", string(rune(c)))
		}
	}
	if d.Delimiter == d.Quote || d.Delimiter == d.Escape && d.Quote != 0 || d.Delimiter == 0 {
		return sqlerr.New("INVALID_OPTION", "the delimiter %q cannot be the quote or the escape, too", string(rune(d.Delimiter)))
	}
	return nil
}

// Scribble makes the memory of released chunks unreadable; for tests.
func (s *Shape) Scribble() { s.pool.Scribble = true }

// Ends implements format.Shape.
func (s *Shape) Ends(block []byte, max int64) (end int, records int64) {
	return s.options.ends(block, max)
}

// LastEnd implements format.Shape.
func (s *Shape) LastEnd(block []byte) int { return s.options.lastEnd(block) }

// Rest implements format.Shape: what is longer than a record may be ends with its line.
func (s *Shape) Rest(start []byte) func(block []byte) (int, bool) { return format.LineRest(start) }

// Header implements format.Shape.
func (s *Shape) Header() bool { return s.options.Header }

// Complete reports whether a last record without line end has as many fields as it
// must have. Its last field may still be cut short: a caller that can wait should.
func (s *Shape) Complete(start, record []byte) bool {
	fields, open := s.options.fields(record)
	want := len(s.options.Columns)
	if s.options.Header {
		end := s.options.firstEnd(start, false)
		if IsSeparatorLine(start[:end]) {
			start = start[end:]
			end = s.options.firstEnd(start, false)
		}
		if end == 0 {
			return false
		}
		names, _ := s.options.fields(start[:end])
		want = len(names)
	}
	return !open && len(fields) == want
}

// NewDecoder implements format.Shape.
func (s *Shape) NewDecoder() format.Decoder { return s.newDecoder() }

func (s *Shape) newDecoder() *Decoder {
	d := &Decoder{shape: s, recordMax: s.options.RecordBytesMax, said: map[string]bool{}}
	if d.recordMax <= 0 || d.recordMax > format.RecordBytesMax {
		d.recordMax = format.RecordBytesMax
	}
	d.chunk = column.NewChunk(s.pool, s.options.Fields, s.options.Encode)
	d.chunk.SetFormats(s.options.Formats, s.options.Timestamps, s.options.Dates)
	d.stopField = lowBits * uint64(s.options.Delimiter)
	d.stopQuote, d.stopEscape = lowBits*uint64(s.options.Quote), lowBits*uint64(s.options.Escape)
	return d
}
