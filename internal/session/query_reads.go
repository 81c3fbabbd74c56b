package session

import (
	"context"

	"ssql/internal/catalog"
	"ssql/plan"
	"ssql/sql"
)

// learnReads finds what the queries and views of an older catalog read, which kept nothing of
// it. A definition that cannot be bound reads what stands in its FROM clauses.
func (s *Session) learnReads(ctx context.Context) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, row := range cat.Rows {
		if !row.View || row.Reads != nil {
			continue
		}
		row.Reads = s.readsOfView(cat, row)
		if err := s.store.Exec(ctx, `UPDATE ssql.streams SET reads = `+catalog.ReadingValue+` WHERE lower(name) = lower(?)`, row.Reads.Value(), row.Name); err != nil {
			return err
		}
	}
	queries, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if q.Reads != nil {
			continue
		}
		q.Reads = s.readsOfQuery(cat, q)
		if err := s.store.Exec(ctx, `UPDATE ssql.queries SET reads = `+catalog.ReadingValue+` WHERE lower(name) = lower(?)`, q.Reads.Value(), q.Name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) readsOfView(cat *catalog.Snapshot, row *catalog.StreamRow) catalog.Reading {
	query, err := catalog.ViewQuery(row)
	if err != nil {
		return catalog.Reading{}
	}
	reads, err := cat.ReadsOf(func() error {
		_, err := plan.Bind(query, cat, planOptions(cat.Ctx, s.settings.OfViews(), true))
		return err
	})
	if err != nil {
		return cat.Named(query)
	}
	return reads
}

func (s *Session) readsOfQuery(cat *catalog.Snapshot, q *catalog.QueryRow) catalog.Reading {
	d, err := catalog.StoredDefinition(q)
	if err != nil {
		return catalog.Reading{}
	}
	b, err := s.bind(d, cat)
	if err == nil {
		return b.reads
	}
	var queries []*sql.Query
	for _, in := range d.Inserts {
		queries = append(queries, in.Query)
	}
	return cat.Named(queries...)
}
