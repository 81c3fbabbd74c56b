package streamtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sinks"
	"ssql/sql/types"
)

// store is the sink of one query: a table for each output, with markers outside the
// engine, so that it outlives restarts and crashes as a database would.
type store struct {
	query  string
	tables []*table
	heads  map[string]sinks.Marker
	faults map[int64]string // batch to before or after; each happens once
	// crash, if set, is called before and after a batch is stored.
	crash func(point string, batch int64) error
}

var _ sinks.Sink = (*store)(nil)

// table is what came for one output.
type table struct {
	of      string // what its rows begin with: the target, in a statement set
	mode    types.Mode
	batches map[int64]written
}

// written is what came with a batch: rows and those that are no more, with the texts of
// their keys.
type written struct {
	rows, deletes        []string
	rowKeys, deletedKeys []string
	keyed                bool // rows replace those of their keys
}

func newStore(query string, outputs []*plan.Output) *store {
	s := &store{query: query, heads: map[string]sinks.Marker{}, faults: map[int64]string{}}
	for _, out := range outputs {
		t := &table{mode: out.Mode, batches: map[int64]written{}}
		if len(outputs) > 1 {
			t.of = out.Target + ": "
		}
		s.tables = append(s.tables, t)
	}
	return s
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
	for i, out := range b.Outputs {
		t := s.tables[i]
		t.batches[b.Batch] = written{
			rows: t.texts(out.Records), rowKeys: keyTexts(out.Records, out.Keys),
			deletes: t.texts(out.Deletes), deletedKeys: keyTexts(out.Deletes, out.Keys),
			keyed: out.Mode == types.Update && out.Keys != nil,
		}
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
	for _, t := range s.tables {
		rows = append(rows, t.written()...)
	}
	return rows
}

func (t *table) written() []string {
	var rows []string
	for _, batch := range sortedBatches(t.batches) {
		if t.mode == types.Complete {
			rows = nil
		}
		w := t.batches[batch]
		rows = append(append(rows, w.rows...), deleted(w.deletes)...)
	}
	return rows
}

// table returns what tables would hold: in update mode rows take the place of those of
// their keys.
func (s *store) table() []string {
	var rows []string
	for _, t := range s.tables {
		rows = append(rows, t.held()...)
	}
	return rows
}

func (t *table) held() []string {
	var rows, keys []string
	for _, batch := range sortedBatches(t.batches) {
		w := t.batches[batch]
		switch {
		case t.mode == types.Complete:
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

// texts returns the row lines of records.
func (t *table) texts(records []arrow.Record) []string {
	rows := []string{}
	for _, rec := range records {
		cells := make([]string, rec.NumCols())
		for i := range int(rec.NumRows()) {
			for c, column := range rec.Columns() {
				cells[c] = types.Text(column, i)
			}
			rows = append(rows, t.of+strings.Join(cells, cellSeparator))
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
