// Package memory is a transactional sink that keeps its rows in the process, for tests
// and demonstrations. Its place is a Store: opening a sink on the same Store again is
// what a restart is for the sinks on disk.
package memory

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql/types"
)

// Name is the name of the connector.
const Name = "memory"

// Store holds the tables and markers of any number of sinks. It is safe for
// concurrent use. The zero value is empty.
type Store struct {
	// Faults break the sinks on the Store.
	Faults sinks.Faults

	mu     sync.Mutex
	tables map[string][]row
	heads  map[string]sinks.Marker
	side   map[string][]arrow.Record
}

// row is one row of a record, which the Store retains.
type row struct {
	rec arrow.Record
	i   int64
}

// Spec returns the connector's row.
func (st *Store) Spec() sinks.Spec {
	return sinks.Spec{Name: Name, Summary: "memory of the process, for tests", Open: st.Open, OpenAll: st.OpenAll}
}

// Open returns a sink into a table of the Store.
func (st *Store) Open(o sinks.OpenContext) (sinks.Sink, error) {
	return st.OpenAll([]sinks.OpenContext{o})
}

// OpenAll returns a sink into a table of the Store for each output.
func (st *Store) OpenAll(outputs []sinks.OpenContext) (sinks.Sink, error) {
	s := &sink{store: st, query: outputs[0].Query}
	for _, o := range outputs {
		s.tables = append(s.tables, o.Target)
	}
	return s, nil
}

// Rows returns the rows of a table as records of one row each, in the order in which they
// came. They are retained by the Store.
func (st *Store) Rows(table string) []arrow.Record {
	st.mu.Lock()
	defer st.mu.Unlock()
	var out []arrow.Record
	for _, r := range st.tables[table] {
		out = append(out, r.rec.NewSlice(r.i, r.i+1))
	}
	return out
}

// Side returns the side rows of a table, late_rows or bad_rows.
func (st *Store) Side(table string) []arrow.Record {
	st.mu.Lock()
	defer st.mu.Unlock()
	return append([]arrow.Record(nil), st.side[table]...)
}

// sink writes one query's batches into a Store.
type sink struct {
	store  *Store
	query  string
	tables []string // by output
	closed bool
}

// Head returns the newest marker of a query.
func (s *sink) Head(_ context.Context, queryID string) (sinks.Marker, bool, error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.store.Faults.Unguarded {
		return sinks.Marker{}, false, nil
	}
	m, ok := s.store.heads[queryID]
	return m, ok, nil
}

// Write stores a batch.
func (s *sink) Write(_ context.Context, b *sinks.Batch) error {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.closed {
		return sqlerr.New(sqlerr.Internal, "the sink of query %q is closed", s.query)
	}
	f := s.store.Faults
	head, ok := s.store.heads[b.QueryID]
	if !f.Unguarded && ok && (b.Batch <= head.Batch || b.Generation < head.Generation) {
		return sqlerr.New("E_FENCED", "batch %d of run %d of query %q comes after batch %d of run %d is stored", b.Batch, b.Generation, s.query, head.Batch, head.Generation).
			WithHint("nothing was stored twice; start the query again and it goes on behind what is stored")
	}
	if f.BeforeCommit != nil {
		if err := f.BeforeCommit(b); err != nil {
			return err
		}
	}
	s.store.commit(s.tables, b)
	if f.AfterCommit != nil {
		return f.AfterCommit(b)
	}
	return nil
}

// Transactional reports true.
func (s *sink) Transactional() bool { return true }

// Close ends the use of the sink; the Store keeps the rows.
func (s *sink) Close() error {
	s.closed = true
	return nil
}

// commit is called with the lock held.
func (st *Store) commit(tables []string, b *sinks.Batch) {
	if st.tables == nil {
		st.tables, st.heads, st.side = map[string][]row{}, map[string]sinks.Marker{}, map[string][]arrow.Record{}
	}
	for i, table := range tables {
		out := &b.Outputs[i]
		fresh := rowsOf(out.Records)
		st.tables[table] = append(kept(st.tables[table], slices.Concat(fresh, rowsOf(out.Deletes)), out), fresh...)
	}
	for _, s := range b.Side {
		s.Record.Retain()
		st.side[s.Table] = append(st.side[s.Table], s.Record)
	}
	st.heads[b.QueryID] = b.Marker
}

// rowsOf retains records and returns their rows.
func rowsOf(records []arrow.Record) []row {
	var rows []row
	for _, rec := range records {
		rec.Retain()
		for i := range rec.NumRows() {
			rows = append(rows, row{rec, i})
		}
	}
	return rows
}

// kept returns the old rows that a batch leaves: in update mode those with other keys than
// the rows that changed.
func kept(old, changed []row, out *sinks.Output) []row {
	switch {
	case out.Mode == types.Complete:
		return nil
	case out.Mode == types.Append || out.Keys == nil:
		return old
	}
	replaced := make(map[string]bool, len(changed))
	for _, r := range changed {
		replaced[r.key(out.Keys)] = true
	}
	var left []row
	for _, r := range old {
		if !replaced[r.key(out.Keys)] {
			left = append(left, r)
		}
	}
	return left
}

// key returns the canonical text of key columns: equal for equal keys, NULL included.
func (r row) key(columns []int) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = types.Text(r.rec.Column(c), int(r.i))
	}
	return strings.Join(parts, " | ")
}
