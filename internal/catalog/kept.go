package catalog

import (
	"context"
	"maps"
	"sync"
)

// kept are the rows of the catalog as a statement has read them. All of its parts see the same, and
// read it once; what it writes itself, it reads again. Nothing else writes: a database file belongs to one process,
// and statements for DuckDB cannot change the tables of ssql.
type kept struct {
	mu      sync.Mutex
	version int // of the catalog, for a read that a write overtakes
	streams map[string]*StreamRow
	queries []*QueryRow
	sinks   map[string]*Sink
	reads   int // how often rows were read from the database
}

// Forget lets the next who asks read the catalog: a statement begins, or has written.
func (s *Store) Forget() {
	k := &s.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	k.version++
	k.streams, k.queries, k.sinks = nil, nil, nil
}

// keep returns the rows at place, which read gets unless they are known.
func keep[R any](ctx context.Context, k *kept, place func() *R, known func(R) bool, read func(ctx context.Context) (R, error)) (R, error) {
	k.mu.Lock()
	rows, version := *place(), k.version
	k.mu.Unlock()
	if known(rows) {
		return rows, nil
	}
	rows, err := read(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reads++
	if err == nil && k.version == version {
		*place() = rows
	}
	return rows, err
}

// Streams returns every stream, and every view over streams, by name in lower case. The rows are the
// caller's.
func (s *Store) Streams(ctx context.Context) (map[string]*StreamRow, error) {
	rows, err := keep(ctx, &s.kept, func() *map[string]*StreamRow { return &s.kept.streams }, func(m map[string]*StreamRow) bool { return m != nil }, s.readStreams)
	out := make(map[string]*StreamRow, len(rows))
	for name, r := range rows {
		own := *r
		out[name] = &own
	}
	return out, err
}

// Queries returns the queries in the order of their names. The rows are the caller's.
func (s *Store) Queries(ctx context.Context) ([]*QueryRow, error) {
	rows, err := keep(ctx, &s.kept, func() *[]*QueryRow { return &s.kept.queries }, func(l []*QueryRow) bool { return l != nil }, s.readQueries)
	out := make([]*QueryRow, len(rows))
	for i, r := range rows {
		own := *r
		out[i] = &own
	}
	return out, err
}

// Sinks returns every sink by name in lower case.
func (s *Store) Sinks(ctx context.Context) (map[string]*Sink, error) {
	sinks, err := keep(ctx, &s.kept, func() *map[string]*Sink { return &s.kept.sinks }, func(m map[string]*Sink) bool { return m != nil }, s.readSinks)
	return maps.Clone(sinks), err
}
