package ndjson

import (
	"bytes"
	"fmt"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
)

// Decoder turns blocks of lines into chunks. It is used by one goroutine.
type Decoder struct {
	shape   *Shape
	chunk   *column.Chunk
	cols    []*column.Builder // of the chunk
	out     format.Output
	rowsMax int
	lineMax int

	buf   []byte // the block and column.Slack bytes behind it
	row   int    // rows in the chunk
	bytes int    // and about how much input they took
	line  int64  // of the row being read

	base    int64          // bytes of the input before the block
	size    int            // of the block
	places  []format.Place // by row of the chunk: where it was read
	starts  []int          // and where in the block, for those of the present one
	inBlock int            // the first row of the chunk that the present block has

	// origins are where the next lines of the block were found; none: they follow each other.
	origins  []format.Place
	byValues bool        // see Input.Values
	values   valueReader // if so

	steps   tree
	scratch []byte // an unescaped string
	keys    []byte // keys of the maps being read
	wrong   []wrongValue
	// otherCase are the columns of the row whose key was written in another case.
	otherCase []*column.Builder
	said      map[string]bool // notices

	file    string           // the input's name
	unknown map[unknown]bool // keys that are no columns
	others  []format.Name    // those of them that the input brought first
	foundIn int              // the batch, as Drift counts
	fits    bool             // a row had a key that is a column
}

var _ format.Decoder = (*Decoder)(nil)

// Begin implements format.Decoder; JSON has no header.
func (d *Decoder) Begin(in format.Input, chunkRows int, out format.Output) {
	if chunkRows != d.rowsMax {
		d.discard()
	}
	if in.Name != d.file && len(d.unknown) > 0 && d.shape.options.Drift.Untold(in.Name, d.foundIn) {
		// What other files had must be found again.
		d.steps = tree{}
		clear(d.unknown)
	}
	d.file, d.rowsMax, d.line, d.out, d.origins = in.Name, chunkRows, in.Line, out, nil
	d.base, d.size = 0, 0
	d.byValues, d.values = in.Values, valueReader{line: in.Line, lines: d.values.lines[:0], places: d.values.places[:0]}
}

// Decode implements format.Decoder.
func (d *Decoder) Decode(block []byte) error {
	if d.byValues {
		return d.decodeValues(block)
	}
	return d.decodeLines(block, nil)
}

// decodeLines decodes a block of lines. origins says where each was found, if they were
// brought there from elsewhere.
func (d *Decoder) decodeLines(block []byte, origins []format.Place) error {
	d.origins = origins
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
	d.base, d.size = d.base+int64(d.size), n
	for p := 0; p < n; {
		if d.chunk.Start(d.rowsMax) {
			d.start()
		}
		at := format.Place{Line: d.line, Offset: d.base + int64(p)}
		if len(d.origins) > 0 {
			at, d.origins = d.origins[0], d.origins[1:]
			d.line = at.Line
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
			d.places[row], d.starts[row] = at, p
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

// Finish implements format.Decoder.
func (d *Decoder) Finish(failed bool) error {
	if failed {
		d.discard()
		return nil
	}
	if d.fits {
		d.shape.options.Drift.Fits(d.file)
	}
	if len(d.others) > 0 {
		d.foundIn = d.shape.options.Drift.Found(d.file, d.others)
		d.others = d.others[:0]
	}
	if d.row == 0 {
		return nil
	}
	return d.flush()
}

// Refuse implements format.Decoder.
func (d *Decoder) Refuse(start []byte, reason string) error {
	if d.byValues {
		return d.refuseAt(d.values.line, start, reason)
	}
	d.line++
	return d.refuseAt(d.line-1, start, reason)
}

func (d *Decoder) refuseAt(line int64, start []byte, reason string) error {
	return d.out.Bad(format.Bad{Line: line, Reason: reason, Raw: format.Raw(start)})
}

func (d *Decoder) start() {
	d.row, d.bytes, d.inBlock = 0, 0, 0
	if len(d.places) < d.rowsMax {
		d.places, d.starts = make([]format.Place, d.rowsMax), make([]int, d.rowsMax)
	}
}

// PlaceOf implements format.Decoder.
func (d *Decoder) PlaceOf(row int) format.Place { return d.places[row] }

// TextOf implements format.Decoder.
func (d *Decoder) TextOf(row int) string {
	if row < d.inBlock {
		return ""
	}
	line := d.buf[d.starts[row]:]
	return format.Raw(line[:bytes.IndexByte(line, '\n')])
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

// fault is why a line is no row.
type fault = cell.Fault

// parse reads the line at p by the full grammar and returns where the next one
// starts.
func (d *Decoder) parse(p int) (int, error) {
	d.chunk.Reset(d.row)
	end, blank, f := d.parseLine(p)
	if f == nil && !blank && end-1-p > d.lineMax {
		f = &fault{Reason: fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", d.lineMax)}
	}
	switch {
	case blank:
		return end, nil
	case f == nil:
		d.row++
		return end, nil
	}
	d.chunk.Reset(d.row)
	end = p + bytes.IndexByte(d.buf[p:], '\n') + 1
	if way := d.shape.options.ValuesWay; way != "" && !d.byValues && partOfValues(d.buf[p:end]) {
		d.notice(fmt.Sprintf("file %q has JSON that is not one object per line, and each of its lines is a row or a bad row; %s", d.file, way))
	}
	return end, d.out.Bad(format.Bad{Line: d.line, Column: f.Column, Reason: f.Reason, Raw: format.Raw(d.buf[p : end-1])})
}

// parseLine reads one line: blanks or an object.
func (d *Decoder) parseLine(start int) (end int, blank bool, f *fault) {
	p := d.blanks(start)
	if d.buf[p] == '\n' {
		return p + 1, true, nil
	}
	if d.buf[p] != '{' {
		return 0, false, &fault{Reason: "expected an object, found " + d.found(p)}
	}
	d.steps.begin(start)
	d.wrong, d.otherCase = d.wrong[:0], d.otherCase[:0]
	if p, f = d.object(d.shape.root, d.cols, d.row, p, 1); f != nil {
		return 0, false, f
	}
	if p = d.blanks(p); d.buf[p] != '\n' {
		return 0, false, &fault{Reason: "expected the end of the line behind the object, found " + d.found(p)}
	}
	if len(d.wrong) > 0 {
		return 0, false, d.wrong[0].why
	}
	d.steps.end(d.buf, p+1)
	return p + 1, false, nil
}

// notice says a message once per decoder; the engine says it once per query.
func (d *Decoder) notice(text string) {
	if !d.said[text] && d.out.Notice != nil {
		d.said[text] = true
		d.out.Notice(text)
	}
}
