package streamtest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/sources"
	"ssql/sql/types"
)

// stream holds the rows of one input. They live outside the engine: a restart or crash
// finds them again.
type stream struct {
	name      string
	fields    []types.Field
	pending   []string // rows fed and not yet published
	fed       bool     // also when no row was fed: an empty file
	published []arrow.Record
}

func (s *stream) feed(lines []string) error {
	if _, err := parseRows(s.fields, lines); err != nil {
		return err
	}
	s.pending, s.fed = append(s.pending, lines...), true
	return nil
}

// publish makes the rows fed so far one file.
func (s *stream) publish() error {
	if !s.fed {
		return nil
	}
	rec, err := parseRows(s.fields, s.pending)
	if err != nil {
		return err
	}
	s.published = append(s.published, rec)
	s.pending, s.fed = nil, false
	return nil
}

// parseRows reads row lines.
func parseRows(fields []types.Field, lines []string) (arrow.Record, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, types.ArrowSchema(fields))
	defer b.Release()
	for _, line := range lines {
		cells, err := splitRow(line)
		if err != nil {
			return nil, err
		}
		if len(cells) != len(fields) {
			return nil, scriptError("%d cells for %d columns in row: %s", len(cells), len(fields), line)
		}
		for i, cell := range cells {
			if err := types.AppendText(b.Field(i), fields[i].Type, strings.TrimSpace(cell)); err != nil {
				return nil, scriptError("column %q in row %q: %v", fields[i].Name, line, err)
			}
		}
	}
	return b.NewRecord(), nil
}

var quotedCell = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)

const cellSeparator = " | "

// splitRow cuts a row line into cells. A quoted cell may hold the separator.
func splitRow(line string) ([]string, error) {
	var cells []string
	for rest := line; ; {
		cut := strings.Index(rest, cellSeparator)
		if quoted := quotedCell.FindString(rest); quoted != "" {
			cut = len(quoted)
		}
		if cut < 0 || cut == len(rest) {
			return append(cells, rest), nil
		}
		cells = append(cells, rest[:cut])
		if !strings.HasPrefix(rest[cut:], cellSeparator) {
			return nil, scriptError("expected %q behind %s in row: %s", cellSeparator, rest[:cut], line)
		}
		rest = rest[cut+len(cellSeparator):]
	}
}

// files is the range of published files that a batch reads.
type files struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// source reads one stream for one query.
type source struct {
	stream      *stream
	columns     []int // of the stream, in the order of the scan
	schema      *arrow.Schema
	segmentRows int // 0: a file is one segment
	at          int // files read so far
}

var _ sources.Source = (*source)(nil)

func newSource(s *stream, fields []types.Field, segmentRows int) (*source, error) {
	src := &source{stream: s, schema: types.ArrowSchema(fields), segmentRows: segmentRows}
	for _, f := range fields {
		at := -1
		for i, g := range s.fields {
			if strings.EqualFold(f.Name, g.Name) {
				at = i
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("stream %q has no column %q", s.name, f.Name)
		}
		src.columns = append(src.columns, at)
	}
	return src, nil
}

// Restore sets the position.
func (s *source) Restore(position []byte) error {
	if position == nil {
		return nil
	}
	return json.Unmarshal(position, &s.at)
}

// Next returns all files that were published since.
func (s *source) Next(context.Context, sources.Limits) (sources.Range, error) {
	if s.at == len(s.stream.published) {
		return nil, nil
	}
	return json.Marshal(files{s.at, len(s.stream.published)})
}

// Advance moves behind a range.
func (s *source) Advance(r sources.Range) error {
	var f files
	if err := json.Unmarshal(r, &f); err != nil {
		return err
	}
	s.at = f.To
	return nil
}

// Position returns the number of files read.
func (s *source) Position() ([]byte, error) { return json.Marshal(s.at) }

// Offset returns the same for progress.
func (s *source) Offset() json.RawMessage { return fmt.Appendf(nil, `{"logOffset":%d}`, s.at-1) }

// Segments returns a segment for each file, or for so many rows of it.
func (s *source) Segments(_ context.Context, r sources.Range) ([]sources.Segment, error) {
	var f files
	if err := json.Unmarshal(r, &f); err != nil {
		return nil, err
	}
	var segments []sources.Segment
	for _, rec := range s.stream.published[f.From:f.To] {
		columns := make([]arrow.Array, len(s.columns))
		for i, c := range s.columns {
			columns[i] = rec.Column(c)
		}
		rows := rec.NumRows()
		rec = array.NewRecord(s.schema, columns, rows)
		step := int64(s.segmentRows)
		if step == 0 {
			step = max(rows, 1)
		}
		for at := int64(0); at < rows; at += step {
			segments = append(segments, segment{rec.NewSlice(at, min(at+step, rows))})
		}
	}
	return segments, nil
}

// Commit does nothing: published rows stay.
func (s *source) Commit(sources.Range) error { return nil }

// Description names the stream.
func (s *source) Description() string { return "memory[" + s.stream.name + "]" }

// Close does nothing.
func (s *source) Close() error { return nil }

type segment struct{ rec arrow.Record }

// Read emits the rows in chunks.
func (s segment) Read(_ context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	rows := s.rec.NumRows()
	for at := int64(0); at < rows; at += int64(c.ChunkRows) {
		chunk := s.rec.NewSlice(at, min(at+int64(c.ChunkRows), rows))
		err := emit(chunk)
		chunk.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
