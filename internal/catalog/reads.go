package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ssql/internal/duck"
	"ssql/sql"
)

// Reading is which streams, and views over streams, a query or a view reads, also through
// views: the names in lower case that its binder has found. Nil is not known yet.
type Reading []string

// ReadingValue is the expression of a reading in an INSERT, value the argument of it.
const ReadingValue = `CAST(CAST(? AS JSON) AS VARCHAR[])`

// Value is what the catalog keeps of a reading: the argument of ReadingValue.
func (r Reading) Value() any {
	if r == nil {
		return nil
	}
	list, err := json.Marshal([]string(r))
	if err != nil {
		return nil // a list of texts can be written
	}
	return string(list)
}

// scan takes what the catalog has, as JSON.
func (r *Reading) scan(v any) error {
	if v == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(duck.Text(v)), (*[]string)(r)); err != nil {
		return fmt.Errorf("reading what a query reads: %w", err)
	}
	return nil
}

// Has reports whether the relation of a name is read.
func (r Reading) Has(name string) bool { return slices.Contains(r, strings.ToLower(name)) }

// found notes a stream or view that the planner has resolved a name to.
func (r *Snapshot) found(name string) {
	if r.reads == nil {
		r.reads = map[string]bool{}
	}
	r.reads[strings.ToLower(name)] = true
}

// ReadsOf returns what f, which plans something, has found in the catalog.
func (r *Snapshot) ReadsOf(f func() error) (Reading, error) {
	r.reads = map[string]bool{}
	err := f()
	return append(Reading{}, slices.Sorted(maps.Keys(r.reads))...), err
}

// Named returns the streams and views that stand in the FROM clauses of queries, and what those
// views read.
func (r *Snapshot) Named(queries ...*sql.Query) Reading {
	r.reads = map[string]bool{}
	for _, query := range queries {
		if query != nil {
			r.findNamed(query.Text)
		}
	}
	return append(Reading{}, slices.Sorted(maps.Keys(r.reads))...)
}

func (r *Snapshot) findNamed(query string) {
	for _, name := range RefsOf(query) {
		row := r.Rows[strings.ToLower(name)]
		if row == nil || r.reads[strings.ToLower(name)] {
			continue
		}
		r.found(name)
		if !row.View {
			continue
		}
		if view, err := ViewQuery(row); err == nil {
			r.findNamed(view.Text)
		}
	}
}
