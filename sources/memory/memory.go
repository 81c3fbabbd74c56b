// Package memory is the connector for rows given by INSERT INTO stream VALUES: demos,
// tests and small corrections.
//
// The rows of a stream live in the process for as long as the stream does, and each
// query reads all of them, with a position of its own. A Range carries its rows, so
// that a batch that was planned before a crash is run again with the same rows in
// the next process. Rows that no query has planned when the process ends are gone.
package memory

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sources"
)

// bytesMax is what a stream may hold: every row is in memory and in the log.
const bytesMax = 256 << 20

// Spec returns the connector's row. Its streams belong to it: every call makes a
// connector without any.
func Spec() sources.Spec {
	h := &hub{streams: map[string]*Stream{}}
	return sources.Spec{
		Name:     "memory",
		Summary:  "rows given by INSERT INTO stream VALUES, as long as the session lasts",
		Metadata: metadata(),
		Check:    func(sources.Values) error { return nil },
		Look:     h.look,
		Identity: func(sources.Values) string { return "memory" },
		Open: func(o sources.OpenContext) (sources.Source, error) {
			return &source{stream: h.stream(o.Stream), fields: o.Fields, metadata: o.Metadata, end: -1}, nil
		},
		Feed: func(stream string, rec arrow.Record) error { return h.stream(stream).Feed(rec) },
		Drop: h.drop,
	}
}

// hub holds the streams of a connector by name.
type hub struct {
	mu      sync.Mutex
	streams map[string]*Stream
}

func (h *hub) stream(name string) *Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.streams[name]
	if s == nil {
		s = NewStream()
		h.streams[name] = s
	}
	return s
}

// look says how many rows were inserted.
func (h *hub) look(name string, _ sources.Values) (sources.Sight, error) {
	rows := h.stream(name).count()
	if rows == 0 {
		return sources.Sight{
			Empty: true, Found: "no row was inserted in this session; rows of a stream in memory end with the session",
			Fix: "INSERT INTO " + name + " VALUES (...)",
		}, nil
	}
	return sources.Sight{Found: fmt.Sprintf("rows inserted in this session: %d", rows)}, nil
}

func (h *hub) drop(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, name)
}

// Stream is the rows that were fed so far. It is safe for concurrent use.
type Stream struct {
	id string // tells a position in these rows from one in those of another process

	mu    sync.Mutex
	feeds []feed
	rows  int64
	bytes int64
}

// feed is one record that was fed, the number of its first row, and when it came.
type feed struct {
	rec      arrow.Record
	first    int64
	atMicros int64
}

// NewStream returns an empty stream.
func NewStream() *Stream { return &Stream{id: rand.Text()} }

// Feed adds rows, with all columns of the stream. It keeps the record.
func (s *Stream) Feed(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := sizeOf(rec)
	if s.bytes+size > bytesMax {
		return sqlerr.New("E_LIMIT", "a stream in memory holds at most %d bytes", int64(bytesMax)).
			WithHint("write the rows to files and use connector = 'files'")
	}
	rec.Retain()
	s.feeds = append(s.feeds, feed{rec, s.rows, time.Now().UnixMicro()})
	s.rows += rec.NumRows()
	s.bytes += size
	return nil
}

// count returns how many rows were fed.
func (s *Stream) count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows
}

// from returns what was fed from a row on.
func (s *Stream) from(row int64) []feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.feeds)
	for at > 0 && s.feeds[at-1].first+s.feeds[at-1].rec.NumRows() > row {
		at--
	}
	return s.feeds[at:len(s.feeds):len(s.feeds)]
}

// sizeOf returns the bytes of a record's buffers.
func sizeOf(rec arrow.Record) int64 {
	n := uint64(0)
	for _, c := range rec.Columns() {
		n += c.Data().SizeInBytes()
	}
	return int64(n)
}

// column returns the index of a column of a record.
func column(rec arrow.Record, name string) (int, error) {
	at := rec.Schema().FieldIndices(name)
	if len(at) != 1 {
		return 0, fmt.Errorf("a fed record has %d columns %q, want one", len(at), name)
	}
	return at[0], nil
}
