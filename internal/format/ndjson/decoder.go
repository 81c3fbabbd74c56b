package ndjson

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/format/column"
)

// Output is where a Decoder reports. All of it is called from the goroutine that
// calls the Decoder.
type Output struct {
	// Emit takes a chunk, which is released when it returns.
	Emit func(rec arrow.Record) error
	// Bad takes a line that is no row. An error stops the decoder.
	Bad func(b Bad) error
	// Notice takes a message to the user.
	Notice func(text string)
}

// Bad is one refused line.
type Bad struct {
	Line   int64
	Column string // "" for the whole line
	Reason string
	Raw    string // the line, cut to RawMax, valid UTF-8
}

// RawMax is how much of a refused line is kept.
const RawMax = 4096

// chunkBytesMax ends a chunk early, so that the text of one column stays far below
// the 2 GiB that Arrow can address.
const chunkBytesMax = 64 << 20

// Decoder turns blocks of lines into chunks. It is used by one goroutine.
type Decoder struct {
	shape   *Shape
	cols    []*column.Builder
	out     Output
	rowsMax int
	lineMax int

	buf   []byte // the block and column.Slack bytes behind it
	row   int    // rows in the chunk
	bytes int    // and about how much input they took
	line  int64  // of the row being read
	open  bool   // the builders have memory

	places  []place // by row of the chunk: where it was read
	inBlock int     // the first row of the chunk that the present block has

	steps   tree
	scratch []byte // an unescaped string
	keys    []byte // keys of the maps being read
	wrong   []wrongValue
	schema  *arrow.Schema
	said    map[string]bool // notices
}

// place is where a row of the chunk was read.
type place struct {
	line  int64
	start int // in the block
}

// Begin starts on new input whose first line has the given number. chunkRows is
// the most rows of a chunk.
func (d *Decoder) Begin(chunkRows int, line int64, out Output) {
	if d.open && chunkRows != d.rowsMax {
		d.discard()
	}
	d.rowsMax, d.line, d.out = chunkRows, line, out
}

