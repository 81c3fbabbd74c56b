package files

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"ssql/internal/format"
	"ssql/internal/format/ndjson"
	"ssql/sql/types"
)

// The values of the option records: whether a record of JSON ends with its line or with its
// value. Without the option the start of a file tells.
const (
	recordsAny   = "any"
	recordsLines = "lines"
)

// formBytes is how much of a file is looked at, at most, to tell its records.
const formBytes = 64 << 10

// values returns the shape of records that are values.
func (c *config) values(lines format.Shape) format.Shape {
	return ndjson.ValueShape{Shape: lines.(*ndjson.Shape)}
}

// isValues reports whether the records of a file are values, by the option or its start.
func (c *config) isValues(start []byte) bool {
	switch {
	case c.format.name != "json":
		return false
	case c.records != "":
		return c.records == recordsAny
	}
	return ndjson.FormOf(bytes.TrimPrefix(start, byteOrderMark)) == ndjson.ValuesForm
}

// valuesWay says how a file is read that turns out to have values instead of lines.
func (c *config) valuesWay(stream string) string {
	switch {
	case c.records == recordsLines:
		return "" // as was asked for
	case stream == "":
		return "CREATE STREAM with the option records = 'any' reads it"
	}
	return fmt.Sprintf("ALTER STREAM %s SET (records = 'any') reads it", types.QuoteIdent(stream))
}

// tellRecords finds out how the records of a plain file are told apart. The values of a file
// stay values while it grows; a file of one object may turn out to have more behind it.
func (s *source) tellRecords(f io.ReaderAt, p *pinned, last *state, head []byte) error {
	switch {
	case s.config.format.name != "json":
		return nil
	case s.config.records != "":
	case last != nil && last.Records != "":
		p.Records = last.Records
		return nil
	case p.Size > int64(len(head)) && ndjson.FormOf(bytes.TrimPrefix(head, byteOrderMark)) == ndjson.UnknownForm:
		head = make([]byte, min(p.Size, formBytes))
		if _, err := f.ReadAt(head, 0); err != nil {
			return err
		}
	}
	if s.config.isValues(head) {
		p.Records = recordsAny
	}
	return nil
}

// unitOf is what a record of a file is called.
func (s *source) unitOf(p *pinned) string {
	if p.Records == recordsAny {
		return "value"
	}
	return "line"
}

// isArray reports whether a file begins with an array of rows.
func (s *source) isArray(p *pinned, head []byte) bool {
	return p.Records == recordsAny && bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n"), []byte("["))
}

// arrayReady reports whether a file that begins with an array may be read: one that is a
// document waits until it is complete, as what is packed does. Arrays that follow each other
// are read as they come.
func (s *source) arrayReady(f *os.File, p *pinned, young bool) (bool, error) {
	if s.settled || s.config.growing || s.config.incomplete == incompleteRead && !young || !s.isCutShort(f, p) {
		return true, nil
	}
	s.waiting = s.waiting || young
	s.noticeIncomplete(p.Name)
	return false, nil
}

// behindValues returns to if nothing but what stands between values is there from at on, so
// that no batch has only the bracket that closes an array; else at.
func (s *source) behindValues(f io.ReaderAt, p *pinned, at, to int64) (int64, error) {
	if to-at > sampledBytes {
		return at, nil
	}
	rest := make([]byte, to-at)
	if _, err := f.ReadAt(rest, at); err != nil {
		return at, err
	}
	if s.cutterOf(p).Complete(nil, rest) {
		return to, nil
	}
	return at, nil
}

// openArray reports whether an array is not closed in the first size bytes of a file, and
// whether it is the first. The last bytes tell it of most files.
func openArray(f io.ReaderAt, size int64) (open, first bool) {
	tail := make([]byte, min(size, sampledBytes))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil || bytes.HasSuffix(bytes.TrimRight(tail, " \t\r\n"), []byte("]")) {
		return false, false
	}
	a, err := scanTo(f, size)
	if err != nil {
		return false, false // who reads it says so
	}
	return a.Open()
}

// scanTo goes over the first size bytes of a file.
func scanTo(f io.ReaderAt, size int64) (*ndjson.ArrayScan, error) {
	a := new(ndjson.ArrayScan)
	w := window{f: f, to: size}
	for w.at < size {
		block, err := w.load()
		if err != nil {
			return nil, err
		}
		a.Scan(block[markOf(block, w.at):])
		w.advance(len(block))
	}
	return a, nil
}

// restOfValue returns where the value ends in whose middle a byte is, at most size, and the
// start of what is between. The file is gone over from its start: that is known of no value.
func restOfValue(f io.ReaderAt, at, size int64) (end int64, rest []byte, err error) {
	a, err := scanTo(f, at)
	if err != nil {
		return 0, nil, err
	}
	w := window{f: f, at: at, to: size}
	for done := false; w.at < size && !done; {
		block, err := w.load()
		if err != nil {
			return 0, nil, err
		}
		var n int
		if n, done = a.Rest(block); rest == nil {
			rest = bytes.Clone(block[:min(n, restShown)])
		}
		if w.at += int64(n); !done {
			w.size = 0
		}
	}
	return w.at, bytes.TrimSpace(rest), nil
}
