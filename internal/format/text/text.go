// Package text reads lines of text into the one column that there is, as Spark's format
// text does: what stands on a line is not looked into.
//
// A line ends at a newline, with or without a carriage return before it. An empty line is
// a row with the empty text, for a JSON column it is nothing. A line that is not UTF-8, or
// not JSON where the column is, is a bad row.
package text

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// Options describe the rows to read.
type Options struct {
	// Fields are the column that takes the line, or none where nobody reads it.
	Fields []types.Field
	// Encode is as that of the other formats.
	Encode []bool
	cell.Settings
	// LineBytesMax refuses longer lines; 0 is format.RecordBytesMax.
	LineBytesMax int
}

// Shape is a compiled schema. It is safe for concurrent use.
type Shape struct {
	options Options
	pool    *column.Pool
}

var _ format.Shape = (*Shape)(nil)

// NewShape compiles a schema.
func NewShape(o Options) *Shape { return &Shape{options: o, pool: &column.Pool{}} }

// Scribble makes the memory of released chunks unreadable; for tests.
func (s *Shape) Scribble() { s.pool.Scribble = true }

// Ends implements format.Shape.
func (s *Shape) Ends(block []byte, max int64) (end int, records int64) {
	return format.LineEnds(block, max)
}

// LastEnd implements format.Shape.
func (s *Shape) LastEnd(block []byte) int { return format.LastLineEnd(block) }

// Rest implements format.Shape.
func (s *Shape) Rest(start []byte) func(block []byte) (int, bool) { return format.LineRest(start) }

// Complete implements format.Shape: any text may be a whole line.
func (s *Shape) Complete(_, _ []byte) bool { return true }

// Header implements format.Shape.
func (s *Shape) Header() bool { return false }

// NewDecoder implements format.Shape.
func (s *Shape) NewDecoder() format.Decoder {
	d := &Decoder{shape: s, lineMax: s.options.LineBytesMax}
	if d.lineMax <= 0 || d.lineMax > format.RecordBytesMax {
		d.lineMax = format.RecordBytesMax
	}
	d.chunk = column.NewChunk(s.pool, s.options.Fields, s.options.Encode)
	return d
}

// Decoder turns blocks of lines into chunks. It is used by one goroutine.
type Decoder struct {
	shape   *Shape
	chunk   *column.Chunk
	out     format.Output
	rowsMax int
	lineMax int

	block   []byte
	base    int64 // bytes of the input before the block
	line    int64 // of the row being read
	row     int   // rows in the chunk
	bytes   int   // and how much input they took
	places  []place
	inBlock int // the first row of the chunk that the present block has
}

var _ format.Decoder = (*Decoder)(nil)

// place is where a row of the chunk was read.
type place struct {
	format.Place
	size int
}

// Begin implements format.Decoder.
func (d *Decoder) Begin(in format.Input, chunkRows int, out format.Output) {
	if chunkRows != d.rowsMax {
		d.discard()
	}
	d.rowsMax, d.line, d.out = chunkRows, in.Line, out
	d.base, d.block = 0, nil
}

// Decode implements format.Decoder.
func (d *Decoder) Decode(block []byte) error {
	d.base += int64(len(d.block))
	d.block, d.inBlock = block, d.row
	for p := 0; p < len(block); {
		end := len(block)
		if n := bytes.IndexByte(block[p:], '\n'); n >= 0 {
			end = p + n + 1
		}
		line := bytes.TrimSuffix(bytes.TrimSuffix(block[p:end], []byte("\n")), []byte("\r"))
		if err := d.take(p, line); err != nil {
			return err
		}
		d.line++
		d.bytes += end - p
		p = end
		if d.row == d.rowsMax || d.bytes >= format.ChunkBytesMax {
			if err := d.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take makes a row of the line at p.
func (d *Decoder) take(p int, line []byte) error {
	if d.chunk.Start(d.rowsMax) {
		d.row, d.bytes, d.inBlock = 0, 0, 0
		if len(d.places) < d.rowsMax {
			d.places = make([]place, d.rowsMax)
		}
	}
	blank, f := false, (*cell.Fault)(nil)
	switch {
	case len(line) > d.lineMax:
		f = &cell.Fault{Reason: fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", d.lineMax)}
	case !utf8.Valid(line):
		f = &cell.Fault{Reason: format.NotUTF8}
	default:
		for _, c := range d.chunk.Cols {
			if blank = c.Type.JSON && len(bytes.TrimSpace(line)) == 0; !blank {
				f = d.shape.options.SetText(c, d.row, line)
			}
		}
	}
	switch {
	case f != nil:
		d.chunk.Reset(d.row)
		return d.out.Bad(format.Bad{Line: d.line, Column: f.Column, Reason: f.Reason, Raw: format.Raw(line)})
	case !blank:
		d.places[d.row] = place{format.Place{Line: d.line, Offset: d.base + int64(p)}, len(line)}
		d.row++
	}
	return nil
}

// Finish implements format.Decoder.
func (d *Decoder) Finish(failed bool) error {
	if failed || d.row == 0 {
		d.discard()
		return nil
	}
	return d.flush()
}

// Refuse implements format.Decoder.
func (d *Decoder) Refuse(start []byte, reason string) error {
	err := d.out.Bad(format.Bad{Line: d.line, Reason: reason, Raw: format.Raw(start)})
	d.line++
	return err
}

// PlaceOf implements format.Decoder.
func (d *Decoder) PlaceOf(row int) format.Place { return d.places[row].Place }

// TextOf implements format.Decoder.
func (d *Decoder) TextOf(row int) string {
	if row < d.inBlock {
		return ""
	}
	start := d.places[row].Offset - d.base
	return format.Raw(d.block[start : start+int64(d.places[row].size)])
}

func (d *Decoder) discard() {
	d.chunk.Discard()
	d.row = 0
}

// flush emits the rows so far.
func (d *Decoder) flush() error {
	rec := d.chunk.Record(d.row)
	d.row, d.bytes = 0, 0
	defer rec.Release()
	return d.out.Emit(rec)
}
