package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ssql/plan"
	"ssql/sql"
)

// reading is which streams, and views over streams, a query or a view reads, also through
// views: the names in lower case that its binder has found. Nil is not known yet.
type reading []string

// readingValue is the expression of a reading in an INSERT, value the argument of it.
const readingValue = `CAST(CAST(? AS JSON) AS VARCHAR[])`

func (r reading) value() any {
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
func (r *reading) scan(v any) error {
	if v == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(text(v)), (*[]string)(r)); err != nil {
		return fmt.Errorf("reading what a query reads: %w", err)
	}
	return nil
}

// has reports whether the relation of a name is read.
func (r reading) has(name string) bool { return slices.Contains(r, strings.ToLower(name)) }

// found notes a stream or view that the planner has resolved a name to.
func (r *relations) found(name string) {
	if r.reads == nil {
		r.reads = map[string]bool{}
	}
	r.reads[strings.ToLower(name)] = true
}

// readsOf returns what f, which plans something, has found in the catalog.
func (r *relations) readsOf(f func() error) (reading, error) {
	r.reads = map[string]bool{}
	err := f()
	return append(reading{}, slices.Sorted(maps.Keys(r.reads))...), err
}

// learnReads finds what the queries and views of an older catalog read, which kept nothing of
// it. A definition that cannot be bound reads what stands in its FROM clauses.
func (s *Session) learnReads(ctx context.Context) error {
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	for _, row := range cat.rows {
		if !row.view || row.reads != nil {
			continue
		}
		row.reads = cat.readsOfView(row)
		if err := s.exec(ctx, `UPDATE ssql.streams SET reads = `+readingValue+` WHERE lower(name) = lower(?)`, row.reads.value(), row.name); err != nil {
			return err
		}
	}
	queries, err := s.queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if q.reads != nil {
			continue
		}
		q.reads = s.readsOfQuery(cat, q)
		if err := s.exec(ctx, `UPDATE ssql.queries SET reads = `+readingValue+` WHERE lower(name) = lower(?)`, q.reads.value(), q.name); err != nil {
			return err
		}
	}
	return nil
}

func (r *relations) readsOfView(row *streamRow) reading {
	query, err := viewQuery(row)
	if err != nil {
		return reading{}
	}
	reads, err := r.readsOf(func() error {
		_, err := plan.Bind(query, r, planOptions(r.ctx, r.session.settings.OfViews(), true))
		return err
	})
	if err != nil {
		return r.named(query)
	}
	return reads
}

func (s *Session) readsOfQuery(cat *relations, q *queryRow) reading {
	d, err := storedDefinition(q)
	if err != nil {
		return reading{}
	}
	b, err := s.bind(d, cat)
	if err == nil {
		return b.reads
	}
	var queries []*sql.Query
	for _, in := range d.inserts {
		queries = append(queries, in.Query)
	}
	return cat.named(queries...)
}

// named returns the streams and views that stand in the FROM clauses of queries, and what those
// views read.
func (r *relations) named(queries ...*sql.Query) reading {
	r.reads = map[string]bool{}
	for _, query := range queries {
		if query != nil {
			r.findNamed(query.Text)
		}
	}
	return append(reading{}, slices.Sorted(maps.Keys(r.reads))...)
}

func (r *relations) findNamed(query string) {
	for _, name := range refsOf(query) {
		row := r.rows[strings.ToLower(name)]
		if row == nil || r.reads[strings.ToLower(name)] {
			continue
		}
		r.found(name)
		if !row.view {
			continue
		}
		if view, err := viewQuery(row); err == nil {
			r.findNamed(view.Text)
		}
	}
}
