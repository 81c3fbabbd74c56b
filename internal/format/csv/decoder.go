package csv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// Decoder turns blocks of records into chunks. It is used by one goroutine.
type Decoder struct {
	shape     *Shape
	chunk     *column.Chunk
	in        format.Input
	out       format.Output
	rowsMax   int
	recordMax int

	// The bytes at which a scan stops, each in all bytes of a word.
	stopField, stopQuote, stopEscape uint64

	buf   []byte // the block and column.Slack bytes behind it
	n     int    // the length of the block
	row   int    // rows in the chunk
	bytes int    // and about how much input they took
	line  int64  // of the record being read
	start int    // of it in the block
	inner int64  // newlines in its quoted fields

	steps   []step            // how the fields of a record are read, in order
	missing []*column.Builder // columns that the file has not
	header  string            // the record that steps and missing were made of
	others  []format.Name     // fields of the header that no column reads
	foreign string            // why no record of the input is a row, if its header tells
	ready   bool              // steps and missing are those of this input

	base    int64   // bytes of the input before the block
	places  []place // by row of the chunk: where it was read
	inBlock int     // the first row of the chunk that the present block has
	scratch []byte  // an unescaped field
	said    map[string]bool
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
		d.chunk.Discard()
		d.row = 0
	}
	d.in, d.out, d.rowsMax, d.line, d.ready = in, out, chunkRows, in.Line, false
	d.base, d.n = 0, 0
	if !d.shape.options.Header {
		if d.steps == nil {
			d.setSteps(d.shape.options.Columns)
		}
		d.ready = true
	} else if in.Header != nil {
		d.takeHeader(in.Header)
	}
}

