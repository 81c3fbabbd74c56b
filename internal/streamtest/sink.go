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
	batches map[int64]written
	faults  map[int64]string // batch to before or after; each happens once
	// crash, if set, is called before and after a batch is stored.
	crash func(point string, batch int64) error
}

var _ sinks.Sink = (*store)(nil)

// written is what came with a batch: rows and those that are no more, with the texts of
// their keys.
type written struct {
	rows, deletes        []string
	rowKeys, deletedKeys []string
	keyed                bool // rows replace those of their keys
}

func newStore(query string, mode sinks.Mode) *store {
	return &store{query: query, mode: mode, heads: map[string]sinks.Marker{}, batches: map[int64]written{}, faults: map[int64]string{}}
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
	out := &b.Outputs[0]
	s.batches[b.Batch] = written{
		rows: rowTexts(out.Records), rowKeys: keyTexts(out.Records, out.Keys),
		deletes: rowTexts(out.Deletes), deletedKeys: keyTexts(out.Deletes, out.Keys),
		keyed: out.Mode == sinks.Update && out.Keys != nil,
	}
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
// was written, and every row that was said to be no more.
func (s *store) rows() []string {
	var rows []string
	for _, batch := range sortedBatches(s.batches) {
		if s.mode == sinks.Complete {
			rows = nil
		}
		w := s.batches[batch]
		rows = append(append(rows, w.rows...), deleted(w.deletes)...)
	}
	return rows
}

// table returns what a table would hold: in update mode rows take the place of those of
// their keys.
func (s *store) table() []string {
	var rows, keys []string
	for _, batch := range sortedBatches(s.batches) {
		w := s.batches[batch]
		switch {
		case s.mode == sinks.Complete:
			rows, keys = nil, nil
		case w.keyed:
			gone := slices.Concat(w.rowKeys, w.deletedKeys)
			var left, leftKeys []string
			for i, k := range keys {
				if !slices.Contains(gone, k) {
					left, leftKeys = append(left, rows[i]), append(leftKeys, k)
				}
			}
			rows, keys = left, leftKeys
		}
		rows, keys = append(rows, w.rows...), append(keys, w.rowKeys...)
	}
	return rows
}

func sortedBatches(batches map[int64]written) []int64 {
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

// keyTexts returns the lines of the key columns of records.
func keyTexts(records []arrow.Record, keys []int) []string {
	var rows []string
	for _, rec := range records {
		for i := range int(rec.NumRows()) {
			cells := make([]string, len(keys))
			for c, k := range keys {
				cells[c] = types.Text(rec.Column(k), i)
			}
			rows = append(rows, strings.Join(cells, cellSeparator))
		}
	}
	return rows
}

// deleted marks lines as those of rows that the result has no more.
func deleted(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = "deleted " + r
	}
	return out
}
