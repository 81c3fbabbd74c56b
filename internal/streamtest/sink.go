package streamtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// store is the sink of one query: a table with markers outside the engine, so that it
// outlives restarts and crashes as a database would.
type store struct {
	query   string
	mode    sinks.Mode
	heads   map[string]sinks.Marker
	batches map[int64][]string
	faults  map[int64]string // batch to before or after; each happens once
	// crash, if set, is called before and after a batch is stored.
	crash func(point string, batch int64) error
}

var _ sinks.Sink = (*store)(nil)

func newStore(query string, mode sinks.Mode) *store {
	return &store{query: query, mode: mode, heads: map[string]sinks.Marker{}, batches: map[int64][]string{}, faults: map[int64]string{}}
}

// injectedFault is the failure that the verb fault asks for.
type injectedFault struct {
	when  string
	batch int64
}

// Error returns the text that the recorder of the goldens prints.
func (f *injectedFault) Error() string {
	return fmt.Sprintf("sink failed %s batch %d was written", f.when, f.batch)
}

// Head returns the newest marker of a query.
func (s *store) Head(_ context.Context, queryID string) (sinks.Marker, bool, error) {
	m, ok := s.heads[queryID]
	return m, ok, nil
}

// Write stores a batch and its marker.
func (s *store) Write(_ context.Context, b *sinks.Batch) error {
	if head, ok := s.heads[b.QueryID]; ok && (b.Batch <= head.Batch || b.Generation < head.Generation) {
		return sqlerr.New("E_FENCED", "batch %d of query %q comes after batch %d is stored", b.Batch, s.query, head.Batch)
	}
	when := s.faults[b.Batch]
	delete(s.faults, b.Batch)
	if when == "before" {
		return &injectedFault{when, b.Batch}
	}
	if err := s.reach("planned", b.Batch); err != nil {
		return err
	}
	s.batches[b.Batch] = rowTexts(b.Outputs[0].Records)
	s.heads[b.QueryID] = b.Marker
	if when == "after" {
		return &injectedFault{when, b.Batch}
	}
	return s.reach("written", b.Batch)
}

func (s *store) reach(point string, batch int64) error {
	if s.crash == nil {
		return nil
	}
	return s.crash(point, batch)
}

// Transactional reports true.
func (s *store) Transactional() bool { return true }

// Close does nothing: the rows stay.
func (s *store) Close() error { return nil }

// rows returns what the sink holds: in complete mode the last table, else every row that
// was written.
func (s *store) rows() []string {
	var rows []string
	for _, batch := range sortedBatches(s.batches) {
		if s.mode == sinks.Complete {
			rows = nil
		}
		rows = append(rows, s.batches[batch]...)
	}
	return rows
}

func sortedBatches(batches map[int64][]string) []int64 {
	ids := make([]int64, 0, len(batches))
	for id := range batches {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// rowTexts returns the row lines of records.
func rowTexts(records []arrow.Record) []string {
	rows := []string{}
	for _, rec := range records {
		cells := make([]string, rec.NumCols())
		for i := range int(rec.NumRows()) {
			for c, column := range rec.Columns() {
				cells[c] = types.Text(column, i)
			}
			rows = append(rows, strings.Join(cells, cellSeparator))
		}
	}
	return rows
}
