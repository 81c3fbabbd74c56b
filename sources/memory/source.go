package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// source is one query's view of a Stream.
type source struct {
	stream *Stream
	fields []types.Field
	// metadata says, per field, which METADATA it is; "" for a column that was fed. Nil is
	// none.
	metadata []string
	at       position
	end      int64 // rows from here on are not there yet, see Freeze; -1: all are
}

var (
	_ sources.Source  = (*source)(nil)
	_ sources.Freezer = (*source)(nil)
	_ sources.Cutter  = (*source)(nil)
)

// position is where a query is. Next counts rows of the stream Stream only; in
// another process that stream is another one, read from its start.
type position struct {
	Offset int64  `json:"logOffset"` // of the last range; -1 before the first
	Stream string `json:"stream"`
	Next   int64  `json:"next"`
}

// batchRange is the Range of this connector, with its rows as an Arrow IPC stream.
type batchRange struct {
	Offset int64  `json:"logOffset"`
	Stream string `json:"stream"`
	To     int64  `json:"to"`
	Rows   []byte `json:"rows"`
}

// Open returns a source that delivers the given columns.
func (s *Stream) Open(fields []types.Field) sources.Source {
	return &source{stream: s, fields: fields, end: -1}
}

func (s *source) Restore(snapshot []byte) error {
	s.at = position{Offset: -1, Stream: s.stream.id}
	if snapshot == nil {
		return nil
	}
	var p position
	if err := json.Unmarshal(snapshot, &p); err != nil {
		return sqlerr.New("E_CKPT_CORRUPT", "position of the memory source cannot be read").Because(err)
	}
	s.at.Offset = p.Offset
	if p.Stream == s.stream.id {
		s.at.Next = p.Next
	}
	return nil
}

func (s *source) Position() ([]byte, error) { return json.Marshal(&s.at) }

func (s *source) Advance(r sources.Range) error {
	parsed, err := parseRange(r)
	if err != nil {
		return err
	}
	s.at.Offset = parsed.Offset
	if parsed.Stream == s.stream.id {
		s.at.Next = parsed.To
	}
	return nil
}

func (s *source) Offset() json.RawMessage {
	if s.at.Offset < 0 {
		return nil
	}
	return fmt.Appendf(nil, "%d", s.at.Offset) // as Spark's MemoryStream
}

func (s *source) Description() string        { return "memory" }
func (s *source) Commit(sources.Range) error { return nil }
func (s *source) Close() error               { return nil }

// Freeze makes what is fed from now on invisible.
func (s *source) Freeze(context.Context) error {
	s.end = s.stream.count()
	return nil
}

// Thaw undoes Freeze.
func (s *source) Thaw() { s.end = -1 }

// Next takes what was fed, in whole feeds but for a limit of rows.
func (s *source) Next(ctx context.Context, limits sources.Limits) (sources.Range, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := batchRange{Offset: s.at.Offset + 1, Stream: s.stream.id, To: s.at.Next}
	var recs []arrow.Record
	defer func() {
		for _, rec := range recs {
			rec.Release()
		}
	}()
	size := int64(0)
	for _, f := range s.stream.from(s.at.Next) {
		end := f.first + f.rec.NumRows()
		if s.end >= 0 {
			end = min(end, s.end)
		}
		if limits.RowsMax > 0 {
			end = min(end, s.at.Next+limits.RowsMax)
		}
		size += sizeOf(f.rec)
		full := limits.FilesMax > 0 && int64(len(recs)) >= limits.FilesMax || limits.BytesMax > 0 && size > limits.BytesMax
		if end <= out.To || full && len(recs) > 0 {
			break
		}
		rec, err := s.project(&f, out.To, end)
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
		out.To = end
	}
	if len(recs) == 0 {
		return nil, nil
	}
	rows, err := encode(s.schema(), recs)
	if err != nil {
		return nil, fmt.Errorf("encoding rows of a stream in memory: %w", err)
	}
	out.Rows = rows
	return json.Marshal(&out)
}

// Cut takes the first rows. The rows of another process are in the log alone and stay whole.
func (s *source) Cut(ctx context.Context, r sources.Range, limits sources.Limits) (sources.Range, error) {
	parsed, err := parseRange(r)
	if err != nil || parsed.Stream != s.stream.id {
		return r, err
	}
	shorter := *s
	shorter.end = parsed.To
	cut, err := shorter.Next(ctx, limits)
	if err != nil || cut == nil {
		return r, err
	}
	if now, err := parseRange(cut); err != nil || now.To == parsed.To {
		return r, err
	}
	return cut, nil
}

func (s *source) schema() *arrow.Schema { return types.ArrowSchema(s.fields) }

// project returns rows of a feed, by their numbers in the stream, with the columns of the
// source.
func (s *source) project(f *feed, from, to int64) (arrow.Record, error) {
	rec := f.rec.NewSlice(from-f.first, to-f.first)
	defer rec.Release()
	columns := make([]arrow.Array, len(s.fields))
	for i, field := range s.fields {
		if i < len(s.metadata) && s.metadata[i] != "" {
			columns[i] = metadataColumn(s.metadata[i], f, from, to)
			defer columns[i].Release()
			continue
		}
		at, err := column(rec, field.Name)
		if err != nil {
			return nil, err
		}
		columns[i] = rec.Column(at)
		if want := field.Type.Arrow(); !arrow.TypeEqual(columns[i].DataType(), want) {
			return nil, fmt.Errorf("column %q of a fed record is %s, want %s", field.Name, columns[i].DataType(), want)
		}
	}
	return array.NewRecord(s.schema(), columns, rec.NumRows()), nil
}

func encode(schema *arrow.Schema, recs []arrow.Record) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func parseRange(r sources.Range) (*batchRange, error) {
	var out batchRange
	if err := json.Unmarshal(r, &out); err != nil {
		return nil, fmt.Errorf("reading a range of the memory source: %w", err)
	}
	return &out, nil
}

// Segments returns the rows of a range as one segment.
func (s *source) Segments(_ context.Context, r sources.Range) ([]sources.Segment, error) {
	parsed, err := parseRange(r)
	if err != nil {
		return nil, err
	}
	return []sources.Segment{segment(parsed.Rows)}, nil
}

// segment is an Arrow IPC stream.
type segment []byte

func (g segment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	r, err := ipc.NewReader(bytes.NewReader(g))
	if err != nil {
		return fmt.Errorf("decoding rows of a stream in memory: %w", err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		for at := int64(0); at < rec.NumRows(); at += int64(c.ChunkRows) {
			if err := ctx.Err(); err != nil {
				return err
			}
			chunk := rec.NewSlice(at, min(at+int64(c.ChunkRows), rec.NumRows()))
			err := emit(chunk)
			chunk.Release()
			if err != nil {
				return err
			}
		}
	}
	return r.Err()
}