// Decode reads a block of whole lines; only the last one of the input may lack its
// newline. Up to column.Slack bytes behind the block are overwritten if the
// block has the capacity; otherwise it is copied.
func (d *Decoder) Decode(block []byte) error {
	n := len(block)
	if cap(block)-n < column.Slack {
		block = append(make([]byte, 0, n+column.Slack), block...)
	}
	// A newline behind the block ends every loop of the scanners, and makes an
	// unterminated last line like any other.
	d.buf = block[:n+column.Slack]
	clear(d.buf[n:])
	d.buf[n] = '\n'
	d.inBlock = d.row
	for p := 0; p < n; {
		if !d.open {
			d.start()
		}
		row, end := d.row, -1
		if d.steps.worthTrying() {
			end = d.walk(p)
		}
		if end >= 0 && end-1-p <= d.lineMax {
			d.row++
		} else {
			var err error
			if end, err = d.parse(p); err != nil {
				return err
			}
		}
		if d.row > row {
			d.places[row] = place{d.line, p}
		}
		d.line++
		d.bytes += end - p
		p = end
		if d.row == d.rowsMax || d.bytes >= chunkBytesMax {
			if err := d.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish emits the last chunk of the input. It is called after an error, too, and
// then only gives the memory back.
func (d *Decoder) Finish(failed bool) error {
	if failed {
		d.discard()
		return nil
	}
	d.noticeOtherCase(d.shape.root)
	if d.row == 0 {
		return nil
	}
	return d.flush()
}

// Line returns the number of the line that would come next.
func (d *Decoder) Line() int64 { return d.line }

// Refuse reports a line that the caller could not even hand over.
func (d *Decoder) Refuse(start []byte, reason string) error {
	err := d.out.Bad(Bad{Line: d.line, Reason: reason, Raw: cutRaw(start)})
	d.line++
	return err
}

func (d *Decoder) start() {
	for _, c := range d.cols {
		c.Start(d.rowsMax)
	}
	d.row, d.bytes, d.open, d.inBlock = 0, 0, true, 0
	if len(d.places) < d.rowsMax {
		d.places = make([]place, d.rowsMax)
	}
}

// RowAt tells where a row of the chunk that is being emitted was read: its line, and its
// text cut to RawMax. The text is "" for a row of an earlier block, and must not be
// asked for when the caller has changed the block since.
func (d *Decoder) RowAt(row int) (line int64, raw string) {
	at := d.places[row]
	if row < d.inBlock {
		return at.line, ""
	}
	end := at.start + bytes.IndexByte(d.buf[at.start:], '\n')
	return at.line, cutRaw(d.buf[at.start:end])
}

func (d *Decoder) discard() {
	if !d.open {
		return
	}
	for _, c := range d.cols {
		c.Finish(0).Release()
	}
	d.row, d.open = 0, false
}

// flush emits the rows so far.
func (d *Decoder) flush() error {
	arrays := make([]arrow.Array, len(d.cols))
	for i, c := range d.cols {
		arrays[i] = c.Finish(d.row)
	}
	rec := array.NewRecord(d.schemaOf(), arrays, int64(d.row))
	for _, a := range arrays {
		a.Release()
	}
	d.row, d.bytes, d.open = 0, 0, false
	defer rec.Release()
	return d.out.Emit(rec)
}

// schemaOf returns the schema of the chunk being built: dictionary columns may
// have become plain.
func (d *Decoder) schemaOf() *arrow.Schema {
	if d.schema != nil {
		same := true
		for i, c := range d.cols {
			same = same && d.schema.Field(i).Type == c.ArrowType()
		}
		if same {
			return d.schema
		}
	}
	fields := make([]arrow.Field, len(d.cols))
	for i, c := range d.cols {
		fields[i] = arrow.Field{Name: d.shape.options.Fields[i].Name, Type: c.ArrowType(), Nullable: true}
	}
	d.schema = arrow.NewSchema(fields, nil)
	return d.schema
}

// fault is why a line is no row.
type fault struct {
	column string // "" for the whole line
	reason string
}

// parse reads the line at p by the full grammar and returns where the next one
// starts.
func (d *Decoder) parse(p int) (int, error) {
	d.rollback()
	end, blank, f := d.parseLine(p)
	if f == nil && !blank && end-1-p > d.lineMax {
		f = &fault{reason: fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", d.lineMax)}
	}
	switch {
	case blank:
		return end, nil
	case f == nil:
		d.row++
		return end, nil
	}
	d.rollback()
	end = p + bytes.IndexByte(d.buf[p:], '\n') + 1
	return end, d.out.Bad(Bad{Line: d.line, Column: f.column, Reason: f.reason, Raw: cutRaw(d.buf[p : end-1])})
}

// parseLine reads one line: blanks or an object.
func (d *Decoder) parseLine(start int) (end int, blank bool, f *fault) {
	p := d.blanks(start)
	if d.buf[p] == '\n' {
		return p + 1, true, nil
	}
	if d.buf[p] != '{' {
		return 0, false, &fault{reason: "expected an object, found " + d.found(p)}
	}
	d.steps.begin(start)
	d.wrong = d.wrong[:0]
	if p, f = d.object(d.shape.root, d.cols, d.row, p, 1); f != nil {
		return 0, false, f
	}
	if p = d.blanks(p); d.buf[p] != '\n' {
		return 0, false, &fault{reason: "expected the end of the line behind the object, found " + d.found(p)}
	}
	if len(d.wrong) > 0 {
		return 0, false, d.wrong[0].why
	}
	d.steps.end(d.buf, p+1)
	return p + 1, false, nil
}

// rollback forgets what was written of the row.
func (d *Decoder) rollback() {
	for _, c := range d.cols {
		c.Reset(d.row)
	}
}

// cutRaw returns the start of a line as valid UTF-8.
func cutRaw(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) > RawMax {
		line = line[:RawMax]
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}

// notice says a message once per decoder; the engine says it once per query.
func (d *Decoder) notice(text string) {
	if !d.said[text] && d.out.Notice != nil {
		d.said[text] = true
		d.out.Notice(text)
	}
}

// noticeOtherCase tells of declared columns that never came while a key of other
// case did: the usual reason for a column of NULLs.
func (d *Decoder) noticeOtherCase(n *node) {
	if n == nil {
		return
	}
	for i := range n.other {
		if key := n.other[i].Load(); key != nil && !n.seen[i].Load() {
			d.notice(fmt.Sprintf("column %q never appears, but the key %q does: JSON keys are matched exactly",
				join(n.path, n.names[i]), join(n.path, *key)))
		}
	}
	for _, part := range n.parts {
		d.noticeOtherCase(part)
	}
}