// Decode implements format.Decoder.
func (d *Decoder) Decode(block []byte) error {
	d.base, d.n = d.base+int64(d.n), len(block)
	if cap(block)-d.n < column.Slack {
		block = append(make([]byte, 0, d.n+column.Slack), block...)
	}
	// What stands behind the block ends every scan: a newline, and a quote that can only
	// be one that was looked for in vain.
	d.buf = block[:d.n+column.Slack]
	clear(d.buf[d.n:])
	d.buf[d.n], d.buf[d.n+1] = '\n', d.shape.options.Quote
	d.inBlock = d.row
	for p := 0; p < d.n; {
		if !d.ready {
			end := d.recordEnd(p)
			if record := d.buf[p:min(end, d.n)]; !IsSeparatorLine(record) {
				d.takeHeader(record)
			}
			d.line += int64(bytes.Count(d.buf[p:end], []byte{'\n'}))
			p = end
			continue
		}
		end, err := d.record(p)
		if err != nil {
			return err
		}
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

// record reads the record at p, or an empty line, and returns where the next one
// starts.
func (d *Decoder) record(p int) (int, error) {
	if d.buf[p] == '\n' || d.buf[p] == '\r' && d.buf[p+1] == '\n' {
		d.line++
		return p + 1 + int(d.buf[p]&1), nil // '\r' is odd, '\n' is even
	}
	if d.chunk.Start(d.rowsMax) {
		d.row, d.bytes, d.inBlock = 0, 0, 0
		if len(d.places) < d.rowsMax {
			d.places = make([]place, d.rowsMax)
		}
	}
	d.start, d.inner = p, 0
	end, f := 0, (*cell.Fault)(nil)
	if d.foreign == "" {
		end, f = d.fields(p)
	} else {
		f = &cell.Fault{Reason: d.foreign}
	}
	if f == nil && end-1-p <= d.recordMax {
		d.places[d.row] = place{format.Place{Line: d.line, Offset: d.base + int64(p)}, end - 1 - p}
		d.row++
		d.line += 1 + d.inner
		return end, nil
	}
	if f == nil {
		f = &cell.Fault{Reason: fmt.Sprintf("line is longer than %d bytes (option line_bytes_max)", d.recordMax)}
	}
	d.chunk.Reset(d.row)
	end = d.recordEnd(p)
	line := d.line
	d.line += int64(bytes.Count(d.buf[p:end], []byte{'\n'}))
	if len(d.steps) > 1 && len(bytes.TrimSpace(d.buf[p:end])) == 0 {
		return end, nil // a line of blanks is as empty as one without
	}
	return end, d.out.Bad(format.Bad{Line: line, Column: f.Column, Reason: f.Reason, Raw: format.Raw(d.buf[p : end-1])})
}

// recordEnd returns the end of the record at p.
func (d *Decoder) recordEnd(p int) int {
	// The newline behind the block may end the last record.
	return p + d.shape.options.firstEnd(d.buf[p:d.n+1], true)
}

// Finish implements format.Decoder.
func (d *Decoder) Finish(failed bool) error {
	if failed || d.row == 0 {
		d.chunk.Discard()
		d.row = 0
		return nil
	}
	return d.flush()
}

// Refuse implements format.Decoder.
func (d *Decoder) Refuse(start []byte, reason string) error {
	err := d.out.Bad(format.Bad{Line: d.line, Reason: reason, Raw: format.Raw(start)})
	d.line += 1 + int64(bytes.Count(start, []byte{'\n'}))
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
	return format.Raw(d.buf[start : start+int64(d.places[row].size)])
}

// flush emits the rows so far.
func (d *Decoder) flush() error {
	rec := d.chunk.Record(d.row)
	d.row, d.bytes = 0, 0
	defer rec.Release()
	return d.out.Emit(rec)
}

// takeHeader learns the columns of the file from its first record.
func (d *Decoder) takeHeader(record []byte) {
	d.ready = true
	if d.header != string(record) || d.steps == nil {
		d.header = string(record)
		d.learnHeader(record)
	}
	if d.foreign != "" {
		d.notice(fmt.Sprintf("file %q: %s; its rows are bad", d.in.Name, d.foreign))
	} else {
		d.shape.options.Drift.Fits(d.in.Name)
	}
	d.shape.options.Drift.Found(d.in.Name, d.others)
}

func (d *Decoder) learnHeader(record []byte) {
	fields, _ := d.shape.options.fields(record)
	names := headerNames(fields)
	if d.foreign = d.shape.options.foreign(record, names); d.foreign != "" {
		d.others, d.missing, d.steps = nil, nil, make([]step, len(names))
		return
	}
	d.setSteps(names)
	d.others = d.others[:0]
	for i, s := range d.steps {
		if s.col == nil && strings.TrimSpace(fields[i]) != "" {
			d.others = append(d.others, format.Name{Path: names[i], Type: "VARCHAR"})
		}
	}
}

// setSteps finds the columns among the names of a file's fields.
func (d *Decoder) setSteps(names []string) {
	d.steps, d.missing = make([]step, len(names)), nil
	for i, f := range d.shape.options.Fields {
		found := false
		for k, name := range names {
			if d.steps[k].col == nil && strings.EqualFold(name, f.Name) {
				d.steps[k].col, found = d.chunk.Cols[i], true
				d.steps[k].op = d.opOf(d.chunk.Cols[i])
				break
			}
		}
		if !found {
			d.missing = append(d.missing, d.chunk.Cols[i])
			d.notice(fmt.Sprintf("column %q is not in the header of file %q and is NULL there", f.Name, d.in.Name))
		}
	}
}

// notice says a message once per decoder; the engine says it once per query.
func (d *Decoder) notice(text string) {
	if !d.said[text] && d.out.Notice != nil {
		d.said[text] = true
		d.out.Notice(text)
	}
}

// op is how a field is read.
type op uint8

const (
	opSkip   op = iota // no column has it
	opValue            // by the type and its format, without haste
	opText             // VARCHAR
	opBigInt           // BIGINT
	opInt              // any smaller or unsigned integer
	opDouble           // DOUBLE
	opTime             // TIMESTAMP
)

func (d *Decoder) opOf(c *column.Builder) op {
	switch k := c.Type.Kind; {
	case k == types.Varchar && !c.Type.JSON:
		return opText
	case k == types.BigInt:
		return opBigInt
	case c.Type.IsInteger():
		return opInt
	case k == types.Double && d.shape.options.Decimal == 0:
		return opDouble
	case k == types.Timestamp && c.Format == nil:
		return opTime
	}
	return opValue
}

// step is one field of a record.
type step struct {
	op     op
	col    *column.Builder // nil for opSkip
	minute cell.Minute     // of opTime
}

func load(b []byte, p int) uint64 { return binary.LittleEndian.Uint64(b[p : p+8]) }
