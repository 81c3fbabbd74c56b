package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// dropStream is DROP STREAM.
func (s *Session) dropStream(ctx context.Context, st *sql.DropStream, _ *Request, out Output) error {
	rows, err := s.store.Streams(ctx)
	if err != nil {
		return err
	}
	old := rows[strings.ToLower(st.Name.Name)]
	if old != nil && old.View && !catalog.FirstWords(old.Definition, "CREATE", "STREAM") { // ksqlDB's CREATE STREAM AS is one
		return sqlerr.At(st.Name.Span, "STREAM_NOT_FOUND", "%q is a view, not a stream", old.Name).WithHint("DROP VIEW %s", sql.IdentText(old.Name))
	}
	if old == nil {
		if st.IfExists {
			out.Notice(fmt.Sprintf("stream %q does not exist", st.Name.Name))
			return nil
		}
		return noSuchStream(rows, st.Name)
	}
	if st.Cascade {
		if err := s.dropReaders(ctx, old.Name, out); err != nil {
			return err
		}
	} else if err := s.refuseInUse(ctx, old.Name, st.Name.Span, "dropped"); err != nil {
		return err
	}
	return s.forgetStream(ctx, old)
}

// dropReaders drops the queries and views that read a stream or view, also through views.
func (s *Session) dropReaders(ctx context.Context, relation string, out Output) error {
	queries, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range queries { // before the first is dropped: all of them or none
		if q.Reads.Has(relation) && q.Checkpoint != "" && s.jobOf(q.Name) == nil {
			if err := checkpoint.Free(s.cfg.FS, q.Checkpoint); err != nil {
				return err
			}
		}
	}
	for _, q := range queries {
		if q.Reads.Has(relation) {
			if err := s.dropQuery(ctx, q, out); err != nil {
				return err
			}
		}
	}
	rows, err := s.store.Streams(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		row := rows[name]
		if !row.View || !row.Reads.Has(relation) {
			continue
		}
		if err := s.store.DeleteStream(ctx, row.Name); err != nil {
			return err
		}
		out.Message(fmt.Sprintf("view %q is dropped", row.Name))
	}
	return nil
}

// forgetStream deletes a stream, and the rows that its connector holds for it.
func (s *Session) forgetStream(ctx context.Context, old *catalog.StreamRow) error {
	st, err := s.store.Declare(old)
	if err == nil && st.Spec.Drop != nil {
		st.Spec.Drop(old.Name)
	}
	// A definition that cannot be read any more can still be deleted.
	return s.store.DeleteStream(ctx, old.Name)
}

func noSuchStream(rows map[string]*catalog.StreamRow, name sql.Ident) error {
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return sqlerr.At(name.Span, "STREAM_NOT_FOUND", "stream %q does not exist", name.Name).
		WithNearest(name.Name, names, "SHOW STREAMS lists them")
}

// refuseInUse refuses a change of a stream or view that a query or a view reads.
func (s *Session) refuseInUse(ctx context.Context, relation string, at sql.Span, verb string) error {
	queries, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if q.Reads.Has(relation) {
			kind := "QUERY"
			if catalog.IsMaterialized(q.Definition) {
				kind = "MATERIALIZED VIEW"
			}
			return sqlerr.At(at, "STREAM_IN_USE", "%q cannot be %s: %s %q reads it", relation, verb, strings.ToLower(kind), q.Name).
				WithHint("DROP %s %s first", kind, sql.IdentText(q.Name))
		}
	}
	rows, err := s.store.Streams(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.View && row.Reads.Has(relation) {
			return sqlerr.At(at, "STREAM_IN_USE", "%q cannot be %s: view %q reads it", relation, verb, row.Name).
				WithHint("DROP VIEW %s first", sql.IdentText(row.Name))
		}
	}
	return nil
}
